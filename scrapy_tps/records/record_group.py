"""A candidate list of records: where its records are, and how it was found."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING, Final

from scrapy_tps.records.record_page import Regularity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_tps.records.record_page import RecordPage, Span

SIBLINGS: Final = "siblings"
DIVISION: Final = "division"
PERIODIC: Final = "periodic"
NESTED: Final = "nested"
PARALLEL: Final = "parallel"

#: The least fit of records: one with less may be a header, a separator or an ad. The better threshold differs between
#: lists: the ranking chooses among the variants.
LEAST_FIT: Final = 0.5
GOOD_FIT: Final = 0.67
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
    def weight(self) -> float:
        """The weighted text of its records."""
        weight = self.page.weight
        # added one at a time, because `sum` of floats differs between Python versions
        return reduce(add, [weight[end] - weight[start] for start, end in self.spans], 0.0)

    @cached_property
    def with_link(self) -> int:
        """The number of its records that hold a link."""
        links = self.page.links
        return sum([links[end] > links[start] for start, end in self.spans])

    def total(self, column: Sequence[int]) -> int:
        """Return the sum of a column of the page over its records, given the prefix sums of that."""
        return sum([column[end] - column[start] for start, end in self.spans])

    @cached_property
    def regularity(self) -> Regularity:
        """The profile of its records."""
        return self.page.regularity(self.spans)

    @cached_property
    def fits(self) -> list[float]:
        """The fit of each of its records, see :meth:`fits_of`."""
        return self.fits_of(self.spans)

    def fits_of(self, spans: Sequence[Span]) -> list[float]:
        """Return the fit of records: the share of the typical structure that each has, from 0 to 1.

        For a record with little of it, the share of the typical classes inside counts if it is larger and the record
        has a class that the list's records share. A lead story has another structure, but is still a record: its
        headline is an ``h2``, that of the others an ``h3``, and additional wrappers do not matter.
        """
        page = self.page
        fits = self.regularity.fits(page.bags_of(spans))
        if self._shared and min(fits, default=1.0) < GOOD_FIT and len(self._classes.typical) > 1:
            for place, (start, _) in enumerate(spans):
                if fits[place] < GOOD_FIT and self._shared & page.class_names[page.signatures[start]]:
                    fits[place] = max(fits[place], *self._classes.fits([page.classes_inside(start)]))
        return fits

    @cached_property
    def _shared(self) -> frozenset[str]:
        """The classes that all of its records have."""
        page = self.page
        return frozenset.intersection(*[page.class_names[page.signatures[start]] for start, _ in self.spans])

    @cached_property
    def _classes(self) -> Regularity:
        """The profile of the classes inside its records."""
        return Regularity([self.page.classes_inside(start) for start, _ in self.spans])


def with_text(page: RecordPage, spans: Iterable[Span]) -> list[Span]:
    """Return the spans that hold visible text."""
    text = page.text
    return [span for span in spans if text[span[1]] > text[span[0]]]
