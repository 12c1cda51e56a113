"""When rules run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import MAIN
from scrapy_tps.engine.strategies.auto.rule import Condition
from scrapy_tps.engine.strategies.auto.thresholds import RecordPage, Unlabelled

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page

#: Elements that say what a part of a page is.
_PARTS: Final = frozenset({"main", "article", "section", "nav", "header", "footer", "aside"})


def _is_about_records(page: Page, limits: RecordPage) -> bool:
    """Whether the best group is much of the page, and little prose stands outside of it."""
    records, prose_before = page.dominating(limits.dominance), page.prose_before
    if records is None:
        return False
    outside = prose_before[-1] - (prose_before[records.end] - prose_before[records.start])
    return outside <= limits.outside_prose * page.worth_before[-1]


def _is_unlabelled(page: Page, limits: Unlabelled) -> bool:
    """Whether no part is named: few kinds of elements have a class, none is one of HTML 5's parts or called main.

    At a low size ratio, where most kinds may have a class, names of parts count for nothing.
    """
    elements, classed = page.sequence.count_symbols()
    return classed < limits.classes * elements and (
        limits.classes > limits.most or (not page.sequence.find(_PARTS) and page.first_with(MAIN) < 0)
    )


ABOUT_RECORDS: Final = Condition("about records", _is_about_records, RecordPage())
MOSTLY_RECORDS: Final = ABOUT_RECORDS._replace(thresholds=RecordPage(outside_prose=1.0))
UNLABELLED: Final = Condition("unlabelled", _is_unlabelled, Unlabelled())
