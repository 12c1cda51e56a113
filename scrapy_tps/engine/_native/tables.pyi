LXML_VERSION: str
REVISION: int

class Table:
    def __init__(self, meanings: dict[str, tuple[int, int, int]]) -> None: ...
