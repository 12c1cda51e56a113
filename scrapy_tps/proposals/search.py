"""The search for selectors in place of those of a callback that find nothing any more."""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import suppress
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
from scrapy_tps.proposals.rows import Expected, Row, elements_of_rows, own_values, recognise
from scrapy_tps.proposals.values import ELEMENT, Holder, alike, key, label_of, shape, value_of
from scrapy_tps.proposals.writing import Written, is_named_alike, is_positional, paths, written
from scrapy_tps.records.extract import candidate_lists
from scrapy_tps.records.record_selectors import record_candidates, xpath_of_css

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_tps.proposals.memory import CallbackMemory, SampledPage, SelectorMemory

#: The most rows of a page, and selectors of a kind of elements, that are tried.
_MOST_ROWS: Final = 10
_MOST_SELECTORS: Final = 80
#: The most kinds of rows that are tried in place of lost ones.
_MOST_LISTS: Final = 6
#: The least shares: of rows with a value, compared with before; of values that are right, of those that can be told;
#: of remembered values that are still there: of numbers, amounts, dates; of texts, which change less often.
_FOUND, _RIGHT, _STILL, _STAY = 0.8, 0.8, 0.5, 0.95
#: The share of rows that may be empty in place of others.
_EMPTY: Final = 0.15
#: How many times more or fewer results a selector may have than the lost one.
_MANY: Final = 2
#: The fewest right values that are no chance.
_FEWEST: Final = 2

_NAMESPACES: Final = {"re": "http://exslt.org/regular-expressions"}


class OutOfTime(Exception):
    """The search took too long."""


class Trial(NamedTuple):
    """A selector, tried in some rows.

    :ivar results: by row.
    :ivar right: number of values that are expected; `wrong`: of others in rows in which another one is, or none.
    """

    selector: Written
    results: list[list[Any]]
    right: int
    wrong: int

    @property
    def most(self) -> int:
        """The most results of a row."""
        return max(map(len, self.results), default=0)

    @property
    def number(self) -> int:
        """The number of results."""
        return sum(map(len, self.results))

    @property
    def found(self) -> int:
        """The number of rows with a result."""
        return sum(map(bool, self.results))


