"""The selectors of a crawl: what is remembered of them from page to page, and the pages on which they were lost."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from scrapy_tps.engine.html.document import decode, parse
from scrapy_tps.proposals.memory import MOST_PAGES, Trace, from_json, mark_of, to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scrapy_tps.engine.fallback.usage import Fallbacks
    from scrapy_tps.proposals.memory import CallbackMemory
    from scrapy_tps.proposals.proposal import Proposals

#: The most callbacks of all sites that are remembered, and the most characters of what is remembered of one.
MOST_CALLBACKS: Final = 200
MOST_CHARACTERS: Final = 100_000
#: The most pages of a callback that are sampled, those of them with one title (a wall has one), and bytes of all.
SAMPLED_PAGES: Final = 6
SAMPLED_OF_TITLE: Final = 3
SAMPLED_BYTES: Final = 16 * 1024 * 1024
#: A selector that found something on a smaller share of its pages may find nothing on any page.
USUAL: Final = 0.5
#: A selector that finds something on a larger share of its pages is lost if it finds nothing on any.
ALWAYS: Final = 0.9
#: Otherwise it is lost if by its rate it would have found something on so many pages: if it found nothing in this
#: crawl, and if it stopped. Chance alone does that once in 20, and in 20,000; but pages without it may come together.
LOST_PAGES: Final = 3
STOPPED_PAGES: Final = 10

#: Site and callback.
Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class SampledPage:
    """A page as downloaded."""

    url: str
    body: bytes
    encoding: str
    title: str


@dataclass(slots=True)
class _Callback:
    """A callback on a site.

    :ivar earlier: what earlier crawls remembered; `now`: what this one does.
    :ivar asked: the selectors that it used in this crawl.
    """

    earlier: CallbackMemory = field(default_factory=dict)
    now: CallbackMemory = field(default_factory=dict)
    pages: int = 0
    asked: set[str] = field(default_factory=set)
    samples: list[SampledPage] = field(default_factory=list)

    def rate(self, name: str) -> float:
        """The share of pages on which a selector found something; 0 if it is not known."""
        known = self.earlier.get(name) or self.now.get(name)
        return known.page_rate if known is not None else 0.0

    @property
    def memory(self) -> CallbackMemory:
        """What to remember. Values tell only together with those of the same rows, so nothing is replaced while
        something is lost."""
        now = {name: one for name, one in self.now.items() if one.found_pages}
        lost = any(
            one.page_rate >= USUAL and name in self.asked and name not in now
            for name, one in self.earlier.items()
        )
        return now | self.earlier if lost else self.earlier | now


class CrawlMemory:
    """The memory of a crawl.

    :param crawl: tells the rows of this crawl from those of others: the time of its start.
    """

    def __init__(self, crawl: int) -> None:
        self._crawl = crawl
        self._callbacks: dict[Place, _Callback] = {}
        self._changed: set[Place] = set()
        self._bytes = 0

    def load(self, entries: Iterable[tuple[str, str, str]]) -> None:
        """Take what earlier crawls remembered: site, callback, and the memory as JSON."""
        for site, callback, text in entries:
            found = self._of((site, callback))
            with suppress(ValueError, TypeError):  # another program has damaged it
                if found is not None and not found.earlier:
                    found.earlier = from_json(text)

    def changes(self) -> Iterator[tuple[str, str, str]]:
        """Yield what is new since the last call, in the same form."""
        for place in sorted(self._changed):
            text = to_json(self._callbacks[place].memory)
            if len(text) <= MOST_CHARACTERS:
                yield (*place, text)
        self._changed.clear()

    def begin(self, place: Place, usage: Fallbacks) -> None:
        """Watch the selectors of a page, unless enough pages of its callback were."""
        found = self._of(place)
        if found is not None and found.pages < MOST_PAGES:
            found.pages += 1
            usage.trace = Trace()

    def end(
        self, place: Place, url: str, usage: Fallbacks, page: Callable[[], SampledPage | None], *, well: bool
    ) -> None:
        """Remember the selectors of a page if all went well, and sample it if usual ones found nothing."""
        trace, usage.trace = usage.trace, None
        callback = self._callbacks.get(place)
        if callback is None:
            return
        if isinstance(trace, Trace) and not well:
            callback.pages -= 1
        elif isinstance(trace, Trace):
            callback.asked.update(usage.selectors)
            trace.remember(callback.now, url, usage.selectors, self._crawl)
            self._changed.add(place)
        nothing = (name for name, use in usage.selectors.items() if not (use.found or use.original))
        if any(callback.rate(name) >= USUAL for name in nothing):
            self._sample(callback, page())

    def _of(self, place: Place) -> _Callback | None:
        found = self._callbacks.get(place)
        if found is None and len(self._callbacks) < MOST_CALLBACKS:
            found = self._callbacks[place] = _Callback()
        return found

    def _sample(self, callback: _Callback, page: SampledPage | None) -> None:
        samples = callback.samples
        if page is None or self._bytes + len(page.body) > SAMPLED_BYTES:
            return
        # pages whose values are known tell most
        known = any(mark_of(page.url) in one.values for one in callback.earlier.values())
        if len(samples) >= (SAMPLED_PAGES if known else SAMPLED_PAGES // 2):
            return
        if sum(one.title == page.title for one in samples) < SAMPLED_OF_TITLE:
            samples.append(page)
            self._bytes += len(page.body)

    def proposals(self, uses: Iterable[tuple[Place, str, int, bool]]) -> Proposals:
        """Return proposals for the lost selectors.

        :param uses: site and callback; selector; pages since it found something; whether it found anything.
        """
        from scrapy_tps.proposals.proposing import propose  # noqa: PLC0415 (few crawls need it)

        lost: defaultdict[Place, dict[str, int]] = defaultdict(dict)
        for place, name, pages, ever in uses:
            callback = self._callbacks.get(place)
            rate = 0.0 if callback is None else callback.rate(name)
            least = STOPPED_PAGES if ever else LOST_PAGES
            if rate * pages >= least or (not ever and rate >= ALWAYS):
                lost[place][name] = pages
        found: Proposals = {}
        for place, names in lost.items():
            callback = self._callbacks[place]
            samples = [(one.url, root) for one in callback.samples if (root := _root(one)) is not None]
            proposed = propose(callback.memory, names, samples) if samples else {}
            for name, one in proposed.items():
                key = (place[0], place[1], name)
                found[key] = replace(one, lost_pages=names.get(name, 0))
        return found


def _root(page: SampledPage) -> Any:
    try:
        return parse(decode(page.body, page.encoding), page.url).root
    except etree.LxmlError:
        return None
