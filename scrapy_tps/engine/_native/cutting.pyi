from collections.abc import Callable, Collection
from typing import Any

from lxml.etree import _Element

from scrapy_tps.engine._native.walk import Walk

LXML_VERSION: str
REVISION: int

def cut(walk: Walk, mask: bytearray, kept_scripts: Collection[Any]) -> _Element: ...
def cut_head(
    head: _Element,
    keep_head: bool,
    keep_data: bool,
    is_resource: Callable[[str], bool],
    kept: Collection[Any],
) -> _Element | None: ...
def keep_forms(walk: Walk, mask: bytearray) -> None: ...
