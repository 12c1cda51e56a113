"""The search for selectors in place of those of a callback that find nothing any more."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lxml import etree

from scrapy_tps.proposals.memory import MOST_OF_PAGE, MOST_OF_ROW, Proposal, SelectorMemory, mark_of, value_of
from scrapy_tps.proposals.values import ELEMENT, key, label_of, readings, shape
from scrapy_tps.proposals.writing import Written, paths, written
from scrapy_tps.records.extract import candidate_lists
from scrapy_tps.records.record_selectors import record_selector, xpath_of_css

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_tps.proposals.memory import CallbackMemory

#: The most rows of a page, and selectors of a kind of elements, that are tried.
_MOST_ROWS: Final = 10
_MOST_SELECTORS: Final = 80
#: The least shares: of rows with a value; of values with a remembered shape; of values that must be equal where the
#: remembered ones are known; of values that must be behind the label.
_FOUND, _FITTING, _EQUAL, _LABELLED = 0.8, 0.8, 0.6, 0.8
#: How many times more or fewer results a selector may have than the lost one.
_MANY: Final = 2
#: The fewest values that must be known before they decide.
_FEWEST_KNOWN: Final = 2

_NAMESPACES: Final = {"re": "http://exslt.org/regular-expressions"}


@dataclass
class Row:
    """A row of a sampled page, or the page.

    :ivar page: number of the page.
    :ivar mark: mark of the remembered row that it is; ``page.`` if it is a new one.
    """

    page: int
    element: Any
    mark: str

    @cached_property
    def readings(self) -> list[tuple[Any, str, str, str]]:
        """What is read from its elements: the element, how, the value, and what equal values share."""
        return [(*one, key(one[2])) for one in readings(self.element)]


class Target(NamedTuple):
    """An element that may hold a value of a row, how it is read, and the value."""

    row: Row
    element: Any
    reading: str
    value: str


class Trial(NamedTuple):
    """A selector, tried in some rows.

    :ivar selector: None if no selector is good.
    :ivar results: by row; `first`: the value of the first one, empty if there is none.
    :ivar most: the most results of a row.
    :ivar fits: whether values have the shapes of those before, and are about as many.
    :ivar equal: number of values that are those remembered; `known`: of those in remembered rows.
    """

    selector: Written | None
    results: list[list[Any]]
    first: list[str]
    most: int = 0
    fits: bool = False
    equal: int = 0
    known: int = 0

    @property
    def found(self) -> int:
        """The number of rows with a value."""
        return sum(map(bool, self.first))

    def proposal(self, rows: Sequence[Row], pages: int) -> Proposal:
        """Return it as a proposal."""
        if self.selector is None:
            return Proposal(pages=pages)
        found = {row.page for row, some in zip(rows, self.results, strict=True) if some}
        return Proposal(self.selector.text, self.selector.kind, pages, len(found), self.equal, self.known)


def propose(
    memory: CallbackMemory, lost: Iterable[str], pages: Sequence[tuple[str, Any]]
) -> dict[str, Proposal]:
    """Return a proposal for each lost selector of a callback, and for those in rows that were lost.

    :param pages: address and ``html`` element of pages as downloaded, on which they found nothing.
    """
    top = [Row(number, root, mark_of(url)) for number, (url, root) in enumerate(pages)]
    search = _Search(memory, frozenset(lost), len(pages))
    search.repair("", top)
    return search.proposals


class _Search:
    """The search on some pages."""

    def __init__(self, memory: CallbackMemory, lost: frozenset[str], pages: int) -> None:
        self.proposals: dict[str, Proposal] = {}
        self._memory = memory
        self._lost = lost
        self._pages = pages

    def repair(self, name: str, rows: Sequence[Row], *, new: bool = False) -> dict[str, Trial]:
        """Find proposals for the lost selectors in the rows of a row selector; return those that find something.

        :param new: whether the rows were found by another selector than before: what does not fit there is lost.
        """
        inner = {one: memory for one, memory in self._memory.items() if memory.row == name}
        _recognise([*inner.values()], rows)
        trials = {one: _try(memory, Written(one, memory.css), rows) for one, memory in inner.items()}
        living = {
            one: trial
            for one, trial in trials.items()
            if trial.found and (trial.fits or not (new and inner[one].reading))
        }
        lost = [one for one in inner if one not in living and (new or one in self._lost)]
        # values that differ most come first, because those of others may only seem to be theirs
        for one in sorted(lost, key=lambda one: -len(inner[one].different)):
            if inner[one].reading:
                trial = _best(inner[one], rows, [other.first for other in living.values()])
                self.proposals[one] = trial.proposal(rows, self._pages)
                if trial.selector is not None:
                    living[one] = trial
            else:
                self._repair_rows(one, rows)
        for one, trial in living.items():
            if not inner[one].reading:
                self.repair(one, _rows(rows, trial.results))
        return living

    def _repair_rows(self, name: str, rows: Sequence[Row]) -> None:
        """Find a proposal for a lost row selector, and for those in its rows."""
        memory = self._memory[name]
        inner = {one: other for one, other in self._memory.items() if other.row == name and other.reading}
        most, best = 0, {name: Proposal(pages=self._pages)}
        for selector in _row_selectors(memory, [*inner.values()], rows):
            trial = _try(memory, selector, rows)
            if trial.found < _FOUND * len(rows):
                continue
            new = _rows(rows, trial.results)
            search = _Search(self._memory, frozenset(), self._pages)
            found = {one: other for one, other in search.repair(name, new, new=True).items() if one in inner}
            values = zip(*(one.first for one in found.values()), strict=True)
            full = sum(2 * sum(map(bool, of_row)) >= len(found) for of_row in values)
            worth = len(found) * (2 * full - len(new))
            if worth > most and 2 * len(found) > len(inner):
                most = worth
                trial = trial._replace(
                    equal=sum(one.equal for one in found.values()),
                    known=sum(one.known for one in found.values()),
                )
                best = search.proposals | {name: trial.proposal(rows, self._pages)}
        self.proposals |= best


def _row_selectors(
    memory: SelectorMemory, inner: Sequence[SelectorMemory], rows: Sequence[Row]
) -> Iterator[Written]:
    """Yield selectors of rows: of the lists of records around the values of a page, or of what holds these."""
    seen = set()
    for row in rows:
        holder = _holder(inner, row)
        for elements in [[holder]] if memory.results == 1 else candidate_lists(holder):
            css, _ = record_selector(elements) if elements else (None, [])
            if css is not None and css not in seen:
                seen.add(css)
                yield written(css, ELEMENT, css=memory.css)


def _holder(memories: Sequence[SelectorMemory], row: Row) -> Any:
    """Return the innermost element with the most of the values that were seen on a page; all of it if it has none."""
    page = row.mark.partition(".")[0]
    known = {
        key(value)
        for one in memories
        for mark, values in one.values.items()
        if mark.startswith(page)
        for value in values
    }
    held: defaultdict[Any, set[str]] = defaultdict(set, {row.element: set()})
    for element, *_, same in row.readings:
        if same in known:
            for above in (element, *element.iterancestors()):
                held[above].add(same)
    return max(held, key=lambda one: (len(held[one]), len(list(one.iterancestors()))))


def _recognise(memories: Sequence[SelectorMemory], rows: Sequence[Row]) -> None:
    """Find out which remembered rows some rows are: by half of the values that only one of these has."""
    marks: defaultdict[str, set[str]] = defaultdict(set)
    for memory in memories:
        for mark, values in memory.values.items():
            for value in values:
                marks[key(value)].add(mark)
    owners = {value: next(iter(some)) for value, some in marks.items() if len(some) == 1}
    own = Counter(owners.values())
    for row in rows:
        here = owners.keys() & {same for *_, same in row.readings}
        mark, number = next(iter(Counter(owners[same] for same in here).most_common(1)), ("", 0))
        if number and row.mark not in own and 2 * number >= own[mark]:
            row.mark = mark


def _rows(rows: Sequence[Row], results: Sequence[Sequence[Any]]) -> list[Row]:
    """Return the first elements that were selected in each of some rows as rows; the only one is the same row."""
    return [
        Row(row.page, element, row.mark if len(some) == 1 else f"{row.mark.partition('.')[0]}.")
        for row, some in zip(rows, results, strict=True)
        for element in some[:_MOST_ROWS]
        if isinstance(element, etree._Element)
    ]


def _best(memory: SelectorMemory, rows: Sequence[Row], taken: Sequence[list[str]]) -> Trial:
    """Return the trial of the best selector in place of a lost one, without selector if none is good.

    :param taken: the values of other selectors.
    """
    best = None
    for trial in _trials(memory, list(_equal(memory, rows)), rows):
        is_good = trial.known >= _FEWEST_KNOWN and trial.equal >= _EQUAL * trial.known
        if is_good and (best is None or (trial.equal, -trial.most) > (best.equal, -best.most)):
            best = trial
            if trial.equal == trial.known and trial.most <= memory.results:
                break
    if best is not None:
        return best
    labelled = list(_labelled(memory, rows))
    values = {(id(target.row), target.value) for target in labelled}
    good = []
    for trial in _trials(memory, labelled, rows):
        alike = sum((id(row), value) in values for row, value in zip(rows, trial.first, strict=True))
        if (
            trial.fits
            and trial.first not in taken
            and alike >= _LABELLED * trial.found <= memory.rate * len(rows)
        ):
            good.append(trial)
    # elements behind one label may hold different values: without equal ones, that is a guess
    return good[0] if good and all(one.first == good[0].first for one in good) else Trial(None, [], [])


def _equal(memory: SelectorMemory, rows: Sequence[Row]) -> Iterator[Target]:
    """Yield the elements that hold values which were found in these rows before."""
    for row in rows:
        before = {key(value) for value in memory.values.get(row.mark, ())}
        for element, reading, value, same in row.readings:
            if same in before:
                yield Target(row, element, reading, value)


def _labelled(memory: SelectorMemory, rows: Sequence[Row]) -> Iterator[Target]:
    """Yield the elements behind the same label that hold values of the same shape, read in the same way."""
    shapes = memory.shapes
    for row in rows if memory.label else ():
        for element, reading, value, _ in row.readings:
            is_attribute = reading.startswith("@")
            if (
                (reading == memory.reading or not is_attribute)
                and shape(value) in shapes
                and label_of(element, row.element) == memory.label
            ):
                yield Target(row, element, reading, value)


def _trials(memory: SelectorMemory, targets: Sequence[Target], rows: Sequence[Row]) -> Iterator[Trial]:
    """Try selectors of elements, once each, those of elements that are read as before first; yield those that find
    nearly as often."""
    groups: defaultdict[tuple[str, str], list[Target]] = defaultdict(list)
    for target in targets:
        if memory.reading != ELEMENT or not target.reading.startswith("@"):
            way = ELEMENT if memory.reading == ELEMENT else target.reading
            groups[way, target.element.tag].append(target)
    seen = set()
    for reading, tag in sorted(groups, key=lambda group: (group[0] != memory.reading, -len(groups[group]))):
        pairs = [(target.row.element, target.element) for target in groups[reading, tag]]
        for path in islice(paths(pairs), _MOST_SELECTORS):
            selector = written(path, reading, css=memory.css)
            if selector not in seen:
                seen.add(selector)
                trial = _try(memory, selector, rows)
                if trial.found and trial.found >= _FOUND * memory.rate * len(rows):
                    yield trial


def _try(memory: SelectorMemory, selector: Written, rows: Sequence[Row]) -> Trial:
    """Compare the results of a selector in some rows with what is remembered."""
    results = _results(selector, rows)
    most = MOST_OF_ROW if memory.row else MOST_OF_PAGE
    first, equal, known = [], 0, 0
    for row, some in zip(rows, results, strict=True):
        values = [value_of(result) for result in some[:most]]
        first.append(values[0] if values else "")
        before = [key(value) for value in memory.values.get(row.mark, ())]
        if before and values:
            known += max(len(values), len(before))  # more than before are others
            equal += sum(key(value) in before for value in values)
    shapes, there = memory.shapes, list(filter(None, first))
    fitting = sum(shape(value) in shapes for value in there)
    count = max(map(len, results), default=0)
    is_as_many = memory.results <= _MANY * count and count <= _MANY * memory.results
    return Trial(
        selector, results, first, count, fitting >= _FITTING * len(there) and is_as_many, equal, known
    )


def _results(selector: Written, rows: Sequence[Row]) -> list[list[Any]]:
    """Return the results of a selector in each row; none if it is none, or needs variables."""
    try:
        xpath = xpath_of_css(selector.text, "descendant-or-self::") if selector.css else selector.text
        find = etree.XPath(xpath, namespaces=_NAMESPACES, smart_strings=False)
        found = [find(row.element) for row in rows]
    except (etree.XPathError, SyntaxError, ValueError):
        return [[] for _ in rows]
    # an empty text is no result
    return [some if isinstance(some, list) else [some] * bool(some) for some in found]
