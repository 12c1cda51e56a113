"""``scrapy tps-records``: the records of one page, without a selector."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from scrapy.exceptions import UsageError
from scrapy.http import HtmlResponse
from scrapy.spiderloader import get_spider_loader

from scrapy_tps import prune_response
from scrapy_tps.commandline.page_command import PageCommand, whole_number
from scrapy_tps.records.record_selectors import COUNTED, region_selectors
from scrapy_tps.records.spider_source import is_spider_name, spider_source
from scrapy_tps.stats.figures import counted
from scrapy_tps.terminal import complain, csv_line, terminal_width, text_table, write

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from scrapy_tps.commandline.page_command import GivenPage
    from scrapy_tps.records import DataRegion
    from scrapy_tps.records.record_selectors import ColumnSelector
    from scrapy_tps.terminal import Form


class Command(PageCommand):
    """Print the records of a page."""

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
        what, which = group.add_mutually_exclusive_group(), group.add_mutually_exclusive_group()
        what.add_argument("--selectors", action="store_true", help="print CSS selectors, not records")
        what.add_argument("--list", action="store_true", help="print the lists found, not their records")
        which.add_argument("--region", default=0, metavar="N", help="which list, best first (default: 0)")
        which.add_argument("--all", action="store_true", help="all lists, not one")
        group.add_argument(
            "--timeout",
            type=float,
            default=5.0,
            metavar="SECONDS",
            help="time for the search; 0 means no limit (default: 5)",
        )
        group.add_argument(
            "--min-confidence",
            type=float,
            default=0.05,
            metavar="N",
            help="the least confidence of a list, 0 to 1 (default: 0.05)",
        )
        self.add_page_options(
            parser,
            spider="fetch the page with this spider's settings; with a new name, print a spider for the list",
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        opts.region = whole_number("--region", opts.region, low=0)
        if not opts.timeout >= 0:
            raise UsageError(f"--timeout is {opts.timeout}; allowed: 0 or more", print_help=False)
        if not 0 <= opts.min_confidence <= 1:
            raise UsageError(f"--min-confidence is {opts.min_confidence}; allowed: 0 to 1", print_help=False)
        self._new_spider = self._take_new_name(opts)
        super().run(args, opts)

    def _take_new_name(self, opts: argparse.Namespace) -> str | None:
        """Return the name of the spider to print; None if there is one of that name, or no name."""
        name: str | None = opts.spider
        if not name or name in get_spider_loader(self.settings).list():
            return None
        if not is_spider_name(name):
            raise UsageError(
                f"--spider is {name!r}; allowed: the name of a spider, or a new one of letters, digits, - _ and .",
                print_help=False,
            )
        opts.spider = None
        return name

    def show(self, page: GivenPage, opts: argparse.Namespace) -> None:
        found = page.pruned().records(timeout=opts.timeout or None, min_confidence=opts.min_confidence)
        if not found.complete:
            complain("the time (--timeout) ran out: there may be more")
        self.exitcode = 0
        if not found:
            self.fail("no list of records found; --min-confidence 0 also shows unlikely ones")
            return
        if opts.list:
            write("".join(_lists(found)))
            return
        regions = found if opts.all else found[opts.region : opts.region + 1]
        if not regions:
            self.fail(f"--region is {opts.region}; the last is {len(found) - 1}")
            return
        if self._new_spider:
            self._write_spider(regions[0], page, self._new_spider)
            return
        lines, form = (_selectors, _TEXT) if opts.selectors else _FORMATS[opts.format]
        with self.writing():
            for number, region in enumerate(regions):
                if number and form != _JSON:
                    write("\n")
                for line in lines(region):
                    write(line, form)

    def _write_spider(self, region: DataRegion, page: GivenPage, name: str) -> None:
        """Write a spider that yields the records of the page."""
        source = None if page.url is None else spider_source(region, page.url, name)
        if source is None or len(_items(source, page)) != len(region.records):
            why = "a file needs --url" if page.url is None else "no selector selects exactly these records"
            self.fail(f"no spider: {why}; ListingSpider finds them without")
            return
        write(source)


def _items(source: str, page: GivenPage) -> list[dict[str, Any]]:
    """Return the items that a spider's source yields on a page."""
    names: dict[str, Any] = {}
    exec(compile(source, "<spider>", "exec"), names)  # it quotes what it takes from the page
    spider = next(value for key, value in names.items() if key.endswith("Spider"))()
    whole = HtmlResponse(page.url or "", body=page.body, encoding=page.encoding)
    return [item for item in spider.parse(prune_response(whole, page.settings)) if isinstance(item, dict)]


def _lists(regions: list[DataRegion]) -> Iterator[str]:
    for number, region in enumerate(regions):
        names = ", ".join(column.key for column in region.columns)
        about = f"{len(region.records)} records  confidence {region.confidence:.2f}  {region.xpath}"
        yield f"{number}  {about}\n   {names}\n"


def _table(region: DataRegion) -> Iterator[str]:
    rows = [[value or "" for value in record.fields] for record in region.records]
    names, columns = [column.key for column in region.columns], len(region.columns)
    lines = text_table(names, rows, left=columns, fit=terminal_width(), spare=range(columns - 1, 0, -1))
    yield f"{len(rows)} records, {counted(columns, 'column')}, confidence {region.confidence:.2f}, {region.xpath}\n\n"
    yield "\n".join(lines) + "\n"


def _csv(region: DataRegion) -> Iterator[str]:
    yield csv_line(column.key for column in region.columns)
    for record in region.records:
        yield csv_line(value or "" for value in record.fields)


def _json_lines(region: DataRegion) -> Iterator[str]:
    for fields, record in zip(region.rows(), region.records, strict=True):
        sublists = {"sublists": [one.rows() for one in record.sublists]} if record.sublists else {}
        yield json.dumps(fields | sublists, ensure_ascii=False) + "\n"


def _selectors(region: DataRegion) -> Iterator[str]:
    found = region_selectors(region)
    if found.record is None:
        yield "# no selector can select these records\n"
        return
    note = "" if found.exact else "  # selects more than the records"
    yield f"for record in response.css({found.record!r}):{note}\n    yield {{\n"
    for column in region.columns:
        selector = found.columns.get(column.key)
        if selector is None:
            yield f"        # {column.key}: no selector selects exactly this\n"
        else:
            code = _READINGS[selector.reading].format(selector.code)
            yield f"        {column.key!r}: {code},{_how_many(selector, min(len(region.records), COUNTED))}\n"
    yield "    }\n"


_READINGS: Final = {"first": "{}.get()", "joined": "' '.join({}.getall())", "list": "{}.getall()"}


def _how_many(selector: ColumnSelector, records: int) -> str:
    """Return a comment on a selector that selects a value in few records, or not in all that have one."""
    told = []
    if 2 * selector.right < records or selector.right < selector.filled:
        told.append(f"{selector.right} of {records} records")
    if selector.right < selector.filled:
        told.append(f"{selector.filled} have it")
    if selector.wrong:
        told.append(f"selects something else in {selector.wrong}")
    return f"  # {', '.join(told)}" if told else ""


_TEXT: Final = "text"
_JSON: Final = "json"
_FORMATS: Final[dict[str, tuple[Callable[[DataRegion], Iterator[str]], Form]]] = {
    "table": (_table, _TEXT),
    "csv": (_csv, "csv"),
    "jsonl": (_json_lines, _JSON),
}
