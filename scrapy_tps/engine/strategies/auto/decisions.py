"""The kinds of decisions of rules. A rule reads a page and returns decisions; the pipeline writes them."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.sequence.region_search import Split


class Phase(Enum):
    """The subject of the decisions of a rule. Phases interleave: the order is that of the table."""

    #: starting point of other rules: a node, or -1
    CUES = "cues"
    #: misleading cues: a list of :class:`Correction`
    CORRECT = "correct"
    #: provisional removals, before anything is compared; a veto puts them back: :class:`Removals`
    PROVISIONAL = "provisional"
    #: protected parts: :class:`Records`, or a list of (start, end)
    PROTECT = "protect"
    #: removals: a list of :data:`Removal`, or :class:`Removals`
    REMOVE = "remove"
    #: parts of removals that stay: a list of :data:`Retained`
    RETAIN = "retain"
    #: removals that come back: their numbers, or why all do
    VETO = "veto"

    __hash__ = object.__hash__  # Enum's is written in Python and slower


class RecordGroup(NamedTuple):
    """A record group; those that are only protected are plain tuples of the same values.

    :ivar start, end: its nodes, from the first item's first to the last one's last.
    :ivar items: number of items.
    :ivar weight: weight of the items.
    :ivar score: weight times richness of markup; the group with the best score holds the main records of a page.
    """

    start: int
    end: int
    items: int
    weight: float
    score: float


#: A node, the cues that it loses, and those that it gets.
Correction: TypeAlias = "tuple[int, int, int]"

#: A part with softer cues that may be removed: nodes [start, end), cues, weight.
Marked: TypeAlias = "tuple[int, int, int, float]"

#: Nodes [start, end), the rule and the reason in the account.
Removal: TypeAlias = "tuple[int, int, str, str]"

#: The root of a part that stays, and its reason if the account has it as a separate region.
Retained: TypeAlias = "tuple[int, str]"


class Removals(NamedTuple):
    """Removals, with the first nodes of the doubtful ones and the splits that led to them."""

    removals: list[Removal]
    doubtful: Sequence[int] = ()
    splits: Sequence[Split] = ()


class Records(NamedTuple):
    """Protected record groups, the one that may be the page's subject, and (start, end) of its headings."""

    groups: list[tuple[int, int, int, float, float]]
    best: RecordGroup | None
    titles: list[tuple[int, int]]
