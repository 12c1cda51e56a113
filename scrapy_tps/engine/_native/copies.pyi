from scrapy_tps.engine._native.columns import Columns

LXML_VERSION: str
REVISION: int

def long_texts_alike(page: Columns, least: int, start: int, most: int) -> list[int]: ...
