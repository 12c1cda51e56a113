"""What each rule is worth: each one switched off, one at a time, on every set.

    python -m benchmarks.ablation --bench ../shared/bench --data ../shared/data [--strategy auto] [--sample 200]
        [--sets testbed vints paper wcxb real] [--rules split lost-main] [--jobs 2]

`--bench` is the folder with the measures (`datasets.py`, `metrics.py`, `evaluate.py`), `--data` that of the sets. Sets
with labelled records are scored by pages with every record and noise removed, the one labelled by text by F1 and recall
of each page type, and pages without labels (`real`) by the outputs that change and by the words that stay. Figures are
what is lost *without* the rule, in points (noise, F1, recall: positive figures are what the rule gains), or pages.
A page is pruned again only where the rule changes what is selected: its other scores are those of all rules.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from multiprocessing import Pool
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from benchmarks.corpus import pages as pages_below
from scrapy_tps import prune
from scrapy_tps.engine.hints.reading import READ
from scrapy_tps.engine.strategies import load_strategy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.engine.strategies import Selection

SETS = ("testbed", "vints", "paper", "wcxb", "real")


@dataclass
class Probe:
    """The strategy itself, which also tells without which rules it would have selected something else."""

    strategy: Any
    rules: list[str]
    size_ratio: float = 0.0
    differing: list[str] = field(default_factory=list)
    reads: ClassVar[frozenset[str]] = READ

    def __post_init__(self) -> None:
        self.size_ratio = self.strategy.size_ratio
        self.variants = {name: without(self.strategy, name) for name in self.rules}

    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:
        chosen: Selection = self.strategy.select(sequence, size_ratio, settings)
        key = (chosen.outcome, list(chosen.spans))
        self.differing = []
        for name, variant in self.variants.items():
            other = variant.select(sequence, size_ratio, settings)
            if (other.outcome, list(other.spans)) != key:
                self.differing.append(name)
        return chosen


def without(strategy: Any, rule: str) -> Any:
    """The strategy without one of its rules."""
    return type(strategy)(strategy.size_ratio, strategy.pipeline.without(rule))


_STATE: dict[str, Any] = {}


def start(bench: Path, data: Path, strategy: str, rules: list[str]) -> None:
    """Prepare a process."""
    sys.path.insert(0, str(bench.resolve()))
    import evaluate  # noqa: PLC0415 (of the folder that was named)

    _STATE.update(evaluate=evaluate, metrics=evaluate.metrics, data=data)
    base = load_strategy(strategy)
    names = rules or list(dict.fromkeys(rule.name for rule in base.pipeline.rules))  # type: ignore[attr-defined]  # those of tables have one
    _STATE["probe"] = Probe(base, names)


def pages_of(name: str, data: Path) -> Iterator[Any]:
    """The labelled pages of a set, or (path, body) of a set without labels."""
    if name in SETS[:4]:
        yield from dict(_STATE["evaluate"].sets(data))[name]()
    else:
        yield from pages_below(data / name)


def measure(
    task: tuple[str, Any],
) -> tuple[str, str, dict[str, float] | None, dict[str, dict[str, float] | None]]:
    """Return set, page type, the page's scores, and those without each rule that changes what is selected."""
    name, page = task
    probe: Probe = _STATE["probe"]
    labelled = name in SETS[:4]
    body, url, encoding = (page.body, page.url, page.encoding) if labelled else (page[1], "", None)

    def pruned(strategy: Any) -> str:
        return prune(body, url=url, encoding=encoding, settings={"TPS_STRATEGY": strategy}).html

    def scored(html: str) -> dict[str, float] | None:
        if labelled:
            scores: dict[str, float] | None = _STATE["evaluate"].score(page, html)
            return scores
        metrics = _STATE["metrics"]
        return {"words": float(metrics.words(metrics.visible_text(html)).total())}

    whole = pruned(probe)
    differing = list(probe.differing)
    own = scored(whole)
    others: dict[str, dict[str, float] | None] = {}
    for rule in differing:
        html = pruned(probe.variants[rule])
        if html != whole:
            others[rule] = scored(html)
    return name, getattr(page, "kind", "") if labelled else "", own, others


def summary(kind: str, scores: Iterable[dict[str, float] | None]) -> dict[str, float]:
    """The figures of a set, larger ones better."""
    known = [one for one in scores if one is not None]
    if kind == "real":
        return {"words": sum(one["words"] for one in known)}
    if kind == "wcxb":
        return {name: 100 * sum(one[name] for one in known) / max(1, len(known)) for name in ("f1", "recall")}
    total = _STATE["metrics"].summarise(known)
    return {
        "pages": 100 * total["content_present"],
        "records": 100 * total["record_recall"],
        "noise": 100 * total["noise_removed"],
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bench", type=Path, required=True, help="folder of the measures")
    parser.add_argument("--data", type=Path, required=True, help="folder of the sets")
    parser.add_argument("--strategy", default="auto", choices=("auto", "aggressive", "tps"))
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("--rules", nargs="*", default=[], help="only these")
    parser.add_argument("--sample", type=int, help="only so many pages of each set, chosen with a fixed seed")
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    prepared = (chosen.bench, chosen.data, chosen.strategy, chosen.rules)
    start(*prepared)
    tasks = []
    for name in chosen.sets:
        found = [(name, page) for page in pages_of(name, chosen.data)]
        if chosen.sample and chosen.sample < len(found):
            found = random.Random(1).sample(found, chosen.sample)
        tasks += found
    results: defaultdict[str, list[Any]] = defaultdict(list)
    with Pool(chosen.jobs, start, prepared) as pool:
        for name, kind, own, others in pool.imap_unordered(measure, tasks, chunksize=4):
            results[name].append((kind, own, others))
    report(results, _STATE["probe"].rules)
    return 0


def report(results: dict[str, list[Any]], rules: list[str]) -> None:
    """Print a part for each set, and the rules that change next to nothing anywhere."""
    changed: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for name, pages in results.items():
        kinds = sorted({kind for kind, _, _ in pages})
        base = {kind: summary(name, [own for one, own, _ in pages if one == kind]) for kind in kinds}
        figures = "; ".join(f"{kind} {figure(base[kind])}" for kind in kinds)
        print(f"\n{name}: {len(pages)} pages, with all rules: {figures}")
        for rule in rules:
            times = sum(rule in others for _, _, others in pages)
            changed[rule][name] = times
            lines = []
            for kind in kinds:
                if any(rule in others for one, _, others in pages if one == kind):
                    less = summary(name, [others.get(rule, own) for one, own, others in pages if one == kind])
                    worth = {key: value - less[key] for key, value in base[kind].items()}
                    lines.append(f"{kind} {figure(worth, '+')}".strip())
            print(f"  {rule:22} {times:5} pages differ  {'; '.join(lines)}")
    print("\npages that differ without a rule, in all sets")
    for rule in sorted(rules, key=lambda rule: sum(changed[rule].values())):
        print(f"  {rule:22} {sum(changed[rule].values()):5}  {changed[rule]}")


def figure(values: dict[str, float], sign: str = "") -> str:
    return " ".join(f"{name} {value:{sign}.3f}" for name, value in values.items())


if __name__ == "__main__":
    sys.exit(main())
