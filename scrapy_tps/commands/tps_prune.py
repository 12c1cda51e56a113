"""``scrapy tps-prune``: what the pruning makes of one page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_tps.commandline.page import PageCommand
from scrapy_tps.engine.html.document import writable_encoding
from scrapy_tps.report.account import account_json, account_text
from scrapy_tps.report.terminal import printable_json, printable_lines, write

if TYPE_CHECKING:
    import argparse

    from scrapy_tps.commandline.page import GivenPage
    from scrapy_tps.engine.pruning import Pruning

_ACCOUNTS = {"text": account_text, "json": account_json}


class Command(PageCommand):
    """Prune one page, from the web or from a file, and say what was done."""

    def short_desc(self) -> str:
        return "Show a page as spiders get it"

    def long_desc(self) -> str:
        return (
            "Write a page as spiders get it, and list the removed parts. Scrapy's downloader fetches a URL, with "
            "the settings of the project and of the spider that handles it; a FILE (- for standard input) needs no "
            "crawl. The page goes to standard output and the list to standard error, with -o the page to a file and "
            "the list to standard output. Exit status: 0 if there is a page, pruned or kept whole, 1 if it can't be "
            "read or isn't HTML, 2 if options are wrong."
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
        group.add_argument("--removed", action="store_true", help="list each removed part in the account")
        group.add_argument("--strategy", metavar="NAME", help="strategy, instead of TPS_STRATEGY")
        self.add_page_options(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        assert self.settings is not None
        if opts.strategy:
            self.settings.set("TPS_STRATEGY", opts.strategy, "cmdline")

    def show(self, page: GivenPage, opts: argparse.Namespace) -> None:
        pruning, body = page.pruned(), page.body
        if pruning.pruned:
            body = pruning.html.encode(writable_encoding(pruning.encoding), "xmlcharrefreplace")
        account = _ACCOUNTS[opts.format](pruning, removed=opts.removed)
        cleaned = printable_json if opts.format == "json" else printable_lines
        self.exitcode = 0
        if not opts.output:
            self._print(body, pruning)
            # last: on a terminal the page would push it out of sight
            sys.stderr.write(cleaned(account))
            return
        try:
            Path(opts.output).write_bytes(body)
        except OSError as error:
            self.fail(f"{opts.output} can't be written: {error.strerror}")
        else:
            sys.stdout.write(cleaned(account))

    def _print(self, body: bytes, pruning: Pruning) -> None:
        if sys.stdout.isatty():
            write(pruning.html)
            return
        try:
            sys.stdout.buffer.write(body)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            # the reader (`head`, say) has seen enough; Python would complain when it flushes at exit
            sys.stdout = None
