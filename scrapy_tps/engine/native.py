"""The native core if it is available, otherwise pure Python: import both from here.

:mod:`scrapy_tps.engine.core` describes its modules. They are chosen once, at import: all or none. Their results are
those of pure Python, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from scrapy_tps.engine.arrays import Arrays as PlainArrays
from scrapy_tps.engine.core import load_core
from scrapy_tps.engine.html.elements import plain_elements, reads_tree
from scrapy_tps.engine.loops.search import RegionSearch
from scrapy_tps.engine.sequence import region_search, walking
from scrapy_tps.engine.sequence.columns import TagPathSequence
from scrapy_tps.engine.sequence.region_search import VISITS_PER_NODE

if TYPE_CHECKING:
    from scrapy_tps.engine.html.elements import Element
    from scrapy_tps.engine.sequence.region_search import Split

F = TypeVar("F", bound=Callable[..., Any])

_LOADED, _REASON, _REMEDY = load_core()

#: Whether the native core is in use.
AVAILABLE: Final = _LOADED is not None

#: Why it is not, in words; empty if it is.
REASON: Final = _REASON

#: How to enable it; empty if it is in use, switched off or was not built.
REMEDY: Final = _REMEDY


def extension(name: str) -> Any:
    """Return a module of the core, or None without the core."""
    return None if _LOADED is None else _LOADED[name]


def compiled(function: F) -> F:
    """Return the compiled form of a function or class of :mod:`scrapy_tps.engine.loops`, or itself without one."""
    if _LOADED is None:
        return function
    module = _LOADED[function.__module__.rpartition(".")[2]]
    return getattr(module, function.__name__)  # type: ignore[no-any-return]


#: Makes room for the numbers of pages.
ARRAYS: Final = PlainArrays() if _LOADED is None else _LOADED["arrays"].Arrays()

_CUES: Final = extension("cues")
_CUTTING: Final = extension("cutting")
_PROMISES: Final = extension("promises")
_WALK: Final = extension("walk")
_SEQUENCE: Final = extension("sequence")
_Search: Final = compiled(RegionSearch)
_MARKUP: Final = extension("markup")
_TEXTS: Final = extension("texts")


class _OfWalk:
    """An attribute made of the walk on first access; `__getattr__` would slow down all other attributes."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, sequence: Any, owner: type) -> Any:
        return sequence.__dict__.setdefault(self._name, self._make(sequence.native_walk))


_WALKED: Final = (
    "add_ancestors",
    "class_of",
    "count_symbols",
    "find",
    "head_values",
    "joined",
    "keep_data",
    "labels",
    "linked_types",
    "places",
    "stem_of",
    "symbols_with",
    "tag_of",
    "text_of",
    "value_of",
    "values_of",
    "visible",
)

#: Methods that functions of the core perform, with the walk for the sequence. One that calls them would take three
#: times as long, and one bound on first access twenty times.
_METHODS: Final[dict[str, Callable[..., Any]]] = (
    {}
    if _LOADED is None
    else {
        "above": _WALK.Walk.above,
        "stop": _WALK.Walk.stop,
        "cut": _CUTTING.cut,
        **{name: getattr(_SEQUENCE, name) for name in _WALKED},
    }
)


class NativeSequence(TagPathSequence):
    """A tag path sequence whose columns are C arrays; each becomes a list on access.

    Its nodes are pointers into the tree: nobody may change the tree before the cut, and after the cut they are
    invalid. After :meth:`hold` they stay, with the classes and styles of the walk.
    """

    if _SEQUENCE is not None:
        parent = _OfWalk(_SEQUENCE.parent_column)
        end = _OfWalk(_SEQUENCE.end_column)
        symbols = _OfWalk(_SEQUENCE.symbols_column)
        chars = _OfWalk(_SEQUENCE.chars_column)
        kinds = _OfWalk(_SEQUENCE.kinds_column)
        symbol_parent = _OfWalk(_SEQUENCE.symbol_parents)
        symbol_tag = _OfWalk(_SEQUENCE.symbol_tags)
        symbol_class = _OfWalk(_SEQUENCE.symbol_classes)
        symbol_style = _OfWalk(_SEQUENCE.symbol_styles)
        wide = _OfWalk(_SEQUENCE.wide_texts)
        data_scripts = _OfWalk(_SEQUENCE.data_scripts)
        # the columns of a page have its walk
        labelling = staticmethod(_PROMISES.labelling)
        links_with = staticmethod(_PROMISES.links_with)
        next_links = staticmethod(_PROMISES.next_links)
        removed_numbers = staticmethod(_PROMISES.removed_numbers)
        telling_headings = staticmethod(_CUES.telling_headings)
        texts_with_digits = staticmethod(_PROMISES.texts_with_digits)

    def __init__(self, walk: Any) -> None:
        self.__dict__ = _SEQUENCE.bound(_METHODS, walk)
        self.nodes = self.native_walk = walk  # the latter for other modules of the core
        self.depth = walk.depth

    def __len__(self) -> int:
        return self.native_walk.size  # type: ignore[no-any-return]

    def hold(self) -> None:
        self.nodes, self.data_scripts = self.native_walk.hold(), self.data_scripts
        self.__dict__.pop("cut", None)  # user code may change the nodes: they are cut one by one

    def search_region(
        self, size_ratio: float, *, inclusive: bool = False, visits_per_node: int = VISITS_PER_NODE
    ) -> tuple[int, int, list[Split]]:
        symbols, alphabet = _SEQUENCE.symbol_array(self.native_walk)
        return region_search.run(_Search(ARRAYS, symbols, alphabet, inclusive), size_ratio, visits_per_node)


@reads_tree
def walk(body: Element) -> TagPathSequence:
    """Return the tag path sequence of a ``body`` element; nobody else may change its tree before the cut."""
    with plain_elements(body):
        if _WALK is not None:
            walked = _WALK.Walk(body)
            if walked.run():
                return NativeSequence(walked)
        return walking.walk_tree(body)


def _is_utf8(body: bytes) -> bool:
    if body.isascii():
        return True
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _may_name_base(page: bytes, characters: int) -> bool:
    start = page[:characters]
    if not start.isascii():
        start = page[: 4 * characters]
    return b"<ba" in start.lower()  # ten times faster than a regular expression


#: Whether Python's strict UTF-8 codec reads some bytes.
is_utf8: Final[Callable[[bytes], bool]] = _is_utf8 if _TEXTS is None else _TEXTS.is_utf8

#: Whether there may be a ``<base>`` in the first characters of a page in UTF-8.
may_name_base: Final[Callable[[bytes, int], bool]] = (
    _may_name_base if _MARKUP is None else _MARKUP.may_name_base
)

#: Returns the document of an element as HTML in UTF-8; None if no HTML parser makes such a tree.
write: Final[Callable[[Element], bytes | None]] = _MARKUP and _MARKUP.write

#: Tells the core's writer the names with rules of their own.
set_writing_rules: Final[Any] = _MARKUP and _MARKUP.set_rules
