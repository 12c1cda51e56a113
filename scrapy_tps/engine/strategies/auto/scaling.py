"""Thresholds of a rule, and which of them shrink where the size ratio is larger than usual."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T", bound="Thresholds")


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
