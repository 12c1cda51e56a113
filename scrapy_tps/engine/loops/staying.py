"""Nodes that always stay, and nodes that would be left; parts of provisional removals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.loops.view import View


def kept_always(page: View, wanted: int, most_nodes: int, most_chars: int) -> list[int]:
    """Return the parts with one of these hints, of fewer nodes and of so many characters at most."""
    end, hints, hinted, lengths = page.end, page.hints, page.hinted, page.text_length
    found: list[int] = []
    for number in range(page.hinted_count):
        index = hinted[number]
        if hints[index] & wanted and end[index] - index < most_nodes:
            chars = 0
            for node in range(index, end[index]):
                chars += lengths[node]
            if chars <= most_chars:
                found.append(index)
    return found


def has_text_beside(page: View, kept: list[int]) -> bool:
    """Return whether any text is alive outside of these parts, or the page has none."""
    end, lengths = page.end, page.text_length
    left = bytearray(page.alive)
    for root in kept:
        page.fill(left, root, end[root], 0)
    some = False
    for index in range(page.size):
        if lengths[index]:
            if left[index]:
                return True
            some = True
    return not some


def fill(mask: bytearray, parts: Sequence[Sequence[Any]], byte: int) -> None:
    """Write a byte for all nodes of parts that start with (start, end)."""
    # few nodes are written one by one, more as slices: of a bytearray, as of anything else one would be made first
    few = 16
    unit = bytearray(b"\x01" if byte else b"\x00")
    for part in parts:
        start, end = part[0], part[1]
        if end - start > few:
            mask[start:end] = unit * (end - start)
        else:
            for node in range(start, end):
                mask[node] = byte
