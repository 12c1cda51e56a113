"""``scrapy tps-report``: the effect of pruning on each site, crawl by crawl."""

from __future__ import annotations

import json
from contextlib import closing
from importlib.metadata import distributions
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Final

from scrapy.exceptions import UsageError
from scrapy.utils.versions import get_versions

from scrapy_tps.commandline.page_command import TpsCommand, whole_number
from scrapy_tps.commandline.sources import Sources
from scrapy_tps.engine import native
from scrapy_tps.extensions import TEXT_REPORT_SITES, commands_of
from scrapy_tps.report.crawl_report import FORMATS, Report, report_html
from scrapy_tps.report.findings import site_warnings
from scrapy_tps.report.page_view import write_view
from scrapy_tps.report.selector_report import selectors_text
from scrapy_tps.report.selfcontained import MissingExtra
from scrapy_tps.report.summary import summarise
from scrapy_tps.settings.crawl import check_settings
from scrapy_tps.stats.database import StoreError
from scrapy_tps.stats.evidence import gather
from scrapy_tps.stats.figures import merged
from scrapy_tps.terminal import Form, terminal_width, write

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from scrapy_tps.commandline.sources import Source
    from scrapy_tps.report.summary import Summary
    from scrapy_tps.stats.coverage import UseRow

#: Formats of the command: as the report module calls them, and how they are written.
_FORMATS: Final[dict[str, tuple[str, Form]]] = {
    "table": ("txt", "text"),
    "json": ("json", "json"),
    "csv": ("csv", "csv"),
}

#: Exit code of ``--fail-on-findings`` if there are findings; 1 and 2 are failures and wrong use.
LOOK = 3


