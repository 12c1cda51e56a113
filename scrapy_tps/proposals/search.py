"""The search for selectors in place of those of a callback that find nothing any more."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lxml import etree

from scrapy_tps.proposals.memory import (
    MOST_OF_PAGE,
    MOST_OF_ROW,
    Proposal,
    SelectorMemory,
    elements_path,
    mark_of,
    value_of,
)
from scrapy_tps.proposals.values import (
    ELEMENT,
    key,
    label_of,
    readings,
    shape,
)
from scrapy_tps.proposals.writing import Written, as_xpath, names_in, names_of, paths, selector_of, words_of
from scrapy_tps.records.record_selectors import (
    record_candidates,
    xpath_of_css,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_tps.proposals.memory import CallbackMemory

#: The most rows of a page, groups of elements, and selectors of a group that are tried.
_MOST_ROWS: Final = 10
_MOST_GROUPS: Final = 8
_MOST_SELECTORS: Final = 80
#: The least shares: of rows with a value; of values with a remembered shape; of values that must be equal where the
#: remembered ones are known; of elements that must be alike where none is.
_FOUND, _FITTING, _EQUAL, _ALIKE = 0.8, 0.8, 0.6, 0.8
#: How many times more or fewer results a selector may have than the lost one.
_MANY: Final = 2
#: The most tags that tell groups of elements apart.
_LEVELS: Final = 4
#: The fewest values that must be known before they decide.
_FEWEST_KNOWN: Final = 2

#: What tells of an element that it holds a value, the best first: the value that was found there before; the same
#: label, or names with the same words, and a value of the same shape.
_SAME_VALUE, _SAME_LABEL, _SAME_NAME = range(3)

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
    """An element that may hold a value of a row, the number of the row, and the value."""

    row: int
    element: Any
    value: str


#: Targets by how their values are read, and by their tags.
Groups = dict[tuple[str, tuple[str, ...]], list[Target]]


class Trial(NamedTuple):
    """The values of a selector in some rows.

    :ivar first: the first value of each row, empty if there is none.
    :ivar found: number of rows with a result.
    :ivar fits: whether they have the shapes of the values before, and are about as many.
    :ivar equal: number of values that are those remembered; `known`: of those in remembered rows.
    """

    first: tuple[str, ...]
    found: int
    fits: bool
    equal: int
    known: int


class Outcome(NamedTuple):
    """The values of a selector, or of the proposal for it if it is lost."""

    trial: Trial
    proposal: Proposal | None = None


def propose(
    memory: CallbackMemory, lost: Iterable[str], pages: Sequence[tuple[str, Any]]
) -> dict[str, Proposal]:
    """Return a proposal for each lost selector of a callback, and for those in rows that were lost.

    :param pages: address and ``html`` element of pages as downloaded, on which they found nothing.
    """
    top = [Row(number, root, mark_of(url)) for number, (url, root) in enumerate(pages)]
    found = _Search(memory, frozenset(lost), len(pages)).repair("", top)
    return {name: one.proposal for name, one in found.items() if one.proposal is not None}


class _Search:
    """The search on some pages."""

    def __init__(self, memory: CallbackMemory, lost: frozenset[str], pages: int) -> None:
        self._memory = memory
        self._lost = lost
        self._pages = pages
        self._nothing = Outcome(_try(SelectorMemory("", css=True), [], []), Proposal(pages=pages))

    def repair(self, row: str, rows: Sequence[Row], *, new: bool = False) -> dict[str, Outcome]:
        """Return the outcomes of the selectors in some rows, and in the rows that these select.

        :param new: whether the rows were found by another selector than before: what does not fit there is lost.
        """
        inner = {name: one for name, one in self._memory.items() if one.row == row}
        _recognise([*inner.values()], rows)
        found: dict[str, Outcome] = {}
        lost = []
        for name, one in inner.items():
            results = _results(Written(name, css=one.css), rows)
            trial = _try(one, results, rows)
            if not trial.found or (new and one.reading and not trial.fits):
                if new or name in self._lost:
                    lost.append(name)
            elif one.reading:
                found[name] = Outcome(trial)
            else:
                found |= self.repair(name, _rows(rows, results))
        # rows come last; values that differ most come first, because those of others may only seem to be theirs
        lost.sort(key=lambda name: (not inner[name].reading, -len(inner[name].different)))
        for name in lost:
            if inner[name].reading:
                found[name] = self._repair_one(name, rows, {one.trial.first for one in found.values()})
            else:
                found |= self._repair_rows(name, rows)
        return found

    def _repair_one(self, name: str, rows: Sequence[Row], taken: set[tuple[str, ...]]) -> Outcome:
        """Return the best selector in place of a lost one.

        :param taken: the values of other selectors.
        """
        one = self._memory[name]
        wanted: list[set[str]] = [set() for _ in rows]
        for evidence, groups in enumerate(_targets(name, one, rows)):
            for target in (target for group in groups.values() for target in group):
                wanted[target.row].add(target.value)
            good: list[Outcome] = []
            for written in _selectors(one, groups, rows):
                trial = _try(one, _results(written, rows), rows)
                if _is_good(one, trial, evidence, wanted) and (not evidence or trial.first not in taken):
                    good.append(self._outcome(written, trial, rows))
                    if not evidence and trial.equal == trial.known:
                        break
            # elements that look alike may hold different values: without equal ones, that is a guess
            if good and (not evidence or len({one.trial.first for one in good}) == 1):
                return max(good, key=lambda one: one.trial.equal)
        return self._nothing

    def _outcome(self, written: Written, trial: Trial, rows: Sequence[Row]) -> Outcome:
        pages = {row.page for row, value in zip(rows, trial.first, strict=True) if value}
        return Outcome(
            trial, Proposal(written.text, written.kind, self._pages, len(pages), trial.equal, trial.known)
        )

    def _repair_rows(self, name: str, rows: Sequence[Row]) -> dict[str, Outcome]:
        """Return the outcome of a lost row selector, and those of the selectors in its rows."""
        inner = {one: memory for one, memory in self._memory.items() if memory.row == name and memory.reading}
        most, best = 0, {name: self._nothing}
        for written, results in self._new_rows(name, inner, rows):
            new = _rows(rows, results)
            found = self.repair(name, new, new=True)
            trials = [found[one].trial for one in inner if found[one].trial.found]
            full = sum(
                2 * sum(map(bool, values)) >= len(trials)
                for values in zip(*(one.first for one in trials), strict=True)
            )
            worth = len(trials) * (2 * full - len(new))
            if worth > most and 2 * len(trials) > len(inner):
                trial = _try(self._memory[name], results, rows)._replace(
                    equal=sum(one.equal for one in trials), known=sum(one.known for one in trials)
                )
                most, best = worth, found | {name: self._outcome(written, trial, rows)}
        return best

    def _new_rows(
        self, name: str, inner: CallbackMemory, rows: Sequence[Row]
    ) -> Iterator[tuple[Written, list[list[Any]]]]:
        """Yield row selectors and the rows that they select, for each group the best two."""
        seen: set[frozenset[Any]] = set()
        for group in _row_groups(inner, rows, alone=self._memory[name].results == 1):
            tried = []
            for css in islice(record_candidates(group), _MOST_SELECTORS):
                written = selector_of(css, ELEMENT, css=self._memory[name].css)
                results = _results(written, rows)
                new = frozenset(element for some in results for element in some)
                is_nested = any(above in new for element in new for above in element.iterancestors())
                if new not in seen and not is_nested and sum(map(bool, results)) >= _FOUND * len(rows):
                    seen.add(new)
                    tried.append((-len(new.intersection(group)), len(new), written, results))
            for *_, written, results in sorted(tried, key=lambda one: one[:2])[:2]:
                yield written, results


def _row_groups(inner: CallbackMemory, rows: Sequence[Row], *, alone: bool) -> Iterator[list[Any]]:
    """Yield elements that may be the rows in which selectors select: around values that were seen there before, and
    around elements that they still find.

    :param alone: whether there is one on a page.
    """
    memories = [*inner.values()]
    hits: list[tuple[Any, str]] = []
    tops: list[Any] = []
    for row in rows:
        owners = _owners(memories, row.mark)
        if not alone:
            hits += [(element, owners[same]) for element, *_, same in row.readings if same in owners]
        elif held := _held(
            (element, same) for element, *_, same in row.readings if owners.get(same) == row.mark
        ):
            most = max(map(len, held.values()))
            full = [element for element, values in held.items() if len(values) == most]
            tops.append(max(full, key=lambda element: len(list(element.iterancestors()))))
    groups = [tops or _apart(hits)]
    for name, one in inner.items():
        path = elements_path(as_xpath(name, css=one.css))
        living = [element for some in _results(Written(path, css=False), rows) for element in some]
        groups.append(_apart((element, element) for element in living))
    for group in filter(None, groups):
        tag, _ = Counter(element.tag for element in group).most_common(1)[0]
        yield [element for element in group if element.tag == tag]


def _apart(hits: Iterable[tuple[Any, Any]]) -> list[Any]:
    """Return the largest elements that hold elements of one mark only."""
    held = _held(hits)
    return [
        element
        for element, marks in held.items()
        if len(marks) == 1 and len(held.get(element.getparent(), ())) > 1
    ]


def _held(hits: Iterable[tuple[Any, Any]]) -> dict[Any, set[Any]]:
    """Return the marks of the elements in each element."""
    held: defaultdict[Any, set[Any]] = defaultdict(set)
    for element, mark in hits:
        for above in (element, *element.iterancestors()):
            held[above].add(mark)
    return held


def _owners(memories: Sequence[SelectorMemory], page: str) -> dict[str, str]:
    """Return the marks of the values that one row has: among the rows of a page, or of all if that was not seen."""
    marks: defaultdict[str, set[str]] = defaultdict(set)
    seen = any(mark.startswith(page) for memory in memories for mark in memory.values)
    for memory in memories:
        for mark, values in memory.values.items():
            if mark.startswith(page) or not seen:
                for value in values:
                    marks[key(value)].add(mark)
    return {one: next(iter(some)) for one, some in marks.items() if len(some) == 1}


def _recognise(memories: Sequence[SelectorMemory], rows: Sequence[Row]) -> None:
    """Find out which remembered rows some rows are: by half of the values that only one of these has."""
    known = {mark for one in memories for mark in one.values}
    for row in rows:
        if row.mark in known:
            continue
        owners = _owners(memories, row.mark.partition(".")[0])
        own = Counter(owners.values())
        here = owners.keys() & {one for *_, one in row.readings}
        best = [*Counter(owners[one] for one in here).most_common(2), ("", 0), ("", 0)]
        (mark, number), (_, next_best) = best[:2]
        if number > next_best and 2 * number >= own[mark]:
            row.mark = mark


def _rows(rows: Sequence[Row], results: Sequence[Sequence[Any]]) -> list[Row]:
    """Return the first elements that were selected in each of some rows as rows; the only one is the same row."""
    return [
        Row(row.page, element, row.mark if len(some) == 1 else f"{row.mark.partition('.')[0]}.")
        for row, some in zip(rows, results, strict=True)
        for element in some[:_MOST_ROWS]
        if isinstance(element, etree._Element)
    ]


def _try(one: SelectorMemory, results: Sequence[Sequence[Any]], rows: Sequence[Row]) -> Trial:
    """Compare the results of a selector in some rows with what is remembered."""
    most = MOST_OF_ROW if one.row else MOST_OF_PAGE
    first, equal, known = [], 0, 0
    for row, some in zip(rows, results, strict=True):
        values = [value_of(result) for result in some[:most]]
        first.append(values[0] if values else "")
        before = [key(value) for value in one.values.get(row.mark, ())]
        if before and values:
            known += max(len(values), len(before))  # more than before are others
            equal += sum(key(value) in before for value in values)
    there = [value for value in first if value]
    shapes = one.shapes
    fitting = sum(shape(value) in shapes for value in there)
    count = max(map(len, results), default=0)
    is_as_many = one.results <= _MANY * count and count <= _MANY * one.results
    return Trial(tuple(first), len(there), fitting >= _FITTING * len(there) and is_as_many, equal, known)


def _is_good(one: SelectorMemory, trial: Trial, evidence: int, wanted: Sequence[set[str]]) -> bool:
    """Whether a selector may take the place of another one.

    :param wanted: the values of elements with such evidence, or better one, by row.
    """
    rows = len(wanted)
    if not trial.found or trial.found < _FOUND * one.rate * rows:
        return False
    equal = trial.known >= _FEWEST_KNOWN and trial.equal >= _EQUAL * trial.known
    if evidence == _SAME_VALUE:
        return equal
    if evidence == _SAME_NAME and trial.known >= _FEWEST_KNOWN:
        return False
    alike = sum(value in some for value, some in zip(trial.first, wanted, strict=True))
    return trial.fits and alike >= _ALIKE * trial.found <= one.rate * rows


def _targets(name: str, one: SelectorMemory, rows: Sequence[Row]) -> list[Groups]:
    """Return the elements that may hold the values of a lost selector, for each evidence by how they are read, and
    their tags."""
    words, shapes = words_of(names_in(name)), one.shapes
    found: list[Groups] = [defaultdict(list) for _ in range(3)]
    for number, row in enumerate(rows):
        before = {key(value) for value in one.values.get(row.mark, ())}
        for element, reading, value, same in row.readings:
            is_attribute = reading.startswith("@")
            if one.reading == ELEMENT and is_attribute:
                continue
            if same in before:
                evidence = _SAME_VALUE
            elif shape(value) not in shapes or (is_attribute and reading != one.reading):
                continue
            elif one.label and label_of(element, row.element) == one.label:
                evidence = _SAME_LABEL
            elif words & words_of(names_of(element)):
                evidence = _SAME_NAME
            else:
                continue
            way = ELEMENT if one.reading == ELEMENT else reading
            found[evidence][way, _tags(element, row.element)].append(Target(number, element, value))
    return found


def _tags(element: Any, top: Any) -> tuple[str, ...]:
    path = takewhile(lambda above: above is not top, (element, *element.iterancestors()))
    return tuple(above.tag for above in islice(path, _LEVELS))


def _selectors(one: SelectorMemory, groups: Groups, rows: Sequence[Row]) -> Iterator[Written]:
    """Yield selectors of groups of elements, once each, with their kind."""
    order = sorted(groups, key=lambda group: (group[0] != one.reading, -len(groups[group])))
    seen = set()
    for group in order[:_MOST_GROUPS]:
        pairs = [(rows[target.row].element, target.element) for target in groups[group]]
        for path in islice(paths(pairs), _MOST_SELECTORS):
            written = selector_of(path, group[0], css=one.css)
            if written not in seen:
                seen.add(written)
                yield written


def _results(written: Written, rows: Sequence[Row]) -> list[list[Any]]:
    """Return the results of a selector in each row; none if it is none, or needs variables."""
    try:
        xpath = xpath_of_css(written.text, "descendant-or-self::") if written.css else written.text
        find = etree.XPath(xpath, namespaces=_NAMESPACES, smart_strings=False)
        found = [find(row.element) for row in rows]
    except (etree.XPathError, SyntaxError, ValueError):
        return [[] for _ in rows]
    # an empty text is no result
    return [some if isinstance(some, list) else [some] * bool(some) for some in found]
