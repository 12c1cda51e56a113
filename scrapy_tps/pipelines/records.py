"""Item pipelines for the records of :class:`~scrapy_tps.spiders.ListingMixin`.

They recognise records by the keys of :class:`~scrapy_tps.spiders.RecordItem`; other items pass unchanged. Each
drop is counted under ``tps/records/dropped/{reason}``.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem
from scrapy.utils.asyncio import run_in_thread
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred

from scrapy_tps.sharing.connection import distributed_crawl_of
from scrapy_tps.sharing.seen import Record, SeenRecords, fingerprint
from scrapy_tps.spiders import ABOUT, CONFIDENCE, PAGE_URL, POSITION, item_key
from scrapy_tps.stats.aggregation import figures_of
from scrapy_tps.stats.error_isolation import DISTRIBUTED_RECORDS
from scrapy_tps.stats.figures import Recent
from scrapy_tps.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from scrapy_tps.records import Column

logger = logging.getLogger(__name__)

#: The number of pages of a site that may add columns.
_FIRST_PAGES: Final = 3
_MAX_COLUMNS: Final = 200


class _RecordPipeline:
    """Base of the pipelines: it recognises records and their site, and counts."""

    #: The number of records that a pipeline remembers, over all sites; about 200 bytes each.
    most_records = 100_000

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._figures = figures_of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        """Return the item, or raise ``DropItem``."""
        if not ItemAdapter.is_item(item):
            return item
        adapter = ItemAdapter(item)
        if not all(name in adapter for name in (PAGE_URL, POSITION, CONFIDENCE)):
            return item
        return self._process(item, adapter, self._figures.site_of(adapter[PAGE_URL]))

    def _process(self, item: Any, adapter: ItemAdapter, site: str) -> Any:
        raise NotImplementedError


def _record(adapter: ItemAdapter, site: str) -> Record | None:
    """Return the record of an item, by the fields that identify it on another page; None if it has none."""
    values = [str(adapter[name]) for name in adapter if name not in ABOUT and adapter[name] is not None]
    return Record(fingerprint([site, *values]), fingerprint([adapter[PAGE_URL]])[:8]) if values else None


class RecordDeduplicationPipeline(_RecordPipeline):
    """Drop a record that another page of the site has already shown (reason ``duplicate``).

    A record with equal values is a duplicate. Two equal records on *one* page both stay, because the site shows two.
    The last 100,000 records are remembered, over all sites.

    With ``TPS_STORE`` all processes of a distributed crawl share their memory: a record that is new to this process
    waits up to a tenth of a second for the server's answer whether another process has seen it. Pages do not wait. If
    the server fails, a record is compared with those that this process has seen.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pages: Recent[bytes, bytes] = Recent(self.most_records)
        distributed = distributed_crawl_of(crawler.settings)
        self._shared = None if distributed is None else SeenRecords(distributed, self.most_records)
        self._waiting: list[tuple[Record, Deferred[bool]]] = []
        self._serving: Deferred[None] | None = None

    def close_spider(self) -> None:
        """Disconnect from the server."""
        if self._shared is not None:
            with self._figures.guard(DISTRIBUTED_RECORDS):
                self._shared.close()

    def _process(self, item: Any, adapter: ItemAdapter, site: str) -> Any:
        record = _record(adapter, site)
        if record is None:
            return item
        if self._shared is None:
            return self._judged(item, site, self._seen_here(record))
        return self._process_shared(item, site, record, self._shared)

    async def _process_shared(self, item: Any, site: str, record: Record, shared: SeenRecords) -> Any:
        seen = self._given_elsewhere(record)
        if not seen and not shared.away:
            answer: Deferred[bool] = Deferred()
            self._waiting.append((record, answer))
            if self._serving is None:
                self._serving = Deferred()  # the coroutine may begin at once
                self._serving = deferred_from_coro(self._serve(shared))
            seen = await maybe_deferred_to_future(answer)
        # duplicates by the shared memory are not remembered here, because another page was the first
        return self._judged(item, site, seen or self._seen_here(record))

    async def _serve(self, shared: SeenRecords) -> None:
        """Ask the server about all waiting records, until none is left. If the server fails, they count as new."""
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                answers = [False] * len(batch)
                try:
                    answers = await run_in_thread(shared.ask, [record for record, _ in batch])
                except Exception as error:  # no item may wait for ever, whatever fails
                    self._figures.guard.failed(DISTRIBUTED_RECORDS, error)
                finally:
                    for (_, waiting), answer in zip(batch, answers, strict=True):
                        waiting.callback(answer)
        finally:
            self._serving = None

    def _judged(self, item: Any, site: str, seen: bool) -> Any:
        """Return the item, unless the record was seen."""
        if seen:
            self._figures.add_stat("tps/records/dropped/duplicate")
            raise DropItem(f"Seen on another page of {site}", log_level="DEBUG")
        return item

    def _given_elsewhere(self, record: Record) -> bool:
        """Whether this process knows the record from another page."""
        return self._pages.recall(record.key) not in {None, record.page}

    def _seen_here(self, record: Record) -> bool:
        """Whether this process knows the record from another page; a new one is remembered."""
        seen = self._given_elsewhere(record)
        if not seen:
            self._pages.remember(record.key, record.page)
        return seen


