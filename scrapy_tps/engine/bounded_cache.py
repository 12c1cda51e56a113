"""A bounded cache for values computed from strings of pages: templates repeat their names."""

from __future__ import annotations

from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Result = TypeVar("_Result")

#: The number of strings of each kind that are remembered, and their greatest length: 8 million characters.
_MOST: Final = 20_000
_LONGEST: Final = 400


def remembered(function: Callable[[str], _Result]) -> Callable[[str], _Result]:
    """Cache the results of a function for short strings only, because pages decide how long their strings are."""
    cached = lru_cache(maxsize=_MOST)(function)

    @wraps(function)
    def call(text: str) -> _Result:
        return cached(text) if len(text) <= _LONGEST else function(text)

    return call
