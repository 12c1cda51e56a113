"""The weights of texts, and sums over the nodes of a page: the pure Python of what the native core does."""

from __future__ import annotations

from itertools import accumulate, compress
from operator import mul
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.strategies.auto.masks import first_difference
from scrapy_tps.engine.strategies.auto.thresholds import TEXT_WORTH

if TYPE_CHECKING:
    from collections.abc import Sequence


def running_sums(
    values: Sequence[float], mask: bytes | bytearray, before: tuple[list[float], bytes] | None = None
) -> list[float]:
    """Return the sums of all values before each place, and of all at the end, where the mask has a 1.

    :param before: the sums of the same values by another mask, and that mask: the same up to where the masks differ.
    """
    sums, start = [0.0], 0
    if before is not None:
        start = first_difference(before[1], mask)
        sums = before[0][: start + 1]
    if mask.count(_BORDER, start) > (len(mask) - start) // _LEAST_ROW:
        total = sums.pop()
        sums += accumulate(map(mul, values[start:], mask[start:]), initial=total)
        return sums
    # row by row, of which there are few, instead of value by value
    while True:
        stop = mask.find(1, start)
        if stop < 0:
            stop = len(mask)
        total = sums[-1]
        sums += [total] * (stop - start)
        if stop == len(mask):
            return sums
        start = mask.find(0, stop)
        if start < 0:
            start = len(mask)
        sums.pop()
        sums += accumulate(values[stop:start], initial=total)


def sparse_sums(places: Sequence[int], values: Sequence[float], mask: bytes | bytearray) -> list[float]:
    """Return what :func:`running_sums` returns for values that are 0 but at these ascending places."""
    sums: list[float] = []
    total, before = 0.0, -1
    for place in places:
        if mask[place]:
            sums += [total] * (place - before)
            total += values[place]
            before = place
    sums += [total] * (len(mask) - before)
    return sums


def text_worth(
    lengths: Sequence[int], is_text: bytearray, in_link: bytearray
) -> tuple[list[float], list[int]]:
    """The worth of texts, and the places of the prose among them."""
    of_text = (_Worths(0), _Worths(1))
    worth = [0.0] * len(lengths)
    prose = []
    for place, size, link in zip(
        compress(range(len(lengths)), is_text),
        compress(lengths, is_text),
        compress(in_link, is_text),
        strict=True,
    ):
        worth[place] = of_text[link][size]
        if size >= TEXT_WORTH.prose and not link:
            prose.append(place)
    return worth, prose


#: The end of a row of nodes that count. With shorter rows than `_LEAST_ROW`, sums are made value by value.
_BORDER: Final = b"\x01\x00"
_LEAST_ROW: Final = 16


class _Worths(dict[int, float]):
    """The worth of texts by size: a page has few sizes, and a look-up costs a third of a call."""

    def __init__(self, link: int) -> None:
        super().__init__({0: 0.0})
        self._link = link

    def __missing__(self, size: int) -> float:
        worth = self[size] = _worth(size, self._link)
        return worth


def _worth(size: int, link: int) -> float:
    if link:
        if size < TEXT_WORTH.short:
            return size * TEXT_WORTH.short_link
        return size * (TEXT_WORTH.medium_link if size < TEXT_WORTH.medium else TEXT_WORTH.long_link)
    return size * TEXT_WORTH.short_text if size < TEXT_WORTH.short else float(size)
