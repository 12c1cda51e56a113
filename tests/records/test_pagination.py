from __future__ import annotations

import pytest

from scrapy_tps import prune
from scrapy_tps.engine.html import document
from scrapy_tps.records.next_page import next_page
from tests.records.pages import cards

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


PAGER = "<p><b>1</b> <a href='/l?p=2'>2</a> <a href='/l?p=3'>3</a></p>"


@pytest.mark.parametrize(
    "sizes",
    [
        "<p>Show <b>20</b> <a href='/l?per=50'>50</a> <a href='/l?per=100'>100</a></p>",
        "<ul><li><a href='/l?per=20&p=1'>20</a></li><li><a href='/l?per=50&p=1'>50</a></li></ul>",
        "<p><a href='/archive/2'>2024</a> <a href='/archive/3'>2025</a></p>",
        "<p><a href='/rated/4'>4</a> <a href='/rated/5'>5</a></p>",
    ],
)
def test_other_rows_of_numbers_do_not_hide_the_next_page(sizes: str) -> None:
    for html in (sizes + PAGER, PAGER + sizes):
        assert following(html, "https://example.com/l") == "https://example.com/l?p=2"
    assert following(sizes, "https://example.com/l") is None


def test_the_number_that_is_no_link_is_the_page_itself() -> None:
    row = "<a href='/l?s=x1y'>1</a> <b>2</b> <a href='/l?s=x7y'>3</a> <a href='/l?s=x9y'>4</a>"
    assert following(row, "https://example.com/l") == "https://example.com/l?s=x7y"


def test_the_last_page_of_linked_numbers_has_no_next_one() -> None:
    html = "<a href='/list?page=1'>1</a> <a href='/list?page=2'>2</a> <a href='/list?page=3'>3</a>"
    assert following(html, "https://example.com/list?page=4") is None
    assert following(html, f"https://example.com/list?page={'9' * 5000}") is not None


def test_a_word_that_skips_pages_of_the_row_is_not_followed() -> None:
    row = "".join(f"<a href='/list?page={number}'>{number}</a>" for number in range(1, 11))
    tens = row + "<a href='/list?page=11'>Next</a>"
    assert following(tens) == "https://example.com/list?page=3"
    assert following(tens, "https://example.com/list?page=10") == "https://example.com/list?page=11"
    archive = "<a href='/2023'>2023</a> <a href='/2024'>2024</a> <a href='/2023/page/2'>Older posts</a>"
    assert following(archive, "https://example.com/2023") == "https://example.com/2023/page/2"


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


def test_the_account_of_a_page_knows_the_next_one() -> None:
    html = f"<html><body>{cards(range(20))}<div class='pager'><a href='/l?p=2'>Next</a></div></body></html>"
    assert prune(html, url="https://example.com/l").next_page() == "https://example.com/l?p=2"
    assert prune(html).next_page() is None
    assert prune("<p>short", url="https://example.com/l").next_page() is None
