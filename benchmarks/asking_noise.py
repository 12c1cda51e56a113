"""How much of what pruning removed stays away from specific selections, now that the original answers some of them.

    python -m benchmarks.asking_noise --data ../shared/data/testbed [--sample 50] [--strategy auto]

Every class of a page that is both on what stays and on what goes is selected (``.class``): those are the carousels,
sidebar lists and related items whose entries look like the records, and rests of lists as well. Beside each other: the
share of the elements that went which the selection does not give, without ``TPS_ASK`` and with it; and the share of
selections that the original answered. Once for selections that find one element on the pruned page (a heading, a
price), once for those that find several (a list). Then the same for ``a``, ``p``, ``img``, ``*::text``.

"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from cssselect import SelectorError
from scrapy.http import HtmlResponse

from benchmarks.corpus import add_data_option, pages
from scrapy_tps import prune_response

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


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_data_option(parser, Path)
    parser.add_argument("--strategy", default="auto")
    chosen = parser.parse_args()
    figures: Counter[str] = Counter()
    for _, body in pages(chosen.data, chosen.sample):
        measure(body, chosen.strategy, figures)
    print(f"{figures['pages']} pruned pages")
    print("finds     selections  by the original  went   stays away before  after")
    for kind in ("one", "several", "generic"):
        selections, gone = figures[f"{kind} selections"], figures[f"{kind} gone"]
        if gone:
            answered, away = figures[f"{kind} answered"] / selections, 1 - figures[f"{kind} given"] / gone
            print(f"{kind:9} {selections:10} {answered:15.1%} {gone:6} {'100.0%':>18} {away:6.1%}")


if __name__ == "__main__":
    main()
