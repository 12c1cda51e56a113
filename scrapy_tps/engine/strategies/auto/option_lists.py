"""The options of a list to choose from (``select``): values of the page, or what is asked for in a form."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.strategies.auto.queries import names_price

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page

_OPTION: Final = frozenset({"option"})
#: A first option that says what to choose, and one for all, stand beside numbers in order.
_BESIDE_NUMBERS: Final = 2
#: Longer numbers are identifiers.
_DIGITS: Final = 6
#: Values that lead to pages: paths, queries, fragments, files.
_LEADS: Final = re.compile(r"[/?=#]|\.[A-Za-z]{2,5}$")
#: What a script does that goes where the chosen option leads.
_GOES: Final = re.compile("location|href|window.open|jumpMenu")
#: What a list of page numbers is called.
_PAGES: Final = re.compile("page(?!.?size)|pagin", re.IGNORECASE)
_INPUT: Final = frozenset({"input"})
#: Types of inputs that take what is looked for.
_WORDS: Final = frozenset({"text", "search"})
#: What a list is called that sorts or filters results, or says how many are shown.
_SORTS: Final = re.compile(
    "sort|order|rank|filter|search|range|limit|per.?page|page.?size|results?(?![a-z])", re.IGNORECASE
)


def counts(page: Page, options: list[int]) -> bool:
    """Whether nearly all options are numbers in order, which they send as well: sizes of a product send others."""
    numbers = []
    for option in options:
        text = _text(page, option)
        if text.isdecimal() and len(text) <= _DIGITS:
            value = page.sequence.value_of(option, "value")
            if value is not None and value.strip() != text:
                return False
            numbers.append(int(text))
    in_order = sum(abs(after - before) == 1 for before, after in pairwise(numbers))
    return in_order >= len(options) - 1 - _BESIDE_NUMBERS


def holds_values(page: Page, select: int, few: int, share: float) -> bool:
    """Whether a list to choose from holds a few values, addresses, pages, prices or data.

    Not what a list is sorted by, nor what a search for words is narrowed down to.

    :param share: a list with more of the page's text is its menu, a form with more of it no search.
    """
    stop, options = page.end[select], page.sequence.find(_OPTION)
    options = options[bisect_left(options, select) : bisect_left(options, stop)]
    if not options or any(map(_SORTS.search, _names(page, select))):
        return False
    if _are_pages(page, select, options):
        return True
    form = form_of(page, select)
    return (
        page.length_of(select, stop) <= share * page.length_of(0, page.size)
        and not (form > 0 and page.share(form, page.end[form]) <= share and _asks_for_words(page, form))
        and (len(options) < few or is_data(page, select, options[:few]))
    )


def form_of(page: Page, node: int) -> int:
    """The form around a node, or 0."""
    while node > 0 and page.sequence.tag_of(node) != "form":
        node = page.parent[node]
    return max(node, 0)


def _asks_for_words(page: Page, form: int) -> bool:
    value_of = page.sequence.value_of
    return any(
        form < place < page.end[form] and (value_of(place, "type") or "text").strip().lower() in _WORDS
        for place in page.sequence.find(_INPUT)
    )


def _are_pages(page: Page, select: int, options: list[int]) -> bool:
    return any(map(_PAGES.search, _names(page, select))) and counts(page, options)


def _names(page: Page, select: int) -> list[str]:
    return [page.sequence.value_of(select, name) or "" for name in ("name", "id", "class")]


def is_data(page: Page, select: int, options: list[int]) -> bool:
    sequence = page.sequence
    if _GOES.search(sequence.value_of(select, "onchange") or ""):
        return True
    if _are_pages(page, select, options):
        return True
    for option in options:
        attributes = sequence.nodes[option].attrib
        if _LEADS.search(attributes.get("value", "")) or any(name.startswith("data-") for name in attributes):
            return True
        if any(names_price(page, text) for text in range(option + 1, page.end[option])):
            return True
    return False


def _text(page: Page, option: int) -> str:
    return "".join(map(page.sequence.text_of, range(option + 1, page.end[option]))).strip()
