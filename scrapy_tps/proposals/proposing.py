"""Proposals: what may take the place of the selectors of a callback that find nothing any more."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from scrapy_tps.proposals.memory import element_path, mark_of
from scrapy_tps.proposals.proposal import Proposal
from scrapy_tps.proposals.trial import MOST_ROWS, Known, Row, Rows
from scrapy_tps.proposals.values import ELEMENT
from scrapy_tps.proposals.writing import as_xpath, compile_xpath, selectors_of
from scrapy_tps.records.extract import records_below

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_tps.proposals.memory import CallbackMemory, SelectorMemory
    from scrapy_tps.proposals.trial import Reading
    from scrapy_tps.proposals.writing import Written

#: The most row selectors that are tried closely.
_MOST_ROW_SELECTORS: Final = 4
#: The pages on which lists are looked for, and the most lists of a page whose records are tried as rows.
_MOST_LISTED: Final = 2
_MOST_LISTS: Final = 4


def propose(
    memory: CallbackMemory, lost: Iterable[str], pages: Sequence[tuple[str, Any]]
) -> dict[str, Proposal]:
    """Return a proposal for each lost selector of a callback, and for those in rows that were lost.

    :param pages: address and ``html`` element of pages as downloaded, on which they found nothing.
    """
    callback = _Callback(memory, set(lost), pages)
    top = [Row(number, root, mark_of(url)) for number, (url, root) in enumerate(pages)]
    return callback.repair("", top)


class _Callback:
    """The selectors of a callback on its sampled pages."""

    def __init__(self, memory: CallbackMemory, lost: set[str], pages: Sequence[tuple[str, Any]]) -> None:
        self._memory = memory
        self._lost = lost
        self._pages = pages
        self._checked: dict[str, tuple[int, int]] = {}
        self._readings: dict[Any, list[Reading]] = {}
        self._below: defaultdict[str, list[str]] = defaultdict(list)
        for name, one in memory.items():
            self._below[one.row].append(name)

    def repair(self, row: str, rows: Sequence[Row], *, again: bool = False) -> dict[str, Proposal]:
        """Return proposals for the lost selectors in some rows, and in the rows that these select.

        :param again: whether the rows are new: whatever does not work there is lost.
        """
        names = self._below[row]
        values = {name: self._memory[name] for name in names if self._memory[name].reading}
        trial = Rows(rows, Known(values, self._readings))
        found: dict[str, Proposal] = {}
        taken: set[tuple[Any, str]] = set()
        lost = []
        for name in names:
            results = self._results(name, rows)
            alive = any(some for _, some in results)
            if name in values and alive and again:
                checked = trial.check(name, results)
                alive = checked is not None
                self._checked[name] = checked or (0, 0)
            if not alive:
                if again or name in self._lost:
                    lost.append(name)
            elif name in values:
                taken.update((element, values[name].reading) for element in self._elements(name, rows))
            else:
                found |= self.repair(name, _rows(results))
        for name in sorted(lost, key=self._order):
            if name in values:
                best = trial.repair(name, taken)
                if best is None:
                    found[name] = Proposal("", pages=len(self._pages))
                    continue
                found[name] = self._proposal(name, best.written, best.reading, rows, (best.equal, best.known))
                taken.update((element, best.reading) for element in best.elements)
            else:
                found |= self._repair_rows(name, rows)
        return found

    def _order(self, name: str) -> tuple[bool, int]:
        """Return the place of a lost selector in the repair: rows come last, and those with the most different values
        first, because the others may only seem to have the values of a field."""
        memory = self._memory[name]
        return not memory.reading, -len({values[0] for values in memory.values.values()})

    def _results(self, name: str, rows: Sequence[Row]) -> list[tuple[Row, list[Any]]]:
        try:
            find = compile_xpath(as_xpath(name, css=self._memory[name].css))
        except ValueError:
            return []
        found = []
        for row in rows:
            try:
                results = find(row.element)
            except etree.XPathError:  # it needs variables
                return []
            found.append((row, results if isinstance(results, list) else [results]))
        return found

    def _elements(self, name: str, rows: Sequence[Row]) -> list[Any]:
        """Return the elements that a living selector reads."""
        find = compile_xpath(element_path(as_xpath(name, css=self._memory[name].css)))
        found = (results for row in rows if isinstance(results := find(row.element), list))
        return [one for results in found for one in results if isinstance(one, etree._Element)]

    def _proposal(
        self, name: str, written: Written, reading: str, rows: Sequence[Row], values: tuple[int, int]
    ) -> Proposal:
        """Return the proposal after a last trial, as the user would run it, in all rows."""
        css = self._memory[name].css
        selector = written.reading(reading, css=css)
        css = css and not selector.startswith((".//", "normalize-space("))
        find = compile_xpath(as_xpath(selector, css=css))
        found = {row.page for row in rows if find(row.element)}
        return Proposal(selector, "css" if css else "xpath", len(self._pages), len(found), *values)

    def _repair_rows(self, name: str, rows: Sequence[Row]) -> dict[str, Proposal]:
        """Return the proposal for a lost row selector, and those for the selectors in its rows."""
        memory = self._memory[name]
        inner = {one: self._memory[one] for one in self._below[name] if self._memory[one].reading}
        best: tuple[int, dict[str, Proposal], Written, list[tuple[int, int]]] | None = None
        for written, new in self._new_rows(memory, Known(inner, self._readings), rows):
            self._checked.clear()
            found = self.repair(name, new, again=True)
            counts = [(one.equal_values, one.known_values) for one in found.values()]
            counts += self._checked.values()
            working = [one for one in inner if one not in found or found[one].selector]
            if 2 * len(working) <= len(inner):
                continue
            full = self._full(working, found, new)
            worth = len(working) * (2 * full - len(new))
            if best is None or worth > best[0]:
                best = worth, found, written, counts
        if best is None or best[0] <= 0:
            return {name: Proposal("", pages=len(self._pages))}
        _, found, written, counts = best
        equal, known = (sum(numbers) for numbers in zip(*counts, strict=True))
        return {name: self._proposal(name, written, ELEMENT, rows, (equal, known)), **found}

    def _full(self, names: Sequence[str], found: dict[str, Proposal], rows: Sequence[Row]) -> int:
        """Return the number of rows in which at least half of the selectors find something."""
        finds = []
        for name in names:
            new = found.get(name)
            selector, css = (new.selector, new.kind == "css") if new else (name, self._memory[name].css)
            finds.append(compile_xpath(as_xpath(selector, css=css)))
        return sum(2 * sum(bool(find(row.element)) for find in finds) >= len(finds) for row in rows)

    def _new_rows(
        self, memory: SelectorMemory, known: Known, rows: Sequence[Row]
    ) -> Iterator[tuple[Written, list[Row]]]:
        """Yield row selectors and the rows that they select, those with the most remembered rows first."""
        tried: dict[tuple[Any, ...], tuple[Written, list[Row], int]] = {}
        for group in self._row_groups(memory, known, rows):
            for written in selectors_of(group, memory.words, positions=memory.results == 1):
                find = etree.XPath(f".//{written.xpath}")
                new = _rows((row, find(row.element)) for row in rows)
                key = tuple(row.element for row in new)
                there = set(key)
                if not new or key in tried or len(tried) >= 10 * _MOST_ROW_SELECTORS:
                    continue
                if any(above in there for one in key for above in one.iterancestors()):
                    continue
                if len({row.page for row in new}) < len({row.page for row in rows}) * 0.8:
                    continue
                marks = Counter(mark for row in new[:MOST_ROWS] if (mark := known.recognise(row)) is not None)
                missing = {element for _, element in group}.difference(key)
                doubled = marks.total() - len(marks)
                tried[key] = written, new, len(marks) - len(missing) - doubled
        best = sorted(tried.values(), key=lambda one: (-one[2], len(one[1])))
        yield from ((written, new) for written, new, _ in best[:_MOST_ROW_SELECTORS])

    def _row_groups(
        self, memory: SelectorMemory, known: Known, rows: Sequence[Row]
    ) -> Iterator[list[tuple[Any, Any]]]:
        """Yield elements that may be the rows: around the remembered values, and the records of lists."""
        around = [pair for row in rows for pair in _around(known, row, alone=memory.results == 1)]
        if around:
            tags = Counter(element.tag for _, element in around).most_common(1)[0][0]
            yield [pair for pair in around if pair[1].tag == tags]
        for name in known.memories:
            hits = [(row, self._elements(name, [row])) for row in rows]
            tops = [(row.element, top) for row, some in hits for top in _apart(some)]
            if tops:
                yield tops
        for row in rows[:_MOST_LISTED]:
            body = row.element.find("body")
            for region in records_below(body)[:_MOST_LISTS]:
                tops = [record.nodes[0] for record in region.records if len(record.nodes) == 1]
                if tops:
                    yield [(row.element, top) for top in tops]


def _apart(elements: Sequence[Any]) -> Iterator[Any]:
    """Yield the largest elements around some elements that hold one of them each; nothing for a single one."""
    held = Counter(above for element in elements for above in (element, *element.iterancestors()))
    for element, number in held.items():
        if number == 1 and held[element.getparent()] > 1:
            yield element


def _around(known: Known, row: Row, *, alone: bool) -> Iterator[tuple[Any, Any]]:
    """Yield the largest elements that hold values of one remembered row and of no other.

    :param alone: whether there is one row: then it is the smallest element with all values of the page.
    """
    top, own = row.element, known.recognise(row) if alone else None
    held: defaultdict[Any, defaultdict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for mark, value, element in known.marked(top):
        if alone and mark != own:
            continue
        for above in (element, *element.iterancestors()):
            held[above][mark].add(value)
            if above is top:
                break
    if not held:
        return
    most = max(len(values) for values in held[top].values())
    if alone:
        inside = [element for element, marks in held.items() if max(map(len, marks.values())) == most]
        yield top, max(inside, key=lambda one: sum(1 for _ in one.iterancestors()))
        return
    for element, marks in held.items():
        parent = element.getparent()
        if len(marks) == 1 and len(held.get(parent, ())) > 1 and 2 * max(map(len, marks.values())) >= most:
            yield top, element


def _rows(results: Iterable[tuple[Row, list[Any]]]) -> list[Row]:
    """Return the elements that were selected in rows, or on pages, as rows."""
    found = []
    for row, some in results:
        mark = row.mark if len(some) == 1 else None  # the only row of a page is the page
        found += [Row(row.page, element, mark) for element in some if isinstance(element, etree._Element)]
    return found
