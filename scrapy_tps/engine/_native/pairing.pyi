LXML_VERSION: str
REVISION: int

def pair_up(similarities: list[list[float]]) -> list[tuple[int, int]]: ...
