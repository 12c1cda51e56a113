"""Fit the weights by which lists of records are ranked, and say how good they are on sites they were not fitted on.

    python -m benchmarks.fit_ranking ../shared/data/testbed ../shared/data/vints [--folds 5] [--sample 60]

A folder holds pages (``.html`` or ``.html.gz``), each with a CSV of its records' fields beside it, or ``labels.tsv``
with a line ``file<TAB>XPath`` per page that selects its records. Needs numpy.

Of each page all candidate lists are taken in all of their forms (`scrapy_tps.records.groups`, `.variants`), with
the features of `scrapy_tps.records.ranking` and their F1 against the labels: a labelled record is found when one
record of the list holds at least 90 % of it and the start of no other.

The model is a conditional logit: the forms of a page compete, the probability of one is proportional to
``exp(weights · features)``. Fitted is the likelihood of the best forms less a penalty on the squared weights of
features scaled to unit variance, by 300 steps of Adam (Kingma & Ba, ICLR 2015) over all pages at once: the same in
every run.
The expected F1 is no better on the pages that it is fitted on and worse on other sites. ``link_farm`` is set by hand,
because hardly any of these pages has one.

Printed are, by folder: the weights in use; weights fitted on all pages; and, which is the figure to believe,
cross-validation by site: each page by weights fitted on the other sites. Then the fitted weights, as
`scrapy_tps.records.ranking.WEIGHTS` has them, each with its standard deviation over the folds, and the log odds that a
first form is right by its score (logistic regression).
"""

from __future__ import annotations

import argparse
import csv
import gzip
import html
import io
import random
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from lxml import etree

from scrapy_tps.engine import native
from scrapy_tps.engine.html.document import decode, parse
from scrapy_tps.engine.html.elements import PlainElements
from scrapy_tps.engine.sequence.columns import HIDDEN_TAGS
from scrapy_tps.records import ranking
from scrapy_tps.records.extract import MAX_CANDIDATES
from scrapy_tps.records.groups import candidate_groups
from scrapy_tps.records.nativepage import page_of
from scrapy_tps.records.variants import Variant, variants_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from scrapy_tps.records.page import RecordPage

#: Set by hand, not fitted.
BY_HAND: Final = ("link_farm",)
NAMES: Final = [name for name in ranking.WEIGHTS if name not in BY_HAND]

_KEY: Final = 40  # characters by which a record or field is known
_PIECE: Final = 12  # characters of the pieces of a whole text
_HELD: Final = 0.9
_STEPS: Final = 300
_RATE: Final = 0.1
_LARGER: Final = (1.25, 20)  # a record may be so much larger than a label of its whole text
_NOT_PLAIN = re.compile(r"[\W_]+")


@dataclass
class Labels:
    """The labelled records of a page, plain texts: what each is known by, and what it has to hold."""

    keys: list[str]
    pieces: list[list[str]]
    whole: bool  # whether the pieces are all of a record's text


@dataclass
class Example:
    """The forms of a page's candidate lists.

    :ivar features: a row per form, a column per name of `NAMES`.
    :ivar by_hand: what the features that are set by hand add to the scores.
    :ivar found, records: labelled records that each form has; records that it has.
    """

    folder: str
    site: str
    labels: int
    features: Any
    by_hand: Any
    found: Any
    records: Any

    @property
    def quality(self) -> Any:
        """F1 of each form."""
        return 2 * self.found / (self.records + self.labels)


def plain(text: str) -> str:
    """Letters and digits, lower case."""
    return _NOT_PLAIN.sub("", html.unescape(text).lower())


