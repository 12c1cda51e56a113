"""Thresholds of a rule, and how the size ratio moves them.

``TPS_SIZE_RATIO`` gives a page *slack*: 1 at the strategy's own ratio, less down to 0 at a ratio of 1, more at a lower
one (5 at 0, where the strategy's own is 0.8). What a rule may take is multiplied by it, and what there has to be before
it takes anything is divided by it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cache, lru_cache
from typing import Any, Final, TypeVar

T = TypeVar("T", bound="Thresholds")
#: A ratio next to 1 takes no more away, and no threshold is divided by 0.
_LEAST: Final = 1e-6


def scaled(most: float) -> Any:
    """A threshold of what may go: it grows with the slack."""
    return field(default=most, metadata={"power": 1})


def needed(least: float) -> Any:
    """A threshold of what there has to be for anything to go: it falls as the slack grows."""
    return field(default=least, metadata={"power": -1})


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Those of one rule; none by themselves."""

    def scaled(self: T, slack: float) -> T:
        """These thresholds with this slack; whole numbers stay whole."""
        return self if slack == 1.0 else _scaled(self, max(slack, _LEAST))


@lru_cache(maxsize=1000)
def _scaled(limits: T, slack: float) -> T:
    kind: Any = type(limits)
    changes: dict[str, Any] = {}
    for name, power in powers(kind).items():
        value = getattr(limits, name)
        changes[name] = round(value * slack**power) if isinstance(value, int) else value * slack**power
    for one in fields(limits):
        if isinstance(one.default, Thresholds):
            changes[one.name] = getattr(limits, one.name).scaled(slack)
    return replace(limits, **changes) if changes else limits


@cache
def powers(kind: Any) -> dict[str, int]:
    """The thresholds that the slack moves: 1 if it multiplies them, -1 if it divides them."""
    return {one.name: one.metadata["power"] for one in fields(kind) if "power" in one.metadata}
