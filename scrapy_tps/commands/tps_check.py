"""``scrapy tps-check``: compare the results of a spider with and without pruning."""

from __future__ import annotations

import functools
from contextlib import closing
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scrapy.exceptions import UsageError
from scrapy.http import Request
from scrapy.utils.conf import arglist_to_dict, closest_scrapy_cfg, get_config
from scrapy.utils.spider import spidercls_for_request
from w3lib.url import is_url

from scrapy_tps.commandline.page_command import NO_CRAWL, TpsCommand
from scrapy_tps.downloadermiddlewares.pruning import TpsMiddleware
from scrapy_tps.engine import outcomes
from scrapy_tps.extensions import in_data_directory
from scrapy_tps.proposals.crawl import CrawlMemory
from scrapy_tps.response import PrunedMixin
from scrapy_tps.settings import parsing as values
from scrapy_tps.settings.crawl import CrawlSettings
from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.shadow.check import Checker, PageCheck, Visit
from scrapy_tps.shadow.report import PageReport, check_json, check_text, exit_status
from scrapy_tps.sharing.connection import Connection, distributed_crawl_of
from scrapy_tps.spidermiddlewares.items import sampled_page
from scrapy_tps.spidermiddlewares.shadow import TpsShadowMiddleware
from scrapy_tps.stats.aggregation import figures_of
from scrapy_tps.stats.database import StoreError
from scrapy_tps.stats.store import FiguresStore
from scrapy_tps.terminal import complain, write

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Callable, Mapping

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

#: Settings that override the project's: the spider's results are discarded, and nothing is stored.
_SETTINGS: Final = NO_CRAWL | {"TPS_COMPARE": False, "JOBDIR": None}

#: Outcomes of pages that the strategy saw, or that are small: equal results on others prove nothing.
_LOOKED_AT: Final = {outcomes.PRUNED, outcomes.NO_REGION, outcomes.AMBIGUOUS, outcomes.TOO_SMALL}


