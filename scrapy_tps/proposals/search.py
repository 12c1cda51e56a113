"""The search for selectors in place of those of a callback that find nothing any more.

For each lost field: what may hold its values, by value or place; selectors of that; each tried in all rows; the best
one, if it proves to be right. For lost rows: lists of elements, in each of which all fields are searched.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import suppress
from heapq import nlargest
from itertools import chain
from math import inf
from operator import itemgetter
from time import thread_time
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from scrapy_tps.engine.html.document import decode, parse
from scrapy_tps.proposals.memory import mark_of
from scrapy_tps.proposals.proposal import Proposal
from scrapy_tps.proposals.sought import FOUND, Row, Sought, Trial
from scrapy_tps.proposals.values import key
from scrapy_tps.proposals.writing import is_named_alike
from scrapy_tps.records.extract import candidate_lists
from scrapy_tps.records.record_selectors import record_candidates

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_tps.proposals.memory import CallbackMemory, SampledPage, SelectorMemory

#: The most rows of a page, and lists in place of lost rows, that are tried.
_MOST_ROWS: Final = 30
_MOST_LISTS: Final = 6
#: A new selector of rows finds less than this many times as many as the lost one.
_MANY: Final = 2


#: The marks of the remembered rows that elements of a page may be, each with the number of their values.
Marks = dict[Any, dict[str, int]]


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
        living: dict[str, Trial] = {}
        unseen = []
        for one, memory in self._memory.items():
            if memory.row != name:
                continue
            sought = Sought(memory, rows)
            trial = sought.tried(one, memory.kind)
            inner = [other for other in self._memory.values() if other.row == one]
            marks = [_marks_of(row, inner) for row in rows] if inner else []
            if trial.filled and (inner or not new or trial.fitting >= FOUND):
                living[one] = trial
                if inner:
                    self._repair(one, _new_rows(rows, marks, trial), proposals)
            elif (new or one in self._lost) and thread_time() < self._ends:
                best = self._rows(one, sought, marks, proposals) if inner else sought.best()
                proposals[one] = self._proposal(rows, best)
                if best is not None:
                    living[one] = best
                    unseen += [one] * (not inner and not best.known)
        for one in _doubtful(unseen, proposals):
            proposals[one] = self._proposal(rows, None)
            del living[one]
        return living

    def _proposal(self, rows: Sequence[Row], trial: Trial | None) -> Proposal:
        pages = len(self._pages)
        if trial is None:
            return Proposal(pages=pages)
        found = len({rows[number].page for number in trial.filled})
        return Proposal(trial.selector, trial.kind, pages, found, trial.equal, trial.known)

    def _rows(
        self, name: str, sought: Sought, marks: list[Marks], proposals: dict[str, Proposal]
    ) -> Trial | None:
        """Return the best row selector in place of a lost one, None if none is good; propose selectors in its rows.

        Most fields are found in its rows. The best one selects less than twice as many rows as the lost one did, most
        of those in which half of the fields are found, and few others.
        """
        rates = [one.rate for one in self._memory.values() if one.row == name]
        good = []
        for trial in _lists(sought, marks):
            new_rows = _new_rows(sought.rows, marks, trial)
            found: dict[str, Proposal] = {}
            living = self._repair(name, new_rows, found, new=True)
            fields = Counter(chain.from_iterable(one.filled for one in living.values()))
            full = sum(2 * number >= sum(rates) for number in fields.values())
            if 2 * len(living) > len(rates) and full >= FOUND * max(rates) * len(new_rows):
                equal = sum(one.equal for one in living.values())
                known = sum(one.known for one in living.values())
                merit = trial.most < _MANY * sought.memory.results, 2 * full - len(new_rows)
                good.append((merit, trial._replace(equal=equal, known=known), found))
        _, best, found = max(good, key=itemgetter(0), default=((), None, {}))
        proposals |= found
        return best


def _doubtful(names: list[str], proposals: dict[str, Proposal]) -> list[str]:
    """Return those of some selectors without a value seen before whose proposals may find another field: one field may
    have taken the place of another one, but hardly several."""
    selectors = [proposals[name].selector for name in names]
    return [
        name
        for name, selector in zip(names, selectors, strict=True)
        if selectors.count(selector) > 1 or not (len(names) > 1 or is_named_alike(name, selector))
    ]


def _lists(sought: Sought, marks: Sequence[Marks]) -> list[Trial]:
    """Return the likeliest selectors of rows: most of what they find may be one remembered row each. They find
    about as many rows as before."""
    rows, usual = sought.rows, sought.memory.results
    found: dict[frozenset[Any], Trial] = {}
    lists = chain.from_iterable(map(_likely_rows, rows, marks))
    for css in dict.fromkeys(chain.from_iterable(map(record_candidates, lists))):
        trial = sought.tried(css, "css")
        if len(trial.filled) >= FOUND * len(rows) and trial.most >= FOUND * usual:
            found.setdefault(frozenset(chain.from_iterable(trial.results)), trial)

    def likelihood(trial: Trial) -> tuple[bool, int]:
        new_rows = _new_rows(rows, marks, trial)
        return trial.most < _MANY * usual, 2 * sum(row.mark != "" for row in new_rows) - len(new_rows)

    return nlargest(_MOST_LISTS, found.values(), likelihood)


def _new_rows(rows: Sequence[Row], marks: Sequence[Marks], trial: Trial) -> list[Row]:
    """Return the first elements that were selected in each of some rows as rows; the only one is the same row."""
    new_rows = []
    for row, known, some in zip(rows, marks, trial.results, strict=True):
        for element in some[:_MOST_ROWS]:
            may_be = [row.mark] if len(some) == 1 else [*known.get(element, ())]
            if isinstance(element, etree._Element):
                new_rows.append(Row(row.page, element, may_be[0] if len(may_be) == 1 else ""))
    return new_rows


def _marks_of(page: Row, memories: Iterable[SelectorMemory]) -> Marks:
    """Return for the elements of a page the remembered rows of which they hold half of the values that no other row of
    the page has."""
    rows: defaultdict[str, set[str]] = defaultdict(set)
    for memory in memories:
        for mark, values in memory.values.items():
            for value in values if mark.startswith(page.mark) else ():
                rows[key(value)].add(mark)
    own = {value: marks.pop() for value, marks in rows.items() if len(marks) == 1}
    held: defaultdict[Any, Counter[str]] = defaultdict(Counter)
    for value in filter(own.__contains__, page.holders):  # in the order of the page, whatever the hashes
        for element in {
            above for one in page.holders[value] for above in (one.element, *one.element.iterancestors())
        }:
            held[element][own[value]] += 1
    total = Counter(own.values())
    return {
        one: {mark: number for mark, number in some.items() if 2 * number >= total[mark]}
        for one, some in held.items()
    }


def _likely_rows(page: Row, marks: Marks) -> list[list[Any]]:
    """Return lists of elements that may be the rows of a page: the outermost that may be one remembered row, or the
    innermost with most of its values if there is but one; and all lists of records."""
    several = [one for one, rows in marks.items() if len(rows) == 1 < len(marks.get(one.getparent(), ()))]
    kinds = {one: (one.tag, len([*one.iterancestors()])) for one in several or marks}
    usual = max(kinds.values(), key=[*kinds.values()].count, default=None)
    likely = [one for one in several if kinds[one] == usual]
    if not several and marks:
        likely = [max(marks, key=lambda one: (sum(marks[one].values()), kinds[one][1]))]
    # records that start with a text have no first element
    return [*filter(None, [likely, *candidate_lists(page.element)])]
