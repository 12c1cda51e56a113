"""What was worked out of strings of pages, remembered within bounds: templates repeat their names."""

from __future__ import annotations

from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Result = TypeVar("_Result")

#: So many strings of each kind are remembered, and none that is longer: 8 million characters.
_MOST: Final = 20_000
_LONGEST: Final = 400


def remembered(function: Callable[[str], _Result]) -> Callable[[str], _Result]:
    """Remember what a function returns for short strings; pages choose how long theirs are."""
    cached = lru_cache(maxsize=_MOST)(function)

    @wraps(function)
    def call(text: str) -> _Result:
        return cached(text) if len(text) <= _LONGEST else function(text)

    return call
