"""Measure the effect of each step of the rules: switch off one at a time, on every set.

    python -m benchmarks.ablation --bench ../shared/bench --data ../shared/data [--strategy auto] [--sample 200]
        [--sets testbed vints paper wcxb real] [--rules split choices] [--jobs 2] [--scores FILE] [--save FILE]
        [--scrapers PYTHON] [--news PYTHON]

`--bench` is the folder with the measures (`datasets.py`, `metrics.py`, `evaluate.py`), `--data` that of the sets. Sets
with labelled records are scored by pages with every record and noise removed, the one labelled by text by F1 and recall
of each page type, and recorded pages of other people's scrapers (`real`) by equal outputs and by the share of the nodes
that is removed; `--scrapers` and `--news` name interpreters in which those scrapers are installed. Figures are the
losses *without* the step, in points: positive figures are gains by the step.

A page is scored again only if the step changes the selection. `--scores` keeps the scores of each selection of each
page: a stopped run continues, and a run after a change scores only changed selections. `--save` writes the figures as
JSON, added to those of other strategies; `python -m benchmarks.evidence` makes the tables from it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from collections import defaultdict
from dataclasses import dataclass, field, replace
from multiprocessing import Pool
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.scrapers import Case, Scrapers, cases
from scrapy_tps import prune
from scrapy_tps.engine.strategies import load_strategy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.engine.strategies import Selection
    from scrapy_tps.engine.strategies.auto.pipeline import Pipeline, Step

#: A rule is removed if it changes fewer points on every set, and no recorded output.
LEAST = 0.1
SETS = ("testbed", "vints", "paper", "wcxb", "real")

Scores = dict[str, float]


@dataclass
class Probe:
    """The strategy itself, which also records its selection without each of the rules that wrote something.

    :ivar chosen: after a page: its selection, by the rule that is left out; ``""``: none.
    """

    strategy: Any
    rules: list[str]
    size_ratio: float = 0.0
    chosen: dict[str, Selection] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.size_ratio = self.strategy.size_ratio
        self.wrote: set[str] = set()
        table = self.strategy.pipeline
        self.watched = replace(self.strategy, pipeline=self.watching(table))
        self.variants = {name: replace(self.strategy, pipeline=table.without(name)) for name in self.rules}

    def watching(self, table: Pipeline) -> Pipeline:
        def noting(step: Step) -> Step:
            def noted(page: Any, thresholds: Any) -> Any:
                decided = step.decide(page, thresholds)
                if decided:
                    self.wrote.add(step.name)
                return decided

            return step._replace(decide=noted)

        rules = (rule._replace(steps=tuple(map(noting, rule.steps))) for rule in table.rules)
        return type(table)(tuple(rules), table.reads)

    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:
        self.wrote.clear()
        self.chosen = {"": self.watched.select(sequence, size_ratio, settings)}
        for name in self.wrote.intersection(self.variants):
            self.chosen[name] = self.variants[name].select(sequence, size_ratio, settings)
        return self.chosen[""]


@dataclass(frozen=True)
class Chosen:
    """A strategy that returns an earlier selection."""

    selection: Selection
    size_ratio: float = 0.8

    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:  # noqa: ARG002
        return self.selection


def key_of(selection: Selection) -> str:
    """Return the key of a selection: its removals."""
    gone = [(span.start, span.end) for span in selection.spans if not span.kept]
    return hashlib.sha1(repr((selection.outcome, gone)).encode()).hexdigest()[:16]


_STATE: dict[str, Any] = {}


def start(
    bench: Path, data: Path, strategy: str, rules: list[str], servers: tuple[dict[str, str], Path | None]
) -> None:
    """Prepare a process; `servers`: interpreters of the scrapers, and the file of scores."""
    pythons, file = servers
    sys.path.insert(0, str(bench.resolve()))
    import evaluate  # noqa: PLC0415 (of the folder that was named)

    _STATE.update(evaluate=evaluate, metrics=evaluate.metrics, data=data)
    _STATE["scrapers"] = Scrapers(bench.resolve(), (data / "real").resolve(), pythons)
    base = load_strategy(strategy)
    names = rules or list(base.pipeline.steps())  # type: ignore[attr-defined]  # those of tables have one
    _STATE["probe"] = Probe(base, names)
    _STATE["known"] = known = {}
    if file is not None and file.exists():
        for line in file.read_text("utf-8").splitlines():
            page, key, scores = json.loads(line)
            known[page, key] = scores


def pages_of(name: str, data: Path) -> Iterator[Any]:
    """The labelled pages of a set, or the recorded pages of scrapers."""
    yield from cases(data / name) if name == "real" else dict(_STATE["evaluate"].sets(data))[name]()


def score(page: Any, html: str, reduction: float, before: Any) -> Scores | None:
    """The scores of a pruned page."""
    if not isinstance(page, Case):
        scores: Scores | None = _STATE["evaluate"].score(page, html)
        return scores
    scores = {"cut": reduction}
    if before is not None:
        scrapers: Scrapers = _STATE["scrapers"]
        scores["equal"] = float(
            html == page.html or scrapers.equal(page, before, scrapers.output(page, html))
        )
    return scores


def measure(task: tuple[str, Any]) -> tuple[str, str, dict[str, Scores | None], list[Any]]:
    """Return set, page type, the scores by the rule that is left out (``""``: none), and what is new to remember."""
    name, page = task
    probe: Probe = _STATE["probe"]
    known = _STATE["known"]
    recorded = isinstance(page, Case)
    body, url, encoding = (
        (page.html.encode(), page.url, "utf-8") if recorded else (page.body, page.url, page.encoding)
    )
    label = f"{name}/{page.suite}/{page.name}" if recorded else f"{name}/{page.name}"
    probe.chosen = {}
    prune(body, url=url or None, encoding=encoding, settings={"TPS_STRATEGY": probe})
    if not probe.chosen:  # it never came to a selection: too small, no HTML …
        return name, page.kind, {}, []
    new, before, asked = [], None, False
    own = key_of(probe.chosen[""])
    found: dict[str, Scores | None] = {}
    for rule, selection in probe.chosen.items():
        key = key_of(selection)
        if (label, key) not in known:
            if recorded and not asked:
                before, asked = _STATE["scrapers"].given(page), True
            pruned = prune(
                body, url=url or None, encoding=encoding, settings={"TPS_STRATEGY": Chosen(selection)}
            )
            known[label, key] = score(page, pruned.html, pruned.reduction, before)
            new.append((label, key, known[label, key]))
        if not rule or key != own:
            found[rule] = known[label, key]
    return name, page.kind, found, new


def summary(kind: str, scores: Iterable[Scores | None]) -> Scores:
    """The figures of a set in percent, larger ones better."""
    known = [one for one in scores if one is not None]
    if kind in ("real", "wcxb"):
        names = ("equal", "cut") if kind == "real" else ("f1", "recall")
        values = {name: [one[name] for one in known if name in one] for name in names}
        return {name: 100 * sum(found) / len(found) for name, found in values.items() if found}
    total = _STATE["metrics"].summarise(known)
    return {
        "pages": 100 * total["content_present"],
        "records": 100 * total["record_recall"],
        "noise": 100 * total["noise_removed"],
    }


def figures(results: dict[str, list[Any]], rules: list[str]) -> dict[str, Any]:
    """Return by set and page type: pages, scores with all rules, and by rule the pages that differ and the effect."""
    found: dict[str, Any] = {}
    for name, pages in results.items():
        for kind in sorted({kind for kind, _ in pages}):
            scores = [by_rule for one, by_rule in pages if one == kind]
            base = summary(name, [by_rule[""] for by_rule in scores])
            worth = {}
            for rule in rules:
                if times := sum(rule in by_rule for by_rule in scores):
                    less = summary(name, [by_rule.get(rule, by_rule[""]) for by_rule in scores])
                    worth[rule] = {"differ": times} | {key: round(base[key] - less[key], 3) for key in base}
            found[f"{name} {kind}".strip()] = {
                "pages": len(scores),
                "all": {key: round(value, 3) for key, value in base.items()},
                "worth": worth,
            }
    return found


def report(found: dict[str, Any], rules: list[str]) -> None:
    """Print a part for each set, and the rules that change almost nothing anywhere."""
    for name, of_set in found.items():
        print(f"\n{name}: {of_set['pages']} pages, with all rules: {in_words(of_set['all'])}")
        for rule in rules:
            worth = of_set["worth"].get(rule, {"differ": 0})
            differ, points = worth["differ"], {key: value for key, value in worth.items() if key != "differ"}
            print(f"  {rule:22} {differ:5} pages differ  {in_words(points, '+')}")
    print("\npages that differ without a rule, in all sets")
    times = {
        rule: {name: one["worth"][rule]["differ"] for name, one in found.items() if rule in one["worth"]}
        for rule in rules
    }
    for rule in sorted(rules, key=lambda rule: sum(times[rule].values())):
        print(f"  {rule:22} {sum(times[rule].values()):5}  {times[rule]}")

    weak = [rule for rule in rules if all(is_weak(one["worth"].get(rule, {})) for one in found.values())]
    print(
        f"\nless than {LEAST} points on every set, and no recorded output: {', '.join(weak) or 'no rule'}"
        " (remove such a rule)"
    )


def is_weak(worth: Scores) -> bool:
    """Whether a rule changes almost nothing in a set."""
    return not worth.get("equal") and all(
        abs(value) < LEAST for name, value in worth.items() if name != "differ"
    )


def in_words(values: Scores, sign: str = "") -> str:
    return " ".join(f"{name} {value:{sign}.3f}" for name, value in values.items())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bench", type=Path, required=True, help="folder of the measures")
    parser.add_argument("--data", type=Path, required=True, help="folder of the sets")
    parser.add_argument("--strategy", default="auto", choices=("auto", "aggressive", "tps"))
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=SETS)
    parser.add_argument("--rules", nargs="*", default=[], help="only these steps")
    parser.add_argument("--sample", type=int, help="only so many pages of each set, chosen with a fixed seed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--scores", type=Path, help="file of JSON lines that keeps what was scored")
    parser.add_argument("--save", type=Path, help="JSON file that takes the figures")
    parser.add_argument("--scrapers", default="", help="interpreter with the scrapers of recipes and courts")
    parser.add_argument("--news", default="", help="interpreter with those of news")
    chosen = parser.parse_args()
    pythons = {"scrapers": chosen.scrapers, "news": chosen.news}
    prepared = (chosen.bench, chosen.data, chosen.strategy, chosen.rules, (pythons, chosen.scores))
    start(*prepared)
    tasks = []
    for name in chosen.sets:
        pages = [(name, page) for page in pages_of(name, chosen.data)]
        if chosen.sample and chosen.sample < len(pages):
            pages = random.Random(1).sample(pages, chosen.sample)
        tasks += pages
    results: defaultdict[str, list[Any]] = defaultdict(list)
    with Pool(chosen.jobs, start, prepared) as pool:
        for name, kind, by_rule, new in pool.imap_unordered(measure, tasks, chunksize=4):
            if by_rule:
                results[name].append((kind, by_rule))
            if new and chosen.scores is not None:
                with chosen.scores.open("a", encoding="utf-8") as file:
                    file.writelines(json.dumps(one) + "\n" for one in new)
    rules = _STATE["probe"].rules
    found = figures(results, rules)
    report(found, rules)
    if chosen.save is not None:
        saved = json.loads(chosen.save.read_text("utf-8")) if chosen.save.exists() else {}
        saved.setdefault(chosen.strategy, {}).update(found)  # sets may be measured one by one
        chosen.save.write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
