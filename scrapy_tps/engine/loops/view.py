"""The view of a page for the loops: C columns, or a page in pure Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableSequence, Sequence


class Numbers(Protocol):
    """Room for numbers, 0 at first; its `values` are valid as long as there is a reference to it."""

    values: MutableSequence[int]


class Amounts(Protocol):
    """Room for numbers with fractions, 0 at first."""

    values: list[float]


class TagSets(Protocol):
    """The set of the tag paths in the subtree of each node (modulo 128)."""

    def common(self, one: int, other: int) -> int:
        """Return the number of tag paths in both sets."""

    def both(self, one: int, other: int) -> int:
        """Return the number in the union of the sets."""

    def in_all(self, items: Numbers, count: int) -> int:
        """Return the number in all sets of the first so many items."""


class Tally(Protocol):
    """The tag paths of the living nodes in a part of a page, `size` of them `active`, in order of appearance."""

    first: Mapping[int, int]
    last: Mapping[int, int]
    active: list[int]
    size: int

    @property
    def count(self) -> Mapping[int, int]:
        """The frequency of each."""

    def take(self, low: int, high: int, alive: bytearray, least: int) -> int:
        """Count nodes [low, high) and return how many are alive, or 0 if fewer than `least`."""


class View(Protocol):
    """A measured :class:`~scrapy_tps.engine.strategies.auto.page.Page`, with the sizes `cued_count` and `tag_count`."""

    size: int
    cued_count: int
    tag_count: int
    parent: Sequence[int]
    end: Sequence[int]
    symbols: Sequence[int]
    tags: Sequence[int]
    cues: MutableSequence[int]
    cued: Sequence[int]
    text_length: Sequence[int]
    in_link: bytearray
    is_text: bytearray
    alive: bytearray
    protected: bytearray

    @property
    def weight_before(self) -> Sequence[float]: ...
    @property
    def text_before(self) -> Sequence[float]: ...
    @property
    def prose_before(self) -> Sequence[float]: ...
    @property
    def protection_before(self) -> Sequence[float]: ...

    def numbers(self, count: int) -> Numbers: ...
    def numbers_of(self, values: Sequence[int]) -> Numbers: ...
    def amounts(self, count: int) -> Amounts: ...
    def pairs(self, wanted: int, weak: int) -> Numbers: ...
    def sums_of(self, mask: bytearray) -> Numbers: ...
    def characters_in_links(self) -> Numbers: ...
    def tally(self) -> Tally: ...
    def tag_sets(self, muted: bytearray) -> TagSets: ...
    def of_one_class(self, one: int, other: int) -> bool: ...
    def are_similar(self, one: int, other: int, most_nodes: int, least_tags: int, least: float) -> bool: ...
    def fill(self, mask: bytearray, start: int, end: int, byte: int) -> None: ...
    def characters_in(self, start: int, end: int, mask: bytes | bytearray) -> int: ...
