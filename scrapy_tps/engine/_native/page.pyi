from array import array
from collections.abc import Iterable, Sequence
from typing import Any

LXML_VERSION: str
REVISION: int

class Columns:
    walk: Any
    size: int
    tag_count: int
    hinted_count: int
    parents: array[int]
    ends: array[int]
    symbols: array[int]
    tags: array[int]
    hints: array[int]
    hinted: array[int]
    text_lengths: array[int]
    worth_sums: array[float]
    text_sums: array[float]
    prose_sums: array[float]
    protection_sums: array[float]
    link_mask: bytearray
    text_mask: bytearray
    alive: bytearray
    protected: bytearray
    def __init__(self, walk: Any, hints: array[int], weights: tuple[float, ...]) -> None: ...
    def measure(self) -> None: ...
    def measure_protection(self) -> None: ...
    def share(self, start: int, stop: int) -> float: ...
    def chars_in(self, start: int, stop: int, mask: bytes | bytearray) -> int: ...
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
