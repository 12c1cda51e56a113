"""Print the TPS paper's table of results for a folder of pages.

    python benchmarks/mdr_table.py FOLDER
    python benchmarks/mdr_table.py --strategy auto FOLDER

FOLDER holds pages (``.html`` or ``.html.gz``), ``labels.tsv`` with a line ``file<TAB>XPath`` per page that
selects its target records, and, where the published figures are known, ``table.tsv`` with the columns of the
paper's appendix (Velloso & Dorneles), which are printed below each page's own figures.

Per page: nodes of the tag path sequence raw and pruned, the reduction, whether every target record survived,
the records that MDR (as published) finds raw and pruned and how many of them are targets, and Equation 1:
1 - (pruned total - pruned targets) / (raw total - raw targets). The last columns are the default extractor's
records on the pruned page, with Equation 1 against what MDR finds on the raw page.

A target is found when one record holds at least 90 % of its text and that of no other target.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import re
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrapy_tps import document, extract_records, prune
from scrapy_tps.records.mdr import mine_records
from scrapy_tps.sequence import TAIL_OF, TagPathSequence, walk

_HELD = 0.9  # of a target's text
_PIECE = 12  # characters: how finely "held" is measured


@dataclass
class Found:
    """Records found on a page and how many of them are targets."""

    total: int
    targets: int

    @property
    def noise(self) -> int:
        return self.total - self.targets


@dataclass
class Row:
    """One page of the table."""

    file: str
    raw_nodes: int
    pruned_nodes: int
    present: bool
    raw: Found
    pruned: Found
    ours: Found
    targets: int

    @property
    def reduction(self) -> float:
        return 1 - self.pruned_nodes / self.raw_nodes if self.raw_nodes else 0.0


def noise_removed(raw: Found, pruned: Found) -> float | None:
    """Equation 1; None where the raw page has no noise, or the targets are gone."""
    if not raw.noise or not pruned.targets:
        return None
    return 1 - pruned.noise / raw.noise


def normalise(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())


def text_of(sequence: TagPathSequence, spans: list[tuple[int, int]]) -> str:
    texts = []
    for start, end in spans:
        for index in range(start, end):
            if sequence.chars[index]:
                carrier = sequence.nodes[index]
                texts.append(carrier.tail if sequence.kinds[index] == TAIL_OF else carrier.text)
    return normalise(" ".join(texts))


def targets_of(sequence: TagPathSequence, root: Any, xpath: str) -> list[str]:
    """The normalised texts of the target records."""
    elements = set(root.xpath(xpath))
    texts = []
    for index, node in enumerate(sequence.nodes):
        if not sequence.kinds[index] and node in elements:
            texts.append(text_of(sequence, [(index, sequence.end[index])]))
    return [text for text in texts if text]


def held(target: str, text: str) -> bool:
    pieces = [target[start : start + _PIECE] for start in range(0, len(target), _PIECE)]
    return sum(len(piece) for piece in pieces if piece in text) >= _HELD * len(target)


def count(texts: list[str], targets: list[str]) -> Found:
    """How many of the records there are, and how many targets one record each holds."""
    keys = [target[:40] for target in targets]
    free = list(range(len(targets)))
    found = 0
    for text in texts:
        inside = {keys[place] for place in range(len(targets)) if keys[place] in text}
        match = next(
            (place for place in free if {keys[place]} == inside and held(targets[place], text)), None
        )
        if match is not None:
            free.remove(match)
            found += 1
    return Found(sum(1 for text in texts if text), found)


def mdr(sequence: TagPathSequence) -> list[str]:
    """The texts of the nodes that MDR's records are made of.

    The paper does not say how records of several nodes are counted. Node by node comes nearest to its table:
    over the 19 pages 673 targets of its 746, record by record 90.
    """
    tops = dict.fromkeys(top for record in mine_records(sequence) for top in record.tops)
    return [text_of(sequence, [(top, sequence.end[top])]) for top in tops]


def measure(path: Path, xpath: str, strategy: str) -> Row:
    body = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    settings = {"TPS_STRATEGY": strategy}
    page = document.parse(document.decode(body))
    raw = walk(page.body)
    targets = targets_of(raw, page.root, xpath)
    pruning = prune(body, settings=settings)
    after = walk(document.parse(pruning.html).body)
    everything = text_of(after, [(0, len(after))])
    ours = [normalise(record.text) for region in extract_records(pruning.html) for record in region.records]
    return Row(
        file=path.name,
        raw_nodes=len(raw),
        pruned_nodes=pruning.kept_nodes,
        present=all(held(target, everything) for target in targets),
        raw=count(mdr(raw), targets),
        pruned=count(mdr(after), targets),
        ours=count(ours, targets),
        targets=len(targets),
    )


def percent(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2%}"


def show(row: Row, published: dict[str, str] | None) -> None:
    print(
        f"{row.file:28} {row.raw_nodes:6} {row.pruned_nodes:6} {row.reduction:8.2%} {'Yes' if row.present else 'No':>4}"
        f" {row.raw.total:5} {row.raw.targets:4} {row.pruned.total:5} {row.pruned.targets:4}"
        f" {percent(noise_removed(row.raw, row.pruned)):>8}"
        f" {row.ours.total:6} {row.ours.targets:4}/{row.targets:<4} {percent(noise_removed(row.raw, row.ours)):>8}"
    )
    if published:
        raw, pruned = int(published["raw_nodes"]), int(published["pruned_nodes"])
        print(
            f"{'  paper':28} {raw:6} {pruned:6} {1 - pruned / raw:8.2%} {published['content_present']:>4}"
            f" {published['records_raw']:>5} {published['targets_raw']:>4} {published['records_pruned']:>5}"
            f" {published['targets_pruned']:>4} {published['noise_removed']:>8}"
        )


def mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None


def main() -> int:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--strategy", default="paper", help="TPS_STRATEGY (default: paper)")
    chosen = arguments.parse_args()
    table = chosen.folder / "table.tsv"
    published = {}
    if table.exists():
        with table.open(encoding="utf-8", newline="") as lines:
            published = {line["file"]: line for line in csv.DictReader(lines, delimiter="\t")}
    print(
        f"{'':28} {'DOM nodes':>13} {'reduc-':>8} {'con-':>4} {'MDR raw':>10} {'MDR pruned':>10} {'noise':>8}"
        f" {'default, pruned':>16} {'noise':>8}\n"
        f"{'page':28} {'raw':>6} {'pruned':>6} {'tion':>8} {'tent':>4} {'tot':>5} {'tgt':>4} {'tot':>5} {'tgt':>4}"
        f" {'rem.':>8} {'tot':>6} {'tgt':>9} {'rem.':>8}"
    )
    rows = []
    for line in (chosen.folder / "labels.tsv").read_text(encoding="utf-8").splitlines():
        file, xpath = line.split("\t")[:2]
        row = measure(chosen.folder / file, xpath, chosen.strategy)
        rows.append(row)
        show(row, published.get(file))
    if rows:
        print(
            f"\n{len(rows)} pages: mean reduction {statistics.fmean(row.reduction for row in rows):.2%}, "
            f"content present {sum(row.present for row in rows) / len(rows):.2%}, noise removed (Equation 1) "
            f"with MDR {percent(mean([noise_removed(row.raw, row.pruned) for row in rows]))}, "
            f"with the default extractor {percent(mean([noise_removed(row.raw, row.ours) for row in rows]))}; "
            f"all targets by the default extractor on {sum(row.ours.targets == row.targets for row in rows)} pages"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
