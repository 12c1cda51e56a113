"""The trial of selectors on the sampled pages, in rows whose remembered values are known."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lxml import etree

from scrapy_tps.proposals.memory import MOST_OF_PAGE
from scrapy_tps.proposals.values import (
    ELEMENT,
    STRING,
    TEXT,
    is_telling,
    keys,
    label_of,
    read,
    readings,
    shape,
    share_word,
    words,
)
from scrapy_tps.proposals.writing import selectors_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scrapy_tps.proposals.memory import SelectorMemory
    from scrapy_tps.proposals.writing import Written

#: The most elements of a row, and of a page, that are read.
_MOST_READ: Final = 4000
#: The most rows, and the most selectors, that are tried.
MOST_ROWS: Final = 60
_MOST_TRIED: Final = 120
#: The most groups of elements for which selectors are written, and elements of each.
_MOST_GROUPS: Final = 8
_MOST_GROUPED: Final = 40
#: The shortest value that alone shows which remembered row a row is.
_UNMISTAKABLE: Final = 4
#: The least share of what the values of a remembered row tell that a row must have to be that row.
_RECOGNISED: Final = 0.5
#: The least shares: of rows with a value; of values that have a remembered shape; of values that must be equal where
#: the remembered ones are known; of elements with the label or a word of the lost ones.
_FOUND, _FITTING, _EQUAL, _ALIKE = 0.8, 0.8, 0.6, 0.8
#: The most times more results, or fewer ones, in a row than the lost selector had.
_MANY: Final = 2
#: The fewest rows whose value is known, and the fewest different values, before values decide.
_FEWEST_KNOWN: Final = 2
_FEWEST_VALUES: Final = 3


class Reading(NamedTuple):
    """What can be read from an element, the value, and what an equal value shares with it."""

    element: Any
    reading: str
    value: str
    keys: list[str]


@dataclass(slots=True)
class Row:
    """A row of a sampled page, or the page.

    :ivar page: number of the page.
    :ivar mark: mark of the remembered row that it is; None if unknown.
    """

    page: int
    element: Any
    mark: int | None = None


@dataclass(frozen=True, slots=True)
class Tried:
    """A selector and its results.

    :ivar grade: 0 if its values are known to be right; the higher, the weaker the evidence.
    :ivar equal: rows in which the value is that remembered; `known`: rows whose remembered value is known.
    """

    written: Written
    reading: str
    grade: int
    found: int
    equal: int
    known: int
    elements: tuple[Any, ...]
    values: tuple[str, ...]


class Known:
    """What is remembered of the selectors in rows of one kind, to recognise those rows.

    :param memories: by selector.
    :param pages: readings of pages and rows, to be shared.
    """

    def __init__(self, memories: Mapping[str, SelectorMemory], pages: dict[Any, list[Reading]]) -> None:
        self.memories = memories
        self._pages = pages
        # by mark, the keys of each selector's values, and how much they tell
        self._marks: defaultdict[int, list[tuple[set[str], float]]] = defaultdict(list)
        self._owners: dict[str, set[int]] = defaultdict(set)
        for memory in memories.values():
            number = Counter(key for values in memory.values.values() for key in _keys(values))
            for mark, values in memory.values.items():
                found = _keys(values)
                telling = max(log((1 + len(memory.values)) / number[key]) for key in found)
                self._marks[mark].append((found, telling))
                for key in found:
                    self._owners[key].add(mark)

    def readings(self, element: Any) -> list[Reading]:
        """Return what can be read in a row or page."""
        found = self._pages.get(element)
        if found is None:
            found = [Reading(*one, keys(one[2])) for one in readings(element, _MOST_READ)]
            self._pages[element] = found
        return found

    def recognise(self, row: Row) -> int | None:
        """Return the mark of the remembered row that a row is; None if that is not sure."""
        if row.mark in self._marks:
            return row.mark
        here = {key for one in self.readings(row.element) for key in one.keys}
        scores = []
        for mark, selectors in self._marks.items():
            equal = sum(telling for found, telling in selectors if not found.isdisjoint(here))
            if equal >= _RECOGNISED * sum(telling for _, telling in selectors):
                scores.append((equal, mark))
        scores.sort(reverse=True)
        sure = scores and (len(scores) == 1 or scores[0][0] > scores[1][0])
        return scores[0][1] if sure else None

    def marked(self, top: Any) -> Iterator[tuple[int, str, Any]]:
        """Yield the elements in a row or page whose value belongs to a single remembered row, with its mark and the
        value."""
        for one in self.readings(top):
            for key in one.keys:
                marks = self._owners.get(key, ())
                if len(marks) == 1 and len(key) >= _UNMISTAKABLE:
                    yield next(iter(marks)), key, one.element


class Rows:
    """Rows of the sampled pages, in which selectors are tried."""

    def __init__(self, rows: Sequence[Row], known: Known) -> None:
        self.rows = rows[:MOST_ROWS]
        self._known = known
        for row in self.rows:
            row.mark = known.recognise(row) or row.mark

    def check(self, name: str, found: Sequence[tuple[Row, list[Any]]]) -> tuple[int, int] | None:
        """Return how many values of a selector are those remembered, and of how many; None if it finds other things
        than before."""
        memory = self._known.memories[name]
        values = [(row, _value(results[0])) for row, results in found if results]
        shapes = _shapes(memory)
        fitting = sum(not shapes or shape(value) in shapes for _, value in values)
        return self._equal(values, memory) if values and fitting >= _FITTING * len(values) else None

    @staticmethod
    def _equal(values: Sequence[tuple[Row, str]], memory: SelectorMemory) -> tuple[int, int]:
        """Return how many values are those remembered of their rows, and of how many."""
        remembered = [(value, memory.values.get(row.mark or 0)) for row, value in values]
        known = [(value, some) for value, some in remembered if some]
        return sum(_is_one_of(value, some) for value, some in known), len(known)

    def repair(self, name: str, taken: set[tuple[Any, str]]) -> Tried | None:
        """Return the best selector in place of a lost one; None if no element holds such values.

        :param taken: elements that other selectors select, and what they read from them.
        """
        memory = self._known.memories[name]
        tried: list[Tried] = []
        seen: set[tuple[str, str]] = set()
        for reading, targets in self._targets(memory, taken):
            for written in selectors_of(targets, memory.words):
                if (written.xpath, reading) in seen or len(seen) >= _MOST_TRIED:
                    continue
                seen.add((written.xpath, reading))
                one = self._try(written, reading, memory, taken)
                if one is not None:
                    tried.append(one)
                    if not one.grade and one.equal == one.known and one.reading == memory.reading:
                        return one
        if not tried:
            return None
        best = min(tried, key=lambda one: (one.grade, -one.equal, one.reading != memory.reading, -one.found))
        # several elements may look alike: without equal values, that is a guess
        places = {one.values for one in tried if one.grade == best.grade}
        return best if best.grade < _GUESSES or len(places) == 1 else None

    def _targets(
        self, memory: SelectorMemory, taken: set[tuple[Any, str]]
    ) -> Iterator[tuple[str, list[tuple[Any, Any]]]]:
        """Yield groups of elements that may hold the values, those with the best evidence first."""
        shapes = _shapes(memory)
        everywhere = {key for values in memory.values.values() for key in _keys(values)}
        groups: dict[tuple[int, str, tuple[str, ...]], list[tuple[Any, Any]]] = {}
        for row in self.rows:
            known = _keys(memory.values.get(row.mark or 0, ()))
            for element, reading, value, found in self._known.readings(row.element):
                if memory.reading == ELEMENT:
                    if reading not in {TEXT, STRING}:
                        continue
                    reading = ELEMENT  # noqa: PLW2901
                if (element, reading) in taken:
                    continue
                if not known.isdisjoint(found):
                    rank = 0
                elif not everywhere.isdisjoint(found):
                    rank = 1
                elif shape(value) not in shapes or (reading.startswith("@") and reading != memory.reading):
                    continue
                elif memory.label and label_of(element, row.element) == memory.label:
                    rank = 2
                elif share_word(words(element), memory.words):
                    rank = 3
                elif reading == memory.reading and is_telling(shape(value)):
                    rank = 4
                else:
                    continue
                group = groups.setdefault((rank, reading, _path(element, row.element)), [])
                if len(group) < _MOST_GROUPED:
                    group.append((row.element, element))
        order = sorted(groups, key=lambda key: (key[0], key[1] != memory.reading, -len(groups[key])))
        for key in order[:_MOST_GROUPS]:
            yield key[1], groups[key]

    def _try(
        self, written: Written, reading: str, memory: SelectorMemory, taken: set[tuple[Any, str]]
    ) -> Tried | None:
        """Run a selector in all rows; None if it does not find enough, or other values."""
        find = etree.XPath(f".//{written.xpath}")
        values: list[tuple[Row, str]] = []
        elements: list[Any] = []
        results = found = 0
        most = 1 if memory.row else MOST_OF_PAGE
        for row in self.rows:
            there = find(row.element)
            some = [(one, value) for one in there if (value := read(one, reading))]
            results += len(some)
            found += bool(some)
            elements += [one for one, _ in some[:most]]
            values += [(row, value) for _, value in some[:most]]
        least = _FOUND * memory.rate * len(self.rows)
        if not found or found < least or any((one, reading) in taken for one in elements):
            return None
        if results > _MANY * memory.results * found or _MANY * results < memory.results * found:
            return None
        grade, equal, known = self._grade(values, elements, memory)
        if grade is None:
            return None
        return Tried(
            written,
            reading,
            grade,
            found,
            equal,
            known,
            tuple(elements),
            tuple(value for _, value in values),
        )

    def _grade(
        self, values: Sequence[tuple[Row, str]], elements: Sequence[Any], memory: SelectorMemory
    ) -> tuple[int | None, int, int]:
        """Return the grade of values (None: other ones), how many are those remembered, and of how many."""
        equal, known = self._equal(values, memory)
        shapes = _shapes(memory)
        fitting = sum(shape(value) in shapes for _, value in values) >= _FITTING * len(values)
        if known >= _FEWEST_KNOWN and equal >= _EQUAL * known:
            return 0, equal, known
        everywhere = [value for values in memory.values.values() for value in values]
        seen = {value for _, value in values if _is_one_of(value, everywhere)}
        if (
            known < _FEWEST_KNOWN
            and len(seen) >= _FEWEST_VALUES
            and 2 * len(seen) >= len({one for _, one in values})
        ):
            return 1, len(seen), known
        labelled = memory.label and [
            element
            for element, (row, _) in zip(elements, values, strict=True)
            if label_of(element, row.element) == memory.label
        ]
        if fitting and labelled and len(labelled) >= _ALIKE * len(values):
            return 2, equal, known
        alike = [element for element in elements if share_word(words(element), memory.words)]
        share = len({id(row) for row, _ in values}) / len(self.rows)
        usual = _FOUND * memory.rate <= share <= memory.rate / _FOUND
        if not (fitting and usual and known < _FEWEST_KNOWN):
            return None, equal, known
        if len(alike) >= _ALIKE * len(values):
            return _GUESSES, equal, known
        return (_GUESSES + 1 if all(map(is_telling, shapes)) else None), equal, known


#: Grades from this one on are no proof: nothing else may look alike.
_GUESSES: Final = 3


def _keys(values: Iterable[str]) -> set[str]:
    return {key for value in values for key in keys(value)}


def _shapes(memory: SelectorMemory) -> set[str]:
    return {shape(value) for values in memory.values.values() for value in values}


def _value(result: Any) -> str:
    return str(result) if isinstance(result, (str, float, bool)) else read(result, STRING)


def _is_one_of(value: str, values: Iterable[str]) -> bool:
    mine = set(keys(value))
    return any(not mine.isdisjoint(keys(other)) for other in values)


def _path(element: Any, context: Any) -> tuple[str, ...]:
    tags: list[str] = []
    for above in (element, *element.iterancestors()):
        if above is context or len(tags) > 3:
            break
        tags.append(above.tag)
    return tuple(tags)
