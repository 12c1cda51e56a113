from lxml.etree import _Element

LXML_VERSION: str
REVISION: int

def set_safe_bytes(safe: bytes) -> None: ...
def write(element: _Element) -> bytes | None: ...
