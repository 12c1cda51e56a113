"""Menus that are larger than the page, and records in parts that names speak against."""

from __future__ import annotations

import pytest

from scrapy_tps import prune
from scrapy_tps.engine import native
from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.strategies.auto.page import Page
from scrapy_tps.engine.strategies.auto.record_lists import RecordGroups, record_groups

SHELL = "<html><body>{}<main><h1>Opinions of the court</h1>{}</main>{}</body></html>"
ROW = (
    "<div class=row><a href=/o/{n}>State against Doe {n}</a><p>Filed on {n} May 2026 by the second chamber.</p>"
    "<span>S-25-{n}</span></div>"
)
ROWS = "".join(ROW.format(n=number) for number in range(12))
MENU = (
    "<ul>"
    + "".join(
        f"<li class=item><a href=/s/{n}>Services of the office {n}</a><ul>"
        + "".join(
            f"<li><a href=/s/{n}/{m}>Guidance and forms for those who need them {n}.{m}</a></li>"
            for m in range(6)
        )
        + "</ul></li>"
        for n in range(5)
    )
    + "</ul>"
)


def kept(html: str) -> str:
    return prune(html, settings={"TPS_STRATEGY": "auto"}).html


@pytest.mark.parametrize("name", ["id=off-canvas", "class='off-canvas position-left'", "id=offCanvas"])
def test_a_menu_beside_the_page_goes_though_it_holds_most_of_the_text(name: str) -> None:
    left = kept(SHELL.format("", ROWS, f"<div class=off-canvas-wrapper><div {name}>{MENU}</div></div>"))
    assert "Guidance" not in left
    assert left.count("S-25-") == 12


@pytest.mark.parametrize("name", ["off-canvas-content", "off-canvas-wrapper", "off-canvas-wrap"])
def test_the_page_beside_such_a_menu_stays(name: str) -> None:
    page = SHELL.format("<div class=off-canvas><a href=/a>Start</a></div>", ROWS, "")
    for html in (page, page.replace("<main>", "<div>").replace("</main>", "</div>")):
        left = kept(html.replace("<body>", f"<body><div class='{name}'>").replace("</body>", "</div></body>"))
        assert left.count("S-25-") == 12


@pytest.mark.parametrize("name", ["sidebar", "related", "promo", "filters"])
@pytest.mark.parametrize("count", [12, 40])
def test_records_in_a_part_of_such_a_name_stay_beside_a_main_element_that_only_heads_them(
    name: str, count: int
) -> None:
    rows = "".join(ROW.format(n=number) for number in range(count))
    left = kept(
        SHELL.format("", "<p>Search the decisions by name or by date.</p>", f"<div class={name}>{rows}</div>")
    )
    assert left.count("S-25-") == count


@pytest.mark.parametrize(
    ("name", "titles"), [("", 1), ("class=author", 1), ("class=published", 1), ("class=menu", 0)]
)
def test_a_line_above_is_a_title_unless_its_name_is_one_of_boilerplate(name: str, titles: int) -> None:
    page = Page(native.walk(parse(f"<body><div {name}>All the opinions</div><div>{ROWS}</div>").body))
    records = record_groups(page, RecordGroups())
    assert records
    assert len(records.titles) == titles


def test_the_header_row_of_a_table_stays() -> None:
    """Its links sort the rows, and no other row has such cells."""
    head = "".join(
        f"<th><a href=?sort={name}>{name}</a></th>" for name in ("Sample", "Weight", "Rock", "Year")
    )
    rows = "".join(
        f"<tr><td><a href=/{n}>Sample number {n} of the eastern quarry</a></td><td>{n * 37}</td>"
        f"<td>granite, coarse and grey</td><td>19{n}0</td></tr>"
        for n in range(1, 9)
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    body = f"<table><tr><td>Geology stores</td></tr></table><h2>Rocks</h2>{table}"
    for strategy in ("auto", "aggressive", "tps"):
        settings = {"TPS_MIN_NODES": 0, "TPS_STRATEGY": strategy}
        html = prune(f"<html><body>{body}</body></html>", settings=settings).html
        assert "Geology stores" not in html
        assert all(f">{name}<" in html for name in ("Sample", "Weight", "Rock", "Year"))


def test_the_line_above_a_table_with_a_header_row_stays() -> None:
    rows = "".join(
        f"<tr><td><a href=/{n}>{n}</a></td><td>Windows of the mill let in rain, case {n}</td></tr>"
        for n in range(70, 79)
    )
    table = f"<table><tr><th>ID</th><th>Summary</th></tr>{rows}</table>"
    body = f"<ul><li><a href=/new>New</a> or old</li></ul><span>9 bugs found.</span>{table}"
    html = prune(f"<html><body><div>{body}</div></body></html>", settings={"TPS_MIN_NODES": 0}).html
    assert "or old" not in html
    assert "9 bugs found" in html