def examples(folder: Path, sample: int | None) -> Iterator[Example]:
    """Yield the labelled pages of a folder that have a list."""
    labels = folder / "labels.tsv"
    xpaths = {}
    if labels.exists():
        xpaths = dict(line.split("\t")[:2] for line in labels.read_text(encoding="utf-8").splitlines())
    paths = sorted(folder.glob("*.html*"))
    if sample is not None and sample < len(paths):
        paths = sorted(random.Random(1).sample(paths, sample))
    for path in paths:
        raw = path.read_bytes()
        text = decode(gzip.decompress(raw) if path.suffix == ".gz" else raw)
        body = parse(text).body
        if body is None:
            continue
        fields = path.parent / (path.name.split(".html")[0] + ".csv")
        if path.name in xpaths:
            known = labels_by_xpath(text, xpaths[path.name])
        elif fields.exists():
            known = labels_by_fields(body, fields)
        else:
            continue
        if len(known.keys) < 2:
            continue
        sequence = native.walk(body)
        with PlainElements(body):
            example = example_of(folder.name, site_of(path.name), page_of(sequence), known)
        if example is not None:
            yield example


def site_of(name: str) -> str:
    """The site of a page: what stands before the number of the query, if there is one."""
    return re.sub(r"_\d+_[^_]*_.*$", "", name) if name.count("_") > 3 else name.split(".html", maxsplit=1)[0]


def labels_by_xpath(text: str, xpath: str) -> Labels:
    """Whole texts of the selected elements; the XPath is of a browser's tree, which adds ``tbody``."""
    root = parse(text).root
    for table in list(root.iter("table")):
        current = None
        for child in list(table):
            if child.tag == "tr":
                if current is None:
                    current = etree.Element("tbody")
                    child.addprevious(current)
                current.append(child)
            elif child.tag in ("thead", "tbody", "tfoot"):
                current = None
    selected: list[Any] = list(root.xpath(xpath))  # type: ignore[arg-type]
    tops = set(selected)
    texts = [plain(" ".join(own_texts(element, tops))) for element in selected]
    texts = [one for one in texts if one]
    pieces = [[one[at : at + _PIECE] for at in range(0, len(one), _PIECE)] for one in texts]
    return Labels([one[:_KEY] for one in texts], pieces, whole=True)


def own_texts(element: Any, tops: Collection[Any]) -> Iterator[str]:
    """Yield what is shown below an element, less the records inside it: missing end tags nest them."""
    waiting = [(element, False)]
    while waiting:
        node, is_tail = waiting.pop()
        if is_tail:
            yield node.tail or ""
        elif (
            isinstance(node.tag, str)
            and node.tag not in HIDDEN_TAGS
            and (node is element or node not in tops)
        ):
            yield node.text or ""
            for child in reversed(node):
                waiting += [(child, True), (child, False)]


def labels_by_fields(body: Any, path: Path) -> Labels:
    """The fields of a CSV's rows, as far as the page shows them."""
    raw = path.read_bytes()
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("cp1252", "replace")
    shown = plain(" ".join(body.itertext()))
    rows = [[plain(value)[:_KEY] for value in row] for row in csv.reader(io.StringIO(text))]
    rows = [[value for value in row if len(value) > 3 and value in shown] for row in rows]
    times = Counter(value for row in rows for value in set(row))
    known = Labels([], [], whole=False)
    for row in rows:
        usable = [value for value in row if len(value) > 5]
        if usable:
            distinct = [value for value in usable if times[value] == 1]
            known.keys.append(max(distinct or usable, key=len))
            known.pieces.append(row)
    return known


