from array import array
from collections.abc import Callable, Sequence

from scrapy_tps._native import Walk

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
    def density(self, spans: Sequence[tuple[int, int]]) -> float: ...
    def regularity(
        self, spans: Sequence[tuple[int, int]], chosen: Sequence[int] | None
    ) -> tuple[dict[int, int], float, list[float]]: ...
    def clusters(self, places: list[int], least: float, most: int) -> list[int]: ...
    def fit(self, typical: dict[int, int], start: int, end: int) -> float: ...
    def totals(self, spans: list[tuple[int, int]]) -> tuple[float, int, int, int]: ...
    def spread(self, spans: list[tuple[int, int]]) -> tuple[float, float, float]: ...
    def kinship(self, spans: list[tuple[int, int]]) -> tuple[int, int, int, int]: ...
    def places(self, path: int, signature: int) -> list[int]: ...

def pair_up(similarities: list[list[float]]) -> list[tuple[int, int]]: ...
