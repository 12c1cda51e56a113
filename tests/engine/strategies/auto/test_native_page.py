"""What rules read of native walks and of walks in Python, bit for bit, and the columns of both."""

from __future__ import annotations

from array import array
from itertools import accumulate
from operator import mul

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scrapy_tps.engine import native
from scrapy_tps.engine.cues import reading
from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.native import extension
from scrapy_tps.engine.sequence import walking
from scrapy_tps.engine.strategies.auto import content_cues, labelled
from scrapy_tps.engine.strategies.auto.page import Page, selection
from scrapy_tps.engine.strategies.auto.pagination import NextLinks, next_links
from scrapy_tps.engine.strategies.auto.pipeline import AGGRESSIVE, AUTO, TPS, Pipeline
from scrapy_tps.engine.strategies.auto.queries import SOFT
from scrapy_tps.engine.strategies.auto.record_lists import _Search
from scrapy_tps.engine.strategies.auto.thresholds import (
    TEXT_WEIGHT,
    Groups,
    LinkLists,
    MarkedParts,
    OwnParts,
    RecordSurroundings,
)
from tests.fuzz.mutations import mutate, seed_page
from tests.support.pages import listing, markup

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason=f"no native core: {native.REASON}")
COLUMNS = (
    "parent",
    "end",
    "tags",
    "cues",
    "text_length",
    "in_link",
    "is_text",
    "alive",
    "protected",
    "weight_before",
    "text_before",
    "prose_before",
    "protection_before",
)
WORDS = ("nav", "footer", "site-header", "modal", "share", "item-1", "item-22", "sidebar", "breadcrumb", "x")
LOOSE = {
    type(limits): limits
    for limits in (
        MarkedParts(share=1.0, links_share=1.0),
        LinkLists(share=1.0),
        RecordSurroundings(share=1.0, links_share=1.0, total=9.0),
    )
}


def loose(pipeline: Pipeline) -> Pipeline:
    """The table with rules that take more, and without conditions."""
    rules = (
        rule._replace(
            steps=tuple(
                step._replace(thresholds=LOOSE.get(type(step.thresholds), step.thresholds))
                for step in rule.steps
            ),
            when=(),
        )
        for rule in pipeline.rules
    )
    return Pipeline(tuple(rules), pipeline.reads)


@st.composite
def pages(draw):
    """Pages with records or a long text, and with names that say something, in odd places."""
    rng = draw(st.randoms(use_true_random=False))
    if draw(st.booleans()):
        html = mutate(seed_page(rng), rng).decode("utf-8", "replace")
        assume(parse(html).body is not None)
        return html
    parts = []
    for _ in range(draw(st.integers(1, 12))):
        tag = rng.choice(("div", "ul", "section", "main", "nav", "footer", "form", "h1", "h2", "aside"))
        inner = rng.choice(
            (
                "<a href=/>Home</a> <a href=/>About us</a> <a href=/>Imprint</a>",
                "<h2>Read next</h2> <a href=/>One</a> <p><a href=/>Two</a> <a href=/>Three of them</a></p>",
                "<b>Name</b> <i>19.99</i> <p>What it is, in some words that are prose enough to count here.</p>",
                draw(markup()),
            )
        )
        parts.append(f"<{tag} class='{rng.choice(WORDS)}'>{inner * rng.randint(1, 3)}</{tag}>")
    if rng.random() < 0.3:
        prose = "<p>Prose that is about something, and says so in a good many words of its own.</p>" * 30
        parts.insert(rng.randint(0, len(parts)), f"<h1>Heading</h1><article>{prose}</article>")
    return listing().replace("</main>", f"</main>{''.join(parts)}") if rng.random() < 0.5 else "".join(parts)


def both(html, **options):
    body = parse(html).body
    slow, fast = Page(walking.walk_tree(body), **options), Page(native.walk(body), **options)
    assert slow.columns.walk is None
    assert fast.columns.walk is not None
    return slow, fast


def assert_same(slow, fast):
    for name in COLUMNS:
        assert list(getattr(fast, name)) == list(getattr(slow, name)), name
    assert fast.removed == slow.removed
    assert fast.records == slow.records
    assert fast.first_heading == slow.first_heading
    assert fast.retained == slow.retained
    assert fast.splits == slow.splits
    assert fast.best == slow.best
    assert selection(fast) == selection(slow)


@given(pages(), st.data())
@settings(max_examples=60)
def test_what_labels(html, data):
    labels = ' itemprop="sku"', ' rel="author"', ' datetime="2025"', ' id="itemprop"'
    slow, fast = both(
        html.replace("<a", f"<a{data.draw(st.sampled_from(labels))}").replace(
            "<div", "<div itemprop='brand'", 5
        )
        + "<p rel='author'>Ada</p>"
    )
    gone = data.draw(st.integers(1, 4))
    slow.alive[::gone] = fast.alive[::gone] = bytes(len(slow.alive[::gone]))
    by_page = (page.sequence.labelling(page.columns) for page in (slow, fast))
    for of_slow, of_fast in zip(*by_page, strict=True):
        assert labelled._labels(fast, of_fast) == labelled._labels(slow, of_slow)


@given(pages(), st.sampled_from((2, 4, 1)), st.sampled_from((40, 3, 2)), st.sampled_from(("#a", "#", "/a")))
@settings(max_examples=60)
def test_menus_of_short_links(html, most_links, label, address):
    menu = f"<div class=menu><nav><a href={address}>One</a> <a href=#b>Two</a></nav></div>"
    slow, fast = both(html.replace("item-1", "menu").replace("href=/", "href=#a") + menu)
    limits = OwnParts(topics=most_links, label=label)
    found = [
        content_cues._linked_menus(
            page.columns, content_cues._MENU, page.links, 3, limits, page.sequence.value_of
        )
        for page in (slow, fast)
    ]
    assert found[0] == found[1]


