from scrapy_tps.engine._native.page import Columns

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
def recurring(page: Columns, names: int, hidden: int, covering: int, least: int) -> list[list[int]]: ...
def hidden_parts(
    page: Columns,
    hidden: int,
    covering: int,
    least_nodes: int,
    few_texts: int,
    answer: int,
    field: int,
    least: int,
) -> list[tuple[int, int]]: ...
