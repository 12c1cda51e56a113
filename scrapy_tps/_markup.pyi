from lxml.etree import _Element

LXML_VERSION: str
REVISION: int

def is_utf8(body: bytes) -> bool: ...
def may_alter_addresses(root: _Element, safe: bytes) -> bool: ...
