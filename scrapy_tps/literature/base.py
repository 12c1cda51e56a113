"""The base of the methods: from noisy texts to the parts that stay, learning from a site's pages, and the guard:
records that `auto` finds override the method.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from itertools import accumulate
from operator import or_
from typing import TYPE_CHECKING, ClassVar, Final, Generic, TypeVar

from scrapy_tps.engine.arrays import flipped, masked
from scrapy_tps.engine.outcomes import AMBIGUOUS, NO_REGION, PRUNED
from scrapy_tps.engine.page_settings import PageSettings
from scrapy_tps.engine.sequence.columns import ELEMENT
from scrapy_tps.engine.strategies import Selection, Span
from scrapy_tps.engine.strategies.auto.page import Page
from scrapy_tps.engine.strategies.auto.pipeline import AUTO, AutoStrategy, Pipeline
from scrapy_tps.literature.memory import PAGES, CrawlPages, digest, term_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.literature.memory import Digest, SitePages


M = TypeVar("M")

_USUAL_RATIO: Final = 0.80


def keep_whole(sequence: TagPathSequence, outcome: str, reason: str) -> Selection:
    """Return the selection of a page that is not pruned."""
    return Selection(outcome, [Span(0, len(sequence), True, reason, "whole")])


def noise_selection(
    sequence: TagPathSequence, noise: bytearray, rule: str, removed: str, kept: str = "main content"
) -> Selection:
    """Return the selection of a page, given the nodes that are noise.

    :param noise: a byte for each node, 1 if it is to be removed.
    :param rule: the name of the method.
    :param removed, kept: the reasons, in words.
    """
    size = len(noise)
    noise[:1] = b"\0"
    if 1 not in noise:
        return keep_whole(sequence, NO_REGION, "nothing is noise")
    if not any(chars and not gone for chars, gone in zip(sequence.chars, noise, strict=True)):
        return keep_whole(sequence, AMBIGUOUS, "all text of the page would be removed")
    spans: list[Span] = []
    start = 0
    while start < size:
        gone = noise[start]
        end = noise.find(1 - gone, start)
        end = size if end < 0 else end
        spans.append(Span(start, end, not gone, removed if gone else kept, rule))
        start = end
    return Selection(PRUNED, spans)


def noise_of_texts(sequence: TagPathSequence, texts: bytearray) -> bytearray:
    """Return a byte for each node, 1 if it is to be removed, given the text nodes to remove.

    An element is removed if it holds texts and all of them are removed; elements without text are removed with their
    parent.
    """
    kinds, end, parent = sequence.kinds, sequence.end, sequence.parent
    noise = bytearray(len(sequence))
    is_text = sequence.text_mask()
    total = [0, *accumulate(is_text)]
    gone = [0, *accumulate(map(int.__and__, is_text, texts))]
    for node in range(1, len(sequence)):
        if kinds[node] != ELEMENT:
            noise[node] = texts[node]
            continue
        stop = end[node]
        held = total[stop] - total[node]
        noise[node] = held == gone[stop] - gone[node] if held else noise[parent[node]]
    return noise


@dataclass(frozen=True, slots=True)
class Method(ABC):
    """A method as a strategy.

    :cvar name: as in ``TPS_STRATEGY``.
    :cvar reason: why parts are removed, in words.
    :cvar least_pages: the number of other pages of the site that it needs.
    :cvar size_ratio: used only by the guard.
    :ivar guard: whether records stay. On a page about records, the parts that hold them stay. On any other page, parts
        are removed only if both the method and `auto` would remove them. A page is not pruned if almost nothing of it
        would be left.
    """

    guard: bool = field(default=False, kw_only=True)
    name: ClassVar[str]
    reason: ClassVar[str]
    least_pages: ClassVar[int] = 0
    size_ratio: ClassVar[float] = _USUAL_RATIO

    @abstractmethod
    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:
        """Choose what stays of a page."""

    def selection(self, sequence: TagPathSequence, noise: bytearray, size_ratio: float) -> Selection:
        """Return the selection of a page, given a byte for each node, 1 if it is noise."""
        chosen = noise_selection(sequence, noise, self.name, self.reason)
        if not self.guard or chosen.outcome != PRUNED:
            return chosen
        noise = bytearray(masked(noise, flipped(_untouchable(sequence, size_ratio))))
        total = sequence.visible()
        if total - sequence.visible(noise) < _LEAST_LEFT * total:
            noise = bytearray(len(noise))
        return noise_selection(sequence, noise, self.name, self.reason, "main content, or protected")


class PageMethod(Method):
    """A method that needs one page only."""

    __slots__ = ()

    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:  # noqa: ARG002
        return self.selection(sequence, self.noise(sequence), size_ratio)

    def noise(self, sequence: TagPathSequence) -> bytearray:
        """Return a byte for each node of a page, 1 if it is noise."""
        return noise_of_texts(sequence, bytearray(self.gone(sequence)))

    @abstractmethod
    def gone(self, sequence: TagPathSequence) -> Iterable[int]:
        """Return for each node of a page whether it is a text node that is noise."""


@dataclass(frozen=True, slots=True)
class SiteMethod(Method, Generic[M]):
    """A method that needs other pages of the site; it does not prune while it knows too few of them.

    :ivar memory: that of the site; None if there is none.
    :ivar address: that of the page, which is not compared with an earlier version of itself.
    :cvar most_pages: the greatest number of other pages that it uses.
    """

    memory: SitePages | None = field(default=None, kw_only=True, repr=False)
    address: str = field(default="", kw_only=True, repr=False)
    least_pages: ClassVar[int] = 2
    most_pages: ClassVar[int] = PAGES

    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:  # noqa: ARG002
        if self.memory is None:
            return keep_whole(sequence, NO_REGION, "no other pages of the site are known")
        page = self.digest(sequence)
        page.address = term_number(self.address) if self.address else 0
        method = repr(self)  # its name and its parameters
        others = self.memory.learn(method, page)[: self.most_pages]
        if len(others) < self.least_pages:
            known = f"{len(others)} other pages of the site are known, {self.least_pages} needed"
            return keep_whole(sequence, NO_REGION, known)
        noise = self.noise(sequence, page, self.memory.model(method, self.build, others))
        return self.selection(sequence, noise, size_ratio)

    @staticmethod
    def new_memory() -> CrawlPages:
        """Return an empty memory for the methods of a crawl."""
        return CrawlPages()

    def remembering(self, pages: SitePages, address: str) -> SiteMethod[M]:
        """Return the strategy for a page of a site: it judges the page by its memory, then adds the page."""
        return replace(self, memory=pages, address=address)

    def digest(self, sequence: TagPathSequence) -> Digest:
        """Return the part of a page to remember."""
        return digest(sequence)

    @abstractmethod
    def build(self, others: Sequence[Digest]) -> M:
        """Return the model of the remembered pages of a site."""

    def noise(self, sequence: TagPathSequence, page: Digest, model: M) -> bytearray:
        """Return a byte for each node of a page, 1 if it is noise, given the model of other pages."""
        texts = bytearray(self.gone(page, model))
        return noise_of_texts(sequence, texts + bytearray(len(sequence) - len(texts)))

    def gone(self, page: Digest, model: M) -> Iterable[int]:
        """Return for each node of a page's digest whether it is a text node that is noise; the digest of a long page is
        cut.

        A method that also judges elements overrides :meth:`noise`.
        """
        raise NotImplementedError


#: The rules of `auto` that find the records of a page.
_RECORDS: Final = Pipeline(AUTO.part("cues", "put-back-content"))
#: A record group protects the largest part of which it holds this share, except for menus and dialogs in it. So parts
#: between records, and rows of another kind, are protected. With .6, one of the 219 testbed pages loses rows to a
#: method that removes everything allowed; with .8, two.
_HELD: Final = 0.5
#: A page is about a record group that holds this share of it. On all other pages, a method may only remove parts that
#: `auto` would remove too: on 22 testbed pages no group is found, so the place of the records is unknown.
_ABOUT: Final = 0.3
#: A method that leaves less of the visible text than this took the page for a copy of another.
_LEAST_LEFT: Final = 0.1


def _untouchable(sequence: TagPathSequence, size_ratio: float) -> bytearray:
    """Return a byte for each node, 1 if it must not be removed."""
    page = _RECORDS.run(Page(sequence, read=_RECORDS.reads, size_ratio=size_ratio), _USUAL_RATIO)
    guarded = bytearray(page.protected)
    weight, end, parent = page.weight_before, page.end, page.parent
    about_records = False
    for start, stop, *_ in page.records:
        held = weight[stop] - weight[start]
        if page.best is not None and page.best.start == start:
            about_records = held >= _ABOUT * weight[-1]
        part, above = -1, parent[start]
        while above >= 0:
            if held >= _HELD * (weight[end[above]] - weight[above]):
                part = above
            above = parent[above]
        if part >= 0:
            guarded[part : end[part]] = _either(guarded[part : end[part]], page.alive[part : end[part]])
    if not about_records:
        stays = bytearray(b"\x01") * len(guarded)
        AutoStrategy().select(sequence, size_ratio, PageSettings()).clear(stays)
        guarded = _either(guarded, stays)
    return guarded


def _either(one: bytearray, other: bytearray) -> bytearray:
    return bytearray(map(or_, one, other))
