"""The view in a real browser: what went, where and why."""

from __future__ import annotations

import pytest
from parsel import Selector

from scrapy_tps import prune
from scrapy_tps.engine.pruned_page import page_of
from scrapy_tps.report.page_view import compare_settings, render_prunings
from scrapy_tps.settings.definitions import page_settings
from tests.support.views import render_view

from .pages import SETTINGS, SHOP


@pytest.fixture
def shop(show):
    return show(render_view(SHOP, url="http://shop.example/", settings=SETTINGS))


def frame_of(shown, which=0):
    return shown.page.locator(".pane:not([hidden]) iframe").nth(which).element_handle().content_frame()


def center(shown, selector, which=0):
    """Return the position in the window of the middle of an element inside the frame."""
    element = frame_of(shown, which).query_selector(selector)
    shown.page.evaluate("() => document.querySelector('.viewport').scrollTo(0, 0)")
    box = element.bounding_box()
    return box["x"] + min(20, box["width"] / 2), box["y"] + box["height"] / 2


def visible(shown, selector):
    return frame_of(shown).evaluate(
        "selector => [...document.querySelectorAll(selector)].filter(one => one.getClientRects().length).length",
        selector,
    )


def test_the_example_loses_its_menu_and_keeps_its_records():
    pruning = prune(SHOP, settings=SETTINGS)
    assert "Menu entry" not in pruning.html
    assert pruning.html.count("Description of record") == 20


def test_hovering_shows_the_reason(shop):
    shop.page.mouse.move(*center(shop, ".entry a"))
    tip = shop.page.locator("#tip")
    assert tip.is_visible()
    assert "Removed. Region 1, removed" in tip.inner_text()
    assert "shares no tag path" in tip.inner_text()
    assert "body > ul.menu > li.entry > a" in tip.inner_text()
    shop.page.mouse.move(*center(shop, ".record .title"))
    assert "Kept. Region 2, kept: the main region" in tip.inner_text()


def test_a_page_that_waits_for_its_scripts_can_be_seen_and_pointed_at(show):
    hidden = "<style>body { visibility: hidden; opacity: 0; overflow: hidden; height: 9px } * { pointer-events: none }"
    shown = show(render_view(SHOP.replace("<style>", hidden, 1), settings=SETTINGS))
    shown.page.mouse.move(*center(shown, ".record:nth-of-type(2) .title"))
    assert "body > section.results > div.record > h2 > a.title" in shown.page.inner_text("#tip")
    assert frame_of(shown).is_visible(".record:nth-of-type(2) .title")


def test_both_dims_what_goes_and_outlines_what_stays(shop):
    opacity = frame_of(shop).evaluate("() => getComputedStyle(document.querySelector('.menu')).opacity")
    assert float(opacity) < 0.5
    assert shop.page.locator(".badge.kept").all_inner_texts() == ["2"]
    assert shop.page.locator(".badge.removed").all_inner_texts() == ["1", "3"]


def test_switching_hides_what_went(shop):
    assert (visible(shop, ".entry"), visible(shop, ".record")) == (8, 20)
    shop.page.click("[data-mode=pruned]")
    assert (visible(shop, ".entry"), visible(shop, ".record")) == (0, 20)
    shop.page.click("[data-mode=original]")
    assert (visible(shop, ".entry"), visible(shop, ".record")) == (8, 20)
    assert shop.page.locator(".box").count() == 0


def test_a_click_in_the_plot_finds_the_element(shop):
    canvas = shop.page.locator("#cursor canvas")
    size = canvas.bounding_box()
    canvas.click(position={"x": 2, "y": size["height"] - 3})
    assert "Position 0." in shop.page.inner_text("#chosen")
    canvas.click(position={"x": size["width"] * 0.6, "y": size["height"] / 2})
    assert "Kept. Region 2" in shop.page.inner_text("#chosen")
    index = int(shop.page.get_attribute("#cursor", "aria-valuenow"))
    inner = frame_of(shop).evaluate(
        "index => document.querySelector(`[data-tps-n='${index}']`)?.getBoundingClientRect().top", index
    )
    chosen = shop.page.eval_on_selector(".box.chosen", "box => parseFloat(box.style.top)")
    assert inner is None or abs(inner - chosen) < 2


