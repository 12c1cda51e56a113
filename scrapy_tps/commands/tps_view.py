"""``scrapy tps-view``: look at what the pruning does to one page."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.http import Request, TextResponse
from scrapy.utils.datatypes import SequenceExclude
from scrapy.utils.spider import DefaultSpider, spidercls_for_request
from w3lib.url import file_uri_to_path, is_url

from scrapy_tps.crawlsettings import META_KEY, CrawlSettings
from scrapy_tps.report.selfcontained import MissingExtra
from scrapy_tps.report.tables import align
from scrapy_tps.report.view import compare_settings, render_prunings, render_view, write_view
from scrapy_tps.samples import SampleStore
from scrapy_tps.settings import crawl_setting
from scrapy_tps.statscollectors import in_data_directory
from scrapy_tps.store import StoreError

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Callable

    from scrapy import Spider
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from scrapy_tps.pruning import Pruning
    from scrapy_tps.samples import Sample
    from scrapy_tps.settings import PageSettings


class Command(ScrapyCommand):
    """Show a page with what is removed from it, as one HTML file in the browser."""

    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}

    def syntax(self) -> str:
        return "[options] <url|file|sample:NUMBER>"

    def short_desc(self) -> str:
        return "Look at what scrapy-tps removes from a page, where and why"

    def long_desc(self) -> str:
        return (
            "Fetch a URL with Scrapy's downloader, or read a file, prune it with the project's settings and open one "
            "self-contained HTML file: the page with what goes and what stays, its tag path sequence, the account. "
            "sample:NUMBER is a page that a crawl kept (TPS_SAMPLES), as that crawl pruned it; --samples lists them."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        group = parser.add_argument_group(title="View")
        group.add_argument("--spider", help="use this spider and its settings")
        group.add_argument(
            "--settings",
            metavar="JSON",
            help="TPS_* settings for this page, over all others: a JSON object or a file that holds one",
        )
        group.add_argument(
            "--compare",
            metavar="STRATEGIES",
            help="strategies side by side, each with a size ratio if wanted: auto,paper:0.3,aggressive",
        )
        group.add_argument(
            "--network",
            action="store_true",
            help="let the shown page fetch images, style sheets and fonts from the web",
        )
        group.add_argument(
            "--samples",
            nargs="?",
            const="",
            metavar="SITE",
            help="list the pages that crawls kept, of SITE or of all, the worst first",
        )
        group.add_argument("--records", action="store_true", help="mark lists of records and their columns")
        group.add_argument(
            "--url", help="address of the page in FILE: base of its images, domain of its settings"
        )
        group.add_argument(
            "-o", "--output", metavar="FILE", help="write to this file (default: a temporary one)"
        )
        group.add_argument(
            "--no-browser", action="store_true", help="do not open the browser, print the file's name"
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if opts.samples is not None:
            self._list_samples(opts.samples or None)
            return
        if len(args) != 1 or args[0].startswith("-"):
            raise UsageError("give one URL or file" + (f", not {' '.join(args)}" if args else ""))
        name = args[0]
        if name.startswith("sample:"):
            self._show_sample(name.removeprefix("sample:"), opts)
            return
        is_file = not is_url(name) or name.startswith("file:")
        if opts.url and not is_file:
            raise UsageError("--url is for files")
        url = (opts.url or "") if is_file else name
        try:
            spidercls = self._spider_class(url, opts.spider)
            settings = self._page_settings(url, spidercls, opts.settings)
            compare_settings(settings, _compared(opts))
        except (KeyError, ValueError) as error:
            self._fail(str(error.args[0] if error.args else error))
            return
        if is_file:
            self._read(name, opts.url, settings, opts)
        else:
            self._fetch(url, spidercls, settings, opts)

    def _spider_class(self, url: str, name: str | None) -> type[Spider]:
        assert self.crawler_process is not None
        loader = self.crawler_process.spider_loader
        if name:
            return loader.load(name)
        return spidercls_for_request(loader, Request(url), DefaultSpider) if url else DefaultSpider

    def _page_settings(self, url: str, spidercls: type[Spider], overrides: str | None) -> PageSettings:
        """Return what holds for the page in a crawl of that spider, under what the command line says."""
        assert self.settings is not None
        crawl_settings = self.settings.copy()
        spidercls.update_settings(crawl_settings)
        request = Request(url or "file:///", meta={META_KEY: _overrides(overrides)})
        return CrawlSettings(crawl_settings).for_request(request)

    def _read(self, name: str, url: str | None, settings: PageSettings, opts: argparse.Namespace) -> None:
        try:
            body = _path(name).read_bytes()
        except OSError as error:
            self._fail(f"{name}: {error.strerror}")
            return
        self._show(body, url or name, None, settings, opts)

    def _fetch(
        self, url: str, spidercls: type[Spider], settings: PageSettings, opts: argparse.Namespace
    ) -> None:
        assert self.crawler_process is not None
        # the page comes as downloaded: it is pruned here, and a look at it leaves no figures and no feeds
        request = Request(url, callback=self._parse, dont_filter=True, meta={META_KEY: False})
        request.cb_kwargs.update(settings=settings, opts=opts)
        request.meta["handle_httpstatus_list"] = SequenceExclude(range(300, 400))

        class Viewer(spidercls):  # type: ignore[valid-type,misc]
            async def start(self) -> AsyncIterator[Any]:
                yield request

            @classmethod
            def update_settings(cls, settings: BaseSettings) -> None:
                super().update_settings(settings)
                settings.setdict({"TPS_STATS_FILE": None, "TPS_REPORT": [], "FEEDS": {}}, "cmdline")

        self.exitcode = 1  # until the page has been shown
        self.crawler_process.crawl(Viewer)
        self.crawler_process.start()

    def _parse(self, response: Response, settings: PageSettings, opts: argparse.Namespace) -> None:
        if not isinstance(response, TextResponse):
            self._fail(f"{response} is not a text")
            return
        if response.status not in settings.status_codes:
            settings = replace(settings, enabled=False)  # as in a crawl
        self._show(response.body, response.url, response.encoding, settings, opts)

    def _samples(self) -> SampleStore:
        assert self.settings is not None
        return SampleStore(in_data_directory(crawl_setting(self.settings, "TPS_SAMPLES_FILE")))

    def _list_samples(self, site: str | None) -> None:
        try:
            with closing(self._samples()) as store:
                samples = store.samples(site)
        except StoreError as error:
            self._fail(str(error))
            return
        rows = [
            (
                f"sample:{one.number}",
                one.site,
                one.outcome,
                f"{min(1.0, one.badness):.0%}",
                f"{one.taken:%Y-%m-%d %H:%M}",
                one.url,
            )
            for one in samples
        ]
        header = ("sample", "site", "outcome", "text gone", "taken (UTC)", "url")
        sys.stdout.write("\n".join(align(header, rows, left=len(header))) + "\n")

    def _show_sample(self, number: str, opts: argparse.Namespace) -> None:
        try:
            with closing(self._samples()) as store:
                sample, pruning = store.load(int(number))
        except ValueError:
            self._fail(f"sample:{number} is not a number")
        except StoreError as error:
            self._fail(str(error))
        else:
            if opts.compare or opts.settings:
                self._show_again(sample, pruning, opts)
            else:
                self._write(lambda: render_prunings([pruning], network=opts.network), opts)

    def _show_again(self, sample: Sample, pruning: Pruning, opts: argparse.Namespace) -> None:
        """Prune a sample anew, as the command line says."""
        try:
            spidercls = self._spider_class(sample.url, opts.spider)
            settings = self._page_settings(sample.url, spidercls, opts.settings)
            compare_settings(settings, _compared(opts))
        except (KeyError, ValueError) as error:
            self._fail(str(error.args[0] if error.args else error))
        else:
            self._show(pruning.source or b"", sample.url, pruning.encoding, settings, opts)

    def _show(
        self,
        body: bytes | str,
        url: str,
        encoding: str | None,
        settings: PageSettings,
        opts: argparse.Namespace,
    ) -> None:
        def render() -> str:
            return render_view(
                body,
                url=url,
                encoding=encoding,
                settings=settings,
                compare=_compared(opts),
                network=opts.network,
                records=opts.records,
            )

        self._write(render, opts)

    def _write(self, render: Callable[[], str], opts: argparse.Namespace) -> None:
        try:
            path = write_view(render(), opts.output, browser=not opts.no_browser)
        except MissingExtra as error:
            self._fail(str(error))
        except OSError as error:
            self._fail(f"{opts.output}: {error.strerror}")
        else:
            sys.stdout.write(f"{path}\n")
            self.exitcode = 0

    def _fail(self, message: str) -> None:
        sys.stderr.write(message + "\n")
        self.exitcode = 1


def _path(name: str) -> Path:
    return Path(file_uri_to_path(name) if name.startswith("file:") else name)


def _compared(opts: argparse.Namespace) -> list[str]:
    return [entry for entry in (opts.compare or "").split(",") if entry.strip()]


def _overrides(text: str | None) -> dict[str, Any]:
    """Return the settings that a JSON object, or a file that holds one, gives."""
    if not text:
        return {}
    if not text.lstrip().startswith("{"):
        try:
            text = Path(text).read_text(encoding="utf-8")
        except OSError as error:
            raise ValueError(f"--settings: {text}: {error.strerror}") from None
    try:
        found = json.loads(text)
    except ValueError as error:
        raise ValueError(f"--settings is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise ValueError("--settings is not a JSON object")
    return found
