"""The HTML report in a real browser: it sorts, filters and compares, with thousands of sites too."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scrapy_tps.report.causes import Commands
from scrapy_tps.report.crawl_report import Report, report_html
from scrapy_tps.report.summary import summarise
from scrapy_tps.stats.coverage import UseFigures, UseRow
from scrapy_tps.stats.evidence import Evidence, Trouble
from scrapy_tps.stats.figures import SiteFigures, merged
from tests.support.figures import MadeUpPruning, figures_of

pytest.importorskip("jinja2", reason="the extra `report` is not installed")


def report(title, sites):
    total = merged(sites.values())
    return Report(title, {}, total, sites.items(), summarise(total, sites.items(), commands=Commands("shop")))


def crawl(title, count, items=10):
    sites = {
        f"site{n:04}.example": figures_of(
            *[MadeUpPruning(kept_nodes=100 - n % 90)] * (1 + n % 7), items=items * (n % 5)
        )
        for n in range(count)
    }
    return report(title, sites)


SITES = {
    "large.example": figures_of(*[MadeUpPruning(kept_nodes=50)] * 9, items=18),
    "most.example": figures_of(MadeUpPruning(kept_nodes=10), items=1),
    "whole.example": figures_of(*[MadeUpPruning("ambiguous", kept_nodes=100)] * 2, items=4),
    "<b>.example": figures_of(MadeUpPruning("error", kept_nodes=100), items=0),
}


@pytest.fixture
def shown(show):
    return show(report_html(report("one crawl", SITES)), ready="html[data-ready]")


def sites_of(shown):
    return shown.page.locator("#sites > tbody > tr > th").all_inner_texts()


def cells_of(shown, site):
    row = shown.page.locator("#sites > tbody > tr", has_text=site).first
    heads = shown.page.locator("#sites > thead th").all_inner_texts()
    return dict(zip(heads, [site, *row.locator("> td").all_inner_texts()], strict=True))


def test_sites_come_with_most_pages_first_and_sort_by_any_column(shown):
    assert sites_of(shown) == ["large.example", "whole.example", "<b>.example", "most.example"]
    shown.page.click("[data-sort=mean]")
    assert sites_of(shown)[0] == "most.example"
    assert shown.page.get_attribute("th:has([data-sort=mean])", "aria-sort") == "descending"
    shown.page.keyboard.press("Enter")
    assert sites_of(shown)[-1] == "most.example"
    shown.page.click("[data-sort=site]")
    assert sites_of(shown) == sorted(SITES)


def test_a_row_has_the_figures_of_its_site(shown):
    cells = cells_of(shown, "large.example")
    assert cells["Pages"] == "9"
    assert cells["Reduction, mean"] == "50%"
    assert cells["Items a page"] == "2.00"
    assert cells["Time a page"] == "2.0 ms"
    assert cells["Not pruned"] == cells["Looks wrong"] == ""


def test_a_site_not_pruned_says_why_and_does_not_look_wrong(shown):
    cells = cells_of(shown, "whole.example")
    assert (cells["Not pruned"], cells["Looks wrong"]) == ("ambiguous 2", "")
    assert cells_of(shown, "<b>.example")["Looks wrong"].startswith("pruning failed")


def test_filters_by_name_pages_outcome_and_warning(shown):
    shown.page.fill("[name=name]", "O")
    assert sites_of(shown) == ["whole.example", "most.example"]
    shown.page.fill("[name=name]", "")
    shown.page.fill("[name=pages]", "2")
    assert sites_of(shown) == ["large.example", "whole.example"]
    shown.page.fill("[name=pages]", "")
    shown.page.select_option("[name=outcome]", "error")
    assert sites_of(shown) == ["<b>.example"]
    shown.page.select_option("[name=outcome]", "")
    shown.page.check("[name=wrong]")
    assert sites_of(shown) == ["<b>.example"]
    shown.page.fill("[name=name]", "nothing")
    assert shown.page.inner_text("#count") == "No site matches."


def test_a_site_opens_to_its_outcomes_and_distribution(shown):
    shown.page.click("text=whole.example")
    details = shown.page.locator("tr.details")
    assert "ambiguous\t2\t100%" in details.inner_text()
    assert "0 to 5 % removed: 2 pages" in details.locator("svg").first.get_attribute("aria-label")
    shown.page.click("text=whole.example")
    assert details.count() == 0


def test_the_totals_are_those_of_the_crawl(shown):
    cards = dict(text.split("\n") for text in shown.page.locator("#figures div").all_inner_texts())
    assert cards["Sites"] == "4"
    assert cards["Pages"] == "13"
    assert list(cards)[:2] == ["Items a page", "No output"]
    assert "pruned\t10\t77%" in shown.page.inner_text("#overview")
    assert shown.errors == []
    assert shown.requests == [shown.url]


def test_five_thousand_sites_sort_filter_and_turn_pages(show):
    shown = show(report_html(crawl("large", 5000)), ready="html[data-ready]")
    assert shown.page.inner_text("#count") == "5,000 sites, shown 1 to 200"
    shown.page.click("text=Next")
    assert shown.page.inner_text("#count") == "5,000 sites, shown 201 to 400"
    shown.page.click("[data-sort=mean]")
    assert shown.page.inner_text("#count") == "5,000 sites, shown 1 to 200"
    assert cells_of(shown, sites_of(shown)[0])["Reduction, mean"] == "89%"
    shown.page.fill("[name=name]", "site4999")
    assert sites_of(shown) == ["site4999.example"]


def test_it_can_be_read_on_a_phone_in_the_dark(show):
    shown = show(
        report_html(report("one crawl", SITES)),
        ready="html[data-ready]",
        viewport={"width": 360, "height": 700},
        color_scheme="dark",
    )
    assert shown.page.evaluate("() => document.documentElement.scrollWidth") <= 360
    assert shown.page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 29)"


def test_times_are_short_and_names_keep_their_words(show):
    found = UseFigures(asked=3, found=3, pages=3, found_pages=3, last_found=1_000_000_060)
    use = UseRow("archive.example", "parse_of_documents", "", "h1", found)
    made = replace(report("one crawl", SITES), uses=[use])
    row = show(report_html(made), ready="html[data-ready]").page.locator("#of-selectors tbody tr")
    last = row.locator("td").last
    assert last.inner_text().endswith(" days ago")
    assert last.get_attribute("title") == "2001-09-09 01:47:40 UTC"
    assert row.bounding_box()["height"] < 40  # one line


LONG = "a-very-long-name-of-a-department.another-part-of-the-name.of-a-shop-with-many-words.example"
WRONG = {
    "alarms/shadow/lost_items": 12345,
    "alarms/many/kinds": 33,
    "alarms/shadow/switched_off": 1,
    "alarms/an_alarm_of_an_extension_with_a_rather_long_name": 7,
    "callback_errors": 77,
    "pages_without_output": 1_000_000,
    "outcome/no_region": 4,
    "outcome/ambiguous": 1_000_000,
    "outcome/too_small": 3,
    "outcome/error": 2,
}


@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_is_cut_off_with_long_names_and_many_reasons(show, width):
    sites = {f"{number}-{LONG}": SiteFigures(WRONG, pages=2_000_000 - number) for number in range(500)}
    shown = show(
        report_html(report("first", sites)),
        ready="html[data-ready]",
        viewport={"width": width, "height": 900},
    )
    shown.page.locator("#sites tbody button").first.click()
    assert shown.page.evaluate("() => document.documentElement.scrollWidth") <= width
    overflowing = """() => [...document.querySelectorAll('main *')].filter((one) => !one.closest('svg, .unseen')
      && getComputedStyle(one).display !== 'inline' && one.scrollWidth > one.clientWidth + 1)
      .map((one) => one.outerHTML)"""
    assert shown.page.evaluate(overflowing) == []


def tops(shown, *selectors):
    return [shown.page.locator(selector).bounding_box()["y"] for selector in selectors]


@pytest.mark.parametrize(
    ("width", "order"), [(1280, ["#summary", "#all", "#each"]), (400, ["#summary", "#each", "#all"])]
)
def test_the_summary_comes_first_and_on_a_phone_the_tiles_last(show, width, order):
    html = report_html(report("one crawl", SITES))
    shown = show(html, ready="html[data-ready]", viewport={"width": width, "height": 900})
    found = tops(shown, *order)
    assert found == sorted(found)


def test_the_summary_has_a_sign_words_and_what_to_do(show):
    wrong = {"silent.example": SiteFigures(pages=9, pages_without_output=9, pruned_pages=9), **SITES}
    shown = show(report_html(report("one crawl", wrong)), ready="html[data-ready]")
    assert shown.page.inner_text("#summary h2").split("\n") == ["!", "2 findings, worst first"]
    first, second = shown.page.locator("#summary li").all_inner_texts()
    assert first.startswith("no items from 1 site")
    assert "scrapy crawl shop -s TPS_SHADOW=1" in first
    assert second.startswith("pruning failed")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_well_is_said_in_words_too(show, scheme):
    well = {"a.example": figures_of(MadeUpPruning()), "whole.example": SITES["whole.example"]}
    shown = show(report_html(report("one", well)), ready="html[data-ready]", color_scheme=scheme)
    assert shown.page.inner_text("#summary h2").split("\n") == [
        "✓",
        "No findings on 3 pages.",
    ]
    assert "not pruned, so nothing is missing: ambiguous 2" in shown.page.inner_text("#summary")


@pytest.mark.parametrize("width", [1280, 400])
def test_selectors_and_fields_are_listed_and_those_that_look_wrong_can_be_picked(show, width):
    numbers = UseFigures(22, 10, 0, 0, 0, 22, 10, 12, 1_000_000_000)
    price = UseRow("a.example", "parse", "", "<b>.price", numbers)
    title = UseRow("a.example", "parse", "", "h1::text", replace(numbers, found=22, found_pages=22, dry=0))
    field = UseRow("a.example", "parse", "Product", "offer.price", replace(numbers, sketch=7))
    troubles = (
        Trouble(field, "90 → 45 % since crawl 12"),
        Trouble(price, "found nothing on the last 12 pages"),
    )
    health = Evidence({one.row.key: one for one in troubles})
    told = report("one crawl", SITES)
    told = replace(
        told,
        uses=[title, price, field],
        summary=replace(told.summary, evidence=health),
    )
    shown = show(report_html(told), ready="html[data-ready]", viewport={"width": width, "height": 800})
    selectors = shown.page.locator("#selectors tbody th")
    assert selectors.all_inner_texts() == ["<b>.price", "h1::text"]
    shown.page.check("#of-selectors [name=wrong]")
    assert selectors.all_inner_texts() == ["<b>.price"]
    state = shown.page.locator("#selectors td.state")
    assert state.inner_text().endswith("found nothing on the last 12 pages")
    shown.page.uncheck("#of-selectors [name=wrong]")
    shown.page.fill("#of-selectors [name=words]", "h1")
    assert selectors.all_inner_texts() == ["h1::text"]
    cells = [one.strip() for one in shown.page.locator("#fields tbody td").all_inner_texts()]
    assert cells[:1] + cells[4:8] == ["90 → 45 % since crawl 12", "22", "10", "45%", "3"]
    for box in (state.bounding_box(), shown.page.locator("#fields td.state").bounding_box()):
        assert 0 <= box["x"] <= box["x"] + box["width"] <= width
    assert shown.errors == []


def test_without_selectors_there_is_no_list_of_them(shown):
    assert not shown.page.is_visible("#of-selectors")
