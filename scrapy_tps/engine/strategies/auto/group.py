"""A record group: a run of neighbouring siblings of the same make."""

from __future__ import annotations

from typing import NamedTuple


class Group(NamedTuple):
    """A record group.

    :ivar start, end: its nodes, from the first item's first to the last one's last.
    :ivar items: number of items.
    :ivar worth: worth of the items.
    :ivar score: worth times richness of markup; the best group of a page holds its main records.
    """

    start: int
    end: int
    items: int
    worth: float
    score: float
