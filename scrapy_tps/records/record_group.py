"""A candidate list of records: where its records are, and how it was found."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_tps.records.record_page import RecordPage, Regularity, Span, Totals

SIBLINGS: Final = "siblings"
DIVISION: Final = "division"
PERIODIC: Final = "periodic"
NESTED: Final = "nested"
PARALLEL: Final = "parallel"

#: The fewest records that show repetition.
LEAST_REPEATED: Final = 3


@dataclass
class Group:
    """A candidate list of records on a page.

    :ivar spans: start and end of each record in the sequence, in document order, not overlapping.
    :ivar origin: how it was found: ``SIBLINGS``; ``DIVISION``, several siblings per record, if markup tells which one
        starts or ends it; ``PERIODIC``, the same, found by repetition alone; ``NESTED``; ``PARALLEL``, in
        several containers.
    :ivar dropped_fit: the best fit among the records that were excluded from it, 0 if there are none.
    """

    page: RecordPage
    spans: list[Span]
    origin: str
    dropped_fit: float = 0.0

    @cached_property
    def totals(self) -> Totals:
        """The total contents of its records."""
        return self.page.totals(self.spans)

    @cached_property
    def regularity(self) -> Regularity:
        """The profile of its records."""
        return self.page.regularity(self.spans)


def with_text(page: RecordPage, spans: Iterable[Span]) -> list[Span]:
    """Return the spans that hold visible text."""
    text = page.text
    return [span for span in spans if text[span[1]] > text[span[0]]]
