"""Decisions of rules: lists of these, or one of them. The pipeline writes them into the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from scrapy_tps.engine.sequence.region_search import Split
    from scrapy_tps.engine.strategies.auto.group import Group


class Correction(NamedTuple):
    """Hints that a node loses, and hints that it gets."""

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
