"""``scrapy tps-report``: what the pruning did to each site, crawl by crawl."""

from __future__ import annotations

import heapq
import json
import platform
import sqlite3
import sys
import webbrowser
from contextlib import closing
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from scrapy_tps.commandline.values import whole_number
from scrapy_tps.engine import native
from scrapy_tps.report.columns import COLUMNS, sort_key
from scrapy_tps.report.comparison import (
    compare,
    comparison_csv,
    comparison_json,
    comparison_text,
    judge_comparison,
)
from scrapy_tps.report.crawl import FORMATS, about_crawl, crawl_title
from scrapy_tps.report.html import report_html
from scrapy_tps.report.model import Report
from scrapy_tps.report.queries import QUERY_COLUMNS, queries_csv, queries_json, queries_text, query_order
from scrapy_tps.report.selfcontained import MissingExtra
from scrapy_tps.report.terminal import Form, complain, write
from scrapy_tps.report.verdict import judge
from scrapy_tps.report.view import write_samples
from scrapy_tps.settings.crawl import check_settings
from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.stats.database import StoreError
from scrapy_tps.stats.figures import SiteFigures
from scrapy_tps.stats.samples import SampleStore
from scrapy_tps.stats.store import FiguresStore
from scrapy_tps.statscollectors import MOST_STOPPED, TEXT_REPORT_SITES, in_data_directory

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from scrapy_tps.report.verdict import Verdict
    from scrapy_tps.stats.queries import QueryRow
    from scrapy_tps.stats.samples import Sample
    from scrapy_tps.stats.store import Crawl

#: Formats of the command, as the report module calls them.
_FORMATS = {"table": "txt", "json": "json", "csv": "csv"}
_WRITTEN_AS: Final[dict[str, Form]] = {"table": "text", "json": "json", "csv": "csv"}

#: Exit code of ``--fail-on-findings`` where there is something to look at; 1 and 2 are failures and wrong use.
LOOK = 3

_SEVERAL = " (of one crawl, or of several with --html FILE; --compare A B holds two against each other)"


