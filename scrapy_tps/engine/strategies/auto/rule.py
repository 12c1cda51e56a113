"""What a rule is, and what it can decide.

A rule looks at a page and says what should change; it never changes anything. The pipeline writes what it decided.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from scrapy_tps.engine.strategies.auto.evidence import EVIDENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy_tps.engine.sequence.region_search import Split
    from scrapy_tps.engine.strategies.auto.groups import Group
    from scrapy_tps.engine.strategies.auto.page import Page

T = TypeVar("T", bound="Thresholds")


class Phase(Enum):
    """What the decisions of a rule are about. Phases interleave: the order is that of the table."""

    #: where other rules start from: a node, or -1
    HINTS = "hints"
    #: hints that do not mean what they say: a list of :class:`Correction`
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
    """Record groups that are protected, and the one that the page may be about."""

    groups: list[Group]
    best: Group | None


class Sides(NamedTuple):
    """Sides of splits that go, and the splits."""

    removals: list[Removal]
    splits: list[Split]


class Retained(NamedTuple):
    """A part that stays, by its root; with a reason it is a region of its own in the account."""

    root: int
    reason: str = ""


class Unmask(NamedTuple):
    """Masks that come back, by the numbers of the removals."""

    numbers: list[int]


class Veto(NamedTuple):
    """Nodes [start, end) come back as far as the removals number [first, last) took them.

    :ivar reason: why the page stays whole, where nothing is left of the removals.
    """

    start: int
    end: int
    first: int
    last: int
    reason: str = ""


def scaled(share: float) -> Any:
    """A threshold that shrinks with the size ratio."""
    return field(default=share, metadata={"scaled": True})


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Those of one rule; none by themselves."""

    def scaled(self: T, slack: float) -> T:
        """These thresholds for a more careful size ratio: what may go shrinks with `slack`, from 1 down to 0."""
        kind: Any = type(self)
        changes: dict[str, Any] = {name: getattr(self, name) * slack for name in scaled_names(kind)}
        for name in _groups_in(kind):
            changes[name] = getattr(self, name).scaled(slack)
        return replace(self, **changes) if changes else self


@cache
def scaled_names(kind: Any) -> tuple[str, ...]:
    """The names of the thresholds that the size ratio scales."""
    return tuple(one.name for one in fields(kind) if "scaled" in one.metadata)


@cache
def _groups_in(kind: Any) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind) if isinstance(one.default, Thresholds))


class Condition(NamedTuple):
    """When rules run. The pipeline asks once a page, before the first rule that has it.

    :ivar name: in words, for the table in the documentation.
    :ivar holds: what to ask, of the page and with the thresholds.
    """

    name: str
    holds: Callable[[Page, Any], bool]
    thresholds: Thresholds = Thresholds()
    negated: bool = False

    def fails(self) -> Condition:
        """The opposite."""
        return self._replace(negated=not self.negated)


class Rule(NamedTuple):
    """One row of a table.

    :ivar name: unique in its table; `Pipeline.without` takes it.
    :ivar decide: the rule itself: page and thresholds in, decisions of the phase out.
    :ivar thresholds: what it gets besides the page.
    :ivar when: the condition under which it runs; None: always.
    """

    name: str
    phase: Phase
    decide: Callable[[Page, Any], Sequence[Any] | int]
    thresholds: Thresholds = Thresholds()
    when: Condition | None = None

    @property
    def evidence(self) -> str:
        """What it is worth, in a line."""
        return EVIDENCE[self.name]
