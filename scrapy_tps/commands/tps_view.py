"""``scrapy tps-view``: show the effect of pruning on one page."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from scrapy.exceptions import UsageError

from scrapy_tps.commandline.page_command import GivenPage, PageCommand, whole_number
from scrapy_tps.engine.html.document import writable_encoding
from scrapy_tps.engine.page_settings import PageSettings
from scrapy_tps.engine.prune import cut_again
from scrapy_tps.engine.pruned_page import page_of
from scrapy_tps.extensions import samples_file
from scrapy_tps.report.page_view import (
    account_json,
    account_text,
    compare_settings,
    render_prunings,
    write_view,
)
from scrapy_tps.settings.crawl import check_settings
from scrapy_tps.stats.database import StoreError
from scrapy_tps.stats.samples import SampleStore
from scrapy_tps.terminal import printable_json, terminal_width, text_table, write

if TYPE_CHECKING:
    import argparse

    from scrapy_tps.engine.pruned_page import Pruning


#: Other output formats of a page, for a terminal, a pipe or a file.
_FORMS: Final = {
    "text": "write as text what was removed, part by part, and why",
    "json": "write the same as JSON",
    "html": "write the page that spiders get",
    "markdown": "write the pruned page as Markdown with front matter; with --records, lists of records as tables",
}


class Command(PageCommand):
    """Show a page with its removed parts, as one HTML file in the browser."""

    def syntax(self) -> str:
        return "[options] URL|FILE|sample:NUMBER"

    def short_desc(self) -> str:
        return "Show which parts of a page scrapy-tps removes, and why"

    def long_desc(self) -> str:
        return (
            "Fetch a URL with Scrapy's downloader, or read a FILE (- for standard input), prune it with the project's "
            "settings and open one self-contained HTML file: the page with what goes and what stays, its tag path "
            "sequence, the figures. With --text, --json, --html or --markdown write that instead, to standard output "
            "or to a file. sample:NUMBER is a page that a crawl kept (TPS_SAMPLES), as that crawl pruned it; --samples "
            "lists them."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        group = parser.add_argument_group(title="View")
        group.add_argument(
            "--compare",
            metavar="STRATEGIES",
            help="strategies side by side, separated by commas, each with an optional size ratio: paper:0.3",
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
            help="list the pages that crawls kept, of SITE or of all sites, worst first",
        )
        group.add_argument("--records", action="store_true", help="mark lists of records and their columns")
        forms = group.add_mutually_exclusive_group()
        for form, meaning in _FORMS.items():
            forms.add_argument(f"--{form}", dest="form", action="store_const", const=form, help=meaning)
        group.add_argument(
            "-o",
            "--output",
            metavar="FILE",
            help="write to this file (default: a temporary one; with --text, --json … standard output)",
        )
        group.add_argument(
            "--no-browser", action="store_true", help="do not open the browser, print the file's name"
        )
        self.add_page_options(parser)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if opts.samples is not None:
            self._list_samples(opts.samples or None)
            return
        opts.compare = [entry for entry in (opts.compare or "").split(",") if entry.strip()]
        if opts.form and (opts.compare or opts.network):
            raise UsageError(f"--{opts.form} can't be used with --compare or --network", print_help=False)
        try:
            compare_settings(PageSettings(), opts.compare)
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from error
        if len(args) == 1 and args[0].startswith("sample:"):
            self._show_sample(args[0].removeprefix("sample:"), opts)
        else:
            opts.page = " ".join(args)
            super().run(args, opts)

    def _samples(self) -> SampleStore:
        try:
            check_settings(self.settings)
            file = samples_file(self.settings)
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from None
        return SampleStore(file, create=False)

    def _list_samples(self, site: str | None) -> None:
        try:
            with closing(self._samples()) as store:
                samples = store.samples(site)
                for told in store.unreadable:
                    self.fail(told)
        except StoreError as error:
            self.fail(str(error))
            return
        rows = [
            (
                f"sample:{one.number}",
                one.site,
                one.outcome,
                f"{one.badness:.0%}" if one.badness <= 1 else "",
                f"{one.taken:%Y-%m-%d %H:%M}",
                one.url,
            )
            for one in samples
        ]
        header = ("sample", "site", "outcome", "text gone", "taken (UTC)", "url")
        write("\n".join(text_table(header, rows, left=len(header), fit=terminal_width())) + "\n")

    def _show_sample(self, number: str, opts: argparse.Namespace) -> None:
        whole = whole_number("sample:NUMBER", number, low=1)
        try:
            with closing(self._samples()) as store:
                sample, pruning = store.load(whole)
        except StoreError as error:
            self.fail(str(error))
        else:
            page = page_of(pruning)
            if opts.compare:
                assert isinstance(page.source, bytes), "samples are"
                settings = self.page_settings(sample.url, opts)
                self.show(GivenPage(page.source, sample.url, page.origin.encoding, settings), opts)
                return
            if page.cut and opts.form in ("html", "markdown") and (again := cut_again(page)):
                page.root, journal = again
                page.cut = page.cut._replace(journal=journal)
            self._write([pruning], opts)

    def show(self, page: GivenPage, opts: argparse.Namespace) -> None:
        shown = page if opts.form else replace(page, url=page.url or opts.page)
        compared = compare_settings(page.settings, opts.compare) or [page.settings]
        each = (replace(one, needs_original=True) for one in compared)
        self._write([replace(shown, settings=one).pruned() for one in each], opts)

    def _write(self, prunings: list[Pruning], opts: argparse.Namespace) -> None:
        self.exitcode = 0
        try:
            with self.writing():
                if opts.form:
                    _write_form(prunings[0], opts)
                else:
                    text = render_prunings(prunings, network=opts.network, records=opts.records)
                    write(f"{write_view(text, opts.output, browser=not opts.no_browser)}\n")
        except (ImportError, ValueError) as error:
            self.fail(str(error))
        except OSError as error:
            self.fail(f"{opts.output}: {error.strerror}")


def _write_form(pruning: Pruning, opts: argparse.Namespace) -> None:
    if opts.output:
        Path(opts.output).write_bytes(_bytes(pruning, opts))
    elif sys.stdout.isatty():
        write(_text(pruning, opts))
    else:
        sys.stdout.buffer.write(_bytes(pruning, opts))


def _text(pruning: Pruning, opts: argparse.Namespace) -> str:
    if opts.form == "html":
        return pruning.html
    if opts.form == "markdown":
        return pruning.markdown(front_matter=True, records=opts.records)
    return account_text(pruning) if opts.form == "text" else printable_json(account_json(pruning))


def _bytes(pruning: Pruning, opts: argparse.Namespace) -> bytes:
    """Return the same for a file: a page in its own encoding, and unchanged if it was not pruned."""
    if opts.form != "html":
        return _text(pruning, opts).encode()
    if pruning.pruned:
        encoding = writable_encoding(page_of(pruning).origin.encoding)
        return pruning.html.encode(encoding, "xmlcharrefreplace")
    source = page_of(pruning).source
    assert isinstance(source, bytes), "it was fetched or read"
    return source
