"""Crawls of the changing site, run as a process of its own by the tests of the shadow check.

``python -m tests.support.shadow_program URL '{"spiders": ["generator", …], "settings": {…}}'`` prints one line of
JSON for each spider: its items and Scrapy's stats.
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import asdict, dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import scrapy
from itemadapter import ItemAdapter
from itemloaders.processors import TakeFirst
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import CloseSpider
from scrapy.linkextractors import LinkExtractor
from scrapy.loader import ItemLoader
from scrapy.spiders import CrawlSpider, Rule
from scrapy.utils.misc import load_object

from scrapy_tps.spidermiddlewares.shadow import TpsShadowMiddleware
from tests.support.shadow_site import CHANGED, RECORDS
from tests.support.steering import HOSTILE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


@dataclass
class Record:
    name: str | None = None
    price: str | None = None


class RecordLoader(ItemLoader):
    default_item_class = dict
    default_output_processor = TakeFirst()


class ListSpider(scrapy.Spider):
    """Yields what a listing has; the others differ in the kind of their callback."""

    name = "generator"
    url = ""

    async def start(self) -> AsyncIterator[Any]:
        yield scrapy.Request(self.url + "/list?page=1")

    def records(self, response: Any) -> Iterator[Any]:
        for row in response.css("li.record"):
            yield {"name": row.css("a.name::text").get(), "price": row.css("span.price::text").get()}

    def following(self, response: Any) -> list[Any]:
        return response.follow_all(css="a.next", callback=response.request.callback)

    def parse(self, response: Any) -> Any:
        yield from self.records(response)
        yield from self.following(response)


class AtOnceSpider(ListSpider):
    """Asks for all listings at once."""

    name = "at_once"

    async def start(self) -> AsyncIterator[Any]:
        for page in range(1, 13):
            yield scrapy.Request(f"{self.url}/list?page={page}", self.parse_list, dont_filter=True)

    async def parse_list(self, response: Any) -> Any:
        await asyncio.sleep(0.01)
        return list(self.records(response))


class ReturnsSpider(ListSpider):
    name = "returns"

    def parse(self, response: Any) -> Any:
        return [*self.records(response), *self.following(response)]


class CoroutineSpider(ListSpider):
    name = "coroutine"

    async def parse(self, response: Any) -> Any:
        await asyncio.sleep(0.001)
        return [*self.records(response), *self.following(response)]


class AsyncGeneratorSpider(ListSpider):
    name = "async_generator"

    async def parse(self, response: Any) -> Any:
        for record in self.records(response):
            yield Record(**record)
            await asyncio.sleep(0)
        for request in self.following(response):
            yield request


class RaisesSpider(ListSpider):
    """Insists on ten records; gives the first of them before it finds out."""

    name = "raises"

    def parse(self, response: Any) -> Any:
        for index in range(10):
            row = response.css("li.record")[index]
            yield {"name": row.css("a.name::text").get(), "price": row.css("span.price::text").get()}
        yield from self.following(response)


class RaisesAtOnceSpider(ListSpider):
    """Fails before it gives anything."""

    name = "raises_at_once"

    def parse(self, response: Any) -> Any:
        found = [*self.records(response)]
        if len(found) < 10:
            raise CloseSpider("no more records")
        return [*found, *self.following(response)]


class CarriesSpider(ListSpider):
    """Fills the item of a listing on the page of the record."""

    name = "carries"

    def parse(self, response: Any) -> Any:
        for row in response.css("li.record")[:2]:
            item = {"name": row.css("a.name::text").get()}
            yield response.follow(row.css("a")[0], self.parse_record, cb_kwargs={"item": item})
        yield from self.following(response)

    def parse_record(self, response: Any, item: dict[str, Any]) -> Any:
        item["price"] = response.css(".amount::text").get()
        yield item


class CarriesMetaSpider(ListSpider):
    """Has the name of the record from the request's meta, and its price as a long text."""

    name = "carries_meta"

    def parse(self, response: Any) -> Any:
        price = response.css(".amount::text").get()
        yield {
            "name": response.meta["name"],
            "price": price,
            "text": f"{'A long text. ' * 20}It costs {price}",
        }


class ReadsTextSpider(ListSpider):
    name = "reads_text"

    def parse(self, response: Any) -> Any:
        yield {"records": response.text.count("record=")}


class LocalSpider(ListSpider):
    """The one that handles pages of localhost; `allowed_domains` would have to name the port."""

    name = "local"

    @classmethod
    def handles_request(cls, request: scrapy.Request) -> bool:
        return "//localhost:" in request.url


class WrongSettingsSpider(ListSpider):
    name = "wrong_settings"
    custom_settings: ClassVar = {"TPS_SIZE_RATIO": 5}


class NeedsArgumentSpider(ListSpider):
    name = "needs_argument"

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        raise ValueError("it needs an argument")


class RaisesHostileError(Exception):
    def __repr__(self) -> str:
        return HOSTILE


class RaisesHostileSpider(ListSpider):
    """Fails on a pruned page, with what the page says."""

    name = "raises_hostile"

    def parse(self, response: Any) -> Any:
        yield {"name": HOSTILE}
        if not response.css(".side"):
            raise RaisesHostileError


class LoaderSpider(CarriesSpider):
    """Carries an item loader in the request's meta."""

    name = "loader"

    def parse(self, response: Any) -> Any:
        for row in response.css("li.record")[:2]:
            loader = RecordLoader(selector=row)
            loader.add_css("name", "a.name::text")
            yield response.follow(row.css("a")[0], self.parse_loader, meta={"loader": loader})
        yield from self.following(response)

    async def parse_loader(self, response: Any) -> Any:
        loader = response.meta["loader"]
        loader.add_value("price", response.css(".amount::text").get())
        return loader.load_item()


