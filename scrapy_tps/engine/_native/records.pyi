from array import array
from collections.abc import Callable

from scrapy_tps.engine._native.walk import Walk

LXML_VERSION: str
REVISION: int

class Columns:
    paths: array[int]
    kinds: array[int]
    signatures: array[int]
    grams: array[int]
    flags: array[int]
    weight: array[float]
    text: array[int]
    link_text: array[int]
    links: array[int]
    texts: array[int]
    text_nodes: array[int]
    count_of_path: array[int]
    count_of_kind: array[int]
    signature_class: list[str]
    signature_of_symbol: list[int]
    nested_tags: set[str]
    gram_count: int
    def __init__(
        self,
        walk: Walk,
        read_class: Callable[[str], tuple[str, bool]],
        flags_of_tag: dict[str, int],
        bits: tuple[int, int, int, int],
        weights: tuple[tuple[int, float], tuple[int, float], float, int, float],
    ) -> None: ...
    def string(self, place: int) -> str: ...
    def strings(self, start: int, end: int) -> list[str]: ...
    def different_texts(self, spans: list[tuple[int, int]]) -> int: ...
    def totals(self, spans: list[tuple[int, int]]) -> tuple[float, int, int, int]: ...
    def spread(self, spans: list[tuple[int, int]]) -> tuple[float, float, float]: ...
    def kinship(self, spans: list[tuple[int, int]]) -> tuple[int, int, int, int]: ...
    def places(self, path: int, signature: int) -> list[int]: ...
