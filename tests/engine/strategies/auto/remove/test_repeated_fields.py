from __future__ import annotations

from scrapy_tps import prune


def listing(*parts: str, records: int = 6) -> str:
    """A page of records with two sentences, and `parts`, in which {} is the record's number."""
    items = "".join(
        f'<div class="item"><h3><a href="/r/{number}">The record of number {number}</a></h3>'
        f"<p>What is told about {number} is told of no other.</p>"
        + "".join(part.replace("{}", str(number)) for part in parts)
        + "</div>"
        for number in range(records)
    )
    return f"<html><body><h1>Records</h1><div>{items}</div><footer>Imprint of the site</footer></body></html>"


def kept(html: str, strategy: str = "aggressive") -> str:
    return prune(html, settings={"TPS_STRATEGY": strategy}).html


BACK = '<div class="back"><a href="/r/{}"><b>The record of number {}</b></a></div>'


def test_a_field_that_repeats_an_earlier_one_in_every_record_goes() -> None:
    html = kept(listing(BACK))
    assert "back" not in html
    assert [html.count(f"The record of number {number}<") for number in range(6)] == [1] * 6


def test_auto_keeps_both() -> None:
    assert kept(listing(BACK), "auto").count('class="back"') == 6


def test_a_field_that_differs_in_one_record_stays() -> None:
    html = kept(listing(BACK).replace("<b>The record of number 4</b>", "<b>The record, once, of four</b>"))
    assert html.count('class="back"') == 6


def test_a_text_that_is_the_same_in_all_records_stays() -> None:
    terms = '<p class="{}">Delivered free of charge</p>'
    html = kept(listing(terms.replace("{}", "before"), terms.replace("{}", "after")))
    assert html.count("Delivered free") == 12


def test_a_link_stays_where_the_text_before_is_none() -> None:
    plain = '<p class="name">A name for number {}</p>'
    html = kept(listing(plain, '<div class="to"><a href="/to/{}">A name for number {}</a></div>'))
    assert html.count("/to/") == 6


def test_equal_numbers_of_two_records_prove_nothing() -> None:
    assert kept(listing(BACK, records=2)).count('class="back"') == 2


def test_a_copy_in_a_deep_chain_of_elements_goes() -> None:
    deep = "<i>" * 60 + "The same again, number {}" + "</i>" * 60
    page = listing(f'<div class="one">{deep}</div>', f'<div class="two">{deep}</div>', records=40)
    assert kept(page).count("The same again") == 40
