"""``scrapy tps-prune``: what the pruning makes of one page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.http import HtmlResponse, Request, Response, TextResponse
from scrapy.settings import SETTINGS_PRIORITIES
from scrapy.spiderloader import get_spider_loader
from scrapy.utils.datatypes import SequenceExclude
from scrapy.utils.spider import DefaultSpider, spidercls_for_request
from w3lib.url import is_url

from scrapy_tps.crawlsettings import META_KEY, CrawlSettings
from scrapy_tps.document import writable_encoding
from scrapy_tps.pruning import EXCLUDED, Pruning, prune_page
from scrapy_tps.report.account import account_json, account_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator

    from scrapy import Spider
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

_ACCOUNTS = {"text": account_text, "json": account_json}


class Command(ScrapyCommand):
    """Prune one page, from the web or from a file, and say what was done."""

    # the page is what the command is about: only what goes wrong is logged
    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}

    def syntax(self) -> str:
        return "[options] URL|FILE"

    def short_desc(self) -> str:
        return "Show what scrapy-tps makes of a page"

    def long_desc(self) -> str:
        return (
            "Write a page as scrapy-tps hands it to spiders, and the account of what was removed. A URL is fetched "
            "with Scrapy's downloader and the settings of the project, and of the spider that handles it; a FILE "
            "(- for standard input) needs no crawl. The page goes to standard output and the account to standard "
            "error, with -o the page to a file and the account to standard output. The exit code is 0 when there "
            "is a page, pruned or kept whole, 1 when it can't be had or isn't HTML, 2 when options are wrong."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        group = parser.add_argument_group(title="Pruning")
        group.add_argument("-o", "--output", metavar="FILE", help="write the page to FILE")
        group.add_argument(
            "--format",
            choices=sorted(_ACCOUNTS),
            default="text",
            help="format of the account (default: text)",
        )
        group.add_argument(
            "--removed", action="store_true", help="list everything that was removed in the account"
        )
        group.add_argument("--strategy", metavar="NAME", help="strategy, instead of TPS_STRATEGY")
        group.add_argument(
            "--encoding", metavar="NAME", help="encoding of the page, instead of the declared one"
        )
        group.add_argument("--url", metavar="URL", help="address that the page in FILE came from")
        group.add_argument("--spider", metavar="NAME", help="fetch the URL with this spider's settings")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        assert self.settings is not None
        if opts.strategy:
            self.settings.set("TPS_STRATEGY", opts.strategy, "cmdline")
        # one page is no crawl: above the spider's settings, below those of the command line
        priority = (SETTINGS_PRIORITIES["spider"] + SETTINGS_PRIORITIES["cmdline"]) // 2
        for name, value in (
            ("ITEM_PIPELINES", {}),
            ("FEEDS", {}),
            ("TPS_STATS_FILE", None),
            ("TPS_REPORT", ()),
        ):
            self.settings.set(name, value, priority)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1 or (args[0].startswith("-") and args[0] != "-"):
            raise UsageError(f"expected one URL or FILE, got {' '.join(args) or 'none'}")
        assert self.settings is not None
        if opts.encoding:
            _check_encoding(opts.encoding)
        try:
            settings = CrawlSettings(self.settings)
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from error
        if is_url(args[0]):
            self._fetch(args[0], opts)
        else:
            self._read(args[0], opts, settings)

    def _read(self, file: str, opts: argparse.Namespace, settings: CrawlSettings) -> None:
        try:
            body = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        except OSError as error:
            self._fail(f"{file} can't be read: {error.strerror}")
            return
        url = opts.url or ("about:blank" if file == "-" else Path(file).resolve().as_uri())
        response = HtmlResponse(url, body=body, encoding=opts.encoding)
        self._prune(response, opts, settings)

    def _fetch(self, url: str, opts: argparse.Namespace) -> None:
        assert self.settings is not None
        self.exitcode = 1  # until the page is there
        # the page itself, pruned here, whether or not the project has enabled the middleware
        meta = {META_KEY: False, "handle_httpstatus_list": SequenceExclude(range(300, 400))}
        request = Request(url, dont_filter=True, meta=meta, errback=self._not_fetched)
        loader = get_spider_loader(self.settings)
        try:
            spider_class: type[Spider] = (
                loader.load(opts.spider)
                if opts.spider
                else spidercls_for_request(loader, request, DefaultSpider)
            )
        except KeyError:
            raise UsageError(f"there is no spider {opts.spider}", print_help=False) from None

        async def start(spider: Spider) -> AsyncIterator[Any]:
            def fetched(response: Response) -> None:
                self._fetched(response, opts, spider.settings)

            yield request.replace(callback=fetched)

        assert self.crawler_process is not None
        spider_class.start = start  # type: ignore[assignment, method-assign]
        self.crawler_process.crawl(spider_class)
        self.crawler_process.start()

    def _fetched(self, response: Response, opts: argparse.Namespace, settings: BaseSettings) -> None:
        if not isinstance(response, HtmlResponse):
            kind = (response.headers.get("Content-Type") or b"of unknown type").decode("latin-1")
            self._fail(f"{response.url} is not HTML but {kind}: scrapy-tps leaves it alone")
            return
        try:
            page_settings = CrawlSettings(settings)
        except ValueError as error:  # the spider's own
            self._fail(str(error))
            return
        self.exitcode = 0
        encoding = opts.encoding or response.encoding
        page = HtmlResponse(response.url, status=response.status, body=response.body, encoding=encoding)
        self._prune(page, opts, page_settings)

    def _not_fetched(self, failure: Failure) -> None:
        self._fail(f"the page can't be fetched: {failure.getErrorMessage() or failure.type}")

    def _prune(self, response: TextResponse, opts: argparse.Namespace, settings: CrawlSettings) -> None:
        page_settings = settings.for_request(Request(response.url))
        if response.status in page_settings.status_codes:
            pruning = prune_page(
                response.body, None, page_settings, url=response.url, encoding=response.encoding
            )
        else:
            pruning = Pruning(response.body, EXCLUDED, url=response.url, encoding=response.encoding)
            sys.stderr.write(f"status {response.status} is not in TPS_STATUS_CODES\n")
        body = response.body
        if pruning.pruned:
            body = pruning.html.encode(writable_encoding(response.encoding), "xmlcharrefreplace")
        account = _ACCOUNTS[opts.format](pruning, removed=opts.removed)
        if not opts.output:
            self._print(body)
            sys.stderr.write(account)  # last: on a terminal the page would push it out of sight
            return
        try:
            Path(opts.output).write_bytes(body)
        except OSError as error:
            self._fail(f"{opts.output} can't be written: {error.strerror}")
        else:
            sys.stdout.write(account)

    def _print(self, body: bytes) -> None:
        try:
            sys.stdout.buffer.write(body)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            # the reader (`head`, say) has seen enough; Python would complain when it flushes at exit
            sys.stdout = None

    def _fail(self, message: str) -> None:
        sys.stderr.write(message + "\n")
        self.exitcode = 1


def _check_encoding(name: str) -> None:
    try:
        "a".encode(name)
    except (LookupError, UnicodeError):
        raise UsageError(f"--encoding {name}: no such encoding", print_help=False) from None
