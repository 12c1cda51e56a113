"""Expressions that begin with what they search for, for speed, find what the plain ones beside them find."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps.engine.cues import reading
from scrapy_tps.engine.strategies.auto import control_lists, queries

PRICE = re.compile(
    r"[$\u00a3\u20ac]\s?\d|\d\s?[$\u00a3\u20ac]"
    r"|(?<![\d.,:/-])\d{1,3}(?:[.,\s]?\d{3}){0,5}[.,]\d{2}(?![\d.,:/-])"
)
WRITER = re.compile("(?:(?<![A-Za-z])[Aa]uthor|(?<=[a-z])Author|[Bb]y-?[Ll]ine)s?(?![a-z])")
SORTS = re.compile(
    "sort|order|rank|filter|search|range|limit|per.?page|page.?size|results?(?![a-z])", re.IGNORECASE
)
PAGES = re.compile("page(?!.?size)|pagin", re.IGNORECASE)
WHEN = re.compile(r"(?<!\S)(?:dt-)?(?:published|updated)(?!\S)")


def texts(*parts: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(parts), max_size=9).map("".join)


@given(
    texts(*"0123456789", ".", ",", " ", "$", "\u20ac", "\u00a3", ":", "/", "-", "a", "\n", "123", "\u0663")
)
def test_prices(text: str) -> None:
    assert bool(queries.PRICE.search(text)) == bool(PRICE.search(text))


@given(
    texts("author", "Author", "uthor", "by", "By", "line", "Line", "-", "s", " ", "x", "X", "A", "b", "\n")
)
def test_names_of_writers(names: str) -> None:
    assert bool(reading.IS_WRITER.search(names)) == bool(WRITER.search(names))


@given(texts("published", "updated", "dt-", "dt", " ", "\t", "\x85", "\u2003", "-", "x"))
def test_names_that_say_when(names: str) -> None:
    assert bool(reading.of_facts(names) & reading.DATE) == bool(WHEN.search(names))


@given(
    texts(
        *(
            "sort",
            "\u017fort",
            "Order",
            "rank",
            "range",
            "FILTER",
            "search",
            "limit",
            "result",
            "per",
            "page",
            "Page",
        ),
        *("pagin", "\u017fize", "size", "s", "S", "_", "x", "\n", "r", "p"),
    )
)
def test_names_of_lists_to_choose_from(names: str) -> None:
    assert bool(control_lists._SORTS.search(names)) == bool(SORTS.search(names))
    assert bool(control_lists._PAGES.search(names)) == bool(PAGES.search(names))
