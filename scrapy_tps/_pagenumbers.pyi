from scrapy_tps._workspace import Columns

LXML_VERSION: str
REVISION: int

def page_links(
    page: Columns, longest: int, most: int, digits: int, levels: int, unit_nodes: int
) -> list[int | tuple[int, int, str]]: ...
