"""What pruning takes from pages without labels: records of the best list, and running text.

    python -m benchmarks.unlabelled --data FOLDER [--sample 200] [--strategy auto] [--pages 40]

The best list of records is sought on the page as downloaded. A record is lost where less than seven tenths of its
words that a browser shows are left on the page; running text are texts of 80 characters or more outside of links.
Both can be noise (menus, footers, notices), so the pages are listed, those with the surest list first: to be read.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.corpus import add_data_option, pages
from benchmarks.main_content import words
from scrapy_tps import extract_records, prune
from scrapy_tps.engine.html import document

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

LEFT = 0.7
RUNNING = 80


@dataclass(frozen=True, slots=True)
class Loss:
    """What a page lost: `lost` of the `records` of its best list, and the share of its running text."""

    confidence: float
    lost: int
    records: int
    running: float
    first: str


def loss(body: bytes, strategy: str) -> Loss | None:
    """Compare a page with what is left of it; None where it was kept whole."""
    pruning = prune(body, settings={"TPS_STRATEGY": strategy})
    page = document.parse(document.read(body))
    if not pruning.pruned or page.body is None:
        return None
    shown, left = words(page.body), words(pruning.root)
    best = next(iter(extract_records(body)), None)
    records = [] if best is None else [" ".join(filter(None, record.fields)) for record in best.records]
    lost = [record for record in records if is_lost(record, shown, left)]
    texts = [
        " ".join(str(text).split())
        for text in page.body.xpath(".//text()[not(ancestor::a or ancestor::script or ancestor::style)]")
    ]
    running = [text for text in texts if len(text) >= RUNNING]
    rest = " ".join(" ".join(map(str, pruning.root.xpath("//body//text()"))).split())
    gone = sum(len(text) for text in running if text not in rest)
    return Loss(
        0.0 if best is None else best.confidence,
        len(lost),
        len(records),
        gone / max(1, sum(map(len, running))),
        lost[0][:80] if lost else "",
    )


def is_lost(record: str, shown: Counter[str], left: Counter[str]) -> bool:
    """Whether too few of the words of a record that a page showed are left."""
    wanted = [word for word in re.findall(r"\S+", record) if word in shown]
    return sum(word in left for word in wanted) < LEFT * len(wanted)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_data_option(parser, Path)
    parser.add_argument("--strategy", default="auto")
    parser.add_argument(
        "--pages", type=int, default=0, help="list so many pages that lost records, and texts"
    )
    chosen = parser.parse_args(argv)
    losses = [
        (found, path)
        for path, body in pages(chosen.data, chosen.sample)
        if (found := loss(body, chosen.strategy)) is not None
    ]
    listed = [found for found, _ in losses if found.records]
    some = sorted(((found, path) for found, path in losses if found.lost), key=lambda one: -one[0].confidence)
    print(
        f"{len(losses)} pages pruned; {len(some)} of {len(listed)} best lists lost a record; running text removed "
        f"{sum(found.running for found, _ in losses) / max(1, len(losses)):.1%}"
    )
    for found, path in some[: chosen.pages]:
        print(f"{found.confidence:.2f}  {found.lost} of {found.records}  {path.name}  {found.first}")
    for found, path in sorted(losses, key=lambda one: -one[0].running)[: chosen.pages]:
        print(f"running text removed {found.running:.0%}  {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
