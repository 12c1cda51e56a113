"""The selectors of a crawl: what is remembered of them from page to page, and the pages on which they were lost."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from time import thread_time
from typing import TYPE_CHECKING, Final

from scrapy_tps.proposals.memory import DAMAGED, MOST_VALUES, Trace, mark_of, memory_as_json, memory_from_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scrapy_tps.engine.fallback.usage import Fallbacks
    from scrapy_tps.proposals.memory import CallbackMemory, SampledPage
    from scrapy_tps.proposals.proposal import Proposals

#: The most callbacks of all sites that are remembered, and the most characters of what is remembered of one.
MOST_CALLBACKS: Final = 200
MOST_CHARACTERS: Final = 100_000
#: The most pages of a callback that are read in one crawl, those that are sampled, and bytes of all samples.
MOST_PAGES: Final = 4
SAMPLED_PAGES: Final = 6
SAMPLED_BYTES: Final = 16 * 1024 * 1024
#: The most seconds of processor time of the search at the end of a crawl: a busy machine finds the same.
MOST_SECONDS: Final = 5.0
#: A selector is lost if by its rate it would find nothing on any of its pages so rarely: once in 20 cases.
CHANCE: Final = 0.05

#: Site and callback.
Place = tuple[str, str]


@dataclass(slots=True)
class _Callback:
    """A callback on a site.

    :ivar earlier: what earlier crawls remembered, on pages with the marks `known`; `now`: what this one does.
    :ivar nothing: pages on which a selector found nothing; `found`: the selectors that found something.
    :ivar samples: pages on which one found nothing that had found something only before this crawl.
    """

    earlier: CallbackMemory = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    now: CallbackMemory = field(default_factory=dict)
    nothing: Counter[str] = field(default_factory=Counter)
    found: set[str] = field(default_factory=set)
    samples: list[SampledPage] = field(default_factory=list)

    @property
    def lost(self) -> list[str]:
        """The selectors that find nothing any more."""
        return [
            name
            for name, pages in self.nothing.items()
            if name not in self.found and (1 - self.earlier[name].page_rate) ** pages <= CHANCE
        ]


class CrawlMemory:
    """The memory of a crawl."""

    def __init__(self) -> None:
        self._callbacks: dict[Place, _Callback] = {}
        self._bytes = 0

    def load(self, entries: Iterable[tuple[str, str, str]]) -> None:
        """Take what earlier crawls remembered: site, callback, and the memory as JSON; of several processes, the
        longest."""
        for site, callback, text in sorted(entries, key=lambda entry: len(entry[2])):
            found = self._of((site, callback))
            with suppress(*DAMAGED):
                if found is not None and len(text) <= MOST_CHARACTERS:
                    found.earlier = memory_from_json(text)
                    found.known = {
                        mark.partition(".")[0] for one in found.earlier.values() for mark in one.values
                    }

    def entries(self) -> Iterator[tuple[str, str, str]]:
        """Yield what this crawl remembers, in the same form."""
        for (site, callback), one in sorted(self._callbacks.items()):
            # values tell only together with those of the same rows: all stay while a selector is lost
            text = memory_as_json(one.earlier if one.lost else one.now)
            if one.now and len(text) <= MOST_CHARACTERS:
                yield site, callback, text

    def begin(self, place: Place, usage: Fallbacks) -> None:
        """Watch the selectors of a page, unless enough pages of its callback were."""
        found = self._of(place)
        if found is not None and all(
            one.pages < MOST_PAGES and one.known < MOST_VALUES for one in found.now.values()
        ):
            usage.trace = Trace()

    def end(
        self, place: Place, url: str, usage: Fallbacks, page: Callable[[], SampledPage | None], *, well: bool
    ) -> None:
        """Remember the selectors of a page if all went well, and sample it if a known one found nothing."""
        trace, usage.trace = usage.trace, None
        callback = self._callbacks.get(place)
        if callback is None:
            return
        if isinstance(trace, Trace) and well:
            trace.remember(callback.now, url, usage)
        is_sample = False
        for name, use in usage.selectors.items():
            if use.found or use.original:
                callback.found.add(name)
            elif name in callback.earlier and callback.earlier[name].found_pages:
                callback.nothing[name] += 1
                is_sample = is_sample or name not in callback.found
        # half of the room is for pages whose values are known
        room = SAMPLED_PAGES if mark_of(url) in callback.known else SAMPLED_PAGES // 2
        if is_sample and len(callback.samples) < room:
            sampled = page()
            if sampled is not None and self._bytes + len(sampled.body) <= SAMPLED_BYTES:
                callback.samples.append(sampled)
                self._bytes += len(sampled.body)

    def _of(self, place: Place) -> _Callback | None:
        found = self._callbacks.get(place)
        if found is None and len(self._callbacks) < MOST_CALLBACKS:
            found = self._callbacks[place] = _Callback()
        return found

    def proposals(self, seconds: float = MOST_SECONDS) -> Proposals:
        """Return proposals for the selectors that find nothing any more; another thread may run it.

        :param seconds: of processor time; after so many, no further selector is searched.
        """
        found: Proposals = {}
        ends = thread_time() + seconds
        for (site, name), callback in self._callbacks.items():
            lost = callback.lost
            if not (lost and callback.samples):
                continue
            from scrapy_tps.proposals.search import Search  # noqa: PLC0415 (few crawls need it)

            for selector, one in Search(callback.earlier, lost, callback.samples, ends).run().items():
                found[site, name, selector] = replace(one, lost_pages=callback.nothing[selector])
        return found
