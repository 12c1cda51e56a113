"""Forms around the records of a page: to choose from them, or from which page of them to go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import FORM, WEAK
from scrapy_tps.engine.strategies.auto.decisions import Correction
from scrapy_tps.engine.strategies.auto.marked_parts import marked_parts
from scrapy_tps.engine.strategies.auto.queries import holds_records

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import RecordForms

_FORM: Final = FORM | FORM << WEAK


def record_forms(page: Page, limits: RecordForms) -> list[Correction]:
    """Take the hint from forms that would go and hold a list of records with links."""
    return [
        Correction(part.start, _FORM)
        for part in page.ask(marked_parts, limits.parts)
        if part.hints == FORM and holds_records(page, part.start, limits.records, linked=True)
    ]
