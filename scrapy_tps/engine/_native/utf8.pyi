LXML_VERSION: str
REVISION: int

def is_utf8(body: bytes) -> bool: ...
