from scrapy_tps.engine._native.columns import Columns

LXML_VERSION: str
REVISION: int

def link_lists(
    page: Columns,
    least_links: int,
    link_text_share: float,
    chars_per_link: float,
    fields: int,
    largest: float,
    visits_per_node: int,
    least_nodes: int,
) -> list[tuple[int, int, int]]: ...
def record_surroundings(
    page: Columns,
    start: int,
    first_heading: int,
    largest: float,
    largest_of_links: float,
    links_worth: float,
    most_prose: float,
) -> tuple[list[tuple[int, int]], float]: ...
def split_sides(
    page: Columns,
    first_heading: int,
    size_ratio: float,
    visits_per_node: int,
    least_nodes: int,
    most_prose: float,
) -> list[tuple[int, int, int, int, float, float, list[tuple[int, int]]]]: ...
def text_core(page: Columns, share: float, least_prose: float) -> int: ...
