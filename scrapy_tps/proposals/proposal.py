"""Proposals for lost selectors, in words and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Proposal:
    """A selector that may take the place of one that finds nothing any more.

    :ivar selector: empty if none fits the values seen before.
    :ivar kind: ``css`` or ``xpath``.
    :ivar pages: pages on which it was tried; `found`: those on which it found something.
    :ivar equal_values: values that are equal to those remembered of the same rows; `known_values`: those that are
        remembered.
    :ivar lost_pages: pages on which the lost selector found nothing; 0 if it was not used because its rows were lost.
    """

    selector: str = ""
    kind: str = "css"
    pages: int = 0
    found: int = 0
    equal_values: int = 0
    known_values: int = 0
    lost_pages: int = 0

    def note(self, lost: str) -> str:
        """Return what the lost selector found, and what to try, in words."""
        dry = f"found nothing on {_pages(self.lost_pages)}"
        nothing = dry if self.lost_pages else "is lost with its rows"
        if not self.selector:
            return f"`{lost}` {nothing}; no other selector fits well enough to propose it."
        sampled = "sampled " if self.pages < self.lost_pages else ""
        found = f"found on {self.found:,} of {_pages(self.pages, sampled)}"
        equal = f", {self.equal_values:,} of {self.known_values:,} values seen before equal"
        return f"`{lost}` {nothing}. Try `{self.selector}`: {found}{equal if self.known_values else ''}."

    def to_dict(self) -> dict[str, Any] | None:
        """Return it by name, ready for JSON; None if it proposes nothing."""
        names = ("selector", "kind", "pages", "found", "equal_values")
        return {name: getattr(self, name) for name in names} if self.selector else None


def _pages(number: int, kind: str = "") -> str:
    return f"{number:,} {kind}page{'s' * (number != 1)}"


#: Proposals by site, callback and lost selector.
Proposals = dict[tuple[str, str, str], Proposal]
