from collections.abc import Callable

from scrapy_tps._workspace import Columns

LXML_VERSION: str
REVISION: int

class Muting:
    def __init__(self, page: Columns, bits: tuple[int, ...], shares: tuple[float, ...]) -> None: ...
    def run(self, least: float, enough_prose: float) -> tuple[int, list[tuple[int, int, bool, bool]]]: ...

def settle(
    page: Columns,
    sure: list[tuple[int, int, bool, bool]],
    dominated: bool,
    rule_and_reason: Callable[[int, bool], tuple[str, str]],
) -> list[tuple[int, int, str, str]]: ...
def take_marked(
    page: Columns,
    bits: tuple[int, ...],
    caps: tuple[float, ...],
    first_heading: int,
    zone: tuple[int, int],
    enough_prose: bool,
) -> list[tuple[int, int, int, float]]: ...
def of_class(page: Columns, wanted: int, part: bytes) -> list[int]: ...
def menus_of_texts(page: Columns, menu: int, marks: int, text_worth: float, share: float) -> list[int]: ...
def shown_children(page: Columns, above: int, hidden: int) -> dict[int, int]: ...
def headed_parts(page: Columns, headings: int, marks: int) -> list[int]: ...
def gone_headings(page: Columns, headings: int, most_nodes: int, most: int) -> list[tuple[int, int]]: ...
