"""Parts that belong to the records of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_tps.engine.loops.view import View
    from scrapy_tps.engine.strategies.auto.thresholds import BesideRecords


def texts_beside(page: View, above: int, list_worth: float) -> list[tuple[int, bool, bool]]:
    """Return (child, whether it holds prose, whether it is worth more than links) of children with either."""
    end, proses = page.end, page.prose_before
    found: list[tuple[int, bool, bool]] = []
    child, stop = above + 1, end[above]
    while child < stop:
        prose = proses[end[child]] > proses[child]
        rich = _worth_per_character(page, child) > list_worth
        if prose or rich:
            found.append((child, prose, rich))
        child = end[child]
    return found


class Beside:
    """Finds what belongs to records [start, stop) around them; see the rule `beside_records`.

    :param near: a heading within so many nodes is the one that a part starts with.
    """

    def __init__(
        self, page: View, start: int, stop: int, subheading: int, near: int, limits: BesideRecords
    ) -> None:
        self.page, self.start, self.subheading, self.near = page, start, subheading, near
        self.line, self.links_worth = limits.line, limits.links_worth
        self.compared, self.same_make = limits.compared, limits.same_make
        # of each symbol whether records have it, a bit for each of the first of them that holds it, and the last part
        # in which it was seen
        count = self.page.symbol_count
        self.is_record, self.makes, self.seen = (
            self.page.numbers(count),
            self.page.numbers(count),
            self.page.numbers(count),
        )
        self.sizes, self.common = self.page.numbers(self.compared), self.page.numbers(self.compared)
        self.made = 0
        self._read_records(start, stop)

    def parts(self) -> list[int]:
        """Return the nodes that belong to the records, from the inside out."""
        page = self.page
        parent, end, tags, symbols, texts = page.parent, page.end, page.tags, page.symbols, page.text_before
        found: list[int] = []
        records = self.start
        above = parent[records]
        while above >= 0:
            heading, innermost = self._heading_of(records), records == self.start
            child, stop = above + 1, end[above]
            while child < stop:
                after = end[child]
                own = self._heading_of(child)
                if child < records and own >= 0 and texts[after] - texts[child] <= self.line:
                    found.append(own)
                if (
                    not innermost
                    and child != records
                    and (
                        self._holds_items(child, after)
                        or (
                            heading >= 0
                            and symbols[child] == symbols[records]
                            and own >= 0
                            and tags[own] == tags[heading]
                            and _worth_per_character(page, child) > self.links_worth
                        )
                    )
                ):
                    found.append(child)
                child = after
            records = above
            above = parent[above]
        return found

    def _read_records(self, start: int, stop: int) -> None:
        end, tags, symbols = self.page.end, self.page.tags, self.page.symbols
        is_record, makes, sizes = self.is_record.values, self.makes.values, self.sizes.values
        index = start
        while index < stop:
            if tags[index] == tags[start]:
                is_record[symbols[index]] = 1
                if self.made < self.compared:
                    bit = 1 << self.made
                    for node in range(index, end[index]):
                        symbol = symbols[node]
                        if not makes[symbol] & bit:
                            makes[symbol] |= bit
                            sizes[self.made] += 1
                    self.made += 1
            index = end[index]

    def _holds_items(self, start: int, stop: int) -> bool:
        """Whether there are items like the records in [start, stop), among the first few that may be."""
        page, is_record = self.page, self.is_record.values
        end, symbols = page.end, page.symbols
        tried = 0
        index = start
        while tried < self.compared:
            while index < stop and not is_record[symbols[index]]:
                index += 1
            if index >= stop:
                return False
            if page.of_one_class(index, index) or self._is_like_a_make(index, end[index]):
                return True
            index = end[index]
            tried += 1
        return False

    def _is_like_a_make(self, start: int, stop: int) -> bool:
        """Whether the symbols of [start, stop) and of one of the first records overlap by the share."""
        symbols = self.page.symbols
        makes, seen, sizes, common = (
            self.makes.values,
            self.seen.values,
            self.sizes.values,
            self.common.values,
        )
        own = 0
        for number in range(self.made):
            common[number] = 0
        for index in range(start, stop):
            symbol = symbols[index]
            if seen[symbol] != start:  # the body, which has the number 0, is no such part
                seen[symbol] = start
                own += 1
                for number in range(self.made):
                    common[number] += makes[symbol] >> number & 1
        for number in range(self.made):
            if common[number] >= self.same_make * (own + sizes[number] - common[number]):
                return True
        return False

    def _heading_of(self, part: int) -> int:
        """The heading that a part starts with, or -1."""
        page = self.page
        hints, is_text = page.hints, page.is_text
        for node in range(part + 1, min(page.end[part], part + self.near)):
            if is_text[node]:
                return -1
            if hints[node] & self.subheading:
                return node
        return -1


def _worth_per_character(page: View, part: int) -> float:
    end, worths, texts = page.end, page.worth_before, page.text_before
    text = texts[end[part]] - texts[part]
    return (worths[end[part]] - worths[part]) / text if text != 0.0 else 0.0
