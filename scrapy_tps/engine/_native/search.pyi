from collections.abc import Iterable

from scrapy_tps.engine._native.walk import Walk

LXML_VERSION: str
REVISION: int

def search_region(
    symbols: Iterable[int], size_ratio: float, inclusive: bool, visits_per_node: int
) -> tuple[int, int, list[tuple[int, int, int, int, int, int]]]: ...
def search_walk(
    walk: Walk, size_ratio: float, inclusive: bool, visits_per_node: int
) -> tuple[int, int, list[tuple[int, int, int, int, int, int]]]: ...