class Command(ScrapyCommand):
    """Show the per-site figures of crawls that are kept in ``TPS_STATS_FILE``."""

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "[options] [CRAWL], or [options] --html FILE [CRAWL …]"

    def short_desc(self) -> str:
        return "Show what scrapy-tps removed, site by site"

    def long_desc(self) -> str:
        return (
            "Show what scrapy-tps removed, site by site, in the last crawl or in CRAWL: the number of a "
            "crawl, or the name of a spider for its last one. A running crawl shows what it has written."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        group = parser.add_argument_group(title="Report")
        group.add_argument("--all", action="store_true", help="add up all crawls")
        group.add_argument("--list", action="store_true", help="list the crawls, not the sites")
        group.add_argument("--compare", nargs=2, metavar=("A", "B"), help="compare two crawls")
        group.add_argument(
            "--format", choices=sorted(_FORMATS), default="table", help="output format (default: table)"
        )
        group.add_argument(
            "--queries",
            action="store_true",
            help="list the queries of callbacks, not the sites: how often each was asked and found something; with "
            "--wrong only those that find nothing any more",
        )
        group.add_argument(
            "--sort",
            metavar="COLUMN",
            help=f"sort sites by site, {', '.join(COLUMNS)} (default: pages), or queries by site, callback, query, "
            f"{', '.join(QUERY_COLUMNS)} (default: those first that have found nothing for longest)",
        )
        group.add_argument("--reverse", action="store_true", help="sort the other way round")
        group.add_argument("--limit", metavar="N", help="show the first N sites only")
        group.add_argument(
            "--fail-on-findings",
            action="store_true",
            help=f"exit with {LOOK} when the verdict names something to look at",
        )
        group.add_argument("--wrong", action="store_true", help="show only the sites that look wrong")
        group.add_argument(
            "--html",
            metavar="FILE",
            help="write one self-contained HTML file on CRAWL, or on several CRAWLs compared, and open it",
        )
        group.add_argument(
            "--samples",
            metavar="FOLDER",
            help="with --html: write the views of the pages that crawls kept (TPS_SAMPLES) to FOLDER, and link them",
        )
        group.add_argument(
            "--no-browser",
            action="store_true",
            help="with --html: do not open the browser, print the file's name",
        )
        group.add_argument("--file", metavar="FILE", help="read this file instead of TPS_STATS_FILE")
        group.add_argument(
            "--version", action="store_true", help="show versions, and whether the native core is used"
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if opts.version:
            self._print(versions())
            return
        self._check(args, opts)
        assert self.settings is not None
        try:
            check_settings(self.settings)
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from None
        try:
            with closing(self._open(opts.file)) as store:
                verdict = self._show(store, args, opts)
                self._tell_unreadable(store)
        except (StoreError, MissingExtra) as error:
            self._fail(str(error))
        except BrokenPipeError:
            # The reader (`head`, say) has seen enough; Python would complain when it flushes at exit.
            sys.stdout = None
        else:
            if opts.fail_on_findings and verdict is not None and verdict.findings:
                self.exitcode = LOOK

    def _show(self, store: FiguresStore, args: list[str], opts: argparse.Namespace) -> Verdict | None:
        if opts.html:
            return self._html(store, args, opts)
        if opts.list:
            self._list(store, opts.format)
            return None
        if opts.queries:
            self._queries(store, args[0] if args else None, opts)
            return None
        if opts.compare:
            return self._compare(store, opts)
        return self._report(store, args[0] if args else None, opts)

    def _check(self, args: list[str], opts: argparse.Namespace) -> None:
        if (len(args) > 1 and not opts.html) or any(argument.startswith("-") for argument in args):
            several = "" if any(argument.startswith("-") for argument in args) else _SEVERAL
            raise UsageError(f"unexpected arguments: {' '.join(args)}{several}")
        if bool(args) + opts.all + opts.list + bool(opts.compare) > 1:
            raise UsageError("give only one of CRAWL, --all, --list, --compare")
        if opts.html and opts.list:
            raise UsageError("--list has no HTML")
        if opts.limit is not None:
            opts.limit = whole_number("--limit", opts.limit, low=0)
        for name in (*args, *(opts.compare or ())):
            _crawl_number(name)
        if opts.queries and (opts.html or opts.list or opts.compare):
            raise UsageError("--queries goes with none of --html, which has them, --list and --compare")
        if opts.queries and opts.fail_on_findings:
            raise UsageError("--queries has no verdict: --fail-on-findings goes without it")
        try:
            if opts.queries:
                query_order(opts.sort)
            else:
                opts.sort = opts.sort or "pages"
                sort_key(opts.sort)
        except ValueError as error:
            raise UsageError(f"--sort: {error}") from None

    def _open(self, file: str | None) -> FiguresStore:
        assert self.settings is not None
        if file is not None:
            return FiguresStore(file, create=False)
        path = crawl_setting(self.settings, "TPS_STATS_FILE")
        if path is None:
            raise StoreError("TPS_STATS_FILE is None: crawls keep no figures; name a file with --file")
        return FiguresStore(in_data_directory(path), create=False)

    def _report(self, store: FiguresStore, name: str | None, opts: argparse.Namespace) -> Verdict:
        opts.query_pages = self._query_pages()
        report = _report_on_all(store, opts) if opts.all else _report_on(store, _find(store, name), opts)
        for piece in FORMATS[_FORMATS[opts.format]](report):
            self._print(piece, opts.format)
        return report.verdict

    def _queries(self, store: FiguresStore, name: str | None, opts: argparse.Namespace) -> None:
        """Print how the queries did."""
        pages = self._query_pages()
        if opts.all:
            crawl, title, about = None, f"{len(store.crawls())} crawls", {}
        else:
            found = _find(store, name)
            crawl, title, about = found.id, crawl_title(found), about_crawl(found)
        rows: Iterable[QueryRow] = store.queries(crawl, broken=pages if opts.wrong else 0)
        if opts.wrong and not pages:
            rows = ()  # TPS_QUERY_PAGES is 0: nothing counts as wrong
        if order := query_order(opts.sort):
            rows = sorted(rows, key=order)
        if opts.reverse:
            rows = reversed(list(rows))
        rows = islice(rows, opts.limit)
        if opts.format == "json":
            pieces = queries_json(about, rows, pages)
        elif opts.format == "csv":
            pieces = queries_csv(rows, pages)
        else:
            pieces = queries_text(f"Queries of {title}", rows, pages)
        for piece in pieces:
            self._print(piece, opts.format)

    def _query_pages(self) -> int:
        assert self.settings is not None
        pages: int = crawl_setting(self.settings, "TPS_QUERY_PAGES")
        return pages

    def _html(self, store: FiguresStore, names: list[str], opts: argparse.Namespace) -> Verdict | None:
        comparison = None
        opts.query_pages = self._query_pages()
        if opts.all:
            reports = [_report_on_all(store, opts)]
        else:
            crawls = [_find(store, name) for name in opts.compare or names or [None]]
            reports = [_report_on(store, crawl, opts) for crawl in crawls]
            if len(crawls) > 1:
                changes = compare(store.sites(crawls[0].id), store.sites(crawls[-1].id))
                comparison = judge_comparison(changes, crawls[-1].spider)
        path = Path(opts.html)
        try:
            samples, links = self._samples(path, opts.samples)
            text = report_html(reports, comparison=comparison, samples=samples, links=links)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            self._fail(f"{error.filename}: {error.strerror}")
            return None
        if not opts.no_browser:
            webbrowser.open(path.resolve().as_uri())
        self._print(f"{path}\n")
        return comparison or reports[0].verdict

    def _samples(self, report: Path, folder: str | None) -> tuple[list[Sample], dict[int, str]]:
        """Return the pages that crawls kept and, where a folder is given, links to views written there."""
        assert self.settings is not None
        file = in_data_directory(crawl_setting(self.settings, "TPS_SAMPLES_FILE"))
        if folder is None and not file.is_file():
            return [], {}
        with closing(SampleStore(file)) as store:
            samples = store.samples()
            return samples, write_samples(store, samples, Path(folder), report.parent) if folder else {}

    def _compare(self, store: FiguresStore, opts: argparse.Namespace) -> Verdict:
        first, second = (_find(store, name) for name in opts.compare)
        changes = compare(store.sites(first.id), store.sites(second.id))
        verdict = judge_comparison(changes, second.spider)
        if opts.format == "json":
            self._print(
                comparison_json((about_crawl(first), about_crawl(second)), changes[: opts.limit], verdict),
                "json",
            )
        elif opts.format == "csv":
            self._print(comparison_csv(changes[: opts.limit]), "csv")
        else:
            self._print(
                comparison_text((crawl_title(first), crawl_title(second)), changes, verdict, opts.limit)
            )
        return verdict

    def _list(self, store: FiguresStore, form: str) -> None:
        for crawl in store.crawls():
            self._print((json.dumps(about_crawl(crawl)) if form == "json" else crawl_title(crawl)) + "\n")

    def _tell_unreadable(self, store: FiguresStore) -> None:
        """Say which rows of the file are not in the report."""
        for message in store.unreadable:
            self._fail(message)

    def _print(self, text: str, form: str = "table") -> None:
        write(text, _WRITTEN_AS[form])

    def _fail(self, message: str) -> None:
        complain(message)
        self.exitcode = 1


def _report_on(store: FiguresStore, crawl: Crawl, opts: argparse.Namespace) -> Report:
    return _report_of(store, crawl.id, crawl_title(crawl), about_crawl(crawl), opts, spider=crawl.spider)


def _report_on_all(store: FiguresStore, opts: argparse.Namespace) -> Report:
    crawls = store.crawls()
    about = {"crawls": [about_crawl(crawl) for crawl in crawls]}
    return _report_of(store, None, f"{len(crawls)} crawls", about, opts)


def _report_of(
    store: FiguresStore,
    crawl: int | None,
    title: str,
    about: dict[str, Any],
    opts: argparse.Namespace,
    *,
    spider: str | None = None,
) -> Report:
    total, sites = SiteFigures(), 0
    for _, figures in store.sites(crawl):
        total.merge(figures)
        sites += 1
    pages = opts.query_pages
    verdict = judge(
        total,
        store.sites(crawl, doubtful=True),
        spider=spider,
        listed=TEXT_REPORT_SITES,
        stopped=store.queries(crawl, limit=MOST_STOPPED, broken=pages) if pages else (),
    )
    return Report(
        title=title,
        about=about,
        total=total,
        sites=_chosen(store.sites(crawl, doubtful=opts.wrong), opts),
        verdict=verdict,
        site_count=verdict.wrong_sites if opts.wrong else sites,
        queries=store.queries(crawl),
        query_pages=pages,
    )


def _find(store: FiguresStore, name: str | None) -> Crawl:
    number = None if name is None else _crawl_number(name)
    return store.last_crawl(name) if number is None else store.crawl(number)


def _crawl_number(name: str) -> int | None:
    """The number of a crawl that an argument gives; None where it is the name of a spider."""
    return whole_number("CRAWL", name, low=1) if name.isdecimal() else None


def _chosen(
    sites: Iterable[tuple[str, SiteFigures]], opts: argparse.Namespace
) -> Iterable[tuple[str, SiteFigures]]:
    key = sort_key(opts.sort)
    if opts.limit is None:
        return sorted(sites, key=key, reverse=opts.reverse)
    pick = heapq.nlargest if opts.reverse else heapq.nsmallest
    return pick(opts.limit, sites, key=key)


def versions() -> str:
    """Versions of what a page goes through, one per line, and whether the native core is used."""
    core = "used" if native.AVAILABLE else f"not used but pure Python: {native.REASON}"
    packages = ("scrapy-tps", "Scrapy", "parsel", "lxml", "w3lib", "itemadapter", "tldextract")
    lines = [f"{package:12} {_version(package)}" for package in packages]
    lines += [f"{'Python':12} {platform.python_version()}", f"{'SQLite':12} {sqlite3.sqlite_version}"]
    return "\n".join([*lines, f"{'native core':12} {core}"]) + "\n"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
