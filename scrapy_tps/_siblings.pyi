from scrapy_tps._workspace import Columns

LXML_VERSION: str
REVISION: int

def like_siblings(
    page: Columns,
    marks: int,
    hidden: int,
    least: int,
    most_nodes: int,
    least_tags: int,
    alike: float,
    alike_hidden: float,
) -> list[tuple[int, int, int, int]]: ...