class RulesSpider(CrawlSpider):
    name = "rules"
    url = ""
    rules = (
        Rule(LinkExtractor(allow="/list", restrict_css="a.next"), callback="parse_list", follow=True),
        Rule(LinkExtractor(allow="record=0"), callback="parse_record", cb_kwargs={"kind": "detail"}),
    )

    async def start(self) -> AsyncIterator[Any]:
        yield scrapy.Request(self.url + "/list?page=1")

    def parse_start_url(self, response: Any, **kwargs: Any) -> Any:
        return self.parse_list(response)

    def parse_list(self, response: Any) -> Any:
        for row in response.css("li.record"):
            yield {"name": row.css("a.name::text").get(), "price": row.css("span.price::text").get()}

    async def parse_record(self, response: Any, kind: str) -> Any:
        yield {
            "kind": kind,
            "name": response.css("h1::text").get(),
            "price": response.css(".amount::text").get(),
        }


class RemembersSpider(ListSpider):
    """Gives nothing twice, and holds what it has seen outside of its attributes."""

    name = "remembers"
    memory = SimpleNamespace(seen=set())

    @property
    def seen(self) -> set[Any]:
        return cast("set[Any]", self.memory.seen)

    def parse(self, response: Any) -> Any:
        for record in self.records(response):
            if record["name"] not in self.seen:
                self.seen.add(record["name"])
                yield record
        for request in self.following(response):
            if request.url not in self.seen:
                self.seen.add(request.url)
                yield request


class ChangesSpider(ListSpider):
    """Fields and addresses that differ from run to run."""

    name = "changes"
    runs = 0

    def parse(self, response: Any) -> Any:
        self.runs += 1
        for record in self.records(response):
            yield record | {"run": self.runs}
        for request in self.following(response):
            yield request.replace(url=f"{request.url}&run={self.runs}")


class FailsOnOriginalSpider(ListSpider):
    """Meets a bug on the original only."""

    name = "fails_on_original"

    def parse(self, response: Any) -> Any:
        yield from self.records(response)
        if response.css("div.side"):
            raise RuntimeError("a side bar")
        yield from self.following(response)


class ManySpider(ListSpider):
    """Gives more than can be held."""

    name = "many"

    def parse(self, response: Any) -> Any:
        for number in range(10_050):
            yield {"name": str(number), "price": None}


class NeedsMoreSpider(ListSpider):
    """Gives the records of the new template only if the page was not pruned: nothing that it gives tells why."""

    name = "needs_more"

    def parse(self, response: Any) -> Any:
        page = int(response.url.rpartition("=")[2])
        for number in range(RECORDS if page < CHANGED or response.tps.excluded_by else 0):
            yield {"name": f"{page}: {number}", "price": None}
        yield from self.following(response)


class CollectsSpider(ListSpider):
    """Collects the records of all pages in a list that its requests carry, and yields them at the end."""

    name = "collects"

    def parse(self, response: Any, collected: list[Any] | None = None) -> Any:
        collected = [] if collected is None else collected
        collected.extend(self.records(response))
        following = [*self.following(response)]
        for request in following:
            request.cb_kwargs["collected"] = collected
            yield request
        if not following:
            yield from collected


SPIDERS = {
    spider.name: spider
    for spider in (
        ListSpider,
        AtOnceSpider,
        ReturnsSpider,
        CoroutineSpider,
        AsyncGeneratorSpider,
        RaisesSpider,
        RaisesAtOnceSpider,
        CarriesSpider,
        LoaderSpider,
        RulesSpider,
        RemembersSpider,
        ChangesSpider,
        FailsOnOriginalSpider,
        ManySpider,
        NeedsMoreSpider,
        CollectsSpider,
    )
}


class SlowToExplain(TpsShadowMiddleware):
    """Takes as long as it may with a large page, which a thread looks at."""

    def spider_opened(self) -> None:
        super().spider_opened()
        explain = self._checker.explain

        async def slowly(check: Any) -> None:
            await asyncio.sleep(1)
            await explain(check)

        self._checker.explain = slowly


def main() -> None:
    url, options = sys.argv[1], json.loads(sys.argv[2])
    settings = {
        "ADDONS": {"scrapy_tps.Addon": 500},
        "TPS_STRATEGY": "tests.support.shadow_site.DropSide",
        "TPS_FALLBACK": False,  # so that something is lost
        "TPS_MIN_NODES": 5,
        "TPS_STATS_FILE": None,
        "REMOTE_CONTROL_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "INFO",
        "ROBOTSTXT_OBEY": False,
        "DOWNLOAD_DELAY": 0,
        **options.get("settings", {}),
    }
    process = AsyncCrawlerProcess(settings)
    results = []
    for name in options["spiders"]:
        crawler = process.create_crawler(load_object(name) if "." in name else SPIDERS[name])
        items: list[Any] = []

        def scraped(item: Any, items: list[Any] = items) -> None:
            items.append(asdict(item) if isinstance(item, Record) else dict(ItemAdapter(item)))

        crawler.signals.connect(scraped, signal=scrapy.signals.item_scraped, weak=False)
        results.append((name, crawler, items))
        process.crawl(crawler, url=url)
    process.start()
    for name, crawler, items in results:
        stats = {
            key: value for key, value in crawler.stats.get_stats().items() if isinstance(value, (int, str))
        }
        stats["selectors"] = sum(row.figures.asked for row in crawler.stats.sites.uses() if not row.item)
        print(json.dumps({"spider": name, "items": items, "stats": stats}))  # noqa: T201


if __name__ == "__main__":
    main()
