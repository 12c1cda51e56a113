"""Copies: parts that say word for word what an earlier part of the page says.

Templates write a part twice, once for wide screens and once for telephones, and slide shows repeat their slides to run
round. A record that shares its description with another one is no copy: parts of frequent markup stay, and so does
everything of the best record group.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from itertools import accumulate, compress
from typing import TYPE_CHECKING, Final

from scrapy_tps import hints
from scrapy_tps.native import extension
from scrapy_tps.strategies.texts import WITHIN_LINES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_tps.strategies.groups import Group
    from scrapy_tps.strategies.limits import Limits
    from scrapy_tps.strategies.workspace import Workspace

#: Texts of so many characters are compared; shorter ones are labels, which are equal by chance.
LONG: Final = 30
#: So much of a copy's text, in characters, stands in such texts that occurred before …
REPEATED: Final = 0.7
#: … and of all its texts so much may be new: a counter, the name of a picture.
NEW: Final = 0.02
#: A copy has so many characters at least: sentences, not a button.
LEAST_CHARS: Final = 80
#: Markup with the same classes that occurs more often than this belongs to items, which may share a text.
FREQUENCY: Final = 5
#: Visits of parts and texts allowed per node of the page before the search stops with what it has.
VISITS_PER_NODE: Final = 8
#: Texts of one size are told apart by so many characters at their start …
_START: Final = 32
#: … and where more have both in common, they are the texts of items.
_MOST_ALIKE: Final = 12
_KEPT: Final = hints.HEADING | hints.SUBHEADING | hints.MAIN
#: What is said again on purpose.
_QUOTED: Final = frozenset({"blockquote", "q", "cite"})
#: Classes of what wide screens show: of two copies this is the one that spiders were written against.
_WIDE: Final = re.compile(
    r"desktop|(?:^|[\s:-])(?:sm|md|lg|xl|xxl|2xl)[:-](?:block|flex|grid|inline|table|contents)", re.IGNORECASE
)

_CORE: Final = extension("_copies")


def remove_copies(page: Workspace, best: Group | None, limits: Limits) -> None:
    """Remove parts whose texts all occurred before them on the page, outside of the best record group.

    Parts with other protected records go only with the whole group. What is protected for another reason stays, and so
    do parts that a class names as made for wide screens, quotations, and copies of what goes itself.
    """
    copied = _repeated_texts(page)
    if not copied:
        return
    page.measure()
    found = _Copies(page, copied).parts(best, limits.copies * page.worths[-1])
    for start, end in found:
        page.remove(start, end, "copy", "says word for word what an earlier part of the page says")
    if found:
        page.measure()


class _Copies:
    """Parts around texts that occurred before.

    :param copied: (place, where its text occurs first) of each, in document order.
    """

    def __init__(self, page: Workspace, copied: list[tuple[int, int]]) -> None:
        self.page = page
        self.places, self.sources = map(list, zip(*copied, strict=True))
        self._sums = list(accumulate((page.chars[place] for place in self.places), initial=0))
        self._tags = page.sequence.symbol_tag
        self._budget = VISITS_PER_NODE * page.size
        self._frequency: Counter[int] = Counter()
        self._is_copy: dict[int, bool] = {}
        self._said: set[str] = set()
        self._read_to = 0

    def parts(self, best: Group | None, most: float) -> list[tuple[int, int]]:
        """The largest parts that are copies and may go, of up to `most` worth."""
        page, reached = self.page, 0
        found: list[tuple[int, int]] = []
        known: dict[int, bool] = {}
        for place, source in zip(self.places, self.sources, strict=True):
            if place < reached:
                continue
            for part in reversed(self._copies_around(place)):
                if self._budget < 0:
                    break
                if part not in known:
                    known[part] = self._may_go(part, most, best) and self._says_nothing_new(part)
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
            repeated >= REPEATED * (page.texts[end] - page.texts[part]) and max(self.sources[low:high]) < part
        )

    def _may_go(self, part: int, most: float, best: Group | None) -> bool:
        page, end = self.page, self.page.end[part]
        if (
            page.texts[end] - page.texts[part] < LEAST_CHARS
            or page.worths[end] - page.worths[part] > most
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
        return self._frequency[page.symbols[part]] <= FREQUENCY

    def _says_nothing_new(self, part: int) -> bool:
        """Whether its short texts occurred before it as well: of what a page says nothing is lost."""
        page, end = self.page, self.page.end[part]
        while self._read_to < part:
            if page.text[self._read_to] and page.alive[self._read_to]:
                self._said.add(_read(page, self._read_to))
            self._read_to += 1
        self._budget -= end - part
        new = sum(
            page.chars[place]
            for place in range(part, end)
            if page.text[place] and page.alive[place] and _read(page, place) not in self._said
        )
        return new <= NEW * (page.texts[end] - page.texts[part])

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


def _repeated_texts(page: Workspace) -> list[tuple[int, int]]:
    """(place, first place) of each long living text that occurred before, in document order."""
    if page.columns is not None:
        places = _CORE.long_texts_alike(page.columns, LONG, _START, _MOST_ALIKE)
    else:
        places = _long_texts_alike(page)
    found: list[tuple[int, int]] = []
    first: dict[tuple[int, str], int] = {}
    for place in places:
        source = first.setdefault((page.chars[place], _read(page, place)), place)
        if source != place:
            found.append((place, source))
    return found


def _long_texts_alike(page: Workspace) -> list[int]:
    """The long living texts that have their size and how they start in common with some others, but not with many."""
    of_size: defaultdict[int, list[int]] = defaultdict(list)
    for place in compress(range(page.size), map(LONG.__le__, page.chars)):
        if page.alive[place]:
            of_size[page.chars[place]].append(place)
    alike: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for size, places in of_size.items():
        if len(places) > 1:
            for place in places:
                alike[size, _read(page, place).replace(" ", "")[:_START]].append(place)
    return sorted(place for places in alike.values() if 1 < len(places) <= _MOST_ALIKE for place in places)


def _read(page: Workspace, place: int) -> str:
    return " ".join(page.sequence.text_of(place).split())