class Search:
    """The search on some pages.

    :param lost: selectors that found nothing on them.
    :param pages: pages as downloaded.
    :param ends: when it has to end, in processor time of this thread.
    :ivar proposals: by selector, for lost ones, and for those in rows that were lost.
    """

    def __init__(
        self, memory: CallbackMemory, lost: Sequence[str], pages: Sequence[SampledPage], ends: float = inf
    ) -> None:
        self.proposals: dict[str, Proposal] = {}
        self._memory = memory
        self._lost = lost
        self._pages = pages
        self._ends = ends

    def run(self) -> dict[str, Proposal]:
        """Search, and return the proposals; raise :class:`OutOfTime`."""
        rows = []
        for number, page in enumerate(self._pages):
            with suppress(etree.LxmlError):
                root = parse(decode(page.body, page.encoding), page.url).root
                rows += [Row(number, root, mark_of(page.url))] if root is not None else []
        self._repair("", rows)
        return self.proposals

    def _repair(self, name: str, rows: Sequence[Row], *, new: bool = False) -> dict[str, int]:
        """Find proposals for the lost selectors in the rows of a row selector; return those that find something there,
        with the number of values that are those remembered.

        :param new: whether the rows were found by another selector than before: what does not fit there is lost.
        """
        inner = {one: memory for one, memory in self._memory.items() if memory.row == name}
        if name:
            recognise(rows, own_values(inner.values()))
        living = {}
        unseen = []
        for one, memory in inner.items():
            trial = self._try(memory, (one, memory.kind), rows, _equal(memory, rows))
            is_as_before = not memory.reading or (
                trial.most <= _MANY * memory.results and _fitting(memory, trial) >= _FOUND
            )
            if trial.found and (is_as_before or not new):
                living[one] = trial.right
                if not memory.reading:
                    self._repair(one, _new_rows(rows, trial))
            elif new or one in self._lost:
                is_new = self._field(one, rows) if memory.reading else self._rows(one, rows)
                if self.proposals[one].selector:
                    living[one] = self.proposals[one].equal_values
                    unseen += [one] * is_new
        # one field may have taken the place of another one, but hardly several
        if len(unseen) == 1 and not is_named_alike(unseen[0], self.proposals[unseen[0]].selector):
            self.proposals[unseen[0]] = Proposal(pages=len(self._pages))
            del living[unseen[0]]
        return living

    def _field(self, name: str, rows: Sequence[Row]) -> bool:
        """Propose the best selector in place of a lost one, none if none is good; return whether it was found without
        its values.

        It finds the values of before; without such values, the only one behind the same label, or at the same tags.
        """
        memory, known = self._memory[name], _known(self._memory[name], rows)
        usual = memory.rate * len(rows)
        is_text = memory.shapes <= {"url", "text", "prose"}
        self.proposals[name] = Proposal(pages=len(self._pages))
        for find in (_equal, _labelled, _placed):
            expected, is_equal = find(memory, rows), find is _equal
            good: list[tuple[bool, Trial]] = []
            for reading, trial in self._trials(memory, expected, rows):
                told = trial.right + trial.wrong if is_equal else trial.found
                # what an element is called may last, its position among others only seems to be its name
                share = 1 if is_positional(trial.selector) else _STAY if is_text else _STILL
                least = max(_FEWEST, _RIGHT * told, is_equal * share * known)
                is_known = (
                    is_equal
                    or self._try(memory, trial.selector, rows, _equal(memory, rows)).right >= share * known
                )
                # values that are equal in all rows that can be told need less: others may have shapes of their own
                fitting = _STILL if is_equal and not trial.wrong else _FOUND
                if is_known and trial.right >= least and _fitting(memory, trial, rows) >= fitting:
                    good.append((reading == memory.reading, trial))
            if good:
                _, best = max(
                    good,
                    key=lambda one: (
                        one[1].right - one[1].wrong,
                        one[0],
                        -abs(one[1].found - usual),
                        -one[1].most,
                    ),
                )
                self._propose(name, best, rows, best.right * is_equal, known)
                return not is_equal
        return False

    def _propose(self, name: str, trial: Trial, rows: Sequence[Row], equal: int, known: int) -> None:
        found = {row.page for row, some in zip(rows, trial.results, strict=True) if some}
        self.proposals[name] = Proposal(*trial.selector, len(self._pages), len(found), equal, known)

    def _trials(
        self, memory: SelectorMemory, expected: Sequence[Expected], rows: Sequence[Row]
    ) -> Iterator[tuple[str, Trial]]:
        """Try selectors of elements, those of elements that are read as before first; yield those that find about as
        much, with what they read."""
        groups: defaultdict[tuple[str, str], list[tuple[Any, Any]]] = defaultdict(list)
        for row, here in zip(rows, expected, strict=True):
            for one in chain.from_iterable(here.values()):
                if memory.reading != ELEMENT or not one.reading.startswith("@"):
                    reading = ELEMENT if memory.reading == ELEMENT else one.reading
                    groups[reading, one.element.tag].append((row.element, one.element))
        order = sorted(groups, key=lambda group: (group[0] != memory.reading, -len(groups[group])))
        for reading, tag in order:
            ways = islice(paths(groups[reading, tag]), _MOST_SELECTORS)
            for selector in dict.fromkeys(written(path, reading, memory.kind) for path in ways):
                trial = self._try(memory, selector, rows, expected)
                is_as_many = memory.results <= _MANY * trial.most <= _MANY * _MANY * memory.results
                if is_as_many and trial.found >= _FOUND * memory.rate * len(rows):
                    yield reading, trial

    def _try(
        self, memory: SelectorMemory, selector: Written, rows: Sequence[Row], expected: Sequence[Expected]
    ) -> Trial:
        """Compare the results of a selector in some rows with what is expected."""
        if thread_time() > self._ends:
            raise OutOfTime
        results = _results(selector, rows)
        right = wrong = 0
        for row, some, here in zip(rows, results, expected, strict=True):
            values = [key(value) for one in some[: memory.first] if (value := value_of(one))]
            fitting = sum(value in here for value in values)
            right += fitting
            if here or memory.values.get(row.mark) == []:
                wrong += len(values) - fitting
        return Trial(selector, results, right, wrong)

    def _rows(self, name: str, rows: Sequence[Row]) -> bool:
        """Propose a row selector in place of a lost one, and selectors for those in its rows; none if none is good.

        The best one selects most rows in which these find something, and few others.
        """
        memory = self._memory[name]
        inner = {one: other for one, other in self._memory.items() if other.row == name and other.reading}
        old = {one: (one, other.kind) for one, other in inner.items()}
        filled = _filled([*inner.values()])
        self.proposals[name] = Proposal(pages=len(self._pages))
        best: tuple[tuple[int, int, int], Trial, Search, int, int] | None = None
        trials = [
            (self._merit(memory, trial, self._full(trial, old)), trial)
            for trial in self._row_trials(memory, [*inner.values()], rows)
        ]
        trials.sort(key=itemgetter(0), reverse=True)
        for before, trial in trials[:_MOST_LISTS]:
            # all selectors may be lost with their rows
            if before <= 0 < trials[0][0]:
                break
            new_rows = _new_rows(rows, trial)
            search = Search(self._memory, (), self._pages, self._ends)
            living = search._repair(name, new_rows, new=True)
            finders = {one: search.proposals[one].written for one in living if one in search.proposals}
            full = self._full(trial, {one: old[one] for one in living if one in old} | finders)
            merit = self._merit(memory, trial, full)
            is_good = 2 * len(living) > len(inner) and full >= (filled - _EMPTY) * trial.number
            if is_good and (best is None or (merit, len(living), -trial.number) > best[0]):
                known = sum(_known(inner[one], new_rows) for one in living if one in inner)
                best = (merit, len(living), -trial.number), trial, search, sum(living.values()), known
        if best is not None:
            self.proposals |= best[2].proposals
            self._propose(name, best[1], rows, *best[3:])
        return False

    def _full(self, trial: Trial, finders: dict[str, Written]) -> int:
        """Return the number of rows in which half of as many selectors as before find something."""
        rows = [Row(0, one, "") for some in trial.results for one in some]
        found: Counter[int] = Counter()
        usual = 0.0
        for name, selector in finders.items():
            memory = self._memory[name]
            full = [
                number
                for number, some in enumerate(_results(selector, rows))
                if 0 < len(some) <= _MANY * memory.results
            ]
            found.update(full)
            usual += memory.rate * bool(full)
        return sum(2 * one >= usual for one in found.values())

    def _merit(self, memory: SelectorMemory, trial: Trial, full: int) -> int:
        """Return the number of full rows, less that of empty ones and of those beyond the most of a page."""
        beyond = sum(max(0, len(some) - memory.results) for some in trial.results)
        return 2 * full - trial.number - beyond

    def _row_trials(
        self, memory: SelectorMemory, inner: Sequence[SelectorMemory], rows: Sequence[Row]
    ) -> Iterator[Trial]:
        """Try selectors of what holds remembered rows, and of the lists of records that have them; of all lists of the
        pages if all rows are new. Yield those that find about as many rows as before, one of each kind."""
        lists = sorted(filter(None, (elements_of_rows(inner, row) for row in rows)), key=len, reverse=True)
        held = set(chain.from_iterable(lists))
        if memory.results > 1:
            lists += [
                some for row in rows for some in candidate_lists(row.element) if not held or held & {*some}
            ]
        seen = set()
        for css in dict.fromkeys(chain.from_iterable(map(record_candidates, lists))):
            trial = self._try(memory, written(css, ELEMENT, memory.kind), rows, [{}] * len(rows))
            found = frozenset(chain.from_iterable(trial.results))
            is_full = trial.found >= _FOUND * len(rows) and trial.most >= _FOUND * memory.results
            if is_full and found not in seen:
                seen.add(found)
                yield trial


