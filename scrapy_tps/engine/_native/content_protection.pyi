from collections.abc import Iterable

from scrapy_tps.engine._native.columns import Columns

LXML_VERSION: str
REVISION: int

def beside_records(
    page: Columns,
    start: int,
    stop: int,
    tags: Iterable[str],
    lists: Iterable[str],
    subheading: int,
    near: int,
    line: float,
    links_worth: float,
    list_worth: float,
    compared: int,
    same_make: float,
) -> list[int]: ...