def test_a_click_in_the_page_finds_the_place_in_plot_and_list(shop):
    shop.page.mouse.click(*center(shop, ".entry a"))
    assert "Region 1" in shop.page.inner_text("#chosen")
    assert shop.page.get_attribute("#regions li button[data-region='0']", "aria-current") == "true"
    assert int(shop.page.get_attribute("#cursor", "aria-valuenow")) == 3


def test_the_list_tells_sizes_and_rule_and_leads_to_the_region(shop):
    entry = shop.page.locator("#regions li button").first
    text = entry.inner_text()
    assert "1 removed" in text
    assert "8 links" in text
    assert "rule split" in text
    assert "Menu entry 0" in text
    assert "/html/body" in text
    entry.focus()
    shop.page.keyboard.press("Enter")
    assert "Region 1" in shop.page.inner_text("#chosen")
    assert shop.page.locator("#regions li button").count() == 3
    shop.page.check("#only-removed")
    assert shop.page.locator("#regions li button").count() == 2


def test_the_plot_is_a_slider_for_keyboard_and_screen_reader(shop):
    cursor = shop.page.locator("#cursor")
    cursor.focus()
    shop.page.keyboard.press("Home")
    shop.page.keyboard.press("ArrowRight")
    assert cursor.get_attribute("aria-valuenow") == "1"
    assert cursor.get_attribute("aria-valuetext") == "1: body > ul.menu. removed"
    shop.page.keyboard.press("+")
    assert "positions 0 to" in shop.page.inner_text("#plot-note")


def test_splits_stand_in_the_order_they_were_made(shop):
    pruning = prune(SHOP, settings=SETTINGS)
    rows = shop.page.locator("#splits tbody tr").all_inner_texts()
    found = [[int(cell.replace(",", "")) for cell in row.split("\t")[:5]] for row in rows]
    assert found == [
        [number, split.position, split.threshold, split.left, split.right]
        for number, split in enumerate(page_of(pruning).selection.splits, 1)
    ]


SELECTORS = [
    ".record",
    "li.entry > a",
    "a::attr(href)",
    ".record ::text",
    "h2 a::text, .price::text",
    "//a/@href",
    "//div[@class='record']//text()",
    "table > tr > td",
    "//tr/td[2]",
    "script",
    "//comment()",
    "//text()",
    "//section/text()",
    "head > *",
    "a[href^='/menu']",
    "body > :nth-child(1)",
]


def test_counts_are_those_of_the_spider(shop):
    original = Selector(SHOP, type="html")
    pruned = Selector(root=prune(SHOP, settings=SETTINGS).root, type="html")
    for selector in SELECTORS:
        before, after = (
            len(page.xpath(selector) if selector.startswith("/") else page.css(selector))
            for page in (original, pruned)
        )
        assert before
        shop.page.fill("#expression", selector)
        shop.page.press("#expression", "Enter")
        assert f"{before} before, {after} after" in shop.page.inner_text("#matches"), selector


def test_lost_matches_can_be_jumped_to(shop):
    shop.page.fill("#expression", ".entry")
    shop.page.press("#expression", "Enter")
    assert "8 before, 0 after; 8 lost" in shop.page.inner_text("#matches")
    assert shop.page.locator(".box.match").count() == 8
    shop.page.click("text=lost at 2")
    assert "Position 2." in shop.page.inner_text("#chosen")
    shop.page.fill("#expression", "a[")
    shop.page.press("#expression", "Enter")
    assert "Neither CSS nor XPath" in shop.page.inner_text("#matches")
    assert shop.errors == []


def test_the_account_tells_counts_outcome_and_time(shop):
    pruning = prune(SHOP, settings=SETTINGS)
    rows = dict(
        row.split("\t", 1) for row in shop.page.inner_text("#account table").splitlines() if "\t" in row
    )
    assert rows["Outcome"] == "pruned"
    assert rows["Nodes"] == str(pruning.raw_nodes)
    assert rows["Nodes kept"] == str(pruning.kept_nodes)
    assert {"Time: parse", "Time: walk", "Time: strategy", "Time: cut"} <= rows.keys()