def example_of(folder: str, site: str, page: RecordPage, labels: Labels) -> Example | None:
    """Return all forms of a page's lists with their features and how well they fit the labels."""
    groups = sorted(candidate_groups(page), key=lambda group: -ranking.promise(page, group))[:MAX_CANDIDATES]
    lists = ranking.text_in_lists(page, groups)
    rows, by_hand, found, records = [], [], [], []
    texts: dict[tuple[int, int], str] = {}
    for group in groups:
        as_found = Variant(group, page.regularity(group.spans))
        for form in (as_found, *variants_of(page, as_found)):
            values = ranking.features(page, form, lists)
            rows.append([values[name] for name in NAMES])
            by_hand.append(sum(ranking.WEIGHTS[name] * values[name] for name in BY_HAND))
            for span in form.group.spans:
                if span not in texts:
                    texts[span] = plain(" ".join(page.strings(*span)))
            found.append(count_found([texts[span] for span in form.group.spans], labels))
            records.append(sum(1 for span in form.group.spans if texts[span]))
    if not rows:
        return None
    columns = (np.array(column, dtype=float) for column in (rows, by_hand, found, records))
    return Example(folder, site, len(labels.keys), *columns)


def count_found(texts: Sequence[str], labels: Labels) -> int:
    """Return how many labelled records are found among the texts of a list's records."""
    whole = {key: "".join(pieces) for key, pieces in zip(labels.keys, labels.pieces, strict=True)}
    open_labels = set(range(len(labels.keys)))
    for text in texts:
        held = {labels.keys[at] for at in open_labels if labels.keys[at] in text}
        # what is part of another label that is held is no second record
        held = {key for key in held if not any(key != one and key in whole[one] for one in held)}
        if len(held) != 1:
            continue
        for at in sorted(open_labels):
            if labels.keys[at] not in held:
                continue
            size = sum(map(len, labels.pieces[at]))
            inside = sum(len(piece) for piece in labels.pieces[at] if piece in text)
            ratio, more = _LARGER
            if inside >= _HELD * size and (not labels.whole or len(text) <= ratio * size + more):
                open_labels.remove(at)
                break
    return len(labels.keys) - len(open_labels)


class Pages:
    """Examples as one padded table: pages × forms × features, features scaled to unit variance."""

    def __init__(self, pages: Sequence[Example], scale: Any) -> None:
        most = max(len(page.features) for page in pages)
        shape = (len(pages), most)
        self.features = np.zeros((*shape, len(NAMES)))
        self.base = np.full(shape, -np.inf)  # of what is only there to fill the table
        self.quality = np.zeros(shape)
        for at, page in enumerate(pages):
            forms = len(page.features)
            self.features[at, :forms] = page.features / scale
            self.base[at, :forms] = page.by_hand
            self.quality[at, :forms] = page.quality
        best = self.quality.max(axis=1, keepdims=True)
        self.best = (self.quality == best) & (best > 0) & np.isfinite(self.base)

    def probabilities(self, weights: Any) -> Any:
        scores = self.features @ weights + self.base
        scores -= scores.max(axis=1, keepdims=True)
        exponentials = np.exp(scores)
        return exponentials / exponentials.sum(axis=1, keepdims=True)

    def of_likelihood(self, weights: Any) -> Any:
        """Gradient of the mean log likelihood of the best forms."""
        own = self.probabilities(weights)
        among_best = np.where(self.best, own, 0.0)
        total = among_best.sum(axis=1, keepdims=True)
        wanted = np.divide(among_best, total, out=np.zeros_like(own), where=total > 0)
        difference = np.where(total > 0, wanted - own, 0.0)
        return np.einsum("pf,pfn->n", difference, self.features) / len(own)


def fit(pages: Sequence[Example], penalty: float) -> Any:
    """Return the weights that suit the pages best, one per name of `NAMES`."""
    scale = np.concatenate([page.features for page in pages]).std(axis=0)
    scale[scale == 0] = 1.0
    table = Pages(pages, scale)
    weights, mean, square = np.zeros((3, len(NAMES)))
    for step in range(1, _STEPS + 1):
        slope = table.of_likelihood(weights) - 2 * penalty * weights
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        usual = np.sqrt(square / (1 - 0.999**step)) + 1e-9
        weights = weights + _RATE * (1 - step / (_STEPS + 1)) * mean / (1 - 0.9**step) / usual
    return weights / scale


