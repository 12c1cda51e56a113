"""Links to what a browser loads that stand in the body."""

from __future__ import annotations

import pytest

from scrapy_tps import prune
from tests.engine.strategies.made import article, record

SHEET = '<link rel="stylesheet" href="/blocks.css">'


def in_text(link: str) -> str:
    return article().replace('<ul class="tags">', f'{link}<ul class="tags">')


@pytest.mark.parametrize(
    "link",
    [
        SHEET,
        '<link rel="preload" as="font" href="/a.woff2" crossorigin>',
        "<link rel=modulepreload href=/a.js>",
        "<link rel='dns-prefetch' href=//cdn.example>",
    ],
)
def test_what_browsers_load_goes_from_the_text(link: str) -> None:
    pruning = prune(in_text(link), settings={"TPS_MIN_NODES": 0})
    assert "<link" not in pruning.html
    assert "Ada Miller" in pruning.html
    assert [entry.rule for entry in pruning.removed() if entry.xpath.endswith("/link")] == ["resources"]


@pytest.mark.parametrize(
    "link",
    [
        '<link itemprop="url stylesheet" rel="stylesheet" href="/theme">',
        '<link itemprop="availability" href="https://schema.org/InStock">',
        '<link rel="canonical" href="/mill">',
        '<link rel="alternate" type="application/rss+xml" href="/feed">',
        '<link rel="prefetch" href="/item/3">',
        '<link rel="icon" href="/fav3.ico">',
        '<link rel=" " href="/x">',
        '<link rel="preload" as="image" href="/mill.jpg">',
        '<link rel="preload" as="fetch" href="/api/mill.json">',
    ],
)
def test_links_that_may_be_data_stay(link: str) -> None:
    pruning = prune(in_text(link), settings={"TPS_MIN_NODES": 0})
    assert "<link" in pruning.html
    assert not [region for region in pruning.regions if region.rule == "resources"]


def test_style_sheets_go_from_records_as_well() -> None:
    records = "".join(record(number).replace("<h3>", f"{SHEET}<h3>") for number in range(12))
    page = (
        f"<html><body><nav>{'<a href=/m>Menu</a>' * 30}</nav><h1>All</h1><div>{records}</div></body></html>"
    )
    html = prune(page, settings={"TPS_MIN_NODES": 0}).html
    assert html.count("<h3>") == 12
    assert "blocks.css" not in html


def test_a_page_that_loses_nothing_else_stays_whole() -> None:
    text = "".join(f"<p>The mill by the river, part {number}</p>{SHEET}" for number in range(9))
    pruning = prune(f"<html><body><h1>The mill</h1>{text}</body></html>", settings={"TPS_MIN_NODES": 0})
    assert not pruning.pruned
    assert pruning.html.count("<link") == 9