class RecordSchemaPipeline(_RecordPipeline):
    """Give all records of a site the same columns, so that they make one table.

    The first pages of a site determine its columns; the columns of each further page are aligned with them by path,
    name or type, and renamed. Every item gets all columns that the site has so far, with None for those that it lacks.
    Values that fit no column of the site go into a dict under the key ``other``, so that nothing is lost. This is
    called drift; it is counted (``tps/records/drifted``) and logged once per site. The most recent 1,000
    sites are remembered.
    """

    most_sites = 1000
    #: Key of values that fit no column of the site.
    other = "other"

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._schemas: Recent[tuple[str, int], _SiteSchema] = Recent(self.most_sites)
        self._mappings: Recent[tuple[str, int, str], tuple[dict[str, str], list[str]]] = Recent(
            self.most_sites
        )
        self._logged: Recent[str, bool] = Recent(self.most_sites)

    def _process(self, item: Any, adapter: ItemAdapter, site: str) -> Any:
        columns = getattr(item, "columns", None)
        if columns is None:
            return item
        page, region = adapter[PAGE_URL], adapter.get("region", 0)
        schema = self._schemas.recall((site, region))
        if schema is None:
            schema = self._schemas.remember((site, region), _SiteSchema())
        mapping = self._mappings.recall((site, region, page))
        if mapping is None:
            mapping = self._mappings.remember((site, region, page), schema.align(columns))
            if mapping[1]:
                self._report(site, page, mapping[1])
        return self._rewrite(item, schema, *mapping)

    def _report(self, site: str, page: str, unknown: list[str]) -> None:
        self._figures.add_stat("tps/records/drifted")
        if self._logged.recall(site) is None:
            self._logged.remember(site, True)
            self._figures.guard.log(
                logger,
                logging.WARNING,
                "The columns of %s have changed: %s has %s, which its first pages do not; such values go to the key %r",
                site,
                printable(page),
                printable(", ".join(unknown)),
                self.other,
            )

    def _rewrite(self, item: Any, schema: _SiteSchema, names: dict[str, str], unknown: list[str]) -> Any:
        values = {column.key: item.pop(item_key(column.key), None) for column in item.columns}
        kept = dict(item)  # values about the record, and additions of other components
        item.clear()
        item.update((item_key(name), None) for name in schema.columns)
        item.update((item_key(site), values[name]) for name, site in names.items())
        rest = {name: values[name] for name in unknown if values[name] is not None}
        if rest:
            item[self.other] = rest
        item.update(kept)
        return item


@dataclass(slots=True)
class _SiteSchema:
    """The columns of a site, in the order in which they were first seen.

    :ivar pages: pages that were aligned with it.
    """

    columns: dict[str, Column] = field(default_factory=dict)
    pages: int = 0

    def align(self, columns: Sequence[Column]) -> tuple[dict[str, str], list[str]]:
        """Align a page's columns with the site's; the first pages add theirs.

        A column corresponds to the column of the site with the same path and name, otherwise to that with the same
        name, otherwise to that with the same tags, a class in common, and the same type. Returns a dict from page name
        to site name for the columns that have one, and the names of the others.
        """
        free = dict(self.columns)
        found: dict[str, str] = {}
        for same in (_same_place, _same_name, _same_tags):
            for column in columns:
                if column.key not in found:
                    site = next((name for name, other in free.items() if same(column, other)), None)
                    if site is not None:
                        found[column.key] = site
                        del free[site]
        unknown = []
        for column in columns:
            if column.key in found:
                continue
            if self.pages < _FIRST_PAGES and len(self.columns) < _MAX_COLUMNS:
                name = column.key
                while name in self.columns:
                    name += "_"
                self.columns[name] = column
                found[column.key] = name
            else:
                unknown.append(column.key)
        self.pages += 1
        return found, unknown


def _same_place(one: Column, other: Column) -> bool:
    return one.attribute == other.attribute and one.path == other.path and one.name == other.key


def _same_name(one: Column, other: Column) -> bool:
    return one.name == other.key and one.attribute == other.attribute


def _same_tags(one: Column, other: Column) -> bool:
    if one.attribute != other.attribute or one.type != other.type or len(one.path) != len(other.path):
        return False
    steps = zip(one.path, other.path, strict=True)
    return bool(one.path) and all(
        tag == tag_ and _share(names, names_) for (tag, names), (tag_, names_) in steps
    )


def _share(one: str, other: str) -> bool:
    """Whether two class attributes have a name in common, or neither has any."""
    return one == other or not set(one.split()).isdisjoint(other.split())
