"""The list of one page is known again on the next, also where one record is left."""

from __future__ import annotations

import pickle
from typing import Any

from scrapy_tps import extract_records
from scrapy_tps.engine.html.document import parse
from scrapy_tps.records.extract import RecordKind, continued, kind_of
from tests.records.pages import card, cards, page, sentence


def kind(html: str) -> RecordKind:
    found = kind_of(extract_records(html)[0])
    assert found is not None
    return found


def texts(html: str, known: RecordKind) -> list[str] | None:
    region = continued(parse(html).body, known)
    return None if region is None else [record.text for record in region.records]


def test_a_single_record_is_found_on_the_last_page() -> None:
    known = kind(page(cards(range(10))))
    assert texts(page(card(11)), known) == [f"Product 11 {sentence(11)} £11.50"]


def test_other_things_at_the_same_place_are_no_records() -> None:
    known = kind(page(cards(range(10))))
    assert (
        texts(page("<div class='card'>Nothing found</div><div class='note'><p>A note</p></div>"), known)
        is None
    )
    assert texts(page(card(1).replace("class='card'", "class='teaser'")), known) is None


def test_class_names_made_again_for_every_record_do_not_matter() -> None:
    def made(number: int) -> str:
        return card(number).replace("class='card'", f"class='css-{'abcdefghij'[number]}x'")

    known = kind(page("".join(map(made, range(8)))))
    assert texts(page(made(9)), known) == [f"Product 9 {sentence(9)} £9.50"]


def test_records_of_several_elements_are_not_known_again() -> None:
    parts = "".join(f"<dt><a href='/d/{n}'>Term {n}</a></dt><dd>{sentence(n)}</dd>" for n in range(8))
    assert kind_of(extract_records(page(f"<dl>{parts}</dl>"))[0]) is None


def test_a_kind_goes_through_a_disk_queue() -> None:
    known = kind(page(cards(range(10))))
    assert pickle.loads(pickle.dumps(known)) == known


def test_a_page_without_body_has_no_records() -> None:
    nothing: Any = None
    assert continued(nothing, kind(page(cards(range(10))))) is None
