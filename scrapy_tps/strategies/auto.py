"""``auto``: everything that is surely noise goes, and practically never a record.

How it decides, what was tried and the figures behind every step are in docs/auto.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from scrapy_tps.hints import READ
from scrapy_tps.strategies.copies import remove_copies
from scrapy_tps.strategies.furniture import clear_furniture
from scrapy_tps.strategies.kept import Main, protect_below_heading, protect_beside_records, protect_code
from scrapy_tps.strategies.limits import Limits
from scrapy_tps.strategies.lists import remove_link_lists
from scrapy_tps.strategies.repeats import remove_repeated_fields
from scrapy_tps.strategies.splits import split_both_sides
from scrapy_tps.strategies.surroundings import remove_comments, remove_surroundings
from scrapy_tps.strategies.texts import remove_around_text, remove_beside_text, remove_comments_below_text
from scrapy_tps.strategies.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.regions import Split
    from scrapy_tps.sequence import TagPathSequence
    from scrapy_tps.settings import PageSettings
    from scrapy_tps.strategies import Selection
    from scrapy_tps.strategies.groups import Group

LIMITS: Final = Limits()


@dataclass(frozen=True, slots=True)
class AutoStrategy:
    """Record groups protected; furniture, link lists, surroundings and small sides of splits removed.

    :ivar reads: the attributes that it asks for, besides ``class`` and ``style``.
    :ivar size_ratio: 0.80: the smaller side of a split goes when it holds at most a tenth of the two.
        Raising it lowers in the same measure what everything else may remove; 1 removes nothing.
    """

    size_ratio: float = 0.80
    reads: ClassVar[frozenset[str]] = READ

    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:  # noqa: ARG002
        return prune_by(sequence, LIMITS, size_ratio, self.size_ratio)


def prune_by(
    sequence: TagPathSequence,
    limits: Limits,
    size_ratio: float,
    usual_ratio: float,
    *,
    aggressive: bool = False,
) -> Selection:
    """Choose what stays under `limits`, scaled down where the ratio is larger than the usual one."""
    page = Workspace(sequence)
    limits = limits.scaled((1.0 - size_ratio) / (1.0 - usual_ratio))
    best = clear_furniture(page, limits)
    if aggressive:
        remove_comments(page)
    remove_comments_below_text(page, limits)
    main = Main(page)
    remove_link_lists(page, limits)
    page.measure()
    protect_code(page)
    remove_around_text(page, limits)
    if best is not None and not page.alive[best.start]:
        best = None
    splits: Sequence[Split] = ()
    if best is not None and _is_about(page, best, limits):
        protect_beside_records(page, best, headed=not aggressive)
        protect_below_heading(page)
        remove_surroundings(page, best, limits)
        splits = split_both_sides(page, size_ratio, limits.side_prose)
    elif aggressive:
        remove_beside_text(page, limits)
    if aggressive:
        if size_ratio < 1.0:
            remove_repeated_fields(page)
            remove_copies(page, best, limits)
    elif main.is_lost():
        main.put_back()
        splits = [split for split in splits if split.position not in main]
    return page.selection(splits)


def _is_about(page: Workspace, records: Group, limits: Limits) -> bool:
    """Whether the page is about these records: much of the page, and little prose outside of them."""
    total, proses = page.worths[-1], page.proses
    outside = proses[-1] - (proses[records.end] - proses[records.start])
    return records.worth >= limits.dominance * total and outside <= limits.outside_prose * total
