from array import array
from collections.abc import Iterable, Sequence
from typing import Any

REVISION: int

class Columns:
    walk: Any
    size: int
    tag_count: int
    hinted_count: int
    parent_array: array[int]
    end_array: array[int]
    symbol_array: array[int]
    tag_array: array[int]
    hint_array: array[int]
    hinted_array: array[int]
    text_length_array: array[int]
    worth_sums: array[float]
    text_sums: array[float]
    prose_sums: array[float]
    protection_sums: array[float]
    link_mask: bytearray
    text_mask: bytearray
    alive: bytearray
    protected: bytearray
    def __init__(
        self,
        parents: array[int],
        ends: array[int],
        symbols: array[int],
        tags: array[int],
        tag_count: int,
        hints: array[int],
        text_lengths: array[int],
        link_mask: bytearray,
        text_mask: bytearray,
        weights: tuple[float, ...],
    ) -> None: ...
    def measure(self) -> None: ...
    def measure_protection(self) -> None: ...
    def share(self, start: int, stop: int) -> float: ...
    def characters_in(self, start: int, stop: int, mask: bytes | bytearray) -> int: ...
    def has_text_beside(self, kept: list[int]) -> bool: ...
    def all_with(self, wanted: int) -> list[int]: ...
    def first_with(self, wanted: int, mask: bytes | bytearray | None = None) -> int: ...
    def fill(self, mask: bytearray, parts: Iterable[Sequence[Any]], byte: int) -> None: ...
    def kept_always(self, wanted: int, most_nodes: int, most_chars: int) -> list[int]: ...
    def spans(
        self,
        removed: list[tuple[int, int, str, str]],
        roots: list[int],
        records: list[tuple[int, int, int]],
        pages: list[int],
    ) -> array[int]: ...

def clear(runs: array[int], mask: bytearray) -> None: ...
