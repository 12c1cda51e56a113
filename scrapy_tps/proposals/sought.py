"""A selector that is sought in some rows: what it should find there, and which other ones do."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, starmap
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lxml import etree

from scrapy_tps.engine.fallback.fallback_page import is_nothing
from scrapy_tps.proposals.values import ELEMENT, TEXT, Holder, holders, key, shape, tags_between
from scrapy_tps.proposals.writing import paths, written
from scrapy_tps.records.record_selectors import xpath_of_css

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.proposals.memory import SelectorMemory

#: The most selectors of a kind of elements that are tried.
_MOST_SELECTORS: Final = 80
#: The least shares: of rows with a value, compared with before; of values that are right, and that have a shape of
#: before; of remembered values that are still there: of numbers, amounts, dates; of texts, which change less often.
FOUND, _RIGHT, _STILL, _STAY = 0.8, 0.8, 0.5, 0.95
#: The fewest right values that are no chance.
_FEWEST: Final = 2

_NAMESPACES: Final = {"re": "http://exslt.org/regular-expressions"}


#: What a row may hold: values, and the elements that hold them.
Holders = dict[str, list[Holder]]


@dataclass
class Row:
    """A row of a sampled page, or the page.

    :ivar page: mark of the page.
    :ivar mark: mark of the remembered row that it is; empty if it is a new one.
    """

    page: str
    element: Any
    mark: str

    @cached_property
    def holders(self) -> Holders:
        """What holds its values, by what equal values share."""
        found: defaultdict[str, list[Holder]] = defaultdict(list)
        for element in self.element.iter("*"):
            for one in holders(element) if element.tag not in {"script", "style"} else ():
                found[key(one.value)].append(one)
        return dict(found)


class Trial(NamedTuple):
    """A selector, tried in some rows.

    :ivar results: by row; `values`: what equal values share, of those that count.
    :ivar right: values that are expected; `wrong`: number of others, in rows of which it is known what they hold.
    :ivar equal: number of remembered values that it finds in their rows; `known`: of those that are remembered.
    :ivar fitting: the share of the rows with results whose first value has a shape of those sought.
    """

    selector: str
    kind: str
    results: list[list[Any]]
    values: list[list[str]]
    right: list[str]
    wrong: int
    equal: int
    known: int
    fitting: float

    @property
    def most(self) -> int:
        """The most results of a row."""
        return max(map(len, self.results), default=0)

    @property
    def filled(self) -> list[int]:
        """The numbers of the rows with a result."""
        return [number for number, some in enumerate(self.results) if some]


class Sought:
    """A selector that is sought in some rows.

    Each row should hold the values of before that are still there, or nothing if it was empty. If all rows are new,
    each should hold the only value of such a shape at the same tags.
    """

    def __init__(self, memory: SelectorMemory, rows: Sequence[Row]) -> None:
        self.memory = memory
        self.rows = rows
        self._shapes = memory.shapes
        self._known = 0
        self._expected: list[Holders | None] = []
        for row in rows:
            values = dict.fromkeys(map(key, memory.values.get(row.mark, ())))
            here = {value: row.holders[value] for value in values if value in row.holders}
            is_told = here or (row.mark in memory.values and not values)
            self._expected.append(here if is_told else None)
            self._known += len(values)
        if not self._known:
            self._expected = [*map(self._placed, rows)]
        # values may be written in another way now
        seen = chain.from_iterable(here.values() for here in self._expected if here)
        self._shapes |= {shape(one.value) for one in chain.from_iterable(seen)}

    def _placed(self, row: Row) -> Holders:
        """Return the only value of such a shape at the same tags of a row as before."""
        elements = row.element.iterfind(self.memory.place) if self.memory.place else ()
        here = [
            one for one in chain.from_iterable(map(holders, elements)) if shape(one.value) in self._shapes
        ]
        values = {key(one.value) for one in here}
        return {values.pop(): here} if len(values) == 1 else {}

    def best(self) -> Trial | None:
        """Return the best selector in its place, None if none is good."""
        groups: defaultdict[tuple[str, str], list[tuple[Any, Any]]] = defaultdict(list)
        for row, here in zip(self.rows, self._expected, strict=True):
            for one in chain.from_iterable((here or {}).values()):
                reading = ELEMENT if self.memory.is_element else one.reading
                groups[reading, tags_between(row.element, one.element)].append((row.element, one.element))
        candidates = dict.fromkeys(
            written(path, reading)
            for (reading, _), pairs in sorted(
                groups.items(), key=lambda group: (group[0][0] != TEXT, group[0])
            )
            for path in islice(paths(pairs), _MOST_SELECTORS)
        )
        good = [trial for trial in starmap(self.tried, candidates) if self._is_proved(trial)]
        most = max((len(one.right) - one.wrong for one in good), default=0)
        best = [one for one in good if len(one.right) - one.wrong == most]
        # what is as good, and finds other values elsewhere, may be the field as well
        rivals = zip(*(one.values for one in best), strict=True)
        is_sure = all(len(set(map(tuple, filter(None, some)))) <= 1 for some in rivals)
        return best[0] if best and is_sure else None

    def tried(self, selector: str, kind: str) -> Trial:
        """Compare the results of a selector with what is expected."""
        results = _results(selector, kind, self.rows)
        texts = [self.memory.read(some) for some in results]
        values = [[*dict.fromkeys(map(key, some))] for some in texts]
        told = [
            (value, value in here)
            for some, here in zip(values, self._expected, strict=True)
            if here is not None
            for value in some
        ]
        right = [value for value, is_right in told if is_right]
        first = [shape(some[0]) in self._shapes for some in texts if some]
        fitting = sum(first) / max(1, len(first))
        equal = len(right) if self._known else 0
        return Trial(
            selector, kind, results, values, right, len(told) - len(right), equal, self._known, fitting
        )

    def _is_proved(self, trial: Trial) -> bool:
        """Whether what a selector finds is that of the lost one, and not by chance."""
        texts = self.memory.shapes <= {"url", "text"}
        return (
            len(trial.right) >= max(_FEWEST, _RIGHT * (len(trial.right) + trial.wrong))
            and trial.equal >= (_STAY if texts else _STILL) * trial.known
            and len(trial.filled) >= FOUND * self.memory.rate * len(self.rows)
            and trial.fitting >= FOUND
            # values that are all the same prove nothing, unless there are no others
            and len({*trial.right}) >= min(_FEWEST, len({*chain.from_iterable(trial.values)}))
        )


def _results(selector: str, kind: str, rows: Sequence[Row]) -> list[list[Any]]:
    """Return the results of a selector in each row; none if it is none, or needs variables."""
    try:
        xpath = xpath_of_css(selector, "descendant-or-self::") if kind == "css" else selector
        find = etree.XPath(xpath, namespaces=_NAMESPACES, smart_strings=False)
        found = [find(row.element) for row in rows]
    except (etree.XPathError, SyntaxError, ValueError):
        return [[] for _ in rows]
    lists = [some if isinstance(some, list) else [some] for some in found]
    return [[] if is_nothing(some) else some for some in lists]
