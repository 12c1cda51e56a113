"""The search for selectors in place of those of a callback that find nothing any more.

For each lost field: what may hold its values, by value, label or place; selectors of that; each tried in all rows; the
best one, if it proves to be right. For lost rows: lists of elements, in each of which all fields are searched.
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
from scrapy_tps.proposals.rows import Held, Holders, Row, held_values, likely_rows, own_values, recognise
from scrapy_tps.proposals.values import ELEMENT, key, label_of, shape, tags_between, value_of
from scrapy_tps.proposals.writing import Written, frailty, is_named_alike, paths, written
from scrapy_tps.records.record_selectors import record_candidates, xpath_of_css

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scrapy_tps.proposals.memory import CallbackMemory, SampledPage, SelectorMemory

#: The most rows of a page, selectors of a kind of elements, and lists in place of lost rows, that are tried.
_MOST_ROWS: Final = 30
_MOST_SELECTORS: Final = 80
_MOST_LISTS: Final = 6
#: The least shares: of rows with a value, compared with before; of values that are right, and that have a shape of
#: before; of remembered values that are still there: of numbers, amounts, dates; of texts, which change less often.
_FOUND, _RIGHT, _STILL, _STAY = 0.8, 0.8, 0.5, 0.95
#: The least share of the rows of a known page that are still there.
_SAME: Final = 0.9
#: The share of new rows in which fewer than half of the fields may be found, beyond those without the usual one.
_EMPTY: Final = 0.15
#: How many times more or fewer results a selector may have than the lost one.
_MANY: Final = 2
#: The fewest right values that are no chance, and how many of those seen before need no label or place.
_FEWEST, _ENOUGH = 2, 3
#: How many right values are no chance even if all are the same.
_SURE: Final = 8

_NAMESPACES: Final = {"re": "http://exslt.org/regular-expressions"}

#: What each row should hold: nothing if it is empty; None if that is not known.
Expected = list["Holders | None"]


class OutOfTime(Exception):
    """The search took too long."""


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
        self._memory = {name: one for name, one in memory.items() if one.page_rate}
        self._lost = lost
        self._pages = pages
        self._ends = ends

    def run(self) -> dict[str, Proposal]:
        """Search, and return the proposals; raise :class:`OutOfTime`."""
        rows = []
        for page in self._pages:
            with suppress(etree.LxmlError):
                root = parse(decode(page.body, page.encoding), page.url).root
                mark = mark_of(page.url)
                rows += [Row(mark, root, mark)] if root is not None else []
        self._repair("", rows, self.proposals)
        return self.proposals

    def _repair(
        self, name: str, rows: Sequence[Row], proposals: dict[str, Proposal], *, new: bool = False
    ) -> dict[str, Trial]:
        """Find proposals for the lost selectors in the rows of a row selector; return the selectors that find something
        there, old and new ones.

        :param proposals: takes the proposals.
        :param new: whether the rows were found by another selector than before: what does not fit there is lost.
        """
        inner = {one: memory for one, memory in self._memory.items() if memory.row == name}
        if name:
            recognise(rows, inner.values())
        living, unseen = {}, []
        for one, memory in inner.items():
            trial = self._try(memory, (one, memory.kind), rows, _seen(memory, rows))
            is_as_before = not memory.reading or (
                trial.most <= _MANY * memory.results and _fitting(memory, trial, rows) >= _FOUND
            )
            if trial.found and (is_as_before or not new):
                living[one] = trial
                if not memory.reading:
                    self._repair(one, _new_rows(rows, trial), proposals)
            elif new or one in self._lost:
                if memory.reading:
                    found = self._field(memory, rows)
                    proposals[one] = self._proposal(memory, rows, found)
                else:
                    found = self._rows(one, rows, proposals)
                if found is not None:
                    living[one] = found
                    unseen += [one] * (memory.reading != "" and proposals[one].equal_values < _enough(rows))
        # one field may have taken the place of another one, but hardly several
        if len(unseen) == 1 and not is_named_alike(unseen[0], proposals[unseen[0]].selector):
            proposals[unseen[0]] = self._proposal(inner[unseen[0]], rows, None)
            del living[unseen[0]]
        return living

    def _proposal(self, memory: SelectorMemory, rows: Sequence[Row], trial: Trial | None) -> Proposal:
        if trial is None:
            return Proposal(pages=len(self._pages))
        found = {row.page for row, some in zip(rows, trial.results, strict=True) if some}
        equal = self._try(memory, trial.selector, rows, _seen(memory, rows)).right
        return Proposal(*trial.selector, len(self._pages), len(found), len(equal), _known(memory, rows))

    def _field(self, memory: SelectorMemory, rows: Sequence[Row]) -> Trial | None:
        """Return the best selector in place of a lost one, None if none is good.

        It finds the values of before; if these are not known, the only one behind the same label, or at the same tags.
        """
        seen = _seen(memory, rows)
        expected = seen if sum(map(bool, seen)) >= _enough(rows) else _alike(memory, rows, seen)
        good = [
            (is_same, trial)
            for is_same, trial in self._trials(memory, expected, rows)
            if self._is_proved(memory, trial, rows, seen)
        ]
        usual = memory.rate * len(rows)
        is_same, best = max(
            good,
            key=lambda one: (
                len(one[1].right) - one[1].wrong,
                one[0],
                -abs(one[1].found - usual),
                -one[1].most,
            ),
            default=(False, None),
        )
        if best is None or any(same == is_same and _contradicts(one, best) for same, one in good):
            return None
        return best

    def _is_proved(self, memory: SelectorMemory, trial: Trial, rows: Sequence[Row], seen: Expected) -> bool:
        """Whether what a selector finds is that of the lost one, and not by chance."""
        texts = memory.shapes <= {"url", "text", "prose"}
        known = _known(memory, rows)
        equal = len(self._try(memory, trial.selector, rows, seen).right) if known else 0
        most = max(Counter(trial.right).values(), default=0)
        # a few values that are all the same prove nothing, unless there are no others
        varied = len(trial.right) - most >= min(_FEWEST, len(rows) - 1) or most >= _SURE
        # where all values seen before are equal, those of other rows may have shapes of their own
        fitting = _STILL if equal >= _enough(rows) and not trial.wrong else _FOUND
        constant = {*chain.from_iterable(trial.values)} <= {
            key(one) for some in memory.values.values() for one in some
        }
        return (
            len(trial.right) >= max(_FEWEST, _RIGHT * (len(trial.right) + trial.wrong))
            and equal >= (_STAY if texts else _STILL) * known
            and _fitting(memory, trial, rows) >= fitting
            and (varied or constant)
            and not _beyond(memory, trial, rows)
        )

    def _trials(
        self, memory: SelectorMemory, expected: Expected, rows: Sequence[Row]
    ) -> Iterator[tuple[bool, Trial]]:
        """Try selectors of elements, those of elements that are read as before first; yield those that find about as
        much, and whether they are read so."""
        groups: defaultdict[tuple[str, str, int], list[tuple[Any, Any]]] = defaultdict(list)
        for row, here in zip(rows, expected, strict=True):
            # several elements with the same value may be of several fields
            number: Counter[tuple[str, str]] = Counter()
            for one in chain.from_iterable((here or {}).values()):
                if memory.reading != ELEMENT or not one.reading.startswith("@"):
                    kind = ELEMENT if memory.reading == ELEMENT else one.reading, one.element.tag
                    groups[kind[0], kind[1], number[kind]].append((row.element, one.element))
                    number[kind] += 1
        order = sorted(groups, key=lambda group: (group[0] != memory.reading, -len(groups[group])))
        for group in order:
            reading = group[0]
            ways = islice(paths(groups[group]), _MOST_SELECTORS)
            for selector in dict.fromkeys(written(path, reading, memory.kind) for path in ways):
                trial = self._try(memory, selector, rows, expected)
                is_as_many = memory.results <= _MANY * trial.most <= _MANY * _MANY * memory.results
                if is_as_many and trial.found >= _FOUND * memory.rate * len(rows):
                    yield reading == memory.reading, trial

    def _try(
        self, memory: SelectorMemory, selector: Written, rows: Sequence[Row], expected: Expected
    ) -> Trial:
        """Compare the results of a selector in some rows with what is expected."""
        if thread_time() > self._ends:
            raise OutOfTime
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
        inner = {one: other for one, other in self._memory.items() if other.row == name and other.reading}
        usual = max((other.rate for other in inner.values()), default=0)
        best: tuple[tuple[bool, int, int], Trial, dict[str, Proposal]] | None = None
        for trial in self._lists(memory, inner, rows):
            new_rows = _new_rows(rows, trial)
            found: dict[str, Proposal] = {}
            living = {
                one: some
                for one, some in self._repair(name, new_rows, found, new=True).items()
                if one in inner
            }
            full = sum(_full(inner, {one: some.results for one, some in living.items()}, new_rows))
            merit = trial.most < _MANY * memory.results, 2 * full - len(new_rows), len(living)
            is_good = 2 * len(living) > len(inner) and full >= (usual - _EMPTY) * len(new_rows)
            if is_good and (best is None or merit > best[0]):
                seen = [self._proposal(inner[one], new_rows, some) for one, some in living.items()]
                equal, known = sum(one.equal_values for one in seen), sum(one.known_values for one in seen)
                proposal = replace(
                    self._proposal(memory, rows, trial), equal_values=equal, known_values=known
                )
                best = merit, trial, found | {name: proposal}
        proposals |= {name: Proposal(pages=len(self._pages))} if best is None else best[2]
        return None if best is None else best[1]

    def _lists(
        self, memory: SelectorMemory, inner: Mapping[str, SelectorMemory], rows: Sequence[Row]
    ) -> list[Trial]:
        """Return the likeliest selectors of rows: most of what they find holds values of one remembered row each, or
        what the selectors in it find. They find about as many rows as before."""
        held: Held = {}
        lists: list[list[Any]] = []
        for row in rows:
            here = held_values(row, own_values(inner.values(), row.mark))
            held |= here
            lists += likely_rows(row, here, several=memory.results > 1)
        ranked: dict[frozenset[Any], tuple[tuple[bool, int], Trial]] = {}
        for css in dict.fromkeys(chain.from_iterable(map(record_candidates, lists))):
            trial = self._try(memory, written(css, ELEMENT, memory.kind), rows, [None] * len(rows))
            found = frozenset(chain.from_iterable(trial.results))
            is_as_many = all(
                len(some) >= _SAME * memory.uses[row.mark][2]
                for row, some in zip(rows, trial.results, strict=True)
                if row.mark in memory.uses
            )
            is_as_many &= trial.found >= _FOUND * len(rows) and trial.most >= _FOUND * memory.results
            if is_as_many and found not in ranked:
                new_rows = _new_rows(rows, trial)
                old = {one: _results((one, other.kind), new_rows) for one, other in inner.items()}
                full = _full(inner, old, new_rows)
                good = sum(
                    is_full or len(held.get(row.element, ())) == 1
                    for is_full, row in zip(full, new_rows, strict=True)
                )
                ranked[found] = (trial.most < _MANY * memory.results, 2 * good - len(new_rows)), trial
        return [trial for _, trial in sorted(ranked.values(), key=itemgetter(0), reverse=True)[:_MOST_LISTS]]


def _full(
    inner: Mapping[str, SelectorMemory], found: Mapping[str, list[list[Any]]], rows: Sequence[Row]
) -> list[bool]:
    """Return for each row whether half of as many selectors as usual found something in it.

    :param found: the results of the selectors, or of those in their place.
    """
    usual = sum(memory.rate for memory in inner.values())
    here = Counter(
        number
        for name, results in found.items()
        for number, some in enumerate(results)
        if 0 < len(some) <= _MANY * inner[name].results
    )
    return [2 * here[number] >= usual for number in range(len(rows))]


def _beyond(memory: SelectorMemory, trial: Trial, rows: Sequence[Row]) -> bool:
    """Whether a selector finds something in more rows of a known page than the lost one did, beside new rows."""
    number = Counter(row.page for row in rows)
    found = Counter(row.page for row, some in zip(rows, trial.results, strict=True) if some)
    return any(
        found[page] > before + max(0, number[page] - used) for page, (used, before, _) in memory.uses.items()
    )


def _contradicts(one: Trial, other: Trial) -> bool:
    """Whether two selectors are as good, but find different values somewhere."""
    return (
        len(one.right) - one.wrong == len(other.right) - other.wrong
        and frailty(one.selector[0]) <= frailty(other.selector[0])
        and any(
            some and others and some != others for some, others in zip(one.values, other.values, strict=True)
        )
    )


def _enough(rows: Sequence[Row]) -> int:
    """Return how many values seen before tell enough."""
    return min(_ENOUGH, max(_FEWEST, len(rows)))


def _known(memory: SelectorMemory, rows: Sequence[Row]) -> int:
    """Return how many values are remembered of some rows."""
    return sum(len(memory.values.get(row.mark, ())) for row in rows)


def _fitting(memory: SelectorMemory, trial: Trial, rows: Sequence[Row]) -> float:
    """Return the share of rows whose first value has a shape of those before, or of those in remembered rows."""
    first = [shape(value_of(some[0])) if some else "" for some in trial.results]
    known = {one for row, one in zip(rows, first, strict=True) if row.mark in memory.values} | memory.shapes
    return sum(one in known for one in first if one) / max(1, trial.found)


def _new_rows(rows: Sequence[Row], trial: Trial) -> list[Row]:
    """Return the first elements that were selected in each of some rows as rows; the only one is the same row."""
    return [
        Row(row.page, element, row.mark if len(some) == 1 else "")
        for row, some in zip(rows, trial.results, strict=True)
        for element in some[:_MOST_ROWS]
        if isinstance(element, etree._Element)
    ]


def _seen(memory: SelectorMemory, rows: Sequence[Row]) -> Expected:
    """Return for each row the values that were found in it before, and are still there."""
    expected: Expected = []
    for row in rows:
        values = memory.values.get(row.mark)
        here = {same: row.holders[same] for same in map(key, values or ()) if same in row.holders}
        expected.append(here if here or values == [] else None)
    return expected


def _alike(memory: SelectorMemory, rows: Sequence[Row], seen: Expected) -> Expected:
    """Return for each row the values seen before, or the only one of such a shape behind the same label, or at the same
    tags."""
    expected: Expected = []
    shapes = memory.shapes
    for row, known in zip(rows, seen, strict=True):
        alike = [
            one
            for one in chain.from_iterable(row.holders.values())
            if (
                one.reading == memory.reading
                or (memory.reading == ELEMENT and not one.reading.startswith("@"))
            )
            and shape(one.value) in shapes
        ]
        here = [one for one in alike if memory.label and label_of(one.element, row.element) == memory.label]
        if not here and memory.place:
            here = [one for one in alike if tags_between(row.element, one.element) == memory.place]
        same = {key(one.value) for one in here}
        expected.append(known or ({same.pop(): here} if len(same) == 1 else {}))
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