class Command(TpsCommand):
    """Show the per-site figures of crawls in ``TPS_STATS_FILE``."""

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "[options] [CRAWL]"

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
        group.add_argument(
            "--format", choices=sorted(_FORMATS), default="table", help="output format (default: table)"
        )
        what = group.add_mutually_exclusive_group()
        what.add_argument("--list", action="store_true", help="list the crawls, not the sites")
        what.add_argument(
            "--selectors",
            action="store_true",
            help="list the selectors of callbacks, not the sites: how often each was evaluated and matched; with "
            "--wrong only those that look wrong",
        )
        what.add_argument(
            "--fields",
            action="store_true",
            help="list the fields of items, not the sites: in how many each was filled, and how many values it had; "
            "with --wrong only those that look wrong",
        )
        group.add_argument("--limit", metavar="N", help="show the first N sites only")
        group.add_argument(
            "--fail-on-findings", action="store_true", help=f"exit with {LOOK} if the summary has findings"
        )
        group.add_argument("--wrong", action="store_true", help="show only the sites that look wrong")
        what.add_argument("--html", metavar="FILE", help="write one self-contained HTML file, and open it")
        group.add_argument(
            "--no-browser",
            action="store_true",
            help="with --html: do not open the browser, print the file's name",
        )
        group.add_argument(
            "--distributed",
            action="store_true",
            help="read distributed crawls from TPS_STORE; CRAWL is then the name of one",
        )
        what.add_argument(
            "--delete", metavar="CRAWL", help="delete the crawl with this number from TPS_STATS_FILE"
        )
        what.add_argument(
            "--keep-last",
            metavar="N",
            help="delete all crawls from TPS_STATS_FILE except the last N of each spider",
        )
        what.add_argument(
            "--version", action="store_true", help="show versions, and whether the native core is used"
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if opts.version:
            write(versions())
            return
        self._check(args, opts)
        try:
            opts.selector_pages = check_settings(self.settings)["TPS_SELECTOR_PAGES"]
            sources = Sources(self.settings, distributed=opts.distributed)
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from None
        try:
            with self.writing(), closing(sources):
                summary = self._show(sources, args, opts)
                for told in sources.unreadable:
                    self.fail(told)
                if opts.fail_on_findings and summary is not None and summary.findings:
                    self.exitcode = LOOK
        except (StoreError, MissingExtra) as error:
            self.fail(str(error))

    def _show(self, sources: Sources, args: list[str], opts: argparse.Namespace) -> Summary | None:
        if opts.delete is not None or opts.keep_last is not None:
            for title in sources.delete(opts.delete, keep_last=opts.keep_last or 0):
                write(f"Deleted: {title}\n")
            return None
        if opts.list:
            for title, about in sources.listed():
                write((json.dumps(about) if opts.format == "json" else title) + "\n")
            return None
        source = sources.one(args[0] if args else None)
        if opts.html:
            return self._html(source, opts)
        if opts.selectors or opts.fields:
            self._selectors(source, opts)
            return None
        report = self._report_on(source, opts)
        name, form = _FORMATS[opts.format]
        for piece in FORMATS[name](report):
            write(piece, form)
        return report.summary

    def _check(self, args: list[str], opts: argparse.Namespace) -> None:
        """Raise ``UsageError`` for arguments and options that can't be combined."""
        if any(argument.startswith("-") for argument in args):
            raise UsageError(f"unexpected arguments: {' '.join(args)}")
        deletes = opts.delete is not None or opts.keep_last is not None
        listed = "--fields" if opts.fields else "--selectors" if opts.selectors else ""
        wrong = [
            (len(args) > 1, "give one CRAWL"),
            ((deletes or opts.list) and args, "--list, --delete and --keep-last take no CRAWL"),
            (
                deletes and opts.distributed,
                "distributed crawls can't be deleted; the store does so after 30 days",
            ),
            (listed and opts.format != "table", f"{listed} is a table; without it, JSON has the same"),
            (
                listed and opts.fail_on_findings,
                f"{listed} has no summary, so --fail-on-findings can't be used",
            ),
        ]
        if messages := [message for given, message in wrong if given]:
            raise UsageError(messages[0])
        for name, low in (("limit", 0), ("delete", 1), ("keep_last", 0)):
            if (value := getattr(opts, name)) is not None:
                setattr(opts, name, whole_number(f"--{name.replace('_', '-')}", value, low=low))

    def _selectors(self, source: Source, opts: argparse.Namespace) -> None:
        """Print the figures of the selectors, or of the fields."""
        evidence = gather(source.uses(), source.earlier(), opts.selector_pages)
        rows: Iterable[UseRow] = (
            (one.row for one in evidence.troubles.values()) if opts.wrong else source.uses()
        )
        rows = islice((row for row in rows if bool(row.item) == opts.fields), opts.limit)
        kind = "Fields" if opts.fields else "Selectors"
        title = f"{kind}{' that look wrong' * opts.wrong} of {source.title}"
        for piece in selectors_text(title, rows, evidence):
            write(piece)

    def _html(self, source: Source, opts: argparse.Namespace) -> Summary | None:
        report = self._report_on(source, opts)
        try:
            path = write_view(report_html(report), opts.html, browser=not opts.no_browser)
        except OSError as error:
            self.fail(f"{error.filename}: {error.strerror}")
            return None
        write(f"{path}\n")
        return report.summary

    def _report_on(self, source: Source, opts: argparse.Namespace) -> Report:
        total = merged(figures for _, figures in source.sites())
        summary = summarise(
            total,
            source.sites(),
            commands=commands_of(self.settings, source.spider, source.about.get("distributed_crawl")),
            listed=TEXT_REPORT_SITES,
            evidence=gather(source.uses(), source.earlier(), opts.selector_pages),
        )
        listed = summary.evidence.of_sites(source.sites())
        return Report(
            title=source.title,
            about=source.about,
            total=total,
            sites=islice((pair for pair in listed if not opts.wrong or site_warnings(pair[1])), opts.limit),
            summary=summary,
            site_count=summary.wrong_sites if opts.wrong else summary.sites,
            uses=source.uses(),
            width=terminal_width(),
        )


def versions() -> str:
    """Return the versions of what a page goes through, one per line, and whether the native core is used."""
    core = "used" if native.AVAILABLE else f"not used: {native.REASON}"
    own = [("scrapy-tps", one.version) for one in distributions(name="scrapy-tps")][:1]
    found = [*own, *get_versions(), ("native core", core)]
    return "".join(f"{name:12} {text}\n" for name, text in found)
