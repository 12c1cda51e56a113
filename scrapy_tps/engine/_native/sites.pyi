from array import array
from typing import Any

LXML_VERSION: str
REVISION: int

def page_texts(
    walk: Any,
) -> tuple[array[int], array[int], array[int], array[int], array[int], array[int]]: ...
def common(one: array[int], other: array[int]) -> int: ...
def held_by(numbers: array[int], others: list[array[int]], every: bool) -> bytearray: ...
