"""How much of a page's main content stays, where an XPath says which element that is.

    python -m benchmarks.main_content --data FOLDER --main '//main' [--sample 100] [--strategy auto] [--pages]

For pages without labels whose markup names the main content: the HTML documentation that comes with compilers and
packages, say. Of the words of that element, prints the share that stays; of the words outside of it, the share that
goes: means over the pages. `--pages` lists the worst ten with what they lost.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lxml import etree

from benchmarks.corpus import add_data_option, pages
from scrapy_tps import prune
from scrapy_tps.engine.html import document

if TYPE_CHECKING:
    from collections.abc import Sequence

_UNSEEN = ("script", "style", "template", "noscript")


def words(element: Any) -> Counter[str]:
    """The words of an element that a browser shows."""
    counted: Counter[str] = Counter()
    for part in element.iter(etree.Element):
        if part.tag not in _UNSEEN and part.text:
            counted.update(part.text.split())
    for part in element.iter():
        if part is not element and part.tail:
            counted.update(part.tail.split())
    return counted


def score(body: bytes, main: str, strategy: str) -> tuple[float, float, list[str]] | None:
    """Share of the main content that stays, share of the rest that goes, and what the main content lost.

    None where the page has no such element.
    """
    page = document.parse(document.read(body))
    found: list[Any] = page.root.xpath(main)
    if not found or page.body is None:
        return None
    wanted, place = words(found[0]), page.root.getroottree().getpath(found[0])
    rest = words(page.body) - wanted
    pruning = prune(body, settings={"TPS_STRATEGY": strategy})
    left = words(document.parse(pruning.html).root)
    lost = [f"{gone.rule}: {gone.text}" for gone in pruning.removed() if gone.xpath.startswith(f"{place}/")]
    kept = (wanted & left).total() / max(1, wanted.total())
    cleared = 1 - ((left - wanted) & rest).total() / max(1, rest.total())
    return kept, cleared, lost


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_data_option(parser, Path)
    parser.add_argument("--main", required=True, metavar="XPATH", help="the element of the main content")
    parser.add_argument("--strategy", default="auto")
    parser.add_argument("--pages", action="store_true", help="list the worst ten pages as well")
    chosen = parser.parse_args(argv)
    scores = [
        (*scored, path)
        for path, body in pages(chosen.data, chosen.sample)
        if (scored := score(body, chosen.main, chosen.strategy)) is not None
    ]
    if not scores:
        print(f"no page has {chosen.main}", file=sys.stderr)
        return 2
    kept, cleared = [one[0] for one in scores], statistics.fmean(one[1] for one in scores)
    print(
        f"{len(scores)} pages  main content kept {statistics.fmean(kept):.2%}, least {min(kept):.1%}, "
        f"below 95 % on {sum(share < 0.95 for share in kept)}  rest removed {cleared:.1%}"
    )
    if chosen.pages:
        for share, _, lost, path in sorted(scores, key=lambda one: one[0])[:10]:
            print(f"{share:.1%}  {path}")
            for text in lost[:5]:
                print(f"       {text[:100]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
