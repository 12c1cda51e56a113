"""``scrapy tps-check``: what a spider gets from pages with and without pruning."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.http import Request
from scrapy.spiders import CrawlSpider
from scrapy.utils.conf import arglist_to_dict
from w3lib.url import is_url

from scrapy_tps.middleware import TpsMiddleware
from scrapy_tps.response import PrunedMixin
from scrapy_tps.shadowing.checkreport import PageReport, exit_status, to_json, to_text
from scrapy_tps.shadowing.comparison import compare
from scrapy_tps.shadowing.explain import explain
from scrapy_tps.shadowing.pagecheck import PageCheck, check_page, try_remedies
from scrapy_tps.shadowing.runs import Inputs, Runner

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Callable, Sequence

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

#: What a check sets, whatever the project has: the spider's results go nowhere, and nothing is kept of it.
_SETTINGS: dict[str, Any] = {
    "TPS_SHADOW": 0,
    "TPS_KEEP_ORIGINAL": True,
    "TPS_STATS_FILE": None,
    "TPS_REPORT": (),
    "TPS_REPORT_SITES": 0,
    "TPS_DRIFT_PAGES": 0,
    "FEEDS": {},
    "JOBDIR": None,
    "STATS_DUMP": False,
}


class Command(ScrapyCommand):
    """Run a spider's callback over pages with and without pruning, and compare."""

    requires_project = True
    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}

    def syntax(self) -> str:
        return "[options] SPIDER URL [URL …]"

    def short_desc(self) -> str:
        return "Check that pruning costs a spider nothing"

    def long_desc(self) -> str:
        return (
            "Fetch pages, run the spider's callback over each with and without pruning, and show what pruning "
            "costs: the items side by side, what is missing, which region held it and why that went, and the "
            "setting that would keep it. Items and requests go nowhere. Exit status: 0 where nothing is lost, 1 "
            "where something is, 2 where a page could not be checked."
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
        group.add_argument(
            "-c",
            "--callback",
            metavar="METHOD",
            help="the spider's method that parses the pages (default: that of the first rule that matches, in a "
            "CrawlSpider; else parse)",
        )
        group.add_argument(
            "--format", choices=["json", "text"], default="text", help="output format (default: text)"
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        try:
            opts.spargs = arglist_to_dict(opts.spargs)
        except ValueError:
            raise UsageError("Invalid -a value, use -a NAME=VALUE", print_help=False) from None

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) < 2 or any(argument.startswith("-") for argument in args):
            raise UsageError("give a spider and one or more URLs")
        assert self.settings is not None
        assert self.crawler_process is not None
        name, *urls = args
        if wrong := [url for url in urls if not is_url(url)]:
            raise UsageError(f"not a URL: {' '.join(wrong)}", print_help=False)
        try:
            spider_class = self.crawler_process.spider_loader.load(name)
        except KeyError:
            raise UsageError(f"there is no spider {name}", print_help=False) from None
        if opts.callback and not callable(getattr(spider_class, opts.callback, None)):
            raise UsageError(f"the spider {name} has no callback {opts.callback}", print_help=False)
        for setting, value in _SETTINGS.items():
            self.settings.set(setting, value, "cmdline")
        # a spider can be checked before the add-on is enabled
        self.settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", TpsMiddleware, 545)
        checks = PageChecks(urls, opts.callback)
        crawler = self.crawler_process.create_crawler(checks.spider_class(spider_class))
        self.crawler_process.crawl(crawler, **opts.spargs)
        self.crawler_process.start()
        pages = checks.pages()
        sys.stdout.write(to_json(name, pages) if opts.format == "json" else to_text(pages))
        self.exitcode = 1 if self.crawler_process.bootstrap_failed else exit_status(pages)


class PageChecks:
    """Checks of the pages at `urls`, made within a crawl.

    :param callback: the name of the spider's method that parses them, or None for the usual one.
    """

    def __init__(self, urls: Sequence[str], callback: str | None) -> None:
        self._urls = urls
        self._callback = callback
        self._found: dict[int, PageReport] = {}

    def pages(self) -> list[PageReport]:
        """The pages in the order of their addresses."""
        missing = "it was not fetched; the log tells why"
        return [
            self._found.get(index) or PageReport(url, self._callback or "", missing)
            for index, url in enumerate(self._urls)
        ]

    def spider_class(self, base: type[Spider]) -> type[Spider]:
        """Return the spider's class with these pages instead of its own start."""
        checks = self

        async def start(spider: Spider) -> AsyncIterator[Any]:
            for index, url in enumerate(checks._urls):
                yield checks._request(spider, index, url)

        return type(base.__name__, (base,), {"start": start, "__module__": base.__module__})

    def _request(self, spider: Spider, index: int, url: str) -> Request:
        callback, cb_kwargs = _callback_for(spider, url, self._callback)

        async def check(response: Response, **_: Any) -> None:
            self._found[index] = await _checked(spider.crawler, response, callback)

        def failed(failure: Failure) -> None:
            status = getattr(getattr(failure.value, "response", None), "status", None)
            problem = repr(failure.value) if status is None else f"HTTP status {status}"
            self._found[index] = PageReport(url, getattr(callback, "__name__", ""), problem)

        # other plugins look at the callback's signature to know what it wants to be given
        functools.update_wrapper(check, callback)
        return Request(url, callback=check, errback=failed, cb_kwargs=cb_kwargs, dont_filter=True)


def _callback_for(spider: Spider, url: str, name: str | None) -> tuple[Callable[..., Any], dict[str, Any]]:
    if name is not None:
        return getattr(spider, name), {}
    for rule in spider.rules if isinstance(spider, CrawlSpider) else ():
        callback = getattr(spider, rule.callback, None) if isinstance(rule.callback, str) else rule.callback
        if callable(callback) and rule.link_extractor.matches(url):
            return callback, dict(rule.cb_kwargs)
    return spider._parse, {}


async def _checked(crawler: Crawler, response: Response, callback: Callable[..., Any]) -> PageReport:
    name = getattr(callback, "__name__", "").replace("_parse", "parse")
    middleware = crawler.get_downloader_middleware(TpsMiddleware)
    request = response.request
    assert request is not None
    if middleware is None or not isinstance(response, PrunedMixin):
        reason = "pruning is switched off (TPS_ENABLED)" if middleware is None else "it is not an HTML page"
        return PageReport(response.url, name, reason)
    request.callback = callback
    inputs, runner = Inputs(request), Runner(crawler)
    ignored = frozenset(("", field) for field in middleware.settings.values["TPS_SHADOW_IGNORE"])
    response.request = inputs.request()
    pruned = await runner.run(callback, response)
    response.request = request
    check = PageCheck(pruned, pruned, compare(pruned.forms, pruned.forms))
    try:
        if response.tps.pruned:
            check = await check_page(response, inputs, callback, pruned, runner=runner, ignored=ignored)
    except ValueError as error:
        return PageReport(response.url, name, str(error))
    if check.original.error is not None:
        return PageReport(response.url, name, f"the callback fails on the original: {check.original.error!r}")
    report = PageReport(response.url, name, pruning=response.tps, check=check)
    if check.costs:
        ignored |= check.volatile
        report.explanation = explain(check.difference, response.tps, ignored)
        await try_remedies(
            report.explanation,
            check,
            response,
            inputs,
            callback,
            runner=runner,
            settings=middleware.settings.for_request(request),
            ignored=ignored,
        )
    return report
