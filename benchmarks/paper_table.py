"""Compare strategy ``paper`` with the table of the paper, page by page.

    python -m benchmarks.paper_table --data ../shared/data/paper

The folder holds the authors' test pages and ``table.tsv`` with their figures: nodes before and after
pruning. Bars: at least 13 of 19 pages within three points of the table's reduction, and the mean over the
pages that the authors' parser saw alike within one point. Exit status 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import statistics
import sys
from pathlib import Path

from scrapy_tps import prune

#: Numbers of the pages for which the authors' HTML parser built another tree than libxml2.
OTHER_TREE = frozenset({4, 9, 11, 19, 25, 35})

#: The paper keeps nothing but the region.
AS_PUBLISHED = {"TPS_STRATEGY": "paper", "TPS_KEEP_INVISIBLE": ["head"]}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    folder = parser.parse_args().data
    ours, theirs, close, total = [], [], 0, 0
    with (folder / "table.tsv").open(encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table, delimiter="\t"):
            total += 1
            pruning = prune(gzip.decompress((folder / row["file"]).read_bytes()), settings=AS_PUBLISHED)
            printed = 1 - int(row["pruned_nodes"]) / int(row["raw_nodes"])
            difference = (pruning.reduction - printed) * 100
            close += abs(difference) <= 3
            if int(row["number"]) not in OTHER_TREE:
                ours.append(pruning.reduction)
                theirs.append(printed)
            print(
                f"{row['number']:>3} {row['site']:16} nodes {row['raw_nodes']:>5} -> {row['pruned_nodes']:>5} "
                f"{printed:7.2%}   ours {pruning.raw_nodes:>5} -> {pruning.kept_nodes:>5} "
                f"{pruning.reduction:7.2%}   {difference:+6.2f}"
            )
    mean = (statistics.fmean(ours) - statistics.fmean(theirs)) * 100
    print(f"within 3 points: {close} of {total} (bar 13)")
    print(
        f"mean over the {len(ours)} pages of like trees: ours {statistics.fmean(ours):.2%}, "
        f"paper {statistics.fmean(theirs):.2%}, difference {mean:+.2f} points (bar 1)"
    )
    return 0 if close >= 13 and abs(mean) <= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