def _filled(memories: Sequence[SelectorMemory]) -> float:
    """Return the share of remembered rows in which half of as many selectors as usual found something."""
    found = Counter(mark for one in memories for mark, values in one.values.items() if values)
    marks = {mark for one in memories for mark in one.values}
    usual = sum(one.rate for one in memories)
    return sum(2 * found[mark] >= usual for mark in marks) / len(marks) if marks else 1.0


def _known(memory: SelectorMemory, rows: Sequence[Row]) -> int:
    """Return how many values are remembered of some rows."""
    return sum(len(memory.values.get(row.mark, ())) for row in rows)


def _fitting(memory: SelectorMemory, trial: Trial, rows: Sequence[Row] = ()) -> float:
    """Return the share of rows whose first value has a shape of those before, or of those in remembered ones of
    `rows`."""
    first = [shape(value_of(some[0])) if some else "" for some in trial.results]
    known = {one for row, one in zip(rows, first, strict=False) if row.mark in memory.values} | memory.shapes
    return sum(one in known for one in first if one) / max(1, trial.found)


def _new_rows(rows: Sequence[Row], trial: Trial) -> list[Row]:
    """Return the first elements that were selected in each of some rows as rows; the only one is the same row."""
    return [
        Row(row.page, element, row.mark if len(some) == 1 else "")
        for row, some in zip(rows, trial.results, strict=True)
        for element in some[:_MOST_ROWS]
        if isinstance(element, etree._Element)
    ]


def _equal(memory: SelectorMemory, rows: Sequence[Row]) -> list[Expected]:
    """Return for each row the values that were found in it before, and are still there."""
    return [
        {same: row.holders[same] for same in map(key, memory.values.get(row.mark, ())) if same in row.holders}
        for row in rows
    ]


def _labelled(memory: SelectorMemory, rows: Sequence[Row]) -> list[Expected]:
    """Return for each row the only value of the same shape behind the same label, read in the same way."""

    def behind_label(row: Row, one: Holder) -> bool:
        return (
            one.reading == memory.reading
            and shape(one.value) in shapes
            and label_of(one.element, row.element) == memory.label
        )

    expected, shapes = [], memory.shapes
    for row in rows:
        found = {
            same: good
            for same, some in row.holders.items()
            if memory.label and (good := [one for one in some if behind_label(row, one)])
        }
        expected.append(found if len(found) == 1 else {})
    return expected


def _placed(memory: SelectorMemory, rows: Sequence[Row]) -> list[Expected]:
    """Return for each row the only value of the same shape at the same tags."""
    expected: list[Expected] = []
    shapes = memory.shapes
    for row in rows:
        found = alike(row.element, memory.place, memory.reading, shapes) if memory.place else []
        expected.append({key(found[0].value): found} if len(found) == 1 else {})
    return expected


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
