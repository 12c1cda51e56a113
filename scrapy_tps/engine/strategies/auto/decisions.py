"""The kinds of decisions of rules. A rule looks at a page and says what should change; the pipeline writes it."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from scrapy_tps.engine.sequence.region_search import Split


class Phase(Enum):
    """The subject of the decisions of a rule. Phases interleave: the order is that of the table."""

    #: where other rules start from: a node, or -1
    CUES = "cues"
    #: cues that do not mean what they say: a list of :class:`Correction`
    CORRECT = "correct"
    #: what is taken out before anything is compared, and comes back where a veto says so: :class:`Masks`
    MASK = "mask"
    #: what must not go: :class:`Records`, or a list of (start, end)
    PROTECT = "protect"
    #: what goes: a list of :data:`Removal`, or :class:`Sides`
    REMOVE = "remove"
    #: what stays of what went: a list of :class:`Retained`
    RETAIN = "retain"
    #: what comes back: :class:`Unmask`, or a list of :class:`Veto`
    VETO = "veto"

    __hash__ = object.__hash__  # the one of Enum is Python


class Group(NamedTuple):
    """A record group.

    :ivar start, end: its nodes, from the first item's first to the last one's last.
    :ivar items: number of items.
    :ivar weight: weight of the items.
    :ivar score: weight times richness of markup; the best group of a page holds its main records.
    """

    start: int
    end: int
    items: int
    weight: float
    score: float


class Correction(NamedTuple):
    """Cues that a node loses, and cues that it gets."""

    node: int
    off: int
    on: int = 0


#: Nodes [start, end), the rule and the reason in the account.
Removal: TypeAlias = "tuple[int, int, str, str]"


class Masks(NamedTuple):
    """Removals that may come back, and whether each is doubtful."""

    removals: list[Removal]
    doubtful: list[bool]


class Records(NamedTuple):
    """Record groups that are protected, the one that the page may be about, and (start, end) of what heads that."""

    groups: list[Group]
    best: Group | None
    titles: list[tuple[int, int]]


class Sides(NamedTuple):
    """Sides of splits that go, and the splits."""

    removals: list[Removal]
    splits: list[Split]


class Retained(NamedTuple):
    """A part that stays, by its root; with a reason it is a region of its own in the account, called `rule`."""

    root: int
    reason: str = ""
    rule: str = "pages"


class Unmask(NamedTuple):
    """Masks that come back, by the numbers of the removals."""

    numbers: list[int]


class Veto(NamedTuple):
    """Nodes [start, end) come back as far as the removals number [first, last) took them.

    :ivar reason: why the page is not pruned, where nothing is left of the removals.
    """

    start: int
    end: int
    first: int
    last: int
    reason: str = ""
