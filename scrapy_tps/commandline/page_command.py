"""Code that the commands for one page share: the source of the page, and its settings."""

from __future__ import annotations

import sys
from abc import abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.http import HtmlResponse, Request
from scrapy.spiderloader import get_spider_loader
from scrapy.utils.datatypes import SequenceExclude
from scrapy.utils.spider import DefaultSpider, spidercls_for_request
from w3lib.url import file_uri_to_path, is_url

from scrapy_tps import prune
from scrapy_tps.engine.html import document
from scrapy_tps.settings import parsing as values
from scrapy_tps.settings.crawl import META_KEY, CrawlSettings
from scrapy_tps.terminal import complain

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Iterator

    from scrapy import Spider
    from scrapy.crawler import CrawlerProcessBase
    from scrapy.http import Response
    from scrapy.settings import BaseSettings, Settings
    from twisted.python.failure import Failure

    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.pruned_page import Pruning

#: Settings for a single page, which is not a crawl: it yields no items, feeds or figures.
NO_CRAWL: Final[dict[str, Any]] = {
    "TPS_STATS_FILE": None,
    "TPS_REPORT": [],
    "FEEDS": {},
    "ITEM_PIPELINES": {},
    "STATS_DUMP": False,
}


#: The largest number of a row in an SQLite file.
LARGEST_ID: Final = 2**63 - 1


def whole_number(name: str, value: Any, *, low: int) -> int:
    """Return an argument as a whole number; raise ``UsageError`` naming it and the allowed values."""
    try:
        return int(values.checked(name, value, *values.whole_numbers(low, LARGEST_ID)))
    except ValueError as error:
        raise UsageError(str(error), print_help=False) from None


@dataclass(frozen=True)
class GivenPage:
    """A page to show, and its settings.

    :ivar url: its address; None for a file if no address was given.
    """

    body: bytes
    url: str | None
    encoding: str | None
    settings: PageSettings

    def pruned(self) -> Pruning:
        """Prune it as in a crawl."""
        return prune(self.body, url=self.url, encoding=self.encoding, settings=self.settings)


