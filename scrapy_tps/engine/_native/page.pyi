from array import array

from scrapy_tps.engine._native.columns import Columns
from scrapy_tps.engine._native.walk import Walk

LXML_VERSION: str
REVISION: int

def columns(walk: Walk, hints: array[int], weights: tuple[float, ...]) -> Columns: ...
def of_class(page: Columns, wanted: int, part: bytes) -> list[int]: ...
def headed_parts(page: Columns, headings: int, marks: int) -> list[int]: ...
