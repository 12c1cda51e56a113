"""Copies: parts that say word for word what an earlier part of the page says.

Templates write a part twice, once for wide screens and once for telephones, and slide shows repeat their slides to run
round. A record that shares its description with another one is no copy: parts of frequent markup stay, and so does
everything of the best record group.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints import reading
from scrapy_tps.engine.loops import parts
from scrapy_tps.engine.native import over_columns
from scrapy_tps.engine.strategies.auto.marks import WITHIN_LINES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import Copies

_KEPT: Final = reading.HEADING | reading.SUBHEADING | reading.MAIN
#: What is said again on purpose.
_QUOTED: Final = frozenset({"blockquote", "q", "cite"})
#: Classes of what wide screens show: of two copies this is the one that spiders were written against.
_WIDE: Final = re.compile(
    r"desktop|(?:^|[\s:-])(?:sm|md|lg|xl|xxl|2xl)[:-](?:block|flex|grid|inline|table|contents)", re.IGNORECASE
)

_texts_of_one_size: Final = over_columns(parts.texts_of_one_size)


def copies(page: Page, limits: Copies) -> list[Removal]:
    """Remove parts whose texts all occurred before them on the page, outside of the best record group.

    Parts with other protected records go only with the whole group. What is protected for another reason stays, and so
    do parts that a class names as made for wide screens, quotations, and copies of what goes itself.
    """
    copied = _repeated_texts(page, limits)
    if not copied:
        return []
    reason = "says word for word what an earlier part of the page says"
    return [(start, end, "copy", reason) for start, end in _Copies(page, copied, limits).parts()]


class _Copies:
    """Parts around texts that occurred before.

    :param copied: (place, where its text occurs first) of each, in document order.
    """

    def __init__(self, page: Page, copied: list[tuple[int, int]], limits: Copies) -> None:
        self.page, self.limits = page, limits
        self.places, self.sources = map(list, zip(*copied, strict=True))
        self._sums = list(accumulate((page.text_length[place] for place in self.places), initial=0))
        self._tags = page.sequence.symbol_tag
        self._budget = limits.visits_per_node * page.size
        self._frequency: Counter[int] = Counter()
        self._is_copy: dict[int, bool] = {}
        self._said: set[str] = set()
        self._read_to = 0

    def parts(self) -> list[tuple[int, int]]:
        """The largest parts that are copies and may go."""
        page, reached = self.page, 0
        most = self.limits.share * page.worth_before[-1]
        found: list[tuple[int, int]] = []
        known: dict[int, bool] = {}
        for place, source in zip(self.places, self.sources, strict=True):
            if place < reached:
                continue
            for part in reversed(self._copies_around(place)):
                if self._budget < 0:
                    break
                if part not in known:
                    known[part] = self._may_go(part, most) and self._says_nothing_new(part)
                if known[part] and not self._is_meant(place, source):
                    reached = page.end[part]
                    found.append((part, reached))
                    break
        going = bytearray(page.size)
        for start, end in found:
            going[start:end] = b"\x01" * (end - start)
        return [
            (start, end)
            for start, end in found
            if not any(going[source] for source in self.sources[self._from(start) : self._from(end)])
        ]

    def _from(self, node: int) -> int:
        return bisect_left(self.places, node)

    def _copies_around(self, place: int) -> list[int]:
        """The parts around a repeated text that have little text of their own, from the inside out."""
        parent, found = self.page.parent, []
        part = parent[place]
        while part > 0:
            is_copy = self._is_copy.get(part)
            if is_copy is None:
                is_copy = self._is_copy[part] = self._repeats(part)
            self._budget -= 1
            if not is_copy or self._budget < 0:
                break
            found.append(part)
            part = parent[part]
        return found

    def _repeats(self, part: int) -> bool:
        page, end = self.page, self.page.end[part]
        low, high = self._from(part), self._from(end)
        self._budget -= high - low
        repeated: int = self._sums[high] - self._sums[low]
        return (
            repeated >= self.limits.repeated * (page.text_before[end] - page.text_before[part])
            and max(self.sources[low:high]) < part
        )

    def _may_go(self, part: int, most: float) -> bool:
        page, best, end = self.page, self.page.best, self.page.end[part]
        if (
            page.text_before[end] - page.text_before[part] < self.limits.characters
            or page.worth_before[end] - page.worth_before[part] > most
            or part <= page.first_heading < end
            or page.hints[part] & _KEPT
            or self._tags[page.symbols[part]] in WITHIN_LINES
            or (best is not None and part < best.end and best.start < end)
        ):
            return False
        self._budget -= end - part
        guarded = bytearray(page.protected[part:end])
        for start, stop, _ in page.records:
            if part <= start and stop <= end:
                guarded[start - part : stop - part] = bytes(stop - start)
        if 1 in guarded:
            return False
        self._frequency = self._frequency or Counter(page.symbols)
        return self._frequency[page.symbols[part]] <= self.limits.frequency

    def _says_nothing_new(self, part: int) -> bool:
        """Whether its short texts occurred before it as well: of what a page says nothing is lost."""
        page, end = self.page, self.page.end[part]
        while self._read_to < part:
            if page.is_text[self._read_to] and page.alive[self._read_to]:
                self._said.add(_read(page, self._read_to))
            self._read_to += 1
        self._budget -= end - part
        new = sum(
            page.text_length[place]
            for place in range(part, end)
            if page.is_text[place] and page.alive[place] and _read(page, place) not in self._said
        )
        return new <= self.limits.new * (page.text_before[end] - page.text_before[part])

    def _is_meant(self, place: int, source: int) -> bool:
        """Whether a part around the copy, but not around its source, is a quotation or made for wide screens.

        Equal paths of tags have the quotation in both: slides with the same quotation.
        """
        page = self.page
        quoted: Iterable[str] = () if page.tags[place] == page.tags[source] else _QUOTED
        part = page.parent[place]
        while part > source:
            classes = page.sequence.class_of(part)
            if self._tags[page.symbols[part]] in quoted or (classes and _WIDE.search(classes)):
                return True
            part = page.parent[part]
            self._budget -= 1
        return False


def _repeated_texts(page: Page, limits: Copies) -> list[tuple[int, int]]:
    """(place, first place) of each long living text that occurred before, in document order."""
    found: list[tuple[int, int]] = []
    first: dict[tuple[int, str], int] = {}
    for place in _long_texts_alike(page, limits):
        source = first.setdefault((page.text_length[place], _read(page, place)), place)
        if source != place:
            found.append((place, source))
    return found


def _long_texts_alike(page: Page, limits: Copies) -> list[int]:
    """The long living texts that have their size and how they start in common with some others, but not with many."""
    places = _texts_of_one_size(page.measured, limits.long)
    alike: defaultdict[tuple[int, object], list[int]] = defaultdict(list)
    for place, start in zip(places, page.sequence.text_starts(places, limits.start), strict=True):
        alike[page.text_length[place], start].append(place)
    return sorted(
        place for places in alike.values() if 1 < len(places) <= limits.most_alike for place in places
    )


def _read(page: Page, place: int) -> str:
    return " ".join(page.sequence.text_of(place).split())
