"""Compare measures of similarity between records on labelled pages: which tells records from other things best?

    python -m benchmarks.similarity ../shared/data/testbed ../shared/data/vints

A folder holds pages (``.html`` or ``.html.gz``), each with a CSV of its records' fields beside it, or
``labels.tsv`` with a line ``file<TAB>XPath`` per page that selects its records.

Compared are restricted top-down mapping (RTDM; Reis, Golgher, Silva & Laender, WWW 2004, unit costs, with its
short cut for identical subtrees), the bags of stems that the extractor uses (p = 3, q = 0), and full pq-grams
(Augsten, Böhlen & Gamper, VLDB 2005; p = 2, q = 3). All are scaled to 0 (nothing in common) … 1 (equal).

Pairs: probability that two records of a page are more alike than a record and something else (area under the
ROC curve, mean over pages). "Beside" are siblings of the records, "elsewhere" elements of their tag anywhere
else on the page. List: the same for one element against the whole list, with what is typical of the list (bags)
or with its centre (RTDM), and the share of elements told right by the threshold that is best on the other half
of the sites. Time: CPU time of a comparison, preparation of the page included.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import re
import statistics
import time
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol
from zlib import crc32

from scrapy_tps.engine.html.document import decode, parse
from scrapy_tps.engine.sequence.columns import ELEMENT, TagPathSequence
from scrapy_tps.engine.sequence.walking import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_RECORDS: Final = 12  # of a page that are compared with each other
_OTHERS: Final = 24  # other elements of a page, of each kind
_KEY: Final = 40  # characters of a field by which it is found
_WORD = re.compile(r"[\W_]+")


class Measure(Protocol):
    """A measure of similarity, prepared for one page."""

    def pair(self, one: int, other: int) -> float:
        """Return how alike two elements are, given by their indexes in the sequence."""
        ...

    def against(self, members: Sequence[int]) -> Callable[[int], float]:
        """Return what tells how alike an element is to a list."""
        ...


class Mapping:
    """Restricted top-down mapping: insertions and deletions of subtrees, replacement of leaves."""

    def __init__(self, sequence: TagPathSequence) -> None:
        self._sequence = sequence
        classes: dict[tuple[str, tuple[int, ...]], int] = {}
        self._labels: list[str] = []
        self._children: list[tuple[int, ...]] = []
        self._sizes: list[int] = []
        self._classes = [0] * len(sequence)
        below: dict[int, list[int]] = defaultdict(list)
        for place in range(len(sequence) - 1, -1, -1):
            label = sequence.symbol_tag[sequence.symbols[place]]
            children = tuple(reversed(below.pop(place, [])))
            known = classes.setdefault((label, children), len(classes))
            if known == len(self._labels):
                self._labels.append(label)
                self._children.append(children)
                self._sizes.append(1 + sum(self._sizes[child] for child in children))
            self._classes[place] = known
            below[sequence.parent[place]].append(known)
        self._distances: dict[tuple[int, int], int] = {}

    def pair(self, one: int, other: int) -> float:
        first, second = self._classes[one], self._classes[other]
        return 1 - self._distance(first, second) / (self._sizes[first] + self._sizes[second])

    def against(self, members: Sequence[int]) -> Callable[[int], float]:
        sample = members[:_RECORDS]
        centre = max(sample, key=lambda one: sum(self.pair(one, two) for two in sample))
        return partial(self.pair, centre)

    def _distance(self, first: int, second: int) -> int:
        """The cost of the cheapest mapping, by the classes of equal subtrees; without recursion."""
        waiting = [(first, second)]
        while waiting:
            one, other = waiting[-1]
            if self._known(one, other) is not None:
                waiting.pop()
                continue
            missing = [
                (a, b)
                for a in self._children[one]
                for b in self._children[other]
                if self._known(a, b) is None
            ]
            if missing:
                waiting += missing
            else:
                self._distances[one, other] = self._of_children(one, other)
                waiting.pop()
        known = self._known(first, second)
        assert known is not None
        return known

    def _known(self, one: int, other: int) -> int | None:
        if one == other:
            return 0
        same = self._labels[one] == self._labels[other]
        if not self._children[one] or not self._children[other]:
            return self._sizes[one] + self._sizes[other] - 2 + (not same)
        if not same:
            return self._sizes[one] + self._sizes[other]
        return self._distances.get((one, other))

    def _of_children(self, one: int, other: int) -> int:
        above = [0]
        for child in self._children[other]:
            above.append(above[-1] + self._sizes[child])
        for mine in self._children[one]:
            row = [above[0] + self._sizes[mine]]
            for place, theirs in enumerate(self._children[other]):
                mapped = self._known(mine, theirs)
                assert mapped is not None
                row.append(
                    min(
                        above[place + 1] + self._sizes[mine],
                        row[-1] + self._sizes[theirs],
                        above[place] + mapped,
                    )
                )
            above = row
        return above[-1]


class Grams:
    """Bags of pq-grams: `up` ancestors with the node itself, `beside` children; Dice's coefficient of the bags."""

    def __init__(self, sequence: TagPathSequence, up: int, beside: int) -> None:
        self._sequence, self._beside = sequence, beside
        tags, above = sequence.symbol_tag, sequence.symbol_parent
        self._stems: list[tuple[str, ...]] = []
        for symbol in range(len(tags)):
            stem: list[str] = []
            step = symbol
            while step >= 0 and len(stem) < up:
                stem.append(tags[step])
                step = above[step]
            self._stems.append(tuple(stem))
        self._bags: dict[int, Counter[Any]] = {}

    def pair(self, one: int, other: int) -> float:
        return _dice(self._bag(one), self._bag(other))

    def against(self, members: Sequence[int]) -> Callable[[int], float]:
        typical = self._typical(members)
        total = typical.total() or 1
        return lambda other: (typical & self._bag(other)).total() / total

    def _typical(self, members: Sequence[int]) -> Counter[Any]:
        bags = [self._bag(member) for member in members]
        having = Counter(gram for bag in bags for gram in bag)
        return Counter(
            {
                gram: sorted(bag[gram] for bag in bags)[len(bags) // 2] or 1
                for gram, records in having.items()
                if 2 * records >= len(bags)
            }
        )

    def _bag(self, place: int) -> Counter[Any]:
        bag = self._bags.get(place)
        if bag is None:
            symbols, end = self._sequence.symbols, self._sequence.end
            span = range(place, end[place])
            if not self._beside:
                bag = Counter([self._stems[symbols[at]] for at in span])
            else:
                bag = Counter(gram for at in span for gram in self._windows(at))
            self._bags[place] = bag
        return bag

    def _windows(self, place: int) -> Iterator[tuple[Any, ...]]:
        sequence = self._sequence
        stem = self._stems[sequence.symbols[place]]
        children = []
        child = place + 1
        while child < sequence.end[place]:
            children.append(sequence.symbol_tag[sequence.symbols[child]])
            child = sequence.end[child]
        if not children:
            yield (stem, *("*" * self._beside))
            return
        padding = ["*"] * (self._beside - 1)
        padded = [*padding, *children, *padding]
        for start in range(len(padded) - self._beside + 1):
            yield (stem, *padded[start : start + self._beside])


def _dice(one: Counter[Any], other: Counter[Any]) -> float:
    return 2 * (one & other).total() / ((one.total() + other.total()) or 1)


MEASURES: Final[dict[str, Callable[[TagPathSequence], Measure]]] = {
    "RTDM": Mapping,
    "stems (3, 0)": lambda sequence: Grams(sequence, 3, 0),
    "pq-grams (2, 3)": lambda sequence: Grams(sequence, 2, 3),
}


@dataclass
class Example:
    """A labelled page: indexes of its records and of other elements."""

    site: str
    sequence: TagPathSequence
    records: list[int]
    beside: list[int]
    elsewhere: list[int]


@dataclass
class Result:
    """What one measure achieves; list entries are (similarity, is a record) by half of the sites."""

    pairs_beside: list[float] = field(default_factory=list)
    pairs_elsewhere: list[float] = field(default_factory=list)
    lists: list[float] = field(default_factory=list)
    told: tuple[list[tuple[float, bool]], list[tuple[float, bool]]] = field(default_factory=lambda: ([], []))
    pair_seconds: float = 0.0
    pairs: int = 0
    list_seconds: float = 0.0
    members: int = 0


def examples(folder: Path) -> Iterator[Example]:
    """Yield the labelled pages of a folder that have three records and something else."""
    labels = folder / "labels.tsv"
    xpaths = {}
    if labels.exists():
        xpaths = dict(line.split("\t")[:2] for line in labels.read_text(encoding="utf-8").splitlines())
    for path in sorted(folder.glob("*.html*")):
        body = path.read_bytes()
        body = gzip.decompress(body) if path.suffix == ".gz" else body
        document = parse(decode(body))
        if document.body is None:
            continue
        sequence = walk(document.body)
        if path.name in xpaths:
            places = {node: at for at, node in enumerate(sequence.nodes) if sequence.kinds[at] == ELEMENT}
            nodes = document.root.xpath(xpaths[path.name].replace("/tbody", ""))
            records = sorted(places[node] for node in nodes if node in places)
        else:
            fields = path.parent / (path.name.split(".html")[0] + ".csv")
            records = _of_fields(sequence, fields) if fields.exists() else []
        example = _example(_site(path.name), sequence, records)
        if example is not None:
            yield example


def _site(name: str) -> str:
    """The site of a page: what stands before the number of the query, if there is one."""
    return re.sub(r"_\d+_[^_]*_.*$", "", name) if name.count("_") > 3 else name


def _of_fields(sequence: TagPathSequence, path: Path) -> list[int]:
    """The largest elements that hold one labelled record each."""
    raw = path.read_bytes()
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    rows = [[_plain(value)[:_KEY] for value in row] for row in csv.reader(io.StringIO(text))]
    times = Counter(value for row in rows for value in set(row) if len(value) > 5)
    places: dict[str, list[int]] = defaultdict(list)
    for place, chars in enumerate(sequence.chars):
        if chars:
            carrier = sequence.nodes[place]
            string = carrier.text if sequence.kinds[place] == 1 else carrier.tail
            places[_plain(string)[:_KEY]].append(place)
    found = []
    for row in rows:
        keys = [value for value in row if times[value] == 1 and len(places[value]) == 1]
        if keys:
            found.append(places[max(keys, key=len)][0])
    found.sort()
    records = []
    for place in found:
        top = place
        above = sequence.parent[top]
        while above > 0 and bisect_left(found, sequence.end[above]) - bisect_left(found, above) == 1:
            top, above = above, sequence.parent[above]
        records.append(top)
    return records


def _plain(text: str) -> str:
    return _WORD.sub("", text.lower())


def _example(site: str, sequence: TagPathSequence, records: list[int]) -> Example | None:
    end, tags = sequence.end, [sequence.symbol_tag[symbol] for symbol in sequence.symbols]
    following = [*records[1:], len(sequence)][: len(records)]
    records = [one for one, after in zip(records, following, strict=True) if end[one] <= after]
    if len(records) < 3:
        return None
    above = Counter(sequence.parent[record] for record in records).most_common(1)[0][0]
    tag = Counter(tags[record] for record in records).most_common(1)[0][0]
    beside, elsewhere = [], []
    for place in range(1, len(sequence)):
        stop = end[place]
        if sequence.kinds[place] != ELEMENT or stop - place < 3 or not any(sequence.chars[place:stop]):
            continue
        near = bisect_right(records, place) - 1
        inside = near >= 0 and place < end[records[near]]
        holds = near + 1 < len(records) and records[near + 1] < stop
        if inside or holds:
            continue
        if sequence.parent[place] == above:
            beside.append(place)
        elif tags[place] == tag:
            elsewhere.append(place)
    if not beside and not elsewhere:
        return None
    return Example(site, sequence, records, _spread(beside), _spread(elsewhere))


def _spread(places: list[int]) -> list[int]:
    step = max(1, len(places) // _OTHERS)
    return places[::step][:_OTHERS]


def auc(alike: list[float], different: list[float]) -> float | None:
    """Return the probability that one of the first list is larger than one of the second; ties count half."""
    if not alike or not different:
        return None
    different = sorted(different)
    wins = sum(bisect_left(different, one) + bisect_right(different, one) for one in alike)
    return wins / 2 / len(alike) / len(different)


def compare(example: Example, name: str, result: Result) -> None:
    """Add what a measure achieves on one page."""
    sample = _spread(example.records)[:_RECORDS]
    started = time.process_time()
    measure = MEASURES[name](example.sequence)
    alike = [measure.pair(a, b) for a, b in combinations(sample, 2)]
    beside = [measure.pair(a, b) for a in sample for b in example.beside]
    elsewhere = [measure.pair(a, b) for a in sample for b in example.elsewhere]
    result.pairs += len(alike) + len(beside) + len(elsewhere)
    halfway = time.process_time()
    result.pair_seconds += halfway - started
    measure = MEASURES[name](example.sequence)
    similarity = measure.against(example.records)
    own = [similarity(one) for one in sample]
    others = [similarity(one) for one in example.beside + example.elsewhere]
    result.list_seconds += time.process_time() - halfway
    result.members += len(own) + len(others)
    for scores, different in (
        (result.pairs_beside, auc(alike, beside)),
        (result.pairs_elsewhere, auc(alike, elsewhere)),
        (result.lists, auc(own, others)),
    ):
        if different is not None:
            scores.append(different)
    half = result.told[crc32(example.site.encode()) % 2]
    half += [(one, True) for one in own]
    half += [(one, False) for one in others]


def told_right(fitted: list[tuple[float, bool]], scored: list[tuple[float, bool]]) -> float:
    """Return the share told right, the mean of records and others, by the threshold that is best on `fitted`."""

    def right(entries: list[tuple[float, bool]], threshold: float) -> float:
        records = [one >= threshold for one, record in entries if record]
        others = [one < threshold for one, record in entries if not record]
        return (sum(records) / len(records) + sum(others) / len(others)) / 2

    return right(
        scored, max([step / 50 for step in range(51)], key=lambda threshold: right(fitted, threshold))
    )


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("folders", nargs="+", type=Path)
    for folder in arguments.parse_args().folders:
        results = {name: Result() for name in MEASURES}
        pages = 0
        for example in examples(folder):
            pages += 1
            for name, result in results.items():
                compare(example, name, result)
        print(f"{folder.name}: {pages} pages")
        print(f"{'':16} pairs: beside elsewhere µs a pair    list  told right µs a member")
        for name, result in results.items():
            halves = told_right(*result.told), told_right(*reversed(result.told))
            print(
                f"{name:16} {statistics.fmean(result.pairs_beside):13.3f} "
                f"{statistics.fmean(result.pairs_elsewhere):9.3f} {result.pair_seconds / result.pairs * 1e6:9.1f} "
                f"{statistics.fmean(result.lists):7.3f} {statistics.fmean(halves):11.1%} "
                f"{result.list_seconds / result.members * 1e6:11.1f}"
            )


if __name__ == "__main__":
    main()
