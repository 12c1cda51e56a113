from array import array
from collections.abc import Callable, Collection, Mapping, Set
from typing import Any

LXML_VERSION: str
REVISION: int

class Reader:
    def __init__(
        self,
        *,
        words: Mapping[str, int],
        anywhere: Set[str],
        structure: Set[str],
        modifiers: Set[str],
        consent_prefixes: Set[str],
        unseen: Set[str],
        tokens_read: int,
        token_length: int,
        weak: int,
        by_tag: Mapping[str, int],
        parts: Set[str],
        limited: Mapping[str, int],
        linking: Set[str],
        by_role: Mapping[str, int],
        by_aria_hidden: Mapping[str, int],
        by_rel: Mapping[str, int],
        by_label: Mapping[str, int],
        undisplayed: Mapping[str, str],
        revealed: Collection[str],
        revealed_role: str,
        hidden: int,
        consent: int,
        place: int,
        beside_place: int,
        of_attribute: Callable[[str, str, str], int],
        of_style: Callable[[str], object],
        shown_later: Callable[[str, str | None], bool],
    ) -> None: ...
    def columns(self, walk: Any) -> tuple[array[int], array[int]]: ...
    def names(self, names: str) -> int: ...
