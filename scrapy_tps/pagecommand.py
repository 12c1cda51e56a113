"""What the commands on one page share: where it comes from, and which settings hold for it.

Not in the package of the commands: Scrapy takes each class there for a command.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.http import Request, TextResponse
from scrapy.spiderloader import get_spider_loader
from scrapy.utils.datatypes import SequenceExclude
from scrapy.utils.spider import DefaultSpider, spidercls_for_request
from w3lib.url import file_uri_to_path, is_url

from scrapy_tps.crawlsettings import META_KEY, CrawlSettings

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Mapping

    from scrapy import Spider
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from scrapy_tps.settings import PageSettings


class PageCommand(ScrapyCommand):
    """A command that shows one page, fetched as a crawl of the project would, or read from a file.

    Its options must have ``--spider`` and ``--url``.
    """

    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}

    def show(
        self,
        body: bytes,
        url: str | None,
        encoding: str | None,
        settings: PageSettings,
        opts: argparse.Namespace,
    ) -> None:
        """Show the page and set ``exitcode``; `url` is None for a file whose address nobody gave."""
        raise NotImplementedError

    def page_settings(self, url: str, opts: argparse.Namespace) -> PageSettings:
        """Return what holds for the page; raises ``KeyError`` or ``ValueError`` where that is wrong."""
        return self.settings_for(url, self.spider_class(url, opts.spider))

    def run_on_page(self, args: list[str], opts: argparse.Namespace) -> None:
        """Show the page that `args` name."""
        if len(args) != 1 or args[0].startswith("-"):
            raise UsageError("give one URL or file" + (f", not {' '.join(args)}" if args else ""))
        name = args[0]
        is_file = not is_url(name) or name.startswith("file:")
        if opts.url and not is_file:
            raise UsageError("--url is for files")
        url = (opts.url or "") if is_file else name
        try:
            spidercls = self.spider_class(url, opts.spider)
            settings = self.page_settings(url, opts)
        except (KeyError, ValueError) as error:
            self.fail(str(error.args[0] if error.args else error))
            return
        if not is_file:
            self._fetch(url, spidercls, settings, opts)
            return
        try:
            body = Path(file_uri_to_path(name) if name.startswith("file:") else name).read_bytes()
        except OSError as error:
            self.fail(f"{name}: {error.strerror}")
            return
        self.show(body, url or None, None, settings, opts)

    def spider_class(self, url: str, name: str | None) -> type[Spider]:
        """Return the spider of that name, or the one that handles the URL."""
        assert self.settings is not None
        loader = get_spider_loader(self.settings)
        if name:
            return loader.load(name)
        return spidercls_for_request(loader, Request(url), DefaultSpider) if url else DefaultSpider

    def settings_for(
        self, url: str, spidercls: type[Spider], overrides: Mapping[str, Any] | None = None
    ) -> PageSettings:
        """Return what holds for the page in a crawl of that spider, under what the command line says."""
        assert self.settings is not None
        crawl_settings = self.settings.copy()
        spidercls.update_settings(crawl_settings)
        request = Request(url or "file:///", meta={META_KEY: overrides or {}})
        return CrawlSettings(crawl_settings).for_request(request)

    def fail(self, message: str) -> None:
        """Say what is wrong; the command ends with 1."""
        sys.stderr.write(message + "\n")
        self.exitcode = 1

    def _fetch(
        self, url: str, spidercls: type[Spider], settings: PageSettings, opts: argparse.Namespace
    ) -> None:
        assert self.crawler_process is not None
        # the page comes as downloaded: it is pruned here, and a look at it leaves no figures and no feeds
        request = Request(url, callback=self._parse, dont_filter=True, meta={META_KEY: False})
        request.cb_kwargs.update(settings=settings, opts=opts)
        request.meta["handle_httpstatus_list"] = SequenceExclude(range(300, 400))

        class Looker(spidercls):  # type: ignore[valid-type,misc]
            async def start(self) -> AsyncIterator[Any]:
                yield request

            @classmethod
            def update_settings(cls, settings: BaseSettings) -> None:
                super().update_settings(settings)
                settings.setdict({"TPS_STATS_FILE": None, "TPS_REPORT": [], "FEEDS": {}}, "cmdline")

        self.exitcode = 1  # until the page has been shown
        self.crawler_process.crawl(Looker)
        self.crawler_process.start()

    def _parse(self, response: Response, settings: PageSettings, opts: argparse.Namespace) -> None:
        if not isinstance(response, TextResponse):
            self.fail(f"{response} is not a text")
            return
        if response.status not in settings.status_codes:
            settings = replace(settings, enabled=False)  # as in a crawl
        self.show(response.body, response.url, response.encoding, settings, opts)
