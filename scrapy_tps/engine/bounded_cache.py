"""A bounded cache for values computed from strings of pages: templates repeat their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Result = TypeVar("_Result")

#: The number of strings of each kind that are remembered, and their greatest length: 8 million characters.
_MOST: Final = 20_000
_LONGEST: Final = 400


class _Results(dict[str, _Result], Generic[_Result]):
    def __init__(self, function: Callable[[str], _Result]) -> None:
        self._function = function

    def __missing__(self, text: str) -> _Result:
        result = self._function(text)
        if len(text) <= _LONGEST:
            if len(self) >= _MOST:
                self.clear()
            self[text] = result
        return result


def remembered(function: Callable[[str], _Result]) -> Callable[[str], _Result]:
    """Cache the results of a function for short strings only, because pages decide how long their strings are.

    A known string costs no call of Python code.
    """
    return _Results(function).__getitem__
