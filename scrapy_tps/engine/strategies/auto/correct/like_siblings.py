"""Marks that say what a record is about: some of many like siblings carry them, the others do not.

Posts carry the names of their categories as classes (``category-fixed``, ``tag-newsletter``), pinned topics of a
board are announcements, and the items of a list that are shown later are hidden by their ``style``. Found on pages
that no rule was made on, where such records went; on the labelled sets nothing changes by more than .1 points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import HIDDEN, WEAK
from scrapy_tps.engine.native import extension
from scrapy_tps.engine.strategies.auto.decisions import Correction
from scrapy_tps.engine.strategies.auto.marks import DISPLAYS, SOFT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import LikeSiblings

_CORE: Final = extension("siblings")
_MARKS: Final = SOFT | SOFT << WEAK


def like_siblings(page: Page, limits: LikeSiblings) -> list[Correction]:
    """Take marks from parts that are like siblings without, where half of the siblings are without; or HIDDEN."""
    if page.columns is None:
        found = list(_like_siblings(page, limits))
    else:
        found = _CORE.like_siblings(
            page.columns,
            _MARKS,
            HIDDEN,
            limits.siblings,
            limits.most_nodes,
            limits.least_tags,
            limits.alike,
            limits.alike_hidden,
        )
    return [
        Correction(index, going)
        for index, going, *others in found
        if any(other >= 0 and _same_classes(page, index, other, limits) for other in others)
    ]


def _like_siblings(page: Page, limits: LikeSiblings) -> Iterator[tuple[int, int, int, int]]:
    """Yield (part, hints that may go, sibling like it, another one), -1 for siblings that are not like it."""
    hints, parent, end, tags, text_before = page.hints, page.parent, page.end, page.tags, page.text_before
    done: set[int] = set()
    sets = _TagSets(page, limits.most_nodes)
    for first in page.hinted:
        above = parent[first]
        if above in done or above < 0 or not hints[first] & (_MARKS | HIDDEN):
            continue
        done.add(above)
        marked: list[int] = []
        siblings: dict[int, int] = {}
        others: dict[int, list[int]] = {}
        child, stop = above + 1, end[above]
        while child < stop:
            tag, after = tags[child], end[child]
            siblings[tag] = siblings.get(tag, 0) + 1
            if hints[child] & (_MARKS | HIDDEN):
                marked.append(child)
            elif text_before[after] > text_before[child]:
                others.setdefault(tag, []).append(child)
            child = after
        for index in marked:
            tag = tags[index]
            unmarked = others.get(tag, ())
            if not unmarked or siblings[tag] < limits.siblings:
                continue
            for going, least in ((_MARKS, limits.alike), (HIDDEN, limits.alike_hidden)):
                if not hints[index] & going or (going == _MARKS and 2 * len(unmarked) < siblings[tag]):
                    continue
                one, other = (
                    *(
                        sibling if _alike(sets[index], sets[sibling], least, limits.least_tags) else -1
                        for sibling in unmarked[:2]
                    ),
                    -1,
                )[:2]
                if one >= 0 or other >= 0:
                    yield index, going, one, other


def _alike(one: int, other: int, least: float, least_tags: int) -> bool:
    """Whether two sets of tag paths, as bits, share this part."""
    return one.bit_count() >= least_tags and (one & other).bit_count() >= least * (one | other).bit_count()


class _TagSets(dict[int, int]):
    """The tag paths of parts by their indexes, as bits (modulo 128); none of parts that are too large."""

    def __init__(self, page: Page, most_nodes: int) -> None:
        super().__init__()
        self._most_nodes = most_nodes
        self._tags, self._end = page.tags, page.end

    def __missing__(self, index: int) -> int:
        end = self._end[index]
        bits = 0
        if end - index <= self._most_nodes:
            for tag in set(self._tags[index:end]):
                bits |= 1 << (tag & 127)
        self[index] = bits
        return bits


def _same_classes(page: Page, one: int, other: int, limits: LikeSiblings) -> bool:
    of_other = page.classes(other)
    shared = (of_other & page.classes(one)) - DISPLAYS
    return len(shared) >= limits.same_classes * (len(of_other) - len(of_other & DISPLAYS))
