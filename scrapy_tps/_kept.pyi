from collections.abc import Iterable

from scrapy_tps._workspace import Columns

LXML_VERSION: str
REVISION: int

def protect_beside(
    page: Columns,
    start: int,
    stop: int,
    tags: Iterable[str],
    subheading: int,
    near: int,
    links_worth: float,
) -> bool: ...
