"""Copies: parts that say word for word what an earlier part of the page says.

Templates write a part twice, once for wide screens and once for telephones, and slide shows repeat their slides to run
round. A record that shares its description with another one is no copy: parts of frequent markup stay, and so does
everything of the best record group.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from itertools import accumulate, compress
from typing import TYPE_CHECKING, Final

from scrapy_tps import hints
from scrapy_tps.sequence import TEXT_OF
from scrapy_tps.strategies.texts import WITHIN_LINES

if TYPE_CHECKING:
    from scrapy_tps.strategies.groups import Group
    from scrapy_tps.strategies.limits import Limits
    from scrapy_tps.strategies.workspace import Workspace

#: Texts of so many characters are compared; shorter ones are labels, which are equal by chance.
LONG: Final = 30
#: So much of a copy's text, in characters, stands in such texts that occurred before.
REPEATED: Final = 0.9
#: A copy has so many characters at least: sentences, not a button.
LEAST_CHARS: Final = 80
#: Markup with the same classes that occurs more often than this belongs to items, which may share a text.
FREQUENCY: Final = 5
_KEPT: Final = hints.HEADING | hints.SUBHEADING | hints.MAIN
#: What is said again on purpose.
_QUOTED: Final = frozenset({"blockquote", "q", "cite"})
#: Classes of what wide screens show: of two copies this is the one that spiders were written against.
_WIDE: Final = re.compile(
    r"desktop|(?:^|[\s:-])(?:sm|md|lg|xl|xxl|2xl)[:-](?:block|flex|grid|inline|table|contents)", re.IGNORECASE
)


def remove_copies(page: Workspace, best: Group | None, limits: Limits) -> None:
    """Remove parts whose texts all occurred before them on the page, outside of the best record group.

    Parts with other protected records go only with the whole group, what is protected for another reason stays, and so
    do parts that a class names as made for wide screens, quotations, and copies of what goes itself.
    """
    copies = _Copies(page)
    if not copies.places:
        return
    page.measure()
    found = copies.parts(best, limits.copies * page.worths[-1])
    for start, end in found:
        page.remove(start, end, "copy", "says word for word what an earlier part of the page says")
    if found:
        page.measure()


class _Copies:
    """The long living texts that occurred before.

    :ivar places: their nodes, in document order.
    :ivar sources: for each of them, where its text occurs first.
    """

    def __init__(self, page: Workspace) -> None:
        self.page = page
        pairs = sorted(_repeated(page))
        self.places = [place for place, _ in pairs]
        self.sources = [source for _, source in pairs]
        self._sums = list(accumulate((page.chars[place] for place in self.places), initial=0))

    def parts(self, best: Group | None, most: float) -> list[tuple[int, int]]:
        """The largest parts that are copies and may go, of up to `most` worth."""
        page, reached = self.page, 0
        found: list[tuple[int, int]] = []
        for place, source in zip(self.places, self.sources, strict=True):
            if place < reached:
                continue
            part = self._largest_copy(place)
            if part > 0 and self._may_go(part, most, best) and not self._is_meant(place, source):
                reached = page.end[part]
                found.append((part, reached))
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

    def _largest_copy(self, place: int) -> int:
        """The outermost part around a repeated text that has little text of its own, or -1."""
        page, found = self.page, -1
        part = page.parent[place]
        while part > 0:
            end = page.end[part]
            low, high = self._from(part), self._from(end)
            text = page.texts[end] - page.texts[part]
            if self._sums[high] - self._sums[low] < REPEATED * text or max(self.sources[low:high]) >= part:
                break
            found, part = part, page.parent[part]
        return found

    def _may_go(self, part: int, most: float, best: Group | None) -> bool:
        page, end = self.page, self.page.end[part]
        if (
            page.texts[end] - page.texts[part] < LEAST_CHARS
            or page.worths[end] - page.worths[part] > most
            or part <= page.first_heading < end
            or page.hints[part] & _KEPT
            or page.sequence.symbol_tag[page.symbols[part]] in WITHIN_LINES
        ):
            return False
        if best is not None and part < best.end and best.start < end:
            return False
        guarded = bytearray(page.protected[part:end])
        if 1 in guarded:
            for start, stop, _ in page.records:
                if part <= start and stop <= end:
                    guarded[start - part : stop - part] = bytes(stop - start)
            if 1 in guarded:
                return False
        return page.with_symbols({page.symbols[part]}).count(1) <= FREQUENCY

    def _is_meant(self, place: int, source: int) -> bool:
        """Whether a part around the copy, but not around its source, is a quotation or made for wide screens.

        Equal paths of tags have the quotation in both: slides with the same quotation.
        """
        page, tags = self.page, self.page.sequence.symbol_tag
        quoted = frozenset() if page.tags[place] == page.tags[source] else _QUOTED
        part = page.parent[place]
        while part > source:
            classes = page.sequence.class_of(part)
            if tags[page.symbols[part]] in quoted or (classes and _WIDE.search(classes)):
                return True
            part = page.parent[part]
        return False


def _repeated(page: Workspace) -> list[tuple[int, int]]:
    """(place, first place) of each long living text that occurred before; only texts of equal length are read."""
    chars, alive = page.chars, page.alive
    of_size: defaultdict[int, list[int]] = defaultdict(list)
    for place in compress(range(page.size), map(LONG.__le__, chars)):
        if alive[place]:
            of_size[chars[place]].append(place)
    found = []
    for places in of_size.values():
        if len(places) > 1:
            nodes, kinds = page.sequence.nodes, page.sequence.kinds
            first: dict[str, int] = {}
            for place in places:
                node = nodes[place]
                text = " ".join((node.text if kinds[place] == TEXT_OF else node.tail).split())
                source = first.setdefault(text, place)
                if source != place:
                    found.append((place, source))
    return found
