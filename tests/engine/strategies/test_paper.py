from __future__ import annotations

import itertools

import pytest

from scrapy_tps import prune
from scrapy_tps.engine.pruned_page import page_of
from scrapy_tps.engine.strategies.paper import PaperStrategy
from tests.support.pages import listing


def paper(html, **options):
    return prune(html, settings={"TPS_STRATEGY": "paper", **options})


def test_keeps_the_main_region_and_its_ancestors_alone():
    pruning = paper(listing(records=20))
    assert page_of(pruning).size_ratio == 0.2
    assert pruning.root.xpath("string(//ul[@class='items']/li[20]/h2)") == "Product 19"
    assert not pruning.root.xpath("//nav//li | //footer//p")


def test_every_split_is_told_with_sizes_and_reason():
    pruning = paper(listing(records=20))
    kept = [region for region in pruning.regions if region.kept]
    gone = [region for region in pruning.regions if not region.kept]
    assert [region.rule for region in kept] == ["region"]
    assert kept[0].reason == "the main region: the larger part of every split"
    assert len(gone) == len(page_of(pruning).selection.splits) >= 2
    for region in gone:
        assert "shares no tag path of a frequency above" in region.reason
    assert kept[0].links == 20
    assert kept[0].xpath.startswith("/html/body")


def test_the_regions_cover_the_page():
    regions = paper(listing(records=20)).regions
    assert regions[0].start == 0
    assert all(left.end == right.start for left, right in itertools.pairwise(regions))
    assert sum(region.nodes for region in regions) == paper(listing(records=20)).raw_nodes


def test_a_page_without_a_split_stays_whole():
    html = "<body>" + "<p class=a>x</p>" * 40 + "</body>"
    pruning = paper(html)
    assert pruning.outcome == "no_region"
    assert pruning.html == html
    assert [region.rule for region in pruning.regions] == ["whole"]


def test_a_higher_ratio_is_more_careful():
    assert paper(listing(20), TPS_SIZE_RATIO=0.99).kept_nodes >= paper(listing(20)).kept_nodes


def menu_heavy_page():
    return listing(records=2).replace("</nav>", "</nav>" + "<dl><dt>a<dd>b</dl>" * 60)


@pytest.mark.parametrize("check", ["li.item", "//li[@class='item']"])
def test_the_complement_is_kept_when_the_region_fails_the_check(check):
    plain = paper(menu_heavy_page())
    assert "Product 1" not in plain.html
    checked = paper(menu_heavy_page(), TPS_STRATEGY=PaperStrategy(content_check=check))
    assert "Product 1" in checked.html
    assert "<dl>" not in checked.html
    assert [region.reason for region in checked.regions if not region.kept] == [
        "the region fails the content check"
    ]


def test_a_check_that_passes_changes_nothing():
    assert (
        paper(listing(20), TPS_STRATEGY=PaperStrategy(content_check="li.item")).html
        == paper(listing(20)).html
    )


@pytest.mark.parametrize("check", ["[[", 3, "//a/@href"])
def test_a_wrong_check_is_refused(check):
    with pytest.raises(ValueError, match=r"."):
        PaperStrategy(content_check=check)


def test_a_check_may_be_a_function():
    seen = []

    def check(sequence, start, end):
        seen.append((start, end))
        return "item" in [sequence.symbol_class[symbol] for symbol in sequence.symbols[start:end]]

    assert "Product 1" in paper(menu_heavy_page(), TPS_STRATEGY=PaperStrategy(content_check=check)).html
    assert len(seen) == 1
