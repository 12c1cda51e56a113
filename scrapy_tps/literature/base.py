"""Base of the methods: from the texts that are noise to the parts that stay, and learning from a site's pages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from scrapy_tps.engine.hints import reading
from scrapy_tps.engine.outcomes import AMBIGUOUS, NO_REGION, PRUNED
from scrapy_tps.engine.sequence.columns import ELEMENT
from scrapy_tps.engine.strategies import Selection, Span
from scrapy_tps.literature import digest as digests
from scrapy_tps.literature.memory import PAGES, CrawlPages
from scrapy_tps.literature.terms import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.literature.digest import Digest
    from scrapy_tps.literature.memory import SiteMemory, SitePages

M = TypeVar("M")


def keep_whole(sequence: TagPathSequence, outcome: str, reason: str) -> Selection:
    """The selection of a page that stays as it is."""
    return Selection(outcome, [Span(0, len(sequence), True, reason, "whole")])


def selection(
    sequence: TagPathSequence, noise: bytearray, rule: str, removed: str, kept: str = "main content"
) -> Selection:
    """The selection of a page, given which nodes are noise.

    :param noise: a byte for each node, 1 where it goes.
    :param rule: the name of the method.
    :param removed, kept: why, in words.
    """
    size = len(noise)
    noise[:1] = b"\0"
    if 1 not in noise:
        return keep_whole(sequence, NO_REGION, "nothing is noise")
    if not any(chars and not gone for chars, gone in zip(sequence.chars, noise, strict=True)):
        return keep_whole(sequence, AMBIGUOUS, "all text of the page would go")
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
    """Return a byte for each node, 1 where it goes, given the text nodes that go.

    An element goes when it holds texts and all of them go; what holds none goes with the element around it.
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


class Method(ABC):
    """A method as a strategy.

    :cvar reads: the attributes that it asks for.
    :cvar name: as in ``TPS_STRATEGY``.
    :cvar sees: what the numbers of ``seen`` say.
    :cvar least_pages: the other pages of the site that it needs.
    """

    reads: ClassVar[frozenset[str]] = reading.READ | digests.READ
    name: ClassVar[str]
    sees: ClassVar[str]
    least_pages: ClassVar[int] = 0

    @property
    def size_ratio(self) -> float:
        """No method has one; what the guard needs, see :class:`~scrapy_tps.literature.guarded.Guarded`."""
        return 0.80

    @abstractmethod
    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:
        """Choose what stays of a page."""


class PageMethod(Method):
    """A method that needs one page only."""

    reason: ClassVar[str]

    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:  # noqa: ARG002
        return selection(sequence, self.noise(sequence), self.name, self.reason)

    @abstractmethod
    def noise(self, sequence: TagPathSequence) -> bytearray:
        """A byte for each node of a page, 1 where it is noise."""

    @abstractmethod
    def seen(self, sequence: TagPathSequence) -> list[float]:
        """The number by which the method judges each text, for each node of a page; see ``sees``."""


class SiteMethod(Method, Generic[M]):
    """A method that needs other pages of the site; it keeps a page whole while it knows too few of them.

    Methods are frozen dataclasses: those with the same parameters share what they learnt.

    :cvar most_pages: the other pages that it makes use of.
    """

    reason: ClassVar[str]
    least_pages: ClassVar[int] = 2
    most_pages: ClassVar[int] = PAGES

    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:  # noqa: ARG002
        return keep_whole(sequence, NO_REGION, "nothing is known of other pages of the site")

    @staticmethod
    def new_memory() -> CrawlPages:
        """The memory of the methods of a crawl: nothing yet."""
        return CrawlPages()

    def remembering(self, pages: SitePages, address: str) -> OnSite[M]:
        """The strategy for a page of a site: it judges it with what it remembers, then remembers it."""
        return OnSite(self, pages.of(self), address, learns=pages.learns)

    def digest(self, sequence: TagPathSequence) -> Digest:
        """The remembered part of a page."""
        return digests.digest(sequence)

    @abstractmethod
    def build(self, others: Sequence[Digest]) -> M:
        """The model of the remembered pages of a site."""

    @abstractmethod
    def noise(self, sequence: TagPathSequence, page: Digest, model: M) -> bytearray:
        """A byte for each node of a page, 1 where it is noise, given what was made of other pages.

        :param page: the page in numbers; of the first nodes alone, if it is long.
        """

    @abstractmethod
    def seen(self, page: Digest, model: M) -> list[float]:
        """The number by which the method judges each text, for each node of a page's digest; see ``sees``."""


@dataclass(frozen=True, slots=True)
class OnSite(Generic[M]):
    """A method with the memory of one site, for one page of it.

    :ivar address: that of the page: it is not compared with what was there before.
    :ivar learns: whether the page is remembered.
    """

    method: SiteMethod[M]
    memory: SiteMemory
    address: str = ""
    learns: bool = True

    @property
    def reads(self) -> frozenset[str]:
        return self.method.reads

    @property
    def size_ratio(self) -> float:
        return self.method.size_ratio

    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:  # noqa: ARG002
        method, memory = self.method, self.memory
        page = method.digest(sequence)
        page.address = number(self.address) if self.address else 0
        others = memory.others(page)[: method.most_pages]
        if self.learns:
            memory.learn(page)
        if len(others) < method.least_pages:
            return keep_whole(
                sequence,
                NO_REGION,
                f"{len(others)} other pages of the site are known, {method.least_pages} needed",
            )
        noise = method.noise(sequence, page, memory.model(method.build, others))
        return selection(sequence, noise, method.name, method.reason)
