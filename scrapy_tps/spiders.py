"""Spiders that need no selectors: start URLs in, records out."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from scrapy import Request, Spider, signals
from scrapy.http import HtmlResponse, TextResponse

from scrapy_tps import prune
from scrapy_tps.engine.pruned_page import page_of
from scrapy_tps.records.extract import continued, kind_of
from scrapy_tps.response import PrunedMixin
from scrapy_tps.settings import parsing as values
from scrapy_tps.settings.crawl import META_KEY
from scrapy_tps.stats.aggregation import figures_of
from scrapy_tps.terminal import printable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from scrapy_tps.engine.pruned_page import Pruning
    from scrapy_tps.records import Column, DataRecord, DataRegion
    from scrapy_tps.records.extract import RecordKind

PAGE_URL = "page_url"
POSITION = "position"
CONFIDENCE = "confidence"
REGION = "region"
SUBLISTS = "sublists"
#: Keys of a record item that are not columns of the page.
ABOUT = (PAGE_URL, REGION, POSITION, CONFIDENCE, SUBLISTS)

_WHOLE: Final = values.whole_numbers(0, 1_000_000_000)
#: The limits of :class:`ListingSpider` that are arguments: how each is read, and the allowed values.
_ARGUMENTS: Final[dict[str, tuple[Callable[[Any], Any], str]]] = {
    "max_pages": _WHOLE,
    "max_regions": _WHOLE,
    "min_records": _WHOLE,
    "min_confidence": (partial(values.number, low=0.0, high=1.0), "a number from 0 to 1"),
    "timeout": (
        partial(values.optional, parse=partial(values.number, low=0.001, high=3600.0)),
        "a number of seconds from 0.001 to 3600, or None",
    ),
    "follow_pages": (values.boolean, "1 or 0"),
}
_SCHEME = re.compile(r"https?://[^/]|(?!https?:)[A-Za-z][A-Za-z0-9+.-]*:(?!\d)")
_PAGES = "tps_listing_pages"
_KIND = "tps_listing_kind"


class RecordItem(dict[str, Any]):
    """One record as an item: a dict of its fields by column name and, under the keys of :data:`ABOUT`:

    ``page_url``; ``region``, the number of its list on the page, best first, from 0; ``position`` in it, from
    0; ``confidence`` of the list; ``sublists``, for records with lists inside, a list of lists of dicts. If a column
    has one of these names, an underscore is appended to it.

    :ivar columns: the columns of its list, for :class:`~scrapy_tps.pipelines.records.RecordSchemaPipeline`; not data.
    """

    __slots__ = ("columns",)

    columns: list[Column]


class ListingMixin(Spider if TYPE_CHECKING else object):  # type: ignore[misc]
    """Records and pagination for your own spider: yield from :meth:`parse_listing`, or use its parts.

    :cvar max_pages: pages per start page, itself included; 0 means no limit (default 10).
    :cvar max_regions: lists taken from a page, best first; 0 takes all (default 1).
    :cvar min_records: lists with fewer records are skipped (default 2).
    :cvar min_confidence: lists with a lower confidence are skipped, 0 to 1 (default 0.05).
    :cvar timeout: seconds for the search of one page (default 5); None means no limit.
    :cvar follow_pages: whether detected pagination is followed (default True).
    """

    max_pages: int = 10
    max_regions: int = 1
    min_records: int = 2
    min_confidence: float = 0.05
    timeout: float | None = 5.0
    follow_pages: bool = True

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider: Self = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider._see_dropped, signals.request_dropped)
        return spider

    def parse_listing(self, response: Response, **kwargs: Any) -> Iterator[Any]:  # noqa: ARG002
        """Yield an item per record of the page, then the request of the next page; a page without records has none."""
        if not isinstance(response, TextResponse):
            return
        items = list(self.items(response))
        yield from items
        if not items:
            self._log_end(response, "it has no list of records")
        elif (request := self.next_request(response)) is not None:
            yield request

    def _log_end(self, page: TextResponse | Request, reason: str) -> None:
        self.logger.info(
            "The listing ends at %(url)s, its page %(page)d: %(reason)s",
            {"url": printable(page.url), "page": page.meta.get(_PAGES, 1), "reason": reason},
        )

    def _see_dropped(self, request: Request) -> None:
        """Handle the signal of a request that the duplicate filter dropped."""
        if _PAGES in request.meta:
            self._log_end(request, "it was requested before")

    def regions(self, response: TextResponse) -> list[DataRegion]:
        """Return the lists of the page within these limits, best first.

        On the pages requested by :meth:`next_request`, the list of the first page is looked for as well. If it is
        found, it comes first, even with a single record, because the last page often has no more.

        Counts ``tps/records/pages``, ``tps/records/pages_without``, ``tps/records/found``, and if the time
        budget ran out, ``tps/records/incomplete``.
        """
        pruning = _pruning_of(response)
        found = pruning.records(timeout=self.timeout, min_confidence=self.min_confidence)
        regions = [region for region in found if len(region.records) >= self.min_records]
        meta = response.request.meta if response.request is not None else {}
        kind: RecordKind | None = meta.get(_KIND)
        with page_of(pruning).lock:
            if kind is not None:
                again = continued(pruning.root.find("body"), kind, timeout=self.timeout)
                if again is not None:
                    first = next((region for region in regions if _nodes(region) >= _nodes(again)), again)
                    regions = [first, *(region for region in regions if not _overlap(region, first))]
            elif regions:
                meta[_KIND] = kind_of(regions[0])
        if self.max_regions:
            regions = regions[: self.max_regions]
        add_stat = figures_of(self.crawler).add_stat
        add_stat("tps/records/pages")
        add_stat("tps/records/found", sum(len(region.records) for region in regions))
        if not regions:
            add_stat("tps/records/pages_without")
        if not found.complete:
            add_stat("tps/records/incomplete")
        return regions

    def items(self, response: TextResponse) -> Iterator[RecordItem]:
        """Yield an item per record of the page."""
        for number, region in enumerate(self.regions(response)):
            for position, record in enumerate(region.records):
                yield self.item(response, region, record, number, position)

    def item(
        self, response: TextResponse, region: DataRegion, record: DataRecord, number: int, position: int
    ) -> RecordItem:
        """Return the item of a record, with absolute links and images."""
        item = RecordItem(_fields(region, record))
        item.columns = region.columns
        item[PAGE_URL] = response.url
        item[REGION] = number
        item[POSITION] = position
        item[CONFIDENCE] = round(region.confidence, 3)
        if record.sublists:
            item[SUBLISTS] = [[_fields(inner, one) for one in inner.records] for inner in record.sublists]
        return item

    def next_request(self, response: TextResponse) -> Request | None:
        """Return the request for the next page, None at the end or at a limit.

        The link is looked for on the page as downloaded, because pruning may remove pagination. Pages seen
        before are left to the duplicate filter.
        """
        pages = response.meta.get(_PAGES, 1)
        if not self.follow_pages:
            return None
        if self.max_pages and pages >= self.max_pages:
            self._log_end(response, f"max_pages is {self.max_pages}")
            return None
        url = _pruning_of(response).next_page()
        if url is None:
            self._log_end(response, "it has no link to a next page")
            return None
        meta = {_PAGES: pages + 1}
        for key in (META_KEY, _KIND):
            if key in response.meta:
                meta[key] = response.meta[key]
        assert response.request is not None
        return response.follow(url, callback=response.request.callback or self.parse_listing, meta=meta)


class ListingSpider(ListingMixin, Spider):
    """Crawl listings without any code, in any Scrapy project::

        scrapy crawl listing -s SPIDER_MODULES=scrapy_tps.spiders -a url=https://example.com/list -O records.csv

    Arguments (``-a``): ``url``, one URL or several, separated by white space or by commas that are followed by a whole
    URL; ``max_pages``, ``max_regions``, ``min_records``, ``min_confidence``, ``timeout`` and ``follow_pages`` (0 or 1)
    as in :class:`ListingMixin`. Subclasses may set ``start_urls`` and the same names as attributes. Raises
    ``ValueError`` on a wrong argument, or without a start URL, so that the crawl does not start.
    """

    name = "listing"

    def __init__(self, *args: Any, url: str | None = None, **kwargs: Any) -> None:
        given = {name: value for name in _ARGUMENTS if (value := kwargs.pop(name, None)) is not None}
        super().__init__(*args, **kwargs)
        if url is not None:
            self.start_urls = _urls(url)
        for name, value in given.items():
            setattr(self, name, values.checked(name, value, *_ARGUMENTS[name]))
        # Scrapy's commands for one page, and subclasses, may have their own start()
        if not self.start_urls and type(self).start.__module__ == __name__:
            raise ValueError("url is missing; allowed: one URL or several, given with -a url=…")

    async def start(self) -> AsyncIterator[Any]:
        """Request the start URLs."""
        for url in self.start_urls:
            yield Request(url, callback=self.parse_listing, dont_filter=True)

    parse = ListingMixin.parse_listing


def _pruning_of(response: TextResponse) -> Pruning:
    """Return the account of a page; one that did not go through scrapy-tps is not pruned."""
    if isinstance(response, PrunedMixin):
        return response.tps
    body = response.body if isinstance(response, HtmlResponse) else b""
    return prune(body, url=response.url, encoding=response.encoding, settings={"TPS_ENABLED": False})


def _nodes(region: DataRegion) -> set[Any]:
    return {node for record in region.records for node in record.nodes}


def _overlap(region: DataRegion, other: DataRegion) -> bool:
    """Whether two lists have an element in common, or one holds elements of the other."""
    first, second = _nodes(region), _nodes(other)
    return not first.isdisjoint(_with_parents(second)) or not second.isdisjoint(_with_parents(first))


def _with_parents(nodes: set[Any]) -> set[Any]:
    return nodes.union(*(node.iterancestors() for node in nodes))


def _fields(region: DataRegion, record: DataRecord) -> dict[str, str | None]:
    return dict(zip((item_key(column.key) for column in region.columns), record.fields, strict=True))


def item_key(name: str) -> str:
    """Return the key of a column in an item."""
    return f"{name}_" if name in ABOUT else name


def _urls(text: str) -> list[str]:
    urls = text.replace(",http", " http").split()
    for url in urls:
        if not _SCHEME.match(url):
            raise ValueError(
                f"url is {url!r}; allowed: URLs with their scheme, such as https://example.com/list"
            )
    return urls