@given(pages(), st.integers(1, 9))
@settings(max_examples=40)
def test_record_groups(html, step):
    slow, fast = both(html)
    alive, doubtful = (bytearray(index % step != rest for index in range(slow.size)) for rest in (3, 0))
    fast_groups, slow_groups = (
        _Search(page.columns, alive, doubtful, 0, slow.size, 0.0, Groups()).groups() for page in (fast, slow)
    )
    assert fast_groups == slow_groups


@given(pages(), st.sampled_from((AUTO, AGGRESSIVE, TPS, loose(AUTO), loose(AGGRESSIVE))))
@settings(max_examples=75)
def test_each_rule_of_a_table(html, pipeline):
    slow, fast = both(html, read=pipeline.reads, size_ratio=0.3)
    assert_same(slow, fast)
    for bits in (reading.MAIN, SOFT):
        assert fast.all_with(bits) == slow.all_with(bits)
        assert fast.first_with(bits) == slow.first_with(bits)
    for rule in pipeline.rules:
        for page in (slow, fast):
            Pipeline((rule,)).run(page)
        assert_same(slow, fast)


@given(*2 * [st.text(st.sampled_from("ab019 \t\u00a0\u2003\u0664\u0969\u00b2é漢_-"), max_size=8)])
def test_classes_are_the_same_by_their_stems(one, other):
    slow, fast = both(f"<p class='{one}'>a</p><p class='{other}'>b</p>")
    assert fast.columns.of_one_class(1, 3) == slow.columns.of_one_class(1, 3)


TURNING = (
    "<a href=/2>Next</a>",
    "<a href=/2>N\u00e4chste <b>Seite</b></a>",
    "<a href=/2>\u203a</a>",
    "<a href=/2>" + " " * 120 + "next</a>",
    "<a href=#b>Next</a>",
    "<a class=btnNext href=/3>x</a>",
    "<a class=slick-next href=/3>x</a>",
    "<p id=next><a href=/4>y</a></p>",
    "<p class=next><span><a href=/4>y</a></span> z</p>",
    "<a aria-label='next page' href=/5></a>",
    "<a title=next href=/6><img></a>",
    "<a title=next href=/7>w</a>",
    "<a href=/9><b><img alt='More results'></b></a>",
    "<a href=/10><img alt=mills></a>",
    "<a href=/11>Next 20 matches</a>",
    "<a href=/12>Next 7 days</a>",
    "<a href=# data-href=/s?p=2>More</a>",
    "<button hx-get='' hx-vals='{\"page\": 2}'>Show more</button>",
    "<button data-a=b>Next</button>",
    "<a href=/8>\u6b21\u3078</a>",
    "<a href=/9></a>",
)


@given(st.lists(st.sampled_from(TURNING), max_size=4), st.booleans())
def test_links_to_the_next_page(links, kept):
    found = []
    for page in both(f"<p>a</p><div>{''.join(links)}</div><p><a href=/2>Next</a></p>"):
        page.alive[:] = bytes(page.size)
        page.retained += [(page.size - 3, "")] if kept else []
        found.append(next_links(page, NextLinks()))
    assert found[0] == found[1]


def test_columns_can_be_written_to_but_not_resized():
    _, fast = both(listing())
    fast.columns.write(fast.alive, [(1, 3)], 0)
    assert fast.weight_before[3] == 0.0
    fast.alive.append(1)
    with pytest.raises(ValueError, match="resized"):
        fast.columns.measure(0)


@pytest.mark.parametrize("roots", [[-1], [9999], [-9999]])
def test_parts_beyond_the_page_are_refused(roots):
    parts = [(root, "") for root in roots]
    for page in both(listing()):
        for kept, next_pages in ((parts, []), ([], parts)):
            with pytest.raises(IndexError):
                page.columns.spans([], kept, [], next_pages)


@given(pages(), st.data())
@settings(max_examples=40)
def test_sums_after_each_of_many_changes(html, data):
    _, page = both(html)
    places = st.integers(0, page.size - 1)
    for _ in range(4):
        start, mask = data.draw(places), data.draw(st.sampled_from((page.alive, page.protected)))
        page.columns.write(mask, [(start, page.end[start])], data.draw(st.integers(0, 1)))
        living = [length * alive for length, alive in zip(page.text_length, page.alive, strict=True)]
        weights = [*map(TEXT_WEIGHT.of, living, page.in_link)]
        prose = [
            length if length >= TEXT_WEIGHT.prose and not link else 0
            for length, link in zip(living, page.in_link, strict=True)
        ]
        for sums, values in (
            (page.text_before, living),
            (page.weight_before, weights),
            (page.prose_before, prose),
            (page.protection_before, [*map(mul, weights, page.protected)]),
        ):
            assert list(sums) == list(accumulate(values, initial=0.0))


@pytest.mark.parametrize("pieces", [(), (b"",), (b".pdf", b""), (b".pdf",) * 17])
def test_no_links_are_searched_for_without_or_with_too_many_pieces(pieces):
    _, page = both(listing())
    with pytest.raises(ValueError, match="pieces"):
        page.sequence.links_with(page.columns, page.links, [(0, page.size)], pieces)


def test_cues_of_another_size_are_refused():
    body = parse(listing()).body
    with pytest.raises(ValueError, match="for each node"):
        extension("sequence").page_columns(
            native.walk(body).native_walk,
            native.ARRAYS,
            array("q", [0]),
            array("i", [0]),
            (15, 30, 60, 1, 1, 1, 1),
            None,
        )
