"""The names of elements, to tell what can't be among them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_WHITE_SPACE: Final = re.compile(r"[ \t\r\n]+")
#: Kinds of names in a :class:`NameSet`.
TAG, CLASS, ID = 1, 2, 3
#: Elements of which pages have few, that are told apart by their attributes.
VALUED: Final = frozenset({"link", "meta", "script", "input", "form", "button"})


@dataclass(frozen=True, slots=True)
class Names:
    """What an element must have for a step to match it. Empty: anything.

    :ivar tag: its tag, or None.
    :ivar classes: words of its ``class``.
    :ivar class_texts: what stands somewhere in its ``class``, but for what stands in `classes`.
    :ivar ids: its ``id``.
    :ivar values: what stands in other attributes.
    :ivar keys: tag, classes and ids as a :class:`NameSet` is asked for them: a kind
        and UTF-8 each; it is asked some ten times a page and query. `class_keys`: the words of `class_texts` likewise;
        `value_keys`: those of `values`, where elements with the tag are told apart by them.
    """

    tag: str | None = None
    classes: frozenset[str] = frozenset()
    class_texts: frozenset[str] = frozenset()
    ids: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    keys: tuple[tuple[int, bytes], ...] = field(init=False, compare=False, repr=False)
    class_keys: tuple[bytes, ...] = field(init=False, compare=False, repr=False)
    value_keys: tuple[bytes, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        kinds = ((TAG, [self.tag] if self.tag is not None else []), (CLASS, self.classes), (ID, self.ids))
        keys = tuple((kind, _utf8(name)) for kind, names in kinds for name in sorted(names))
        values = {word for value in self.values for word in value.split()} if self.tag in VALUED else ()
        object.__setattr__(self, "keys", keys)
        object.__setattr__(self, "class_keys", tuple(map(_utf8, sorted(self.class_texts))))
        object.__setattr__(self, "value_keys", tuple(map(_utf8, sorted(values))))


class NameSet:
    """Tags, words of classes, and ids of elements that go, those that no browser shows among them; of some
    (:data:`VALUED`) the values of all attributes.

    The native core has its own, in ``cutting``.
    """

    __slots__ = ("_anything", "_classes", "_names", "_values")

    def __init__(self) -> None:
        self._names: set[tuple[int, str]] = set()
        self._classes: set[str] = set()
        self._values: set[str] = set()
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
        if element.tag in VALUED:
            self._values.update(element.values())

    def may_have(self, kind: int, name: bytes) -> bool:
        """Whether an element may have a name of that kind."""
        return self._anything or (kind, name.decode("utf-8", "surrogatepass")) in self._names

    def may_match(self, names: Names) -> bool:
        """Whether an element may have all these names."""
        return self._anything or (
            all(self.may_have(*key) for key in names.keys)
            and _stand_in(names.class_keys, self._classes)
            and _stand_in(names.value_keys, self._values)
        )


def _stand_in(texts: Iterable[bytes], values: Collection[str]) -> bool:
    """Whether each text stands in one of the values."""
    sought = (text.decode("utf-8", "surrogatepass") for text in texts)
    return all(any(text in value for value in values) for text in sought)


def _utf8(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")
