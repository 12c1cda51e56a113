"""The search for selectors in place of those of a callback that find nothing any more.

For each lost field: what may hold its values, by value or place; selectors of that; each tried in all rows; the best
one, if it proves to be right. For lost rows: lists of elements, in each of which all fields are searched.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from math import inf
from operator import itemgetter
from time import thread_time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lxml import etree

from scrapy_tps.engine.fallback.fallback_page import is_nothing
from scrapy_tps.engine.html.document import decode, parse
from scrapy_tps.proposals.memory import mark_of
from scrapy_tps.proposals.proposal import Proposal
from scrapy_tps.proposals.rows import Holders, Marks, Row, likely_rows, marks_of
from scrapy_tps.proposals.values import ELEMENT, holders, key, shape, value_of
from scrapy_tps.proposals.writing import Written, is_named_alike, paths, written
from scrapy_tps.records.record_selectors import record_candidates, xpath_of_css

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.proposals.memory import CallbackMemory, SampledPage, SelectorMemory

#: The most rows of a page, selectors of a kind of elements, and lists in place of lost rows, that are tried.
_MOST_ROWS: Final = 30
_MOST_SELECTORS: Final = 80
_MOST_LISTS: Final = 6
#: The least shares: of rows with a value, compared with before; of values that are right, and that have a shape of
#: before; of remembered values that are still there: of numbers, amounts, dates; of texts, which change less often.
_FOUND, _RIGHT, _STILL, _STAY = 0.8, 0.8, 0.5, 0.95
#: How many times more or fewer results a selector may have than the lost one.
_MANY: Final = 2
#: The fewest right values that are no chance.
_FEWEST: Final = 2

_NAMESPACES: Final = {"re": "http://exslt.org/regular-expressions"}

#: What each row should hold: nothing if it is empty; None if that is not known.
Expected = list["Holders | None"]


class Trial(NamedTuple):
    """A selector, tried in some rows.

    :ivar results: by row; `values`: what equal values share, of those that count.
    :ivar right: values that are expected; `wrong`: number of others, in rows of which it is known what they hold.
    """

    selector: Written
    results: list[list[Any]]
    values: list[list[str]]
    right: list[str]
    wrong: int

    @property
    def most(self) -> int:
        """The most results of a row."""
        return max(map(len, self.results), default=0)

    @property
    def filled(self) -> list[int]:
        """The numbers of the rows with a result."""
        return [number for number, some in enumerate(self.results) if some]

    @property
    def merit(self) -> int:
        """How many more values are right than wrong."""
        return len(self.right) - self.wrong


class Search:
    """The search on some pages.

    :param lost: selectors that found nothing on them.
    :param pages: pages as downloaded.
    :param ends: in processor time of this thread; no further selector is searched then.
    """

    def __init__(
        self, memory: CallbackMemory, lost: Sequence[str], pages: Sequence[SampledPage], ends: float = inf
    ) -> None:
        self._memory = {name: one for name, one in memory.items() if one.page_rate}
        self._lost = lost
        self._pages = pages
        self._ends = ends
        self._marks: dict[tuple[str, Any], Marks] = {}

    def run(self) -> dict[str, Proposal]:
        """Return proposals by selector, for lost ones, and for those in rows that were lost."""
        proposals: dict[str, Proposal] = {}
        rows = []
        for page in self._pages:
            with suppress(etree.LxmlError):
                root = parse(decode(page.body, page.encoding), page.url).root
                mark = mark_of(page.url)
                rows += [Row(mark, root, mark)] if root is not None else []
        self._repair("", rows, proposals)
        return proposals

    def _repair(
        self, name: str, rows: Sequence[Row], proposals: dict[str, Proposal], *, new: bool = False
    ) -> dict[str, Trial]:
        """Find proposals for the lost selectors in the rows of a row selector; return the selectors that find something
        there, old and new ones.

        :param proposals: takes the proposals.
        :param new: whether the rows were found by another selector than before: what does not fit there is lost.
        """
        inner = {one: memory for one, memory in self._memory.items() if memory.row == name}
        living, unseen = {}, []
        for one, memory in inner.items():
            trial = self._try(memory, (one, memory.kind), rows, _seen(memory, rows))
            is_as_before = not memory.reading or (
                trial.most <= _MANY * memory.results and _fitting(memory, trial, rows) >= _FOUND
            )
            if trial.filled and (is_as_before or not new):
                living[one] = trial
                if not memory.reading:
                    self._repair(one, self._new_rows(one, rows, trial), proposals)
            elif (new or one in self._lost) and thread_time() < self._ends:
                if memory.reading:
                    found = self._field(memory, rows)
                    proposals[one] = self._proposal(memory, rows, found)
                else:
                    found = self._rows(one, rows, proposals)
                if found is not None:
                    living[one] = found
                    unseen += [one] * (memory.reading != "" and proposals[one].equal_values < _FEWEST)
        # one field may have taken the place of another one, but hardly several
        if len(unseen) == 1 and not is_named_alike(unseen[0], proposals[unseen[0]].selector):
            proposals[unseen[0]] = self._proposal(inner[unseen[0]], rows, None)
            del living[unseen[0]]
        return living

    def _proposal(self, memory: SelectorMemory, rows: Sequence[Row], trial: Trial | None) -> Proposal:
        if trial is None:
            return Proposal(pages=len(self._pages))
        found = {row.page for row, some in zip(rows, trial.results, strict=True) if some}
        equal, known = _equal(memory, trial, rows)
        return Proposal(*trial.selector, len(self._pages), len(found), equal, known)

    def _field(self, memory: SelectorMemory, rows: Sequence[Row]) -> Trial | None:
        """Return the best selector in place of a lost one, None if none is good.

        It finds the values of before; if these are not known, the only one at the same tags.
        """
        seen = _seen(memory, rows)
        expected = seen
        if sum(map(bool, seen)) < _FEWEST:
            expected = [here or _placed(memory, row) for here, row in zip(seen, rows, strict=True)]
        groups: defaultdict[tuple[str, str], list[tuple[Any, Any]]] = defaultdict(list)
        for row, here in zip(rows, expected, strict=True):
            for one in chain.from_iterable((here or {}).values()):
                if memory.reading != ELEMENT or not one.reading.startswith("@"):
                    reading = ELEMENT if memory.reading == ELEMENT else one.reading
                    groups[reading, one.element.tag].append((row.element, one.element))
        good = []
        # those of elements that are read as before first
        for (reading, _), pairs in sorted(
            groups.items(), key=lambda group: (group[0][0] != memory.reading, group[0])
        ):
            for selector in dict.fromkeys(
                written(path, reading) for path in islice(paths(pairs), _MOST_SELECTORS)
            ):
                trial = self._try(memory, selector, rows, expected)
                if _is_proved(memory, trial, rows):
                    good.append(trial)
        best = max(good, key=lambda one: one.merit, default=None)
        # what is as good, and finds other values elsewhere, may be the field as well
        rivals = [one.values for one in good if best is not None and one.merit == best.merit]
        found = (set(map(tuple, filter(None, some))) for some in zip(*rivals, strict=True))
        return None if any(len(values) > 1 for values in found) else best

    def _try(
        self, memory: SelectorMemory, selector: Written, rows: Sequence[Row], expected: Expected
    ) -> Trial:
        """Compare the results of a selector in some rows with what is expected."""
        results = _results(selector, rows)
        values = [
            [key(value) for one in some[: memory.first] if (value := value_of(one))] for some in results
        ]
        told = [
            (value, value in here)
            for some, here in zip(values, expected, strict=True)
            if here is not None
            for value in some
        ]
        right = [value for value, is_right in told if is_right]
        return Trial(selector, results, values, right, len(told) - len(right))

    def _rows(self, name: str, rows: Sequence[Row], proposals: dict[str, Proposal]) -> Trial | None:
        """Propose a row selector in place of a lost one, and selectors for those in its rows; none if none is good.

        The best one selects less than twice as many rows as the lost one did, most of those in which half of the
        fields are found, and few others.
        """
        memory = self._memory[name]
        rates = [one.rate for one in self._memory.values() if one.row == name]
        good = []
        for trial in self._lists(name, rows):
            new_rows = self._new_rows(name, rows, trial)
            found: dict[str, Proposal] = {}
            living = self._repair(name, new_rows, found, new=True)
            fields = Counter(chain.from_iterable(one.filled for one in living.values()))
            full = sum(2 * number >= sum(rates) for number in fields.values())
            if 2 * len(living) > len(rates) and full >= _FOUND * max(rates) * len(new_rows):
                merit = trial.most < _MANY * memory.results, 2 * full - len(new_rows), len(living)
                values = [_equal(self._memory[one], some, new_rows) for one, some in living.items()]
                equal, known = map(sum, zip(*values, strict=True))
                proposal = self._proposal(memory, rows, trial)
                found[name] = replace(proposal, equal_values=equal, known_values=known)
                good.append((merit, trial, found))
        nothing = (), None, {name: self._proposal(memory, rows, None)}
        _, best, found = max(good, key=itemgetter(0), default=nothing)
        proposals |= found
        return best

    def _lists(self, name: str, rows: Sequence[Row]) -> list[Trial]:
        """Return the likeliest selectors of rows: most of what they find may be one remembered row each. They find
        about as many rows as before."""
        memory = self._memory[name]
        lists = chain.from_iterable(likely_rows(row, self._marks_of(name, row)) for row in rows)
        ranked: dict[frozenset[Any], tuple[tuple[bool, int], Trial]] = {}
        for css in dict.fromkeys(chain.from_iterable(map(record_candidates, lists))):
            trial = self._try(memory, (css, "css"), rows, [None] * len(rows))
            found = frozenset(chain.from_iterable(trial.results))
            is_as_many = len(trial.filled) >= _FOUND * len(rows) and trial.most >= _FOUND * memory.results
            if is_as_many and found not in ranked:
                new_rows = self._new_rows(name, rows, trial)
                known = sum(row.mark != "" for row in new_rows)
                ranked[found] = (trial.most < _MANY * memory.results, 2 * known - len(new_rows)), trial
        return [trial for _, trial in sorted(ranked.values(), key=itemgetter(0), reverse=True)[:_MOST_LISTS]]

    def _new_rows(self, name: str, rows: Sequence[Row], trial: Trial) -> list[Row]:
        """Return the first elements that were selected in each of some rows as rows; the only one is the same row."""
        new_rows = []
        for row, some in zip(rows, trial.results, strict=True):
            for element in some[:_MOST_ROWS]:
                marks = [row.mark] if len(some) == 1 else [*self._marks_of(name, row).get(element, ())]
                if isinstance(element, etree._Element):
                    new_rows.append(Row(row.page, element, marks[0] if len(marks) == 1 else ""))
        return new_rows

    def _marks_of(self, name: str, row: Row) -> Marks:
        """Return for the elements of a row which remembered rows of a selector they may be."""
        if (name, row.element) not in self._marks:
            inner = [one for one in self._memory.values() if one.row == name]
            self._marks[name, row.element] = marks_of(row, inner)
        return self._marks[name, row.element]


def _is_proved(memory: SelectorMemory, trial: Trial, rows: Sequence[Row]) -> bool:
    """Whether what a selector finds is that of the lost one, and not by chance."""
    texts = memory.shapes <= {"url", "text"}
    equal, known = _equal(memory, trial, rows)
    return (
        len(trial.right) >= max(_FEWEST, _RIGHT * (len(trial.right) + trial.wrong))
        and equal >= (_STAY if texts else _STILL) * known
        and len(trial.filled) >= _FOUND * memory.rate * len(rows)
        and _fitting(memory, trial, rows) >= _FOUND
        # values that are all the same prove nothing, unless there are no others
        and len({*trial.right}) >= min(_FEWEST, len({*chain.from_iterable(trial.values)}))
    )


def _equal(memory: SelectorMemory, trial: Trial, rows: Sequence[Row]) -> tuple[int, int]:
    """Return how many of the values that are remembered of some rows a selector finds, and how many there are."""
    known = [{*map(key, memory.values.get(row.mark, ()))} for row in rows]
    equal = sum(len(some & {*values}) for some, values in zip(known, trial.values, strict=True))
    return equal, sum(map(len, known))


def _fitting(memory: SelectorMemory, trial: Trial, rows: Sequence[Row]) -> float:
    """Return the share of the rows with results that are known, or whose first value has a shape of those before."""
    shapes = memory.shapes
    fitting = sum(
        row.mark in memory.values or shape(value_of(some[0])) in shapes
        for row, some in zip(rows, trial.results, strict=True)
        if some
    )
    return fitting / max(1, len(trial.filled))


def _seen(memory: SelectorMemory, rows: Sequence[Row]) -> Expected:
    """Return for each row the values that were found in it before, and are still there."""
    expected: Expected = []
    for row in rows:
        values = memory.values.get(row.mark)
        here = {same: row.holders[same] for same in map(key, values or ()) if same in row.holders}
        expected.append(here if here or values == [] else None)
    return expected


def _placed(memory: SelectorMemory, row: Row) -> Holders:
    """Return the only value of such a shape at the same tags of a row as before."""
    shapes = memory.shapes
    elements = row.element.iterfind(memory.place) if memory.place else ()
    here = [one for one in chain.from_iterable(map(holders, elements)) if shape(one.value) in shapes]
    values = {key(one.value) for one in here}
    return {values.pop(): here} if len(values) == 1 else {}


def _results(selector: Written, rows: Sequence[Row]) -> list[list[Any]]:
    """Return the results of a selector in each row; none if it is none, or needs variables."""
    text, kind = selector
    try:
        xpath = xpath_of_css(text, "descendant-or-self::") if kind == "css" else text
        find = etree.XPath(xpath, namespaces=_NAMESPACES, smart_strings=False)
        found = [find(row.element) for row in rows]
    except (etree.XPathError, SyntaxError, ValueError):
        return [[] for _ in rows]
    lists = [some if isinstance(some, list) else [some] for some in found]
    return [[] if is_nothing(some) else some for some in lists]
