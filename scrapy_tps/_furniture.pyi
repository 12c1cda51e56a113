from scrapy_tps._workspace import Columns

LXML_VERSION: str
REVISION: int

class Muting:
    def __init__(self, page: Columns, bits: tuple[int, ...], shares: tuple[float, ...]) -> None: ...
    def run(self, least: float, enough_prose: float) -> tuple[int, list[tuple[int, int, bool, bool]]]: ...

def take_marked(
    page: Columns,
    bits: tuple[int, ...],
    caps: tuple[float, ...],
    first_heading: int,
    zone: tuple[int, int],
    enough_prose: bool,
) -> list[tuple[int, int, int, float]]: ...
def of_class(page: Columns, wanted: int, part: bytes) -> list[int]: ...
