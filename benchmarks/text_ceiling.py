"""What a strategy could reach on WCXB if it knew the labels: word F1 with every record group left whole.

    python -m benchmarks.text_ceiling --data ../shared                    `auto`, every page
    python -m benchmarks.text_ceiling --data ../shared --every 5 --strategy tps

Three figures for each type of page, means over its pages: F1 as it is; F1 after every part outside of the protected
records whose removal does not lower it has gone as well (from the largest part to the smallest); and the same after
every removed span whose return raises F1 has come back first. `--data` names a folder with `data` and `bench`.
"""

from __future__ import annotations

import argparse
import importlib
import re
import statistics
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_tps.engine import native
from scrapy_tps.engine.cutting import kept_mask
from scrapy_tps.engine.html import document
from scrapy_tps.engine.sequence.columns import TEXT_OF
from scrapy_tps.engine.strategies import Selection, load_strategy
from scrapy_tps.settings.definitions import page_settings

if TYPE_CHECKING:
    from scrapy_tps.engine.sequence.columns import TagPathSequence

_WORD = re.compile(r"\w+")


class Words:
    """The words of a page, node by node, and how those that are kept fit the labelled text."""

    def __init__(self, sequence: TagPathSequence, mask: bytearray, wanted: Counter[str]) -> None:
        self.end, self.wanted, self.size_wanted = sequence.end, wanted, wanted.total()
        self.of_node: list[Counter[str] | None] = [None] * len(sequence)
        nodes, kinds = sequence.nodes, sequence.kinds
        for index in range(len(sequence)):
            if kinds[index]:
                text = nodes[index].text if kinds[index] == TEXT_OF else nodes[index].tail
                self.of_node[index] = Counter(_WORD.findall(text.lower()))
        self.alive = bytearray(mask)
        self.kept = self.between(0, len(sequence), alive=1)
        self.size = self.kept.total()
        self.common = (self.kept & wanted).total()

    def between(self, start: int, end: int, *, alive: int) -> Counter[str]:
        """The words of the nodes [start, end) that are kept, or of those that are not."""
        found: Counter[str] = Counter()
        for index in range(start, end):
            words = self.of_node[index]
            if words and self.alive[index] == alive:
                found.update(words)
        return found

    @property
    def f1(self) -> float:
        total = self.size + self.size_wanted
        return 2 * self.common / total if total else 1.0

    def change(self, start: int, end: int, *, stays: bool) -> bool:
        """Keep or remove nodes [start, end) where that does no harm (to keep: where it does good)."""
        words = self.between(start, end, alive=not stays)
        if not words:
            return True
        sign = 1 if stays else -1
        common = self.common
        for word, count in words.items():
            before, wanted = self.kept[word], self.wanted[word]
            common += min(before + sign * count, wanted) - min(before, wanted)
        size = self.size + sign * words.total()
        after = 2 * common / (size + self.size_wanted) if size + self.size_wanted else 1.0
        if after < self.f1 or (stays and after == self.f1):
            return False
        for word, count in words.items():
            self.kept[word] += sign * count
        self.size, self.common = size, common
        self.alive[start:end] = bytes([stays]) * (end - start)
        return True

    def prune(self, records: bytearray) -> float:
        """Remove what does not lower F1, outside of `records`, from the largest part to the smallest."""
        index = 1
        while index < len(self.end):
            end = self.end[index]
            whole = records.find(1, index, end) < 0
            index = end if whole and self.change(index, end, stays=False) else index + 1
        return self.f1


def figures(page: Any, strategy: Any) -> tuple[float, float, float]:
    """The three figures of one page."""
    wanted = Counter(_WORD.findall(page.reference.lower()))
    parsed = document.parse(document.decode(page.body, page.encoding), page.url)
    settings = page_settings({})
    if parsed.body is None:
        return (float(not wanted),) * 3
    sequence = native.walk(parsed.body)
    selection = Selection("too_small")
    if len(sequence) >= settings.min_nodes:
        selection = strategy.select(sequence, strategy.size_ratio, settings)
    mask = kept_mask(sequence, selection, settings)
    records = bytearray(len(sequence))
    for span in selection.spans:
        if span.rule == "records":
            records[span.start : span.end] = b"\x01" * (span.end - span.start)
    as_it_is = Words(sequence, mask, wanted)
    now = as_it_is.f1
    if not wanted:
        return now, now, now  # nothing is labelled
    pruned = as_it_is.prune(records)
    restored = Words(sequence, mask, wanted)
    for span in selection.spans:
        if not span.kept:
            restored.change(span.start, span.end, stays=True)
    return now, pruned, restored.prune(records)


def main() -> int:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--data", type=Path, required=True, help="folder with the folders data and bench")
    arguments.add_argument("--strategy", default="auto")
    arguments.add_argument("--every", type=int, default=1, help="every n-th page only")
    chosen = arguments.parse_args()
    sys.path.insert(0, str(chosen.data / "bench"))
    datasets = importlib.import_module("datasets")
    strategy = load_strategy(chosen.strategy)
    found = defaultdict(list)
    for number, page in enumerate(datasets.labelled_by_text(chosen.data / "data" / "wcxb")):
        if number % chosen.every == 0:
            found[page.kind].append(figures(page, strategy))
    print("| type | pages | as it is | noise gone | noise gone, content back |")
    print("|---|---|---|---|---|")
    for kind, rows in sorted(found.items()):
        means = " | ".join(f"{statistics.fmean(column):.3f}" for column in zip(*rows, strict=True))
        print(f"| {kind} | {len(rows)} | {means} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