def test_strategies_and_ratios_are_compared_side_by_side(show):
    compared = compare_settings(page_settings(SETTINGS), ["paper", "paper:0.95"])
    shown = show(render_prunings([prune(SHOP, settings=settings) for settings in compared]))
    assert shown.page.locator(".pane").count() == 1
    shown.page.click("text=Side by side")
    shown.page.wait_for_function("() => document.querySelectorAll('.pane:not([hidden]) .box').length >= 2")
    headings = shown.page.locator(".pane h2").all_inner_texts()
    assert headings[0].startswith("paper, ratio 0.2: ")
    assert headings[1] == "paper, ratio 0.95: not pruned"
    shown.page.click("#variants >> text=0.95")
    assert "Not pruned: nothing in it could be removed" in shown.page.inner_text("#banner")


def test_a_page_kept_whole_says_why(show):
    shown = show(render_view("<p>short</p>"))
    assert "Not pruned: it has fewer nodes than TPS_MIN_NODES" in shown.page.inner_text("#banner")
    assert shown.errors == []


@pytest.mark.parametrize("body", ["", b"\x00", "{}", "<frameset><frame src=a></frameset>", "\ud800 <p>"])
def test_a_view_of_anything_opens(show, body):
    shown = show(render_view(body))
    assert "Not pruned" in shown.page.inner_text("#banner")
    assert shown.errors == []


def test_the_plot_says_what_it_reduces(show):
    page = "<body>" + "<ul class=menu>" + "<li>a</li>" * 50 + "</ul>" + "<p>text</p>" * 30_000
    shown = show(render_view(page, settings=SETTINGS))
    note = shown.page.inner_text("#plot-note")
    assert "60,102 nodes" in note
    assert "Every node is counted" in note
    shown.page.locator("#cursor canvas").click(position={"x": 600, "y": 100})
    assert "Position" in shown.page.inner_text("#chosen")
    for _ in range(6):
        shown.page.click("text=Zoom in")
    assert "Reduced" not in shown.page.inner_text("#plot-note")


def test_text_that_goes_without_its_parent_is_dimmed(show):
    menu = '<div class="a">' + "<b>x</b>" * 3 + "</div>"
    page = f"<body>loose words{menu}<div class='r'>" + "<p>text <i>of</i> record</p>" * 30 + "</div>"
    pruning = prune(page, settings=SETTINGS)
    assert "loose words" not in pruning.html
    shown = show(render_view(page, settings=SETTINGS))
    assert frame_of(shown).inner_text("tps-text") == "loose words"
    shown.page.click("[data-mode=pruned]")
    assert not frame_of(shown).is_visible("tps-text")


def test_it_can_be_read_in_the_dark_and_on_a_phone(show):
    shown = show(
        render_view(SHOP, settings=SETTINGS),
        color_scheme="dark",
        viewport={"width": 360, "height": 700},
        has_touch=True,
    )
    background = shown.page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert background == "rgb(20, 24, 29)"
    wide = shown.page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= 360
    shown.page.touchscreen.tap(*center(shown, ".entry a"))
    assert "Region 1" in shown.page.inner_text("#chosen")


def test_records_and_columns_are_marked_when_asked(show, shop):
    assert not shop.page.is_visible("#records")
    shown = show(render_view(SHOP, settings=SETTINGS, records=True))
    assert "List 1: 20 records" in shown.page.locator("#records button").first.inner_text()
    assert shown.page.locator(".badge.record").count() == 20
    assert "Description of record 3" in shown.page.locator("#records tbody tr").nth(3).inner_text()
    first = shown.page.locator(".box.cell").first.bounding_box()
    record = shown.page.locator(".box.record").first.bounding_box()
    assert record["y"] <= first["y"] <= record["y"] + record["height"]


def test_every_control_has_a_name(shop):
    frame_of(shop)
    nameless = shop.page.evaluate(
        """() => [...document.querySelectorAll('button, input, [role=slider], [role=region], iframe')]
          .filter(one => !(one.textContent.trim() || one.ariaLabel || one.title || one.labels?.length))
          .map(one => one.outerHTML)"""
    )
    assert nameless == []


def test_nothing_but_the_file_is_requested(shop):
    frame_of(shop)
    assert shop.requests == [shop.url]
    assert shop.errors == []
