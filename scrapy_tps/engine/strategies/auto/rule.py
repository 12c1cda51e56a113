"""A rule, and the kinds of its decisions.

A rule looks at a page and says what should change; it never changes anything. The pipeline writes what it decided.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_tps.engine.strategies.auto.scaling import Thresholds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scrapy_tps.engine.strategies.auto.page import Page


class Phase(Enum):
    """The subject of the decisions of a rule. Phases interleave: the order is that of the table."""

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
    :ivar decide: the rule itself: page and thresholds in, decisions of the phase out; a generator is a pass of several
        steps, each of which is written before the next one looks.
    :ivar thresholds: what it gets besides the page.
    :ivar when: the conditions under which it runs, all of them; none: always.
    :ivar otherwise: what it gets where a condition fails; None: it does not run there.
    """

    name: str
    phase: Phase
    decide: Callable[[Page, Any], Sequence[Any] | int | Iterator[Sequence[Any]]]
    thresholds: Thresholds = Thresholds()
    when: tuple[Condition, ...] = ()
    otherwise: Thresholds | None = None