class Command(TpsCommand):
    """Run a spider's callback over pages with and without pruning, and compare."""

    requires_project = True

    def syntax(self) -> str:
        return "[options] [SPIDER] URL [URL …]"

    def short_desc(self) -> str:
        return "Check that pruning costs a spider nothing"

    def long_desc(self) -> str:
        return (
            "Fetch pages, run the spider's callback on each of them with and without pruning, and compare the items: "
            "missing values, the region that held them, the reason why it was removed, and a setting that keeps "
            "it. Items and requests are discarded. Without SPIDER the spider that handles the URLs is used."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        group = parser.add_argument_group(title="Check")
        group.add_argument(
            "-a",
            dest="spargs",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="set spider argument (may be repeated)",
        )
        # the following options have the names and meanings of `scrapy parse`
        group.add_argument(
            "-c",
            "--callback",
            metavar="METHOD",
            help="the spider's method that parses the pages; without it, that of the first rule that matches, in a "
            "CrawlSpider, else parse",
        )
        inject = "inject extra {} into the requests: a JSON object"
        group.add_argument("-m", "--meta", metavar="JSON", help=inject.format("meta"))
        group.add_argument("--cbkwargs", metavar="JSON", help=inject.format("callback kwargs"))
        group.add_argument(
            "--format", choices=["json", "text"], default="text", help="output format (default: text)"
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        try:
            opts.spargs = arglist_to_dict(opts.spargs)
        except ValueError:
            raise UsageError("Invalid -a value, use -a NAME=VALUE", print_help=False) from None
        opts.meta = _object("-m/--meta", opts.meta)
        opts.cbkwargs = _object("--cbkwargs", opts.cbkwargs)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        spider_class, urls = self._spider_and_urls(args)
        name = spider_class.name
        if opts.callback and not callable(getattr(spider_class, opts.callback, None)):
            raise UsageError(f"the spider {name} has no callback {opts.callback}", print_help=False)
        # a spider can be checked before the add-on is enabled
        self.settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", TpsMiddleware, 545)
        pages = [PageReport(url, opts.callback or "") for url in urls]
        memory = CrawlMemory()
        crawler = self.crawler_process.create_crawler(_checking(spider_class, pages, opts, memory))
        try:  # before the crawl, in which a wrong setting would cause a traceback
            CrawlSettings(crawler.settings)
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from None
        if crawl_setting(crawler.settings, "TPS_REMEMBER_VALUES"):
            memory.load(_remembered(crawler.settings, name))
        crawler.settings.setdict(_SETTINGS, "cmdline")
        # the command itself checks each page
        shadow = crawl_setting(crawler.settings, "TPS_SHADOW")
        crawler.settings.set("TPS_SHADOW", shadow._replace(share=1.0), "cmdline")
        # at the default priority a None would be lost
        others = crawler.settings.getdict("SPIDER_MIDDLEWARES")
        crawler.settings.set("SPIDER_MIDDLEWARES", others | {TpsShadowMiddleware: None}, "cmdline")
        self.crawler_process.crawl(crawler, **opts.spargs)
        self.crawler_process.start()
        found = memory.proposals()
        write(
            check_json(name, pages, found) if opts.format == "json" else check_text(pages, found), opts.format
        )
        self.exitcode = exit_status(pages)

    def _spider_and_urls(self, args: list[str]) -> tuple[type[Spider], list[str]]:
        loader = self.crawler_process.spider_loader
        urls = list(args)
        name = urls.pop(0) if urls and not is_url(urls[0]) else None
        if not urls or any(argument.startswith("-") for argument in args):
            raise UsageError("give a spider and one or more URLs")
        if wrong := [url for url in urls if not is_url(url)]:
            raise UsageError(f"not a URL: {' '.join(wrong)}", print_help=False)
        if name is not None and name not in loader.list():
            raise UsageError(f"there is no spider {name}", print_help=False)
        found = {loader.load(name) if name else spidercls_for_request(loader, Request(url)) for url in urls}
        spider_class = found.pop()
        if found or spider_class is None:
            whose = "different spiders" if found else "no spider, or to several"
            raise UsageError(f"the URLs belong to {whose}: name one", print_help=False)
        return spider_class, urls


def _object(option: str, text: str | None) -> dict[str, Any]:
    """Return the JSON object in an option; empty without one."""
    try:
        return values.mapping(text or "")
    except ValueError:
        example = f'{option.rpartition("/")[2]}=\'{{"foo": "bar"}}\''
        message = f"{option} is {text!r}; allowed: a JSON object, such as {example}"
        raise UsageError(message, print_help=False) from None


def _remembered(settings: Mapping[str, Any], spider: str) -> list[tuple[str, str, str]]:
    """Return what the spider's crawls remember: in ``TPS_STORE`` if it is set, and in ``TPS_STATS_FILE``."""
    found: list[tuple[str, str, str]] = []
    try:
        if (distributed := distributed_crawl_of(settings)) is not None:
            from scrapy_tps.sharing.member import memory_in_store  # noqa: PLC0415 (needs an extra)

            with closing(Connection(distributed.address)) as connection:
                found += memory_in_store(connection, spider).values()
        file = crawl_setting(settings, "TPS_STATS_FILE")
        # Scrapy creates its data directory when it is asked for a path there
        data = Path(closest_scrapy_cfg()).with_name(".scrapy")
        is_there = file is not None and (
            Path(file).is_absolute() or data.exists() or get_config().has_section("datadir")
        )
        if is_there and (path := in_data_directory(file)).exists():
            with closing(FiguresStore(path, create=False)) as store:
                found += store.remembered(spider)
    except (StoreError, ValueError) as error:
        complain(str(error))
    return found


def _checking(
    base: type[Spider], pages: list[PageReport], options: argparse.Namespace, memory: CrawlMemory
) -> type[Spider]:
    """Return the spider's class with checks of these pages, which complete them, instead of its own start."""

    def request(spider: Spider, page: PageReport) -> Request:
        callback, cb_kwargs = _callback_for(spider, page.url, options)
        is_default = callback == spider._parse
        page.callback = "parse" if is_default else getattr(callback, "__name__", "")

        async def check(response: Response, **_: Any) -> None:
            page.url = response.url
            try:
                page.check = found = await _check(spider.crawler, response, callback)
                given = found.original.forms or found.costs
                page.problem = None if given else "the callback yields nothing here; -c names another one"
            except ValueError as error:
                page.problem = str(error)
            if isinstance(response, PrunedMixin):
                place = figures_of(spider.crawler).site_of(response.url), page.callback
                usage = response.tps.selector_usage
                memory.end(place, response.url, usage, partial(sampled_page, response), well=False)

        def failed(failure: Failure) -> None:
            status = getattr(getattr(failure.value, "response", None), "status", None)
            told = f"it was not fetched: {failure.value!r}"
            page.problem = told if status is None else f"HTTP status {status}"

        # scrapy-poet reads the callback's signature for its dependencies
        functools.update_wrapper(check, spider.parse if is_default else callback)
        return Request(
            page.url,
            callback=check,
            errback=failed,
            meta=deepcopy(options.meta),
            cb_kwargs=cb_kwargs | deepcopy(options.cbkwargs),
            dont_filter=True,
        )

    async def start(spider: Spider) -> AsyncIterator[Any]:
        for page in pages:
            yield request(spider, page)

    return type(base.__name__, (base,), {"start": start, "__module__": base.__module__})


def _callback_for(
    spider: Spider, url: str, options: argparse.Namespace
) -> tuple[Callable[..., Any], dict[str, Any]]:
    if options.callback is not None:
        return getattr(spider, options.callback), {}
    for rule in getattr(spider, "_rules", ()):  # of a CrawlSpider, with methods for names
        if rule.callback and rule.link_extractor.matches(url):
            return rule.callback, dict(rule.cb_kwargs)
    return spider._parse, {}


async def _check(crawler: Crawler, response: Response, callback: Callable[..., Any]) -> PageCheck:
    """Return the check of a page; raise ``ValueError`` with the reason if it can't be checked."""
    request = response.request
    assert request is not None
    if crawler.get_downloader_middleware(TpsMiddleware) is None:
        raise ValueError("the project's settings switch TpsMiddleware off")
    if not isinstance(response, PrunedMixin):
        raise ValueError("it is not an HTML page")
    pruning = response.tps
    if pruning.excluded_by:
        raise ValueError(f"it is excluded by {pruning.excluded_by}")
    if pruning.outcome not in _LOOKED_AT:
        error = f": {pruning.error}" if pruning.error else ""
        raise ValueError(outcomes.OUTCOMES[pruning.outcome] + error)
    spider = crawler.spider
    request.callback = None if spider is not None and callback == spider._parse else callback
    checker = Checker(crawler)
    check = await checker.check(Visit(response, request, callback, checked=True))
    if check.original.error is not None:
        raise ValueError(f"the callback fails on the original: {check.original.error!r}")
    if check.costs:
        await checker.explain(check)
    return check
