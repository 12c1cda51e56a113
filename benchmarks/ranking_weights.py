"""Fit the weights by which lists of records are ranked, and say how good they are on sites they were not fitted on.

    python -m benchmarks.ranking_weights --bench ../shared/bench --data ../shared/data [--folds 10]

``--bench`` is the folder of ``evaluate_records.py``, whose labels and scoring are used for the result pages, and
``--data`` the folder of its pages and of ``real/courts``, lists of court cases with the values that other people's
scrapers read. Needs numpy.

All forms of a page's candidate lists compete: the probability of one is proportional to ``exp(weights · features)``,
a conditional logit (McFadden 1973). Fitted are the likelihood of the forms with the best F1 of the page and the
expected mean of F1 and being all right, less a penalty on the squared weights of features scaled to unit variance, by
gradient ascent (Adam, Kingma & Ba, ICLR 2015) over all pages at once: the same in every run.

Printed are the digest of the pages; by set, F1 and pages all right with the weights in use, and cross-validated by
site, which is the figure to believe; a reliability table of the cross-validated confidence; and the weights of all
pages, as `scrapy_tps.records.ranking` has them.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import importlib
import json
import math
import random
import re
import sys
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from scrapy_tps.engine import native
from scrapy_tps.engine.html.document import decode, parse
from scrapy_tps.engine.html.elements import plain_elements
from scrapy_tps.records import ranking
from scrapy_tps.records.extract import MAX_VARIED, Extraction
from scrapy_tps.records.regions import Budget

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from scrapy_tps.records.record_page import Span

NAMES: Final = list(ranking.WEIGHTS)
#: A form counts as the best if its F1 is that of the best form, less so much.
_TIE: Final = 0.005
#: The weight of the expected quality beside half the likelihood. With 10, a long menu and a short list become one list.
_EXPECTED: Final = 3.0
#: A list is right if it has this F1.
RIGHT: Final = 0.9
_STEPS: Final = 1000
_RATE: Final = 0.05
_PENALTY: Final = 0.002
_SEED: Final = 1
_BINS: Final = 5
_NEWTON_STEPS: Final = 25
_NOT_PLAIN: Final = re.compile(r"\W+")


@dataclass
class Example:
    """The forms of a page's candidate lists: a row of features each, in the order of `NAMES`.

    :ivar base: the place of the candidate that each form is a variant of, among the forms.
    :ivar found, records, labels: labelled records that each form has, its records, and all labelled records.
    :ivar spans: the first and the last node of each form, to tell disjoint ones.
    """

    folder: str
    site: str
    features: Any
    base: Any
    found: Any
    records: Any
    labels: int
    spans: list[list[Span]]

    @property
    def quality(self) -> Any:
        """F1 of each form."""
        return 2 * self.found / np.maximum(1, self.records + self.labels)

    @property
    def all_right(self) -> Any:
        """Whether each form has all labelled records and no others."""
        return (self.found == self.labels) & (self.records == self.labels)


def site_of(name: str) -> str:
    """The site of a page: testbed names it before the number of the query, the others have one page each."""
    return "_".join(name.split("_")[:4]) if name[:1].isdigit() else name


@dataclass(frozen=True, slots=True)
class Labelled:
    """A labelled page.

    :ivar count: returns (found, records) of the texts of a list's records.
    """

    folder: str
    site: str
    body: bytes
    count: Callable[[list[str]], tuple[int, int]]
    labels: int


@dataclass(slots=True)
class _Text:
    """A record for the scorer."""

    text: str


def result_pages(bench: Path, data: Path) -> Iterator[Labelled]:
    """Yield the labelled result pages."""
    sys.path.insert(0, str(bench))
    score = importlib.import_module("evaluate_records")
    for folder in ("whole", "testbed"):
        for page, keys, texts, pieces, rows in score.labelled(folder, data):
            match = partial(score.match, keys=keys, texts=texts, pieces=pieces, whole_texts=rows is None)
            yield Labelled(folder, site_of(page.name), page.body, partial(_count_records, match), len(keys))


def _count_records(
    match: Callable[[list[_Text]], tuple[list[Any], int]], records: list[str]
) -> tuple[int, int]:
    pairs, total = match([_Text(one) for one in records])
    return len(pairs), total


def court_pages(data: Path) -> Iterator[Labelled]:
    """Yield the lists of court cases. Scrapers leave rows out on purpose: such rows count a tenth of a wrong record."""
    for line in (data / "real/courts/records-A.jsonl").read_text(encoding="utf-8").splitlines():
        label = json.loads(line)
        records = [set(values) for values in label["records"]]
        alone = [value for value in (_own_value(values, records) for values in records) if value]
        if len(alone) > 1:
            body = gzip.decompress((data / "real" / label["page"]).read_bytes())
            site = re.sub(r"_example.*", "", label["page"])
            count = partial(_count_cases, alone, len(records) - len(alone))
            yield Labelled("courts", site, body, count, len(alone))


def _own_value(values: Collection[str], records: Sequence[Collection[str]]) -> str:
    """Return the longest value that is in no other record, of several the last by alphabet: a set has no order."""
    others = [value for record in records for value in record]
    alone = (one for one in values if sum(one in other for other in others) == 1)
    return max(alone, key=lambda one: (len(one), one), default="")


def _count_cases(alone: Sequence[str], unknown: int, records: list[str]) -> tuple[int, int]:
    texts = [text for text in (_NOT_PLAIN.sub("", one).casefold() for one in records) if text]
    hits = [[value for value in alone if value in text] for text in texts]
    found = len({value for hit in hits if len(hit) == 1 for value in hit})
    return found, found + math.ceil(max(0, len(texts) - unknown - found) / 10)


def example_of(page: Labelled) -> Example | None:
    """Return all forms of a page's lists with their features, and how well the records they lead to fit the labels.

    These are the records below, if a form's records are headings.
    """
    tree = parse(decode(page.body)).body
    if tree is None:
        return None
    with plain_elements(tree):
        extraction = Extraction(native.walk(tree), Budget(None))
        promising = extraction.candidates()
        rows: list[list[float]] = []
        base, counted, spans = [], [], []
        for group in promising:
            place = len(rows)
            for form in (group, *ranking.variants_of(group)):
                values = ranking.features(form)
                rows.append([values[name] for name in NAMES])
                base.append(place)
                innermost, _ = extraction.innermost(form)
                counted.append(page.count([" ".join(group.page.strings(*span)) for span in innermost.spans]))
                spans.append(list(form.spans))
    if not rows:
        return None
    found, records = np.array(counted, dtype=float).T
    return Example(page.folder, page.site, np.array(rows), np.array(base), found, records, page.labels, spans)


def choose(example: Example, weights: Any) -> int:
    """Return the form that the extractor would choose: variants are examined of the best candidates only."""
    scores = example.features @ weights
    bases = sorted(set(example.base), key=lambda place: -scores[place])[:MAX_VARIED]
    allowed = np.isin(example.base, bases)
    return int(np.argmax(np.where(allowed, scores, -np.inf)))


class Pages:
    """The forms of pages as one table, with features scaled to unit variance."""

    def __init__(self, examples: Sequence[Example]) -> None:
        usable = [one for one in examples if one.quality.max() > 0]
        forms = [len(one.features) for one in usable]
        values = np.concatenate([one.features for one in usable])
        self.scale = np.maximum(1e-6, values.std(axis=0))
        self.values = values / self.scale
        self.starts = np.concatenate([[0], np.cumsum(forms)[:-1]])
        self.page = np.repeat(np.arange(len(usable)), forms)
        f1 = np.concatenate([one.quality for one in usable])
        self.best = f1 >= np.maximum.reduceat(f1, self.starts)[self.page] - _TIE
        self.quality = (f1 + np.concatenate([one.all_right for one in usable])) / 2

    def fit(self) -> Any:
        """Return the weights of the features, unscaled."""
        weights = np.zeros(self.values.shape[1])
        first, second = np.zeros_like(weights), np.zeros_like(weights)
        pages = len(self.starts)
        for step in range(1, _STEPS + 1):
            scores = self.values @ weights
            scores = np.exp(scores - np.maximum.reduceat(scores, self.starts)[self.page])
            among_all = scores / self._sums(scores)
            right = np.where(self.best, scores + 1e-300, 0.0)
            likelihood = right / self._sums(right) - among_all
            expected = among_all * (self.quality - self._sums(among_all * self.quality))
            slope = (likelihood / 2 + _EXPECTED * expected) @ self.values / pages - _PENALTY * weights
            first = 0.9 * first + 0.1 * slope
            second = 0.999 * second + 0.001 * slope * slope
            weights += _RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-9)
        return weights / self.scale

    def _sums(self, values: Any) -> Any:
        return np.add.reduceat(values, self.starts)[self.page]


def folds_of(examples: Sequence[Example], folds: int) -> list[int]:
    """Return the fold of each example, the same for all pages of a site."""
    sites = sorted({one.site for one in examples})
    random.Random(_SEED).shuffle(sites)
    number = {site: place % folds for place, site in enumerate(sites)}
    return [number[one.site] for one in examples]


def cross_validated(examples: Sequence[Example], folds: int) -> list[Any]:
    """Return for each page the weights of the other sites."""
    fold_of = folds_of(examples, folds)
    weights = [
        Pages([one for one, fold in zip(examples, fold_of, strict=True) if fold != number]).fit()
        for number in range(folds)
    ]
    return [weights[fold] for fold in fold_of]


def disjoint(example: Example, weights: Any) -> list[tuple[float, bool]]:
    """Return the scores of the best lists that share no node, best first, and whether each is right."""
    scores = example.features @ weights
    taken: list[Span] = []
    found = []
    for place in np.argsort(-scores, kind="stable"):
        spans = example.spans[place]
        first, last = spans[0][0], spans[-1][1]
        if any(
            first < stop and start < last and any(a < stop and start < b for a, b in spans)
            for start, stop in taken
        ):
            continue
        taken += spans
        found.append((float(scores[place]), bool(example.quality[place] >= RIGHT)))
    return found


def calibrated(pages: Sequence[list[tuple[float, bool]]]) -> tuple[float, float]:
    """Return the slope and the score of no list with which shares of disjoint lists are likeliest to be true."""
    best = (math.inf, 0.0, 0.0)
    for slope in np.arange(0.05, 0.81, 0.05):
        for none in np.arange(0.0, 60.0, 1.0):
            loss = 0.0
            for lists in pages:
                shares = ranking.shares([score for score, _ in lists], slope, none)
                right = next(
                    (share for share, (_, is_right) in zip(shares, lists, strict=True) if is_right), None
                )
                loss -= math.log(max(1e-9, 1 - sum(shares) if right is None else right))
            best = min(best, (loss, float(slope), float(none)))
    return best[1], best[2]


def likely(shares: Sequence[float], right: Sequence[bool]) -> tuple[float, float]:
    """Return slope and offset of the logistic regression of being right on the log-odds of the shares."""
    odds = np.log(np.array(shares) / (1 - np.array(shares)))
    inputs = np.column_stack([odds, np.ones_like(odds)])
    weights = np.array([1.0, 0.0])
    for _ in range(_NEWTON_STEPS):
        expected = 1 / (1 + np.exp(-inputs @ weights))
        curvature = inputs.T @ (inputs * (expected * (1 - expected))[:, None]) + 1e-6 * np.eye(2)
        weights += np.linalg.solve(curvature, inputs.T @ (np.array(right) - expected))
    return float(weights[0]), float(weights[1])


def print_scores(title: str, examples: Sequence[Example], chosen: Sequence[int]) -> None:
    """Print F1, pages all right and pages with every record by set."""
    for folder in dict.fromkeys(one.folder for one in examples):
        pages = [(one, form) for one, form in zip(examples, chosen, strict=True) if one.folder == folder]
        found = sum(one.found[form] for one, form in pages)
        records, labels = sum(one.records[form] for one, form in pages), sum(one.labels for one, _ in pages)
        every = sum(one.found[form] == one.labels for one, form in pages) / len(pages)
        right = sum(one.all_right[form] for one, form in pages) / len(pages)
        print(
            f"{title:16} {folder:8} {len(pages):4} pages  F1 {2 * found / (records + labels):.3f}"
            f"  all right {right:.1%}  every record {every:.1%}"
        )


def print_reliability(
    examples: Sequence[Example],
    pages: Sequence[list[tuple[float, bool]]],
    slope: float,
    none: float,
    folds: int,
) -> None:
    """Print how often the best lists of a confidence are right, each calibrated on the other sites."""
    shares = [min(1 - 1e-9, ranking.shares([score for score, _ in lists], slope, none)[0]) for lists in pages]
    right = [lists[0][1] for lists in pages]
    fold_of = folds_of(examples, folds)
    bins: dict[int, list[tuple[float, bool]]] = {}
    for fold in range(folds):
        others = [place for place, own in enumerate(fold_of) if own != fold]
        steepness, offset = likely([shares[place] for place in others], [right[place] for place in others])
        for place in (place for place, own in enumerate(fold_of) if own == fold):
            log_odds = steepness * math.log(shares[place] / (1 - shares[place])) + offset
            confidence = 1 / (1 + math.exp(-log_odds))
            bins.setdefault(min(_BINS - 1, int(confidence * _BINS)), []).append((confidence, right[place]))
    steepness, offset = likely(shares, right)
    print(f"best list: steepness {steepness:.3f}, offset {offset:.3f}")
    for number, entries in sorted(bins.items()):
        mean = sum(share for share, _ in entries) / len(entries)
        are_right = sum(is_right for _, is_right in entries) / len(entries)
        print(
            f"confidence {number / _BINS:.1f} - {(number + 1) / _BINS:.1f}  {len(entries):4} pages"
            f"  mean {mean:.2f}  right {are_right:.2f}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--folds", type=int, default=8)
    chosen = parser.parse_args()
    digest = hashlib.sha256()
    examples = []
    for page in chain(result_pages(chosen.bench, chosen.data), court_pages(chosen.data)):
        digest.update(page.body)
        example = example_of(page)
        if example is not None:
            examples.append(example)
    forms = sum(len(one.features) for one in examples)
    print(f"{len(examples)} pages, {forms} forms, sha256 {digest.hexdigest()[:16]}, seed {_SEED}")
    in_use = np.array(list(ranking.WEIGHTS.values()))
    print_scores("in use", examples, [choose(one, in_use) for one in examples])
    others = cross_validated(examples, chosen.folds)
    pairs = list(zip(examples, others, strict=True))
    print_scores("cross-validated", examples, [choose(*pair) for pair in pairs])
    lists = [disjoint(*pair) for pair in pairs]
    slope, none = calibrated(lists)
    print_reliability(examples, lists, slope, none, chosen.folds)
    print(f"slope {slope:.2f}, no list {none:.1f}")
    spread = np.std(np.unique(np.array(others), axis=0), axis=0)
    for name, weight, deviation in zip(NAMES, Pages(examples).fit(), spread, strict=True):
        print(f'    "{name}": {weight:.3f},  # ± {deviation:.3f}')
    return 0


if __name__ == "__main__":
    sys.exit(main())
