"""Score the installed scrapy_tps on the labelled pages that ship with the project.

    python -m benchmarks.quality                        every strategy, against its floors
    python -m benchmarks.quality --strategy auto        one of them (may be given several times)
    python -m benchmarks.quality --pages                a line per page as well, worst first
    python -m benchmarks.quality --page NAME            one page, with what is missing and what remains
    python -m benchmarks.quality --set TPS_SIZE_RATIO=0.5
    python -m benchmarks.quality --update-floors        raise the floors to these figures; never lowers one

Exit status 1 when a figure is below its floor, 2 for a wrong argument. Figures made with ``--set``, or of
some pages only, are not held against the floors.
"""

from __future__ import annotations

import argparse
import platform
import sys
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from lxml import etree

from scrapy_tps import prune

from . import floors
from .few import pages_of_few
from .labels import LabelledPage, labelled_pages
from .measures import Score, score, summary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STRATEGIES = ("auto", "aggressive", "tps", "paper")


def versions() -> str:
    """Date and versions that figures depend on."""
    try:
        ours = version("scrapy-tps")
    except PackageNotFoundError:
        ours = "(not installed)"
    libxml2 = ".".join(map(str, etree.LIBXML_VERSION))
    return (
        f"{date.today().isoformat()}, scrapy-tps {ours}, lxml {version('lxml')}, libxml2 {libxml2}, "
        f"Python {platform.python_version()}"
    )


def scores_of(pages: Sequence[LabelledPage], settings: Mapping[str, str]) -> list[Score]:
    """Prune and score every page."""
    return [
        score(page, prune(page.body, url=page.url, encoding=page.encoding, settings=settings).html)
        for page in pages
    ]


def print_pages(scores: Sequence[Score], *, snippets: bool) -> None:
    """A line per page, pages that lost most first."""
    for one in sorted(scores, key=lambda one: (one.recall, one.noise_removed or 0.0)):
        noise = "-" if one.noise_removed is None else f"{one.noise_removed:.0%}"
        print(
            f"    {one.page.name:28} {one.page.kind:13} {one.survived:3}/{one.records:3} records, "
            f"{one.values_kept:4}/{one.values:4} values, noise removed {noise:>4}"
            + (f", missing {one.missing}" if one.missing else "")
            + (f", remaining {one.remaining}" if snippets and one.remaining else "")
        )


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.quality",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--strategy", action="append", metavar="NAME", help=f"default: {', '.join(STRATEGIES)}"
    )
    parser.add_argument("--pages", action="store_true", help="a line per page as well, worst first")
    parser.add_argument(
        "--page", action="append", default=[], metavar="NAME", help="only this page, with snippets"
    )
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a TPS_* setting")
    parser.add_argument("--update-floors", action="store_true", help="raise the floors to these figures")
    parser.add_argument("--floors", type=Path, default=floors.FLOORS, help="file of the floors")
    chosen = parser.parse_args(argv)
    if chosen.update_floors and (chosen.page or chosen.set):
        parser.error("floors come from every page and the default settings: leave out --page and --set")
    return chosen


def main(argv: Sequence[str] | None = None) -> int:
    chosen = arguments(argv)
    whole = list(labelled_pages())
    pages = [*whole, *pages_of_few(whole)]
    if unknown := set(chosen.page) - {page.name for page in pages}:
        print(f"no such page: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    pages = [page for page in pages if not chosen.page or page.name in chosen.page]
    settings = dict(pair.partition("=")[::2] for pair in chosen.set)
    print(f"{len(pages)} labelled pages; {versions()}")
    figures = {}
    for strategy in chosen.strategy or STRATEGIES:
        scores = scores_of(pages, {"TPS_STRATEGY": strategy} | settings)
        for pages_of in sorted({page.set for page in pages}):
            name = strategy if pages_of == "first" else f"{strategy}, {pages_of}"
            figures[name] = summary(one for one in scores if one.page.set == pages_of)
            print(
                f"{name:20}"
                + "  ".join(f"{measure} {figure:7.2%}" for measure, figure in figures[name].items())
            )
        if chosen.pages or chosen.page:
            print_pages(scores, snippets=bool(chosen.page))
    if chosen.page or chosen.set:
        return 0
    least = floors.read(chosen.floors)
    if chosen.update_floors:
        floors.write(floors.raised(figures, least), chosen.floors)
    failures = floors.below(figures, least)
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
