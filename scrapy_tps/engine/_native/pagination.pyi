from collections.abc import Callable

from scrapy_tps.engine._native.columns import Columns
from scrapy_tps.engine._native.tables import Table

LXML_VERSION: str
REVISION: int

def page_links(
    page: Columns, longest: int, most: int, digits: int, levels: int, unit_nodes: int, labelled: int
) -> list[int | tuple[int, int, str]]: ...
def texts_with_digits(page: Columns, start: int, stop: int, mask: bytes | bytearray) -> list[int]: ...
def next_links(
    page: Columns,
    held: bytearray,
    ascii_words: Table,
    words: frozenset[str],
    words_of: Callable[[str], str],
    signs: bytes,
    longest: int,
    most_nodes: int,
) -> list[int]: ...
def related_links(page: Columns, start: int, stop: int) -> list[int]: ...
def above(page: Columns, heading: int, most_chars: int, most_nodes: int) -> int: ...
