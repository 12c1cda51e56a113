"""Metadata of the page and invisible metadata of its items, at any place where the parser put it."""

from __future__ import annotations

import pytest

from scrapy_tps import prune
from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.invisible import keep_metadata
from scrapy_tps.engine.native import walk
from scrapy_tps.engine.outcomes import PRUNED
from scrapy_tps.engine.pruned_page import page_of
from scrapy_tps.engine.strategies import Selection, Span
from tests.support.shop_pages import listing

MOVED = (
    "<title>Lamps</title><meta name=description content=d><meta property=og:title content=o><base href=/b/>"
    "<link rel=canonical href=/c><link rel=alternate hreflang=de href=/de>"
)
LONG = "".join(f"<p class=w>Words of the article, part {number}</p>" for number in range(40))


class Removing:
    """A strategy that removes the elements with ``data-goes``, and what is beside ``main`` of metadata."""

    size_ratio = 0.2

    def select(self, sequence, size_ratio, settings):
        tags = ("meta", "link", "title", "base")
        spans = [
            Span(index, sequence.stop(index), False, "test", "test")
            for index, node in enumerate(sequence.nodes)
            if not sequence.kinds[index] and (node.get("data-goes") is not None or node.tag in tags)
        ]
        return Selection(PRUNED, spans)


def pruned(body, head="", **options):
    page = f"<html><head>{head}</head><body>{body}</body></html>"
    return prune(page, settings={"TPS_STRATEGY": Removing(), "TPS_MIN_NODES": 0, **options})


def contents(pruning):
    return [
        node.get("content") or node.get("href") for node in pruning.root.xpath("//body//meta | //body//link")
    ]


@pytest.mark.parametrize("strategy", ["auto", "tps", "aggressive", "paper"])
def test_metadata_that_the_parser_moved_into_the_body_stays(strategy):
    page = listing(head=f"<img src=/pixel.gif>{MOVED}")
    pruning = prune(page, settings={"TPS_STRATEGY": strategy})
    assert pruning.outcome == "pruned"
    root = pruning.root
    assert root.xpath("//title/text()") == ["Shop, page 1", "Lamps"]
    assert root.xpath("//body//meta/@content") == ["d", "o"]
    assert root.xpath("//body//link/@href") == ["/c", "/de"]
    assert root.xpath("//body//base/@href") == ["/b/"]


def test_metadata_stays_in_parts_that_go():
    pruning = pruned(f"<div data-goes><b>{MOVED}</b><i>x</i></div>{LONG}")
    assert len(pruning.root.xpath("//b/*")) == 6
    assert not pruning.root.xpath("//i")
    assert pruning.kept_nodes == page_of(pruning).mask.count(1)


def test_without_the_setting_only_base_stays():
    pruning = pruned(f"<div data-goes>{MOVED}</div>{LONG}", TPS_KEEP_INVISIBLE=["data", "forms"])
    assert [node.tag for node in pruning.root.xpath("//body/div/*")] == ["base"]


def test_what_a_browser_loads_goes_and_so_do_titles_of_drawings():
    links = "<link rel=stylesheet href=/s><link rel='preload x' href=/p>"
    html = f"<div data-goes>{links}<svg><g><title>x</title></g></svg></div>"
    assert not pruned(html + LONG).root.xpath("//link | //title")


def test_what_the_user_drops_goes_with_its_metadata():
    pruning = pruned(f"<div class=x>{MOVED}</div>{LONG}", TPS_DROP=["div.x"])
    assert not pruning.root.xpath("//div")
    kept = pruned(f"<div class=x>{MOVED}</div>{LONG}", TPS_DROP=["div.x"], TPS_KEEP=["base"])
    assert [node.tag for node in kept.root.xpath("//div/*")] == ["base"]


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        ("<div itemscope><meta itemprop=a content=1><p>seen</p></div>", ["1"]),
        ("<div itemscope data-goes><meta itemprop=a content=1><p>seen</p></div>", []),
        # an item of which something stays
        ("<div itemscope><div data-goes>x<meta itemprop=a content=1></div>seen</div>", ["1"]),
        # an item in one that stays: it goes by itself where something of it was seen
        ("<div itemscope><div itemscope data-goes>seen<meta itemprop=a content=1></div>seen</div>", []),
        ("<div itemscope><div itemscope data-goes><link itemprop=a href=1></div>seen</div>", ["1"]),
        # an item that is a property of one that stays
        (
            "<div itemscope><div itemprop=a itemscope data-goes>seen<meta itemprop=b content=1></div>seen</div>",
            ["1"],
        ),
        (
            "<div itemscope data-goes><div itemprop=a itemscope>seen<meta itemprop=b content=1></div>seen</div>",
            [],
        ),
        # without item: with what is around it
        ("<div>seen<span data-goes><meta itemprop=a content=1></span></div>", ["1"]),
        ("<div data-goes>seen<span><meta itemprop=a content=1></span></div>", []),
        ("<div data-goes><span><meta itemprop=a content=1></span></div>", ["1"]),
        # RDFa
        ("<div typeof=Offer data-goes>seen<meta property=price content=1></div>", []),
        ("<div typeof=Offer>seen<b data-goes><meta property=price content=1></b></div>", ["1"]),
        # the page's as well
        ("<div itemscope data-goes>seen<meta itemprop=a name=a content=1></div>", ["1"]),
        ("<div itemscope data-goes>seen<link itemprop=a rel=canonical href=1></div>", ["1"]),
        ("<div itemscope data-goes>seen<link itemprop=a rel=icon href=1></div>", []),
    ],
)
def test_metadata_of_items_stays_with_its_item(html, kept):
    assert contents(pruned(f"{html}{LONG}<i data-goes>x</i>")) == kept


def test_properties_of_the_body_are_metadata_of_the_page():
    sequence = walk(parse("<body typeof=WebPage><p>seen</p><meta property=og:title content=1>").body)
    mask = bytearray(len(sequence.nodes))
    keep_metadata(sequence, mask, b"", keep_head=True)
    assert [node.tag for node, stays in zip(sequence.nodes, mask, strict=True) if stays] == ["meta"]
