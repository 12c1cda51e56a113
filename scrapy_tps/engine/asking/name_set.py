"""The names of elements, to tell what can't be among them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Collection

    from scrapy_tps.engine.asking.queries import Names

_WHITE_SPACE: Final = re.compile(r"[ \t\r\n]+")
#: Kinds of names in a :class:`NameSet`.
TAG, CLASS, ID = 1, 2, 3


class NameSet:
    """Tags, words of classes, and ids of elements that go, those that no browser shows among them.

    The native core has its own, in ``cutting``.
    """

    __slots__ = ("_anything", "_classes", "_names")

    def __init__(self) -> None:
        self._names: set[tuple[int, str]] = set()
        self._classes: set[str] = set()
        self._anything = False

    def add(self, element: Any, skipped: Collection[Any] = ()) -> None:
        """Add the names of an element and of all below it, without those of `skipped` and what is in them."""
        without = {one for part in skipped for one in part.iter()}
        for one in element.iter(etree.Element):
            if one not in without:
                self.add_one(one)

    def add_one(self, element: Any) -> None:
        """Add the names of an element alone."""
        names = element.get("class") or ""
        self._anything = self._anything or "\f" in names
        self._classes.add(names)
        self._names.update((CLASS, word) for word in _WHITE_SPACE.split(names))
        self._names.update([(TAG, element.tag), (ID, element.get("id"))])

    def may_have(self, kind: int, name: bytes) -> bool:
        """Whether an element may have a name of that kind."""
        return self._anything or (kind, name.decode("utf-8", "surrogatepass")) in self._names

    def may_match(self, names: Names) -> bool:
        """Whether an element may have all these names."""
        sought = (text.decode("utf-8", "surrogatepass") for text in names.texts)
        return all(self.may_have(*key) for key in names.keys) and (
            self._anything or all(any(text in one for one in self._classes) for text in sought)
        )
