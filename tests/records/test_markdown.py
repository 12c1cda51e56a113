"""Lists of records as Markdown tables or lists of fields."""

from __future__ import annotations

import pytest

from benchmarks.markdown import rendered, tables, words
from scrapy_tps import prune
from tests.records.pages import cards, page

pytest.importorskip("markdownify", reason="the extra `markdown` is not installed")

URL = "https://example.com/list"


def test_short_records_are_rows_of_a_table():
    rows = "".join(
        f"<li><h3><a href=/p/{n}>Product {n}</a></h3><p class=price>£{n}.50</p><p class=stock>{n} left</p></li>"
        for n in range(12)
    )
    pruning = prune(page(f"<h1>Products</h1><ul>{rows}</ul>"), url=URL)
    text = pruning.markdown(records=True)
    [table] = tables(rendered(text), data=False)
    assert table[1:] == [[f"Product {n}", f"£{n}.50", f"{n} left"] for n in range(12)]
    assert "[Product 3](https://example.com/p/3)" in text
    assert text.startswith("# Products\n")


def test_long_records_are_lists_of_fields_and_no_word_is_lost_or_comes_twice():
    long = " ".join(["and so on"] * 30)
    pruning = prune(page(cards(range(12)).replace("</p>", f" {long}</p>")), url=URL)
    text = pruning.markdown(records=True)
    read = rendered(text)
    names = {name.text_content() for name in read.iter("strong")}
    assert len(read.findall(".//li")) == 12
    assert names
    said = " ".join(words(read))
    for name in names:
        said = said.replace(f"{name}: ", "")
    assert said.split() == words(pruning.root.find("body"))


def test_text_between_records_stands_between_their_tables():
    rows = [f"<li><h3><a href=/p/{n}>Product {n}</a></h3><p class=price>£{n}.50</p></li>" for n in range(12)]
    rows.insert(6, "Cheaper ones")
    text = prune(page(f"<ul>{''.join(rows)}</ul>"), url=URL).markdown(records=True)
    assert [len(table) - 1 for table in tables(rendered(text), data=False)] == [6, 6]
    assert text.index("Product 5") < text.index("Cheaper ones") < text.index("Product 6")


def test_a_list_of_one_text_column_is_no_table():
    paragraphs = "".join(f"<p>Paragraph {n} of an article of many words.</p>" for n in range(12))
    items = "".join(f"<li><a href=/p/{n}>Product number {n}</a></li>" for n in range(12))
    for body in (paragraphs, f"<ul>{items}</ul>"):
        pruning = prune(page(f"<h1>Products</h1><div>{body}</div>"), url=URL)
        assert len(pruning.records()[0].records) == 12
        assert pruning.markdown(records=True) == pruning.markdown()


def test_buttons_are_left_out_and_a_text_in_a_link_has_its_address():
    items = "".join(
        f"<div class=card><a href=/p/{n}><b>Product {n}</b></a><i>{n}.50</i><button>Put in basket</button></div>"
        for n in range(12)
    )
    text = prune(page(f"<h1>Products</h1><div>{items}</div>"), url=URL).markdown(records=True)
    assert "| [Product 11](https://example.com/p/11) | 11.50 |" in text
    assert "Put in basket" not in text


def test_a_list_whose_fields_lack_words_stays_as_it_is(monkeypatch):
    pruning = prune(page(cards(range(12))), url=URL)
    regions = pruning.records()
    for record in regions[0].records:
        record.text += " unheard"
    monkeypatch.setattr(type(pruning), "records", lambda self: regions)
    assert pruning.markdown(records=True) == pruning.markdown()
