"""How much of what pruning removed stays away from specific selections, now that the original answers some of them.

    python -m benchmarks.asking_noise --data ../shared/data/testbed [--sample 50] [--strategy auto]
    python -m benchmarks.asking_noise --demo [--sample 50]

Of the demo sites, the pages of each that links lead to from where its spider starts, ``--sample`` of them at most.

Every class of a page that is both on what stays and on what goes is selected (``.class``): those are the carousels,
sidebar lists and related items whose entries look like the records, and rests of lists as well. Beside each other: the
share of the elements that went which the selection does not give, without ``TPS_ASK`` and with it; and the share of
selections that the original answered. Once for selections that find one element on the pruned page (a heading, a
price), once for those that find several (a list). Then the same for ``a``, ``p``, ``img``, ``*::text``.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urljoin, urlsplit

from cssselect import SelectorError
from scrapy.http import HtmlResponse

from benchmarks.corpus import pages
from scrapy_tps import prune_response

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PROJECT = Path(__file__).resolve().parent.parent / "example_project"
#: Where the spiders of the demo sites start.
STARTS = (
    *("http://shop.example/c/headphones", "http://search.example/search?q=parish", "http://forum.example/"),
    *("http://archive.example/new", "http://jobs.example/jobs", "http://news.example/"),
)
GENERIC = ("a", "p", "img", "*::text")


def measure(body: bytes, strategy: str, figures: Counter[str]) -> None:
    """Add what one page gives."""
    response = HtmlResponse("http://page.example/", body=body)
    settings = {"TPS_STRATEGY": strategy}
    alone = prune_response(response, {**settings, "TPS_ASK": False})
    if not alone.tps.pruned:
        return
    asking = prune_response(response, settings)
    figures["pages"] += 1
    names = {word for value in alone.css("body *::attr(class)").getall() for word in value.split()}
    for query in (*(f".{word}" for word in sorted(names) if word.isidentifier()), *GENERIC):
        try:
            left, whole = len(alone.css(query)), len(response.css(query))
        except (SelectorError, ValueError):
            continue
        if not left or whole <= left:
            continue
        given = len(asking.css(query))
        kind = "generic" if query in GENERIC else "one" if left == 1 else "several"
        figures[f"{kind} selections"] += 1
        figures[f"{kind} answered"] += given > left
        figures[f"{kind} gone"] += whole - left
        figures[f"{kind} given"] += given - left
    figures["parsed"] += asking.tps.asked.parsed


def pages_of(site: Any, start: str) -> Iterator[bytes]:
    """The pages of a demo site, those nearest to the start first."""
    waiting = [start]
    seen = set(waiting)
    for url in waiting:
        parts = urlsplit(url)
        text = site.page(unquote(parts.path), dict(parse_qsl(parts.query)))
        if text is None:
            continue
        yield text.encode()
        links = HtmlResponse(url, body=text.encode(), encoding="utf-8").css("a::attr(href)").getall()
        found = [urljoin(url, link).partition("#")[0] for link in links]
        news = [one for one in dict.fromkeys(found) if urlsplit(one).netloc == site.host and one not in seen]
        seen.update(news)
        waiting += news


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    of_what = parser.add_mutually_exclusive_group(required=True)
    of_what.add_argument("--data", type=Path, help="folder of *.html or *.html.gz files")
    of_what.add_argument("--demo", action="store_true", help="the demo sites of the example project")
    parser.add_argument("--sample", type=int, help="measure only so many pages")
    parser.add_argument("--strategy", default="auto")
    chosen = parser.parse_args()
    if not chosen.demo:
        report("all", (body for _, body in pages(chosen.data, chosen.sample)), chosen.strategy)
        return
    sys.path.insert(0, str(PROJECT))
    from demo.sites import SITES  # noqa: PLC0415 (of the example project)

    for start in STARTS:
        site = SITES[str(urlsplit(start).hostname)]
        report(site.host, islice(pages_of(site, start), chosen.sample), chosen.strategy)


def report(name: str, bodies: Iterable[bytes], strategy: str) -> None:
    """Measure pages, and print what they give."""
    figures: Counter[str] = Counter()
    for body in bodies:
        measure(body, strategy, figures)
    print(f"{name}: {figures['pages']} pruned pages")
    print("finds     selections  by the original  went   stays away before  after")
    for kind in ("one", "several", "generic"):
        selections, gone = figures[f"{kind} selections"], figures[f"{kind} gone"]
        if gone:
            answered, away = figures[f"{kind} answered"] / selections, 1 - figures[f"{kind} given"] / gone
            print(f"{kind:9} {selections:10} {answered:15.1%} {gone:6} {'100.0%':>18} {away:6.1%}")


if __name__ == "__main__":
    main()
