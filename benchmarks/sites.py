"""What models of sites are worth: a labelled set with several pages a site, with and without a model.

    python -m benchmarks.sites --bench ../shared/bench --data ../shared/data/testbed
        [--strategies auto aggressive tps paper] [--modes veto full] [--template-pages 2] [--pages] [--rtdm]

`--bench` is the folder with the measures (`datasets.py`, `metrics.py`), `--data` one with pages and a CSV beside each;
names up to the number of the page are those of the sites. `others`: the model has learnt the site's other pages;
`online`: those before, in the order of their names. `rtdm`: as `others`, but which of them are made like a page is not
told by sets of tag paths (Jaccard .5), but by the clusters of Reis et al. (2004) at their similarity of .8; how often
both agree is said at the end. Where a bar is known, it is said whether it is held.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
from array import array
from collections import Counter, defaultdict
from dataclasses import replace
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_tps import prune
from scrapy_tps.engine.html import document
from scrapy_tps.engine.sequence.walking import walk
from scrapy_tps.literature.node_patterns import cluster
from scrapy_tps.literature.rtdm import Tree
from scrapy_tps.sites import SiteModel
from scrapy_tps.sites.known import ALIKE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Content present and noise removed, in per cent, at least.
BARS = {
    ("auto", "full", "others"): (100.0, 41.0),
    ("auto", "full", "online"): (100.0, 40.5),
    ("aggressive", "full", "others"): (99.0, 42.0),
    ("tps", "full", "others"): (100.0, 30.0),
    ("paper", "full", "others"): (96.0, 30.0),
}
_PAGE_OF_SITE = re.compile(r"(.*?_\d+_.*?)_\d+_")


def by_site(pages: Sequence[Any]) -> list[list[Any]]:
    """The pages of each site, in the order of their names."""
    sites = defaultdict(list)
    for page in sorted(pages, key=lambda page: page.name):
        sites[site_of(page.name)].append(page)
    return list(sites.values())


def site_of(name: str) -> str:
    """The site of a page by its name."""
    found = _PAGE_OF_SITE.match(name)
    return found[1] if found else name


def taught(pages: Sequence[Any], settings: dict[str, Any], *, read_only: bool = False) -> SiteModel:
    """A model that has learnt these pages."""
    model = SiteModel()
    for page in pages:
        prune(page.body, url=page.name, encoding=page.encoding, settings=settings, site=model)
    model.read_only = read_only
    return model


def templates(pages: Sequence[Any]) -> list[int]:
    """The template of each page, as a number: clusters under RTDM, of trees of tags."""
    trees = []
    for page in pages:
        parsed = document.parse(document.read(page.body, page.encoding), None)
        sequence = walk(parsed.body)
        tags = [sequence.symbol_tag[symbol] for symbol in sequence.symbols]
        trees.append(Tree(tags, list(sequence.end)))
    return cluster(trees)


def by_templates(pages: Sequence[Any], lessons: dict[str, SiteModel]) -> dict[str, SiteModel]:
    """A model of the other pages for each page, in which those of its template, and no others, are made like it."""
    numbers = dict(zip((page.name for page in pages), templates(pages), strict=True))
    models = {}
    for name, number in numbers.items():
        elements = next((one.elements for one in lessons[name].references), array("I"))
        others = [
            replace(reference, elements=elements if numbers[other] == number else array("I"))
            for other, lesson in lessons.items()
            if other != name
            for reference in lesson.references
        ]
        models[name] = SiteModel.of(others)
        models[name].read_only = True
    return models


def agreement(sites: list[list[Any]], settings: dict[str, Any]) -> Counter[tuple[bool, bool]]:
    """Of pairs of pages of a site, whether Jaccard and whether RTDM take them for one template."""
    found: Counter[tuple[bool, bool]] = Counter()
    for pages in sites:
        known = [taught([page], settings).references for page in pages]
        for (one, first), (other, second) in combinations(zip(known, templates(pages), strict=True), 2):
            if one and other:
                own, others = set(one[0].elements), set(other[0].elements)
                found[len(own & others) >= ALIKE * len(own | others), first == second] += 1
    return found


def prunings(
    sites: list[list[Any]], settings: dict[str, Any], how: str
) -> Iterator[tuple[Any, Any, SiteModel]]:
    """Yield each page, what it comes to, and the model that judged it."""
    for pages in sites:
        lessons = {}
        if how in ("others", "rtdm"):
            lessons = {page.name: taught([page], settings) for page in pages}
        clustered = by_templates(pages, lessons) if how == "rtdm" else {}
        online = SiteModel()
        for page in pages:
            model = clustered.get(page.name, online)
            if how == "others":
                model = SiteModel(read_only=True)
                for name, lesson in lessons.items():
                    if name != page.name:
                        model.merge(lesson)
            site = None if how == "alone" else model
            yield (
                page,
                prune(page.body, url=page.name, encoding=page.encoding, settings=settings, site=site),
                model,
            )


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bench", type=Path, required=True, help="folder of the measures")
    parser.add_argument("--data", type=Path, required=True, help="folder of the pages")
    parser.add_argument("--strategies", nargs="*", default=["auto", "aggressive", "tps", "paper"])
    parser.add_argument("--modes", nargs="*", default=["veto", "full"])
    parser.add_argument("--template-pages", type=int, default=2)
    parser.add_argument("--pages", action="store_true", help="list the pages that lost a record")
    parser.add_argument("--rtdm", action="store_true", help="tell templates by RTDM as well")
    chosen = parser.parse_args(argv)
    sys.path.insert(0, str(chosen.bench.resolve()))
    datasets, metrics = import_module("datasets"), import_module("metrics")

    def text(root: Any) -> str:
        return " ".join(metrics.raw_text_nodes(metrics.body_of(root)))

    sites = by_site(list(datasets.labelled_by_fields(chosen.data)))
    raw = {page.name: text(metrics.parse(page.body, page.encoding)) for pages in sites for page in pages}
    missed, sizes = 0, []
    for strategy in chosen.strategies:
        for mode, how in [
            ("off", "alone"),
            *((mode, how) for mode in chosen.modes for how in ("others", "online", *["rtdm"] * chosen.rtdm)),
        ]:
            settings = {
                "TPS_STRATEGY": strategy,
                "TPS_SITE": mode,
                "TPS_SITE_TEMPLATE_PAGES": chosen.template_pages,
            }
            scores, lost = [], []
            for page, pruning, model in prunings(sites, settings, how):
                score = metrics.score_fields(page.records, raw[page.name], text(pruning.root))
                if how == "others":
                    sizes.append(len(model.to_bytes()) / max(1, len(model)))
                if score is not None:
                    scores.append(score)
                    if score["survived"] < score["records"]:
                        lost.append(f"{page.name} {score['survived']}/{score['records']}")
            total = metrics.summarise(scores)
            present, noise = 100 * total["content_present"], 100 * total["noise_removed"]
            bar = BARS.get((strategy, mode, how))
            held = "" if bar is None else "held" if present >= bar[0] and noise >= bar[1] else "MISSED"
            missed += held == "MISSED"
            print(
                f"{strategy:10} {mode:4} {how:6}  content present {present:6.2f} ({len(lost)} of {len(scores)} lost)  "
                f"record recall {100 * total['record_recall']:6.2f}  noise removed {noise:5.2f}  {held}",
                flush=True,
            )
            if chosen.pages:
                print(*(f"    {name}" for name in lost), sep="\n")
    if sizes:
        print(f"bytes of a model, a page: median {statistics.median(sizes):,.0f}, most {max(sizes):,.0f}")
    if chosen.rtdm:
        for (jaccard, rtdm), pairs in sorted(agreement(sites, {}).items()):
            print(f"{pairs} pairs of pages: one template by Jaccard: {jaccard}, by RTDM: {rtdm}")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
