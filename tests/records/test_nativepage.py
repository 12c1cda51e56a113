"""The native columns of a page and their pure Python twin: the same results, bit for bit."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_tps.engine import native
from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.loops import pairing
from scrapy_tps.engine.sequence import walking
from scrapy_tps.records.budget import Budget
from scrapy_tps.records.extract import Extraction
from scrapy_tps.records.nativepage import NativeRecordPage, page_of
from scrapy_tps.records.page import RecordPage
from tests.fuzz.mutations import mutate, seed_page
from tests.records.pages import FOOT, NAV, card, cards, page
from tests.support.hostile import hostile_pages
from tests.support.pages import markup

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason=f"no native core: {native.REASON}")


def both(html: str) -> tuple[RecordPage, RecordPage] | None:
    body = parse(html).body
    if body is None:
        return None
    fast, slow = page_of(native.walk(body)), RecordPage(walking.walk(body))
    assert isinstance(fast, NativeRecordPage)
    return fast, slow


def partition(values: Any) -> list[int]:
    """Numbers by their first occurrence: which numbers stand for what is nobody's business."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(value, len(numbers)) for value in values]


def check_columns(html: str) -> None:
    pages = both(html)
    if pages is None:
        return
    fast, slow = pages
    for name in ("paths", "kinds", "signatures", "grams"):
        assert partition(getattr(fast, name)) == partition(getattr(slow, name)), name
    for name in ("weight", "text", "link_text", "links", "texts", "text_nodes"):
        assert list(getattr(fast, name)) == list(getattr(slow, name)), name
    assert fast.nested_tags == slow.nested_tags
    for place in range(len(slow)):
        assert fast.count_of_path[fast.paths[place]] == slow.count_of_path[slow.paths[place]]
        assert fast.count_of_kind[fast.kinds[place]] == slow.count_of_kind[slow.kinds[place]]
        assert fast.signature_class[fast.signatures[place]] == slow.signature_class[slow.signatures[place]]
    assert fast.strings(0, len(fast)) == slow.strings(0, len(slow))


def check_counts(html: str, rng: Any) -> None:
    pages = both(html)
    if pages is None:
        return
    fast, slow = pages
    size = len(slow)
    for _ in range(5):
        starts = sorted(rng.sample(range(size), min(size, rng.randint(1, 12))))
        spans = [(start, slow.end[start]) for start in starts]
        some = sorted(rng.sample(range(len(spans)), rng.randint(1, len(spans))))
        assert fast.totals(spans) == slow.totals(spans)
        assert fast.spread(spans) == slow.spread(spans)
        assert fast.kinship(spans) == slow.kinship(spans)
        assert fast.density(spans) == slow.density(spans)
        assert fast.different_texts(spans) == slow.different_texts(spans)
        for chosen in (None, some):
            quick, right = fast.regularity(spans, chosen), slow.regularity(spans, chosen)
            assert (quick.density, quick.fit) == (right.density, right.fit)
            assert sorted(quick.typical.values()) == sorted(right.typical.values())
            span = spans[some[0]]
            assert fast.fit(span, quick.typical) == slow.fit(span, right.typical)
        for most in (1, 3, 8):
            assert fast.clusters(starts, 0.6, most) == slow.clusters(starts, 0.6, most)
        place = starts[0]
        assert fast.places(fast.paths[place], None) == slow.places(slow.paths[place], None)
        assert fast.places(fast.paths[place], fast.signatures[starts[-1]]) == slow.places(
            slow.paths[place], slow.signatures[starts[-1]]
        )


def regions_of(walked: Any) -> list[Any]:
    extraction = Extraction(walked, Budget(None))
    regions = extraction.regions(extraction.ranked(extraction.candidates()), 0.0)
    return [
        (
            region.confidence,
            region.xpath,
            region.columns,
            [(record.text, record.fields, record.nodes, record.elements) for record in region.records],
            [[sublist.rows() for sublist in record.sublists] for record in region.records],
        )
        for region in regions
    ]


def check_regions(html: str) -> None:
    body = parse(html).body
    if body is not None:
        assert regions_of(native.walk(body)) == regions_of(walking.walk(body))


@given(markup())
@settings(max_examples=200, deadline=None)
def test_columns_of_arbitrary_markup(html: str) -> None:
    check_columns(html)


@given(markup(), st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_counts_in_arbitrary_markup(html: str, rng: Any) -> None:
    check_counts(html, rng)


@given(st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_mutated_pages(rng: Any) -> None:
    html = mutate(seed_page(rng), rng).decode("utf-8", "replace")
    check_columns(html)
    check_counts(html, rng)
    check_regions(html)


@given(st.text("a \t\n\x0b\x1c\u00a0\u1680\u2003\u3000é漢", max_size=12))
@settings(max_examples=200, deadline=None)
def test_white_space_of_every_kind_is_collapsed(text: str) -> None:
    check_columns(f"<p>{text}<!-- --> {text}<b>x</b>{text}")


@pytest.mark.parametrize("name", sorted(hostile_pages(1)))
def test_hostile_pages(name: str) -> None:
    html = hostile_pages(3000)[name]
    check_columns(html)
    check_regions(html)


def test_lists_of_records() -> None:
    check_regions(page(cards(range(12))))
    check_regions(page(NAV + cards(range(5)) + "<p>advert</p>" + card(7) + FOOT))


@given(
    st.integers(1, 6).flatmap(
        lambda width: st.lists(
            st.lists(st.sampled_from([0.0, 1.0, 1.5, 2.25, 4.0]), min_size=width, max_size=width),
            min_size=1,
            max_size=6,
        )
    )
)
def test_cells_are_paired_up_alike(similarities: list[list[float]]) -> None:
    assert native.compiled(pairing.pair_up)(similarities) == pairing.pair_up(similarities)


def test_spans_outside_of_the_page_are_refused() -> None:
    pages = both(page(cards(range(3))))
    assert pages is not None
    columns, bags = pages[0]._columns, pages[0]._bags  # type: ignore[attr-defined]
    for span in ((0, 10**6), (-1, 2), (5, 5), (10**6, 10**6)):
        for count in (columns.totals, columns.spread, columns.kinship, bags.density):
            with pytest.raises(IndexError):
                count([span])
        with pytest.raises(IndexError):
            bags.regularity([span], None)
    with pytest.raises(IndexError):
        columns.string(10**6)
    with pytest.raises(IndexError):
        columns.strings(5, 4)
