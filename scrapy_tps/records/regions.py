"""The results of the extractor (data regions, their columns and their records), and the time that it may take."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(slots=True)
class Column:
    """A column of a data region.

    :ivar name: stable name, unique within the region: from header cells, ``itemprop``, class names or type.
    :ivar type: image, url, price, date, number or text.
    :ivar path: steps from the record down to the cell: tag and normalised classes of each.
    :ivar attribute: the attribute that the values are taken from, or None when they are texts.
    :ivar role: title, url, image, price, date, rating or description, for one column each; None for all others.
    """

    name: str
    type: str
    path: tuple[tuple[str, str], ...] = ()
    attribute: str | None = None
    role: str | None = None

    @property
    def key(self) -> str:
        """The role, or the name if it has none; unique within the region."""
        return self.role or self.name


@dataclass(slots=True)
class DataRecord:
    """One record.

    :ivar text: all of its visible text, with white space collapsed.
    :ivar fields: one entry per column of the region, None if the record has no such cell.
    :ivar nodes: its top elements in document order (several if records span siblings).
    :ivar sublists: lists inside the record, each a region with columns of its own; ``fields`` holds the
        joined text of their records.
    :ivar elements: for each field the element from which it was read, or None.
    :ivar parsed: after :meth:`DataRegions.parse`, for each field a ``price_parser.Price``, a ``datetime``, or None.
    """

    text: str
    fields: list[str | None]
    nodes: list[Any] = field(repr=False)
    sublists: list[DataRegion] = field(default_factory=list)
    elements: list[Any] = field(default_factory=list, repr=False)
    parsed: list[Any] = field(default_factory=list, repr=False)


@dataclass(slots=True)
class DataRegion:
    """A list of records.

    :ivar records: in document order.
    :ivar columns: one per field.
    :ivar confidence: estimated probability that this is a main list of the page, 0 to 1.
    :ivar xpath: XPath of the smallest common ancestor of the records, in the page as given.
    """

    records: list[DataRecord]
    columns: list[Column]
    confidence: float
    xpath: str

    def rows(self) -> list[dict[str, str | None]]:
        """Return one dict per record, from role, or name of the column, to value."""
        names = [column.key for column in self.columns]
        return [dict(zip(names, record.fields, strict=True)) for record in self.records]


class DataRegions(list[DataRegion]):
    """The regions of a page, best first.

    :ivar complete: False when the time budget ran out and there may be more.
    """

    def __init__(self) -> None:
        super().__init__()
        self.complete = True

    def parse(self) -> None:
        """Parse the prices and dates of all records, and of the lists inside these. Their texts stay in ``fields``.

        A date takes milliseconds.

        :raises ImportError: without the extra ``records``.
        """
        try:
            from dateparser.date import DateDataParser  # noqa: PLC0415 (an extra)
            from price_parser import Price  # noqa: PLC0415 (an extra)
        except ImportError as error:
            raise ImportError("Prices and dates need the extra: pip install 'scrapy-tps[records]'") from error
        dates = DateDataParser()
        parsers = {"price": Price.fromstring, "date": lambda text: dates.get_date_data(text).date_obj}
        for region in self:
            _parse(region, parsers)


def _parse(region: DataRegion, parsers: Mapping[str, Callable[[str], Any]]) -> None:
    of_columns = [parsers.get(column.type) for column in region.columns]
    for record in region.records:
        record.parsed = [
            parse(text) if parse is not None and text is not None else None
            for parse, text in zip(of_columns, record.fields, strict=True)
        ]
        for sublist in record.sublists:
            _parse(sublist, parsers)


class Budget:
    """The time limit of a page, in seconds; None means no limit.

    Raises ``ValueError`` unless it is a positive number.
    """

    def __init__(self, seconds: float | None) -> None:
        if seconds is not None and not seconds > 0:
            raise ValueError(f"timeout is {seconds!r}; allowed: a number of seconds above 0, or None")
        self._end = math.inf if seconds is None else time.monotonic() + seconds
        self.exceeded = False

    def left(self) -> bool:
        """Return whether there is time left; once it is False, it stays False."""
        self.exceeded = self.exceeded or time.monotonic() > self._end
        return not self.exceeded
