"""The classes of elements, taken apart once for each value of the attribute: templates repeat it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from scrapy_tps.strategies.workspace import Workspace

#: Longer attributes are not remembered.
_LONGEST: Final = 1000
_NONE: Final[frozenset[str]] = frozenset()


def classes_of(page: Workspace, index: int) -> frozenset[str]:
    """The classes of a node; none of texts."""
    classes = page.sequence.class_of(index)
    if not classes:
        return _NONE
    return _apart(classes) if len(classes) <= _LONGEST else frozenset(classes.split())


@lru_cache(maxsize=20_000)
def _apart(classes: str) -> frozenset[str]:
    return frozenset(classes.split())
