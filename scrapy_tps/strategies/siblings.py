"""Marks that say what a record is about: some of many like siblings carry them, the others do not.

Posts carry the names of their categories as classes (``category-fixed``, ``tag-newsletter``), pinned topics of a
board are announcements, and the items of a list that are shown later are hidden by their ``style``. Found on pages
that no rule was made on, where such records went; on the labelled sets nothing changes by more than .1 points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.hints import HIDDEN, WEAK
from scrapy_tps.native import extension

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.strategies.workspace import Workspace

_CORE: Final = extension("_siblings")
#: So many siblings of the same tag path can be a list.
_LEAST: Final = 3
#: Larger parts are no records, and are not compared.
_MOST_NODES: Final = 500
#: With fewer tag paths inside, everything is alike.
_LEAST_TAGS: Final = 3
#: Siblings are alike where they share this part of their tag paths, as in record groups; hidden ones this part.
_ALIKE: Final = 0.5
_ALIKE_HIDDEN: Final = 0.8
#: … and this part of the other's classes.
_SAME_CLASSES: Final = 0.5
#: Classes that say how a part is displayed (Tailwind): what is shown may have one where a hidden part is ``hidden``.
DISPLAYS: Final = frozenset(
    {"block", "flex", "grid", "inline", "inline-block", "inline-flex", "table", "contents"}
)


def unmark_records(page: Workspace, marks: int) -> None:
    """Take `marks` from parts that are like siblings without, where half of the siblings are without; or HIDDEN.

    :param marks: hints of names; weak ones go with them.
    """
    marks |= marks << WEAK
    if page.columns is None:
        found = list(_like_siblings(page, marks))
    else:
        found = _CORE.like_siblings(
            page.columns, marks, HIDDEN, _LEAST, _MOST_NODES, _LEAST_TAGS, _ALIKE, _ALIKE_HIDDEN
        )
    for index, going, *others in found:
        if any(other >= 0 and _same_classes(page, index, other) for other in others):
            page.hints[index] &= ~going  # type: ignore[index]


def _like_siblings(page: Workspace, marks: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield (part, hints that may go, sibling like it, another one), -1 for siblings that are not like it."""
    hints, parent, end, tags, texts = page.hints, page.parent, page.end, page.tags, page.texts
    done: set[int] = set()
    sets = _TagSets(page)
    for first in page.hinted:
        above = parent[first]
        if above in done or above < 0 or not hints[first] & (marks | HIDDEN):
            continue
        done.add(above)
        marked: list[int] = []
        siblings: dict[int, int] = {}
        others: dict[int, list[int]] = {}
        child, stop = above + 1, end[above]
        while child < stop:
            tag, after = tags[child], end[child]
            siblings[tag] = siblings.get(tag, 0) + 1
            if hints[child] & (marks | HIDDEN):
                marked.append(child)
            elif texts[after] > texts[child]:
                others.setdefault(tag, []).append(child)
            child = after
        for index in marked:
            tag = tags[index]
            unmarked = others.get(tag, ())
            if not unmarked or siblings[tag] < _LEAST:
                continue
            for going, least in ((marks, _ALIKE), (HIDDEN, _ALIKE_HIDDEN)):
                if not hints[index] & going or (going == marks and 2 * len(unmarked) < siblings[tag]):
                    continue
                one, other = (
                    *(
                        sibling if _alike(sets[index], sets[sibling], least) else -1
                        for sibling in unmarked[:2]
                    ),
                    -1,
                )[:2]
                if one >= 0 or other >= 0:
                    yield index, going, one, other


def _alike(one: int, other: int, least: float) -> bool:
    """Whether two sets of tag paths, as bits, share this part."""
    return one.bit_count() >= _LEAST_TAGS and (one & other).bit_count() >= least * (one | other).bit_count()


class _TagSets(dict[int, int]):
    """The tag paths of parts by their indexes, as bits (modulo 128); none of parts that are too large."""

    def __init__(self, page: Workspace) -> None:
        super().__init__()
        self._tags, self._end = page.tags, page.end

    def __missing__(self, index: int) -> int:
        end = self._end[index]
        bits = 0
        if end - index <= _MOST_NODES:
            for tag in set(self._tags[index:end]):
                bits |= 1 << (tag & 127)
        self[index] = bits
        return bits


def _same_classes(page: Workspace, one: int, other: int) -> bool:
    of_other = page.classes(other)
    shared = (of_other & page.classes(one)) - DISPLAYS
    return len(shared) >= _SAME_CLASSES * (len(of_other) - len(of_other & DISPLAYS))
