"""What is the rest of a list, and what another list."""

from __future__ import annotations

import pytest
from lxml import html

from scrapy_tps.engine.asking.same_list import is_rest_of_list


def rest(page: str, query: str, *, generic: bool = False) -> bool:
    """Whether the elements of `query` with ``gone`` are the rest of those without."""
    root = html.fromstring(f"<html><body>{page}</body></html>")
    elements = root.xpath(query)
    found = [one for one in elements if not one.xpath("ancestor-or-self::*[@gone]")]
    return is_rest_of_list(found, [one for one in elements if one not in found], generic=generic)


ROWS = "<tr><td>1<td>2</tr>" * 8


@pytest.mark.parametrize(
    ("page", "query"),
    [
        (f"<table><tr gone=1><td>a<td>b</tr>{ROWS}</table>", "//tr"),
        (f"<table><thead gone=1><tr><th>a<th>b</tr></thead><tbody>{ROWS}</tbody></table>", "//tr"),
        (f"<table><thead gone=1><tr><th>a<th>b</tr></thead><tbody>{ROWS}</tbody></table>", "//td|//th"),
        ("<ul>" + "<li><a>x</a>" * 9 + "<li gone=1 class=last><a>y</a></ul>", "//a"),
        ("<div class='item i1'><b>1</b></div>" * 9 + "<div class='item i2' gone=1><b>2</b></div>", "//b"),
        ("<div><b>1</b></div>" * 9 + "<div gone=1><b>2</b></div>", "//b"),
        ("<p class=head-1>1</p>" * 9 + "<p class=head-27 gone=1>2</p>", "//p"),
    ],
)  # fmt: skip
def test_entries_beside_those_that_were_found_are_the_rest(page: str, query: str) -> None:
    assert rest(page, query)
    assert rest(page, query, generic=True)


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("<div class=main>" + "<p>x" * 9 + "</div><div class=side gone=1>" + "<p>y" * 9 + "</div>", "//p"),
        ("<ul>" + "<li class=t>x" * 9 + "</ul><aside gone=1><ul>" + "<li class=t>y" * 9 + "</ul></aside>", "//li"),
        ("<div id=main>" + "<i class=p>x</i>" * 47 + "</div><nav gone=1>" + "<i class=p>y</i>" * 300 + "</nav>", "//i"),
        ("<div id=main>" + "<p>x" * 9 + "</div><div id=side gone=1>" + "<p>y" * 9 + "</div>", "//p"),
    ],
)  # fmt: skip
def test_another_list_stays_away(page: str, query: str) -> None:
    assert not rest(page, query)


def test_so_little_of_a_class_makes_no_sense() -> None:
    page = (
        "<table><tr><th class=rg>1</table><div><table gone=1><tr>" + "<th class=rg>2" * 10 + "</table></div>"
    )
    assert rest(page, "//th")
    other = "<h1>x</h1><div class=logo gone=1><h1>y</h1></div>"
    assert not rest(other, "//h1", generic=True)
