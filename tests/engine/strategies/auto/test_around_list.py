"""What is around a list of pages and its heading goes where markup names no part; what may be about the list stays."""

from __future__ import annotations

import pytest

from tests.engine.strategies.made import SENTENCE, kept, record

RECORDS = "".join(map(record, range(12)))


def links(number: int, words: str = "Shelf") -> str:
    return "".join(f'<a href="/s/{n}">{words} {n}</a> <b>({n * 31})</b><br>' for n in range(number))


def page(before: str = "", *, between: str = "", inside: str = "", behind: str = "", head: str = "") -> str:
    middle = (
        f'<div class="mid"><h1>All the records</h1>{between}<div class="list">{RECORDS}</div>{inside}</div>'
    )
    sides = f'<div class="left">{before}</div>{middle}<div class="right">{behind}</div>'
    crumbs = "<div class=breadcrumb><a href=/>Home</a></div>"
    return f'<html><head>{head}</head><body>{crumbs}<div class="cols">{sides}</div></body></html>'


def test_short_links_before_the_heading_and_behind_the_list_go() -> None:
    html = kept(page(links(6, "Town"), inside=links(3, "Mill"), behind=links(4)))
    assert "Town 5" not in html
    assert "Shelf 3" not in html
    assert all(f"Record number {n} " in html for n in range(12))


def test_short_links_below_the_list_in_its_part_go() -> None:
    assert "Shelf 2" not in kept(page(inside=f'<div class="also">{links(3)}</div>'))


def test_links_between_the_heading_and_the_list_stay() -> None:
    assert "Shelf 19" in kept(page(between=f'<div class="parts">{links(20)}</div>'))


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("".join(f'<a href="/{n}">The mill of grey stone, number {n}</a>' for n in range(5)), "number 4<"),
        (f"<p>{SENTENCE}</p>{links(3)}", "Shelf 2"),
        (f"<dl><dt>Author</dt><dd>{links(4, 'Ada')}</dd></dl>", "Ada 3"),
    ],
    ids=["titles", "text", "facts"],
)
def test_titles_text_and_labelled_facts_behind_the_list_stay(part: str, words: str) -> None:
    assert words in kept(page(inside=f"<div class=more>{part}</div>"))


def test_text_outside_the_part_of_heading_and_list_goes() -> None:
    text = f"<p>{SENTENCE}</p><a href=/join>Join now</a>"
    html = kept(page(text, behind=text))
    assert SENTENCE not in html
    assert "Record number 11 " in html


@pytest.mark.parametrize(
    "part",
    [
        "<dl><dt>Author</dt><dd>Ada Quill</dd></dl>",
        record(99).replace("number 99", "of Ada Quill"),
        "".join(map(record, range(20, 24))) + "<p>Ada Quill</p>",
    ],
    ids=["facts", "promoted record", "records"],
)
def test_facts_and_records_outside_it_stay(part: str) -> None:
    assert "Ada Quill" in kept(page(behind=part))


def test_topics_of_an_article_stay_behind_the_teasers_below_it() -> None:
    article = '<meta property="og:type" content="article">'
    assert "Shelf 3" in kept(page(behind=links(4), head=article))


def test_links_around_records_without_pages_of_their_own_stay() -> None:
    html = page(behind=links(4)).replace('href="/r/', 'href="/same?#')
    assert "Shelf 3" in kept(html)
