"""A proposal for a selector that finds nothing any more."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Proposal:
    """A selector that may take the place of one that finds nothing any more.

    :ivar selector: empty if no element holds such values.
    :ivar kind: ``css`` or ``xpath``.
    :ivar pages: pages on which it was tried; `found`: those on which it found something.
    :ivar equal_values: values that are equal to those remembered of the same rows.
    :ivar known_values: rows and pages whose remembered values are known.
    :ivar lost_pages: pages on which the lost selector found nothing; 0 if it was not used because its rows were lost.
    """

    selector: str
    kind: str = "css"
    pages: int = 0
    found: int = 0
    equal_values: int = 0
    known_values: int = 0
    lost_pages: int = 0


#: Proposals by site, callback and lost selector.
Proposals = dict[tuple[str, str, str], Proposal]