class TpsCommand(ScrapyCommand):
    """A command of scrapy-tps. The command line sets its settings, and its process, before it runs."""

    settings: Settings
    crawler_process: CrawlerProcessBase

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        # whatever the project logs: the output is the page; the command line has precedence
        self.settings.set("LOG_LEVEL", "WARNING", priority="spider")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write to standard output, whose reader (such as ``head``) may close the pipe at any time."""
        try:
            yield
            sys.stdout.flush()
        except BrokenPipeError:
            sys.stdout = None  # Python would complain when it flushes at exit

    def fail(self, message: str) -> None:
        """Print an error; the command ends with exit code 1."""
        complain(message)
        self.exitcode = 1


class PageCommand(TpsCommand):
    """A command that shows one page, fetched as in a crawl of the project, or read from a file.

    The exit code is 0 if the page has been shown, 1 if it could not be fetched or read, and 2 if options or settings
    are wrong.
    """

    def syntax(self) -> str:
        return "[options] URL|FILE"

    def add_page_options(
        self, parser: argparse.ArgumentParser, spider: str = "fetch the page with this spider's settings"
    ) -> None:
        """Add the options for the source of the page and its settings; `spider` is the help of ``--spider``."""
        group = parser.add_argument_group(title="Page")
        group.add_argument("--spider", metavar="NAME", help=spider)
        group.add_argument(
            "--url", metavar="URL", help="address of the page in FILE, for its settings and links"
        )
        group.add_argument(
            "--encoding", metavar="NAME", help="encoding of the page, instead of the declared one"
        )

    @abstractmethod
    def show(self, page: GivenPage, opts: argparse.Namespace) -> None:
        """Show the page and set ``exitcode``."""

    def page_settings(self, url: str, opts: argparse.Namespace) -> PageSettings:
        """Return the settings that the page would have in a crawl of its spider.

        Raises ``UsageError`` if they are wrong, or if there is no such spider.
        """
        crawl_settings = self.settings.copy()
        try:
            self._spider_class(url, opts.spider).update_settings(crawl_settings)
            return CrawlSettings(crawl_settings).for_request(Request(url or "file:///"))
        except (KeyError, ValueError) as error:
            raise UsageError(str(error.args[0] if error.args else error), print_help=False) from error

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Show the page in `args`: a URL, a file, or ``-`` for standard input."""
        if len(args) != 1 or (args[0].startswith("-") and args[0] != "-"):
            raise UsageError(f"give one URL or FILE, not {' '.join(args) or 'none'}")
        name = args[0]
        is_file = not is_url(name) or name.startswith("file:")
        if opts.url and not is_file:
            raise UsageError("--url is for files", print_help=False)
        if opts.url and not is_url(opts.url):
            raise UsageError(f"--url is {opts.url!r}; allowed: a URL with its scheme", print_help=False)
        url = (opts.url or "") if is_file else name
        _check_encoding(opts.encoding)
        settings = self.page_settings(url, opts)
        if not is_file:
            self._fetch(url, settings, opts)
            return
        path = Path(file_uri_to_path(name) if name.startswith("file:") else name)
        try:
            body = sys.stdin.buffer.read() if name == "-" else path.read_bytes()
        except OSError as error:
            self.fail(f"{name} can't be read: {error.strerror}")
            return
        encoding = HtmlResponse(url or "about:blank", body=body, encoding=opts.encoding).encoding
        self._show(name, GivenPage(body, url or None, encoding, settings), opts)

    def _spider_class(self, url: str, name: str | None) -> type[Spider]:
        """Return the spider of that name, or the one that handles the URL."""
        loader = get_spider_loader(self.settings)
        if name:
            return loader.load(name)
        return spidercls_for_request(loader, Request(url), DefaultSpider) if url else DefaultSpider

    def _show(self, name: str, page: GivenPage, opts: argparse.Namespace) -> None:
        """Show the page if it is HTML."""
        # larger pages are neither read nor pruned
        if len(page.body) <= page.settings.max_bytes and not _can_be_html(page.body, page.encoding):
            self.fail(f"{name} is not HTML, so it is not pruned")
        else:
            self.show(page, opts)

    def _fetch(self, url: str, settings: PageSettings, opts: argparse.Namespace) -> None:
        # the page arrives as downloaded and is pruned here, without figures and feeds
        meta = {META_KEY: False, "handle_httpstatus_list": SequenceExclude(range(300, 400))}
        given = {"settings": settings, "opts": opts}
        request = Request(
            url, self._parse, dont_filter=True, errback=self._not_fetched, meta=meta, cb_kwargs=given
        )

        class Looker(self._spider_class(url, opts.spider)):  # type: ignore[misc]
            async def start(self) -> AsyncIterator[Any]:
                yield request

            @classmethod
            def update_settings(cls, settings: BaseSettings) -> None:
                super().update_settings(settings)
                settings.setdict(NO_CRAWL, "cmdline")

        self.exitcode = 1  # until the page has been shown
        self.crawler_process.crawl(Looker)
        self.crawler_process.start()

    def _parse(self, response: Response, settings: PageSettings, opts: argparse.Namespace) -> None:
        if not isinstance(response, HtmlResponse):
            kind = (response.headers.get("Content-Type") or b"of unknown type").decode("latin-1")
            self.fail(f"{response.url} is not HTML but {kind}, so it is not pruned")
            return
        if response.status not in settings.status_codes:
            complain(f"status {response.status} is not in TPS_STATUS_CODES")
            if settings.enabled:  # as in a crawl
                settings = replace(settings, enabled=False, switch="TPS_STATUS_CODES")
        encoding = opts.encoding or response.encoding
        self._show(response.url, GivenPage(response.body, response.url, encoding, settings), opts)

    def _not_fetched(self, failure: Failure) -> None:
        self.fail(f"the page can't be fetched: {failure.getErrorMessage() or failure.type}")


def _can_be_html(body: bytes, encoding: str | None) -> bool:
    """Whether a page that is declared as HTML can be HTML: not a binary file, JSON or a feed; it may be empty."""
    if body.startswith(document.BINARY_STARTS):
        return False
    page = document.parser_input(body, encoding)
    return not page or page.isspace() or document.is_html(page)


def _check_encoding(name: str | None) -> None:
    try:
        "a".encode(name or "ascii")
    except (LookupError, UnicodeError):
        raise UsageError(f"--encoding {name}: no such encoding", print_help=False) from None
