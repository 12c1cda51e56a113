from __future__ import annotations

import pytest

from scrapy_tps.engine.html import document
from scrapy_tps.records.next_page import next_page

URL = "https://example.com/list?page=2"


def following(html: str, url: str = URL) -> str | None:
    return next_page(document.parse(f"<html><body>{html}</body></html>").root, url)


@pytest.mark.parametrize(
    "html",
    [
        "<a rel='next' href='?page=3'>more</a>",
        "<a href='/list?page=1'>Prev</a> <a href='/list?page=3'> Next </a>",
        "<a href='?page=3'>Weiter</a>",
        "<a href='?page=3' aria-label='Next page'><i></i></a>",
        "<a href='?page=3'>›</a>",
        "<li class='next'><a href='?page=3'><img src='arrow.png'></a></li>",
        "<a class='pager-next' href='https://example.com/list?page=3'>Page 3</a>",
        "<a href='?page=1'>1</a> <b>2</b> <a href='?page=3'>3</a> <a href='?page=4'>4</a>",
        "<a href='?page=1'>1</a> <a href='?page=2'>2</a> <a href='?page=3'>3</a>",
        "<base href='https://example.com/list'><a rel='next' href='?page=3'>x</a>",
    ],
)
def test_the_next_page_is_found(html: str) -> None:
    assert following(html) == "https://example.com/list?page=3"


def test_the_first_page_needs_no_number_of_its_own() -> None:
    html = "<b>1</b> <a href='/list?page=2'>2</a> <a href='/list?page=3'>3</a>"
    assert following(html, "https://example.com/list") == "https://example.com/list?page=2"


def test_offsets_count_as_page_numbers() -> None:
    html = "".join(f"<a href='/s?q=a&start={n * 10}'>{n + 1}</a>" for n in (0, 2, 3))
    assert following(html, "https://example.com/s?q=a&start=10") == "https://example.com/s?q=a&start=20"


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<a href='https://other.example/list?page=3'>Next</a>",
        "<a href='#'>Next</a>",
        "<a href='javascript:next()'>Next</a>",
        "<a href='?page=2'>Next</a>",
        "<a href='http://[bad'>Next</a>",
        "<a class='slick-next' href='/picture/3'>arrow</a>",
        "<a href='/list?page=1'>1</a> <b>2</b>",
        "<a href='/2019'>2019</a><a href='/about'>3</a>",
    ],
)
def test_other_links_are_no_next_page(html: str) -> None:
    assert following(html) is None
