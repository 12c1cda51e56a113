"""A bounded cache for what is computed from the strings of pages: templates repeat their names."""

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
    """Cache what a function returns for short strings only, because pages decide how long their strings are."""
    cached = lru_cache(maxsize=_MOST)(function)

    @wraps(function)
    def call(text: str) -> _Result:
        return cached(text) if len(text) <= _LONGEST else function(text)

    return call
