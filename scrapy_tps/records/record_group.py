"""A candidate list of records: where its records are, and how it was found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_tps.records.record_page import RecordPage, Regularity, Span, Totals

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
    def totals(self) -> Totals:
        """The total contents of its records."""
        return self.page.totals(self.spans)

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
        has a class that the typical ones share. A lead story has another structure, but is still a record: its headline
        is an ``h2``, that of the others an ``h3``, and additional wrappers do not matter.
        """
        page = self.page
        fits = self.regularity.fits(page.bags_of(spans))
        for place, fit in enumerate(fits):
            if fit < GOOD_FIT:
                shared, typical = self._typical_classes
                start = spans[place][0]
                if typical and not shared.isdisjoint(page.class_names[page.signatures[start]]):
                    fits[place] = max(fit, len(page.classes_inside(start) & typical) / len(typical))
        return fits

    @cached_property
    def _typical_classes(self) -> tuple[frozenset[str], set[str]]:
        """The classes that all typical records have, and those of the elements inside most of them."""
        page = self.page
        fits = self.regularity.fits(page.bags_of(self.spans))
        starts = [start for (start, _), fit in zip(self.spans, fits, strict=True) if fit >= LEAST_FIT]
        names = {page.class_names[page.signatures[start]] for start in starts}
        shared = frozenset.intersection(*names) if names else frozenset()
        if not shared:
            return shared, set()
        having = Counter(chain.from_iterable(map(page.classes_inside, starts)))
        typical = {name for name, records in having.items() if 2 * records >= len(starts)}
        return shared, typical if len(typical) > 1 else set()


def with_text(page: RecordPage, spans: Iterable[Span]) -> list[Span]:
    """Return the spans that hold visible text."""
    text = page.text
    return [span for span in spans if text[span[1]] > text[span[0]]]
