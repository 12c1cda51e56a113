"""The spans of a page as numbers: hostile pages have a hundred thousand of them, and every response keeps them."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import TYPE_CHECKING, Any, Final, overload

from scrapy_tps.engine.loops.columns import clear
from scrapy_tps.engine.native import ARRAYS, compiled
from scrapy_tps.engine.strategies import Span

if TYPE_CHECKING:
    from collections.abc import Iterator


_clear: Final = compiled(clear)

_RECORDS: Final = -1


class Spans(Sequence[Span]):
    """Spans that are created on access.

    With an object for each span until the end of the response, `auto` took a quarter longer for a page of 83,000 spans,
    mostly in Python's garbage collector.

    :param runs: start, end and owner of each span, one after the other, in document order. An owner is the number of a
        removal, from 1 on; -1 means records; -2, -3 and so on mean the first, second … of the `kept`.
    :param removed: the removals: start, end, rule and reason.
    :param kept: reason and rule of the parts of removals that stay.
    """

    __slots__ = ("_kept", "_removed", "_runs")

    def __init__(
        self,
        runs: MutableSequence[int],
        removed: Sequence[tuple[int, int, str, str]],
        kept: Sequence[tuple[str, str]] = (),
    ) -> None:
        self._runs, self._removed, self._kept = runs, removed, kept

    def __len__(self) -> int:
        return len(self._runs) // 3

    @overload
    def __getitem__(self, which: int) -> Span: ...

    @overload
    def __getitem__(self, which: slice) -> list[Span]: ...

    def __getitem__(self, which: int | slice) -> Span | list[Span]:
        if isinstance(which, slice):
            return [self[index] for index in range(*which.indices(len(self)))]
        place = 3 * range(len(self))[which]
        return self._made(*self._runs[place : place + 3])

    def __iter__(self) -> Iterator[Span]:
        return map(self._made, *self._columns())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))

    def clear(self, mask: bytearray) -> None:
        """Write 0 to the bytes of the removed nodes."""
        _clear(ARRAYS, self._runs, mask)

    def _columns(self) -> tuple[Any, Any, Any]:
        return self._runs[::3], self._runs[1::3], self._runs[2::3]

    def _made(self, start: int, end: int, owner: int) -> Span:
        if owner < _RECORDS:
            return Span(start, end, True, *self._kept[-2 - owner])
        if owner == _RECORDS:
            return Span(start, end, True, "repeated records of the same structure", "records")
        _, _, rule, reason = self._removed[owner - 1]
        return Span(start, end, False, reason, rule)
