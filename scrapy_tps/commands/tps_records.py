"""``scrapy tps-records``: the records of one page, without a selector."""

from __future__ import annotations

import csv
import io
import json
import sys
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
from scrapy_tps.pruning import prune
from scrapy_tps.records import extract_records
from scrapy_tps.records.selectors import region_selectors

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Callable, Iterator

    from scrapy import Spider
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from scrapy_tps.records import DataRegion
    from scrapy_tps.settings import PageSettings

_WIDEST = 32  # characters of a table's cell


class Command(ScrapyCommand):
    """Print the records that a page holds."""

    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}

    def syntax(self) -> str:
        return "[options] <url|file>"

    def short_desc(self) -> str:
        return "Print the records of a page, found without selectors"

    def long_desc(self) -> str:
        return (
            "Fetch a URL with Scrapy's downloader, or read a file, prune it with the project's settings and print "
            "the records of its best list; with --selectors, CSS selectors of record and columns to paste into a "
            "spider."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        group = parser.add_argument_group(title="Records")
        group.add_argument("--format", choices=sorted(_FORMATS), default="table", help="default: table")
        group.add_argument("--selectors", action="store_true", help="print CSS selectors, not records")
        group.add_argument("--list", action="store_true", help="print the lists found, not their records")
        group.add_argument(
            "--region", type=int, default=0, metavar="N", help="which list, best first (default: 0)"
        )
        group.add_argument("--all", action="store_true", help="all lists, not one")
        group.add_argument("--whole", action="store_true", help="look at the whole page, not the pruned one")
        group.add_argument("--spider", help="use this spider and its settings")
        group.add_argument("--url", help="address of the page in FILE: domain of its settings")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1 or args[0].startswith("-"):
            raise UsageError("give one URL or file" + (f", not {' '.join(args)}" if args else ""))
        name = args[0]
        is_file = not is_url(name) or name.startswith("file:")
        if opts.url and not is_file:
            raise UsageError("--url is for files")
        url = (opts.url or "") if is_file else name
        try:
            spidercls = self._spider_class(url, opts.spider)
            settings = self._page_settings(url, spidercls)
        except (KeyError, ValueError) as error:
            self._fail(str(error.args[0] if error.args else error))
            return
        if not is_file:
            self._fetch(url, spidercls, settings, opts)
            return
        try:
            body = Path(file_uri_to_path(name) if name.startswith("file:") else name).read_bytes()
        except OSError as error:
            self._fail(f"{name}: {error.strerror}")
            return
        self._show(body, url or None, None, settings, opts)

    def _spider_class(self, url: str, name: str | None) -> type[Spider]:
        assert self.settings is not None
        loader = get_spider_loader(self.settings)
        if name:
            return loader.load(name)
        return spidercls_for_request(loader, Request(url), DefaultSpider) if url else DefaultSpider

    def _page_settings(self, url: str, spidercls: type[Spider]) -> PageSettings:
        assert self.settings is not None
        crawl_settings = self.settings.copy()
        spidercls.update_settings(crawl_settings)
        return CrawlSettings(crawl_settings).for_request(Request(url or "file:///"))

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
            self._fail(f"{response} is not a text")
            return
        self.exitcode = 0
        self._show(response.body, response.url, response.encoding, settings, opts)

    def _show(
        self,
        body: bytes,
        url: str | None,
        encoding: str | None,
        settings: PageSettings,
        opts: argparse.Namespace,
    ) -> None:
        if opts.whole:
            found = extract_records(body, url=url, encoding=encoding, settings=settings)
        else:
            found = prune(body, url=url, encoding=encoding, settings=settings).records(settings)
        if not found.complete:
            sys.stderr.write("TPS_RECORDS_TIMEOUT ran out: there may be more\n")
        if opts.list:
            sys.stdout.writelines(_lists(found))
            return
        regions = found if opts.all else found[opts.region : opts.region + 1]
        if not regions:
            self._fail("no list of records found" if not found else f"there are {len(found)} lists only")
            return
        form = _selectors if opts.selectors else _FORMATS[opts.format]
        try:
            for number, region in enumerate(regions):
                if number and opts.format != "jsonl":
                    sys.stdout.write("\n")
                sys.stdout.writelines(form(region))
            sys.stdout.flush()
        except BrokenPipeError:
            # the reader (`head`, say) has seen enough; Python would complain when it flushes at exit
            sys.stdout = None

    def _fail(self, message: str) -> None:
        sys.stderr.write(message + "\n")
        self.exitcode = 1


def _lists(regions: list[DataRegion]) -> Iterator[str]:
    for number, region in enumerate(regions):
        names = ", ".join(column.name for column in region.columns)
        about = f"{len(region.records)} records  confidence {region.confidence:.2f}  {region.xpath}"
        yield f"{number}  {about}\n   {names}\n"


def _table(region: DataRegion) -> Iterator[str]:
    rows = [[_clip(value or "") for value in record.fields] for record in region.records]
    heads = [_clip(column.name) for column in region.columns]
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    yield f"{len(rows)} records, confidence {region.confidence:.2f}, {region.xpath}\n\n"
    for row in (heads, ["-" * width for width in widths], *rows):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n"


def _clip(text: str) -> str:
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"


def _csv(region: DataRegion) -> Iterator[str]:
    lines = io.StringIO()
    writer = csv.writer(lines)
    writer.writerow(column.name for column in region.columns)
    writer.writerows([value or "" for value in record.fields] for record in region.records)
    yield lines.getvalue().replace("\r\n", "\n")


def _json_lines(region: DataRegion) -> Iterator[str]:
    for row, record in zip(region.rows(), region.records, strict=True):
        inner: dict[str, Any] = {}
        if record.sublists:
            inner["sublists"] = [sublist.rows() for sublist in record.sublists]
        yield json.dumps({**row, **inner}, ensure_ascii=False) + "\n"


def _selectors(region: DataRegion) -> Iterator[str]:
    found = region_selectors(region)
    if found.record is None:
        yield "# no selector selects these records: each spans several elements\n"
        return
    note = "" if found.exact else "  # selects more than the records"
    yield f"for record in response.css({found.record!r}):{note}\n    yield {{\n"
    for name, selector in found.columns.items():
        if name in found.lists:
            yield f"        {name!r}: record.css({selector!r}).getall(),\n"
        elif selector.endswith(" ::text"):
            yield f"        {name!r}: ' '.join(record.css({selector!r}).getall()),\n"
        else:
            yield f"        {name!r}: record.css({selector!r}).get(),\n"
    yield "    }\n"


_FORMATS: dict[str, Callable[[DataRegion], Iterator[str]]] = {
    "table": _table,
    "csv": _csv,
    "jsonl": _json_lines,
}
