"""A method with our guard for record groups: what `auto` knows about records, over what the method says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.outcomes import PRUNED
from scrapy_tps.engine.strategies.auto.masks import flipped, masked
from scrapy_tps.engine.strategies.auto.page import Page
from scrapy_tps.engine.strategies.auto.pipeline import AUTO, Pipeline
from scrapy_tps.literature.base import selection

if TYPE_CHECKING:
    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.engine.strategies import Selection, Strategy
    from scrapy_tps.literature.memory import CrawlPages, SitePages

_USUAL_RATIO: Final = 0.80
#: The rows of `auto` that find the records of a page.
_RECORDS: Final = Pipeline(AUTO.part("cues", "masks-with-content"))
#: A record group protects the largest part of which it holds this share, but for menus and dialogs in it: what
#: stands between records, and rows of another make. With .6, one of the 219 testbed pages loses
#: rows to a method that removes whatever it may; with .8, two.
_HELD: Final = 0.5
#: A page is about a record group that holds this share of it. On all others a method may remove what `auto` would:
#: on 22 testbed pages no group is found, and nothing says where the records are.
_ABOUT: Final = 0.3
#: Where a method leaves less of the visible text than this, it took the page for a copy of another.
_LEAST_LEFT: Final = 0.1


@dataclass(frozen=True, slots=True)
class Guarded:
    """A method that may not touch records.

    On a page about records nothing goes of the parts that hold them. On any other page goes what both the method and
    `auto` would remove. A page of which next to nothing would be left stays whole.

    :ivar method: any strategy.
    """

    method: Strategy

    @property
    def reads(self) -> frozenset[str] | None:
        return getattr(self.method, "reads", None)

    @property
    def size_ratio(self) -> float:
        return _USUAL_RATIO

    @property
    def least_pages(self) -> int:
        """The other pages of the site that the method needs."""
        return getattr(self.method, "least_pages", 0)

    def new_memory(self) -> CrawlPages:
        """That of the method, for methods that need other pages."""
        return self.method.new_memory()  # type: ignore[attr-defined,no-any-return]

    def remembering(self, pages: SitePages, address: str) -> Strategy:
        """The guarded method for a page of a site, if it needs other pages of it."""
        bind = getattr(self.method, "remembering", None)
        return self if bind is None else Guarded(bind(pages, address))

    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:
        chosen = self.method.select(sequence, size_ratio, settings)
        if chosen.outcome != PRUNED:
            return chosen
        guarded = _guarded(sequence, size_ratio)
        noise = bytearray(len(sequence))
        rule = reason = ""
        for span in chosen.spans:
            if not span.kept:
                noise[span.start : span.end] = b"\x01" * (span.end - span.start)
                rule, reason = span.rule, span.reason
        noise = bytearray(masked(noise, flipped(guarded)))
        total = sequence.visible()
        if total - sequence.visible(noise) < _LEAST_LEFT * total:
            noise = bytearray(len(noise))
        return selection(sequence, noise, rule, reason, "main content, or guarded")


def _guarded(sequence: TagPathSequence, size_ratio: float) -> bytearray:
    """A byte for each node, 1 where nothing may go."""
    page = _RECORDS.run(Page(sequence, read=_RECORDS.reads, size_ratio=size_ratio), _USUAL_RATIO)
    guarded = bytearray(page.protected)
    worth, end, parent = page.worth_before, page.end, page.parent
    about_records = False
    for start, stop, _ in page.records:
        held = worth[stop] - worth[start]
        if page.best is not None and page.best.start == start:
            about_records = held >= _ABOUT * worth[-1]
        part, above = -1, parent[start]
        while above >= 0:
            if held >= _HELD * (worth[end[above]] - worth[above]):
                part = above
            above = parent[above]
        if part >= 0:
            guarded[part : end[part]] = _either(guarded[part : end[part]], page.alive[part : end[part]])
    if not about_records:
        ours = AUTO.select(sequence, size_ratio, _USUAL_RATIO)
        stays = bytearray(b"\x01") * len(guarded)
        if ours.outcome == PRUNED:
            for span in ours.spans:
                if not span.kept:
                    stays[span.start : span.end] = bytes(span.end - span.start)
        guarded = _either(guarded, stays)
    return guarded


def _either(one: bytearray, other: bytearray) -> bytearray:
    both = int.from_bytes(one, "little") | int.from_bytes(other, "little")
    return bytearray(both.to_bytes(len(one), "little"))