def firsts(pages: Sequence[Example], weights: Any) -> list[tuple[Example, int]]:
    """Return the form of each page that ranks first."""
    return [(page, int(np.argmax(page.features @ weights + page.by_hand))) for page in pages]


def report(title: str, chosen: Sequence[tuple[Example, int]]) -> None:
    """Print F1 of all records and the share of pages where every record is right, by folder."""
    parts = []
    for folder in dict.fromkeys(page.folder for page, _ in chosen):
        own = [(page, at) for page, at in chosen if page.folder == folder]
        found = sum(page.found[at] for page, at in own)
        counted = sum(page.records[at] + page.labels for page, at in own)
        right = sum(page.quality[at] == 1.0 for page, at in own)
        parts.append(f"{folder} F1 {2 * found / counted:.3f}, all right {right / len(own):.1%} of {len(own)}")
    print(f"{title:42} {'   '.join(parts)}")


def log_odds(pages: Sequence[Example], weights: Any) -> tuple[float, float]:
    """Return slope and offset of the log odds that a page's first form has most of the records, by its score."""
    chosen = firsts(pages, weights)
    scores = np.array([page.features[at] @ weights + page.by_hand[at] for page, at in chosen])
    right = np.array([page.quality[at] > 0.5 for page, at in chosen], dtype=float)
    inputs = np.stack([scores, np.ones_like(scores)], axis=1)
    found = np.zeros(2)
    for _ in range(50):  # Newton's method; the ridge keeps it finite where scores separate the pages
        expected = 1 / (1 + np.exp(-np.clip(inputs @ found, -30, 30)))
        hessian = (inputs * (expected * (1 - expected))[:, None]).T @ inputs + 1e-3 * np.eye(2)
        found = found + np.linalg.solve(hessian, inputs.T @ (right - expected) - 1e-3 * found)
    return float(found[0]), float(found[1])


def main() -> int:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("folders", nargs="+", type=Path)
    arguments.add_argument("--folds", type=int, default=5)
    arguments.add_argument(
        "--penalty", type=float, default=3e-4, help="on squared weights (default: %(default)s)"
    )
    arguments.add_argument(
        "--sample", type=int, help="of each folder only so many pages, chosen with a fixed seed"
    )
    options = arguments.parse_args()
    pages = [page for folder in options.folders for page in examples(folder, options.sample)]
    if not pages:
        print("no labelled pages with a list", file=sys.stderr)
        return 2
    sites = sorted({page.site for page in pages})
    random.Random(1).shuffle(sites)
    fold_of = {site: number % options.folds for number, site in enumerate(sites)}
    forms = sum(len(page.features) for page in pages)
    print(f"{len(pages)} pages of {len(sites)} sites, {forms} forms of lists, {len(NAMES)} features")
    in_use = np.array([ranking.WEIGHTS[name] for name in NAMES])
    report("best form of each page (an oracle)", [(page, int(np.argmax(page.quality))) for page in pages])
    report("weights in use", firsts(pages, in_use))
    weights = fit(pages, options.penalty)
    report("fitted on all pages", firsts(pages, weights))
    held_out, of_folds = [], []
    for fold in range(options.folds):
        own = fit([page for page in pages if fold_of[page.site] != fold], options.penalty)
        of_folds.append(own)
        held_out += firsts([page for page in pages if fold_of[page.site] == fold], own)
    report(f"cross-validation by site, {options.folds} folds", held_out)
    print("\nname                 in use   fitted   ± over folds")
    for at, name in enumerate(NAMES):
        spread = np.std([own[at] for own in of_folds])
        print(f"{name:20} {in_use[at]:7.3f}  {weights[at]:7.3f}   {spread:7.3f}")
    for title, chosen in (("in use", in_use), ("fitted", weights)):
        slope, offset = log_odds(pages, chosen)
        print(
            f"log odds that a first list is right, weights {title}: {slope:.3f} per unit of score, {offset:.2f} at 0"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
