"""Selector fallback: the page as downloaded answers selectors that the pruned page can't.

Nothing here imports Scrapy: selectors evaluate, this module decides whether the whole page may have more, and which of
the two answers to return.
"""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from scrapy_tps.engine.fallback.analysis import ANYWHERE, DOWN, NODES
from scrapy_tps.engine.fallback.usage import EMPTY, MOST_PLACES, OMITTED, OTHER, PARTIAL
from scrapy_tps.engine.html.elements import reads_tree
from scrapy_tps.engine.journal import KEPT, REMOVED, TOUCHED

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from scrapy_tps.engine.fallback.analysis import Alternative, Analysis
    from scrapy_tps.engine.fallback.usage import Fallbacks, SelectorUse
    from scrapy_tps.engine.html.elements import Element, Value
    from scrapy_tps.engine.journal import Journal
    from scrapy_tps.engine.strategies import Span

_is_blank: Final = etree.XPath("not(normalize-space())")


class FallbackPage:
    """A pruned page whose selectors fall back to the page as downloaded.

    Hold `lock` while you select and call the methods.

    :param root: the ``html`` element of the pruned tree.
    :param journal: the removed parts; None if they were dropped. Then only `usage` and `lock` are used.
    :param usage: the record of selectors used on the page.
    :param spans: the regions, for the account.
    :param falls_back: if False, selectors are only recorded (``TPS_FALLBACK``, pages that were not pruned).
    """

    def __init__(
        self,
        root: Element,
        journal: Journal | None,
        usage: Fallbacks,
        spans: Sequence[Span] = (),
        *,
        falls_back: bool = True,
    ) -> None:
        self.root = root
        self.journal: Any = journal
        self.usage = usage
        self.falls_back = falls_back
        self.lock = RLock() if journal is None else journal.lock
        self._spans = spans

    @reads_tree
    def is_complete(self, analysis: Analysis, element: Element, values: Sequence[Value]) -> bool:
        """Whether the answer of the pruned page is final: the whole page has no other, or none that matters.

        Most answers are, and this check is their only cost.

        :param element: the context element in the pruned tree.
        :param values: the results on the pruned page.
        """
        journal = self.journal
        if not self._is_affected(element, analysis, journal):
            return True
        of_tags = analysis.exact and is_of_tags(element, analysis) and not is_nothing(values)
        paths = analysis.alternatives
        certain = of_tags or (bool(paths) and not any(_adds(one, journal) for one in paths))
        return certain and not (values and self.are_shells(values))

    def _is_affected(self, element: Element, analysis: Analysis, journal: Journal) -> bool:
        """Whether removing parts of the page may have changed the answer of a selector on an element."""
        everywhere = analysis.reach == ANYWHERE or analysis.whole or element is self.root
        if everywhere or journal.moves.touches(element):
            return True
        above = element.getparent()
        return analysis.reach != DOWN and above is not None and journal.moves.touches(above)

    @reads_tree
    def finds_nothing(self, analysis: Analysis, element: Element) -> bool:
        """Whether no element of the pruned page meets the needs of a selector, which need not be evaluated then."""
        journal = self.journal
        return (
            element is self.root
            and analysis.plain
            and not any(
                all(step.tags or journal.has(step, KEPT) for step in one.steps)
                for one in analysis.alternatives
            )
        )

    @reads_tree
    def holds_removed(self, value: Value) -> bool:
        """Whether a result is an element of the pruned page that holds removed parts."""
        return self.journal is not None and etree.iselement(value) and self.journal.moves.touches(value)

    @reads_tree
    def are_shells(self, values: Sequence[Value]) -> bool:
        """Whether all results may be mere shells: elements without text that lost something."""
        return all(
            etree.iselement(value)
            and isinstance(value.tag, str)
            and self.journal.moves.touches(value)
            and _is_blank(value)
            for value in values
        )

    @reads_tree
    def judge(
        self,
        analysis: Analysis,
        element: Element,
        values: Sequence[Value],
        whole: Sequence[Value],
        *,
        shells: bool,
    ) -> tuple[str | None, Element | None]:
        """Return the kind of the answer if the whole page gives it, else None or ``omitted``, and the place of its
        first new part. Call it while the page is joined.

        :param values: the results on the pruned page; `whole`: those on the whole page, where texts know their
            elements.
        :param shells: whether `values` were shells (:meth:`are_shells`).
        """
        if analysis.kind not in (NODES, None) or (whole and isinstance(whole[0], (bool, float))):
            return self._judge_value(analysis, element, values, whole), None
        if is_nothing(values):
            holders = (one for one in map(holder, whole) if one is not None)
            return (None, None) if is_nothing(whole) else (EMPTY, next(holders, None))
        if shells and not all(etree.iselement(value) and _is_blank(value) for value in whole):
            return EMPTY, holder(values[0])
        has_all, missing = _align(values, whole)
        if has_all and not missing:
            return None, None
        kind = OTHER if not has_all else OMITTED if is_of_tags(element, analysis) else PARTIAL
        return kind, holder(missing[0]) if missing else None

    @staticmethod
    def _judge_value(
        analysis: Analysis, element: Element, values: Sequence[Value], whole: Sequence[Value]
    ) -> str | None:
        """:meth:`judge` for what a function has computed."""
        if [str(value) for value in values] == [str(value) for value in whole]:
            return None
        return EMPTY if is_nothing(values) else OMITTED if is_of_tags(element, analysis) else OTHER

    @reads_tree
    def note(self, use: SelectorUse | None, kind: str, element: Element | None) -> None:
        """Record an answer of the whole page, or one that is left; call it while the page is pruned.

        :param use: the counter of the selector, if it is counted.
        :param element: one of the first new part.
        """
        usage = self.usage
        if kind == OMITTED:
            usage.omitted += 1
            if use is not None:
                use.omitted += 1
            return
        usage.counts[kind] += 1
        # the time to make a path grows with the siblings before it, and few paths are ever read
        if use is not None and len(use.places) < MOST_PLACES:
            xpath, rule = self._stood(element)
            if xpath is not None:
                use.places.setdefault(xpath, rule)

    def _stood(self, element: Element | None) -> tuple[str | None, str | None]:
        """Return XPath and rule of the removed part around an element; for a text, those of the element that lost
        it."""
        if element is None:
            return None, None
        journal = self.journal
        part = journal.moves.part_of(element)
        place = -1 if part is None else journal.moves.place_of(part)
        with journal:
            shown = element if part is None else part
            xpath = shown.getroottree().getpath(shown)
        inside = (span.rule for span in self._spans if not span.kept and span.start <= place < span.end)
        return xpath, next(inside, None)


def is_of_tags(element: Element, analysis: Analysis) -> bool:
    """Whether a selector asks the page for tags alone, and not an element that another selector has found."""
    return analysis.generic and (analysis.reach == ANYWHERE or element.getparent() is None)


def _adds(one: Alternative, journal: Journal) -> bool:
    """Whether the whole page may have another answer to a path, because of removed elements."""
    if not (one.exact and one.steps):
        return True
    if one.holds_text and journal.has(one.steps[-1], TOUCHED):
        return True
    return journal.has(one.steps[-1], REMOVED) and all(
        journal.has(step, REMOVED) or journal.has(step, TOUCHED) for step in one.steps[:-1]
    )


def is_nothing(values: Iterable[Value]) -> bool:
    """Whether an answer is empty: no node, only blank texts, zero, not a number, or false."""
    for value in values:
        if isinstance(value, str):
            if value.strip():
                return False
        elif not isinstance(value, (bool, float)) or abs(value) > 0:
            return False
    return True


def holder(value: Value) -> Element | None:
    """Return the element of a result: itself, or the one whose text or attribute it is; None if there is none."""
    if not isinstance(value, str):
        return value if etree.iselement(value) else None
    above = value.getparent() if hasattr(value, "getparent") else None
    return above.getparent() if above is not None and getattr(value, "is_tail", False) else above


def _align(values: Sequence[Value], whole: Sequence[Value]) -> tuple[bool, list[Value]]:
    """Return whether the whole page has all results of the pruned page, in the same order, and those that the latter
    lacks. Blank texts are ignored.
    """
    keys = [key for key in map(_key, values) if key != ""]
    place = 0
    missing = []
    for one in whole:
        key = _key(one)
        if place < len(keys) and keys[place] == key:
            place += 1
        elif key != "":
            missing.append(one)
    return place == len(keys), missing


def _key(value: Value) -> Hashable:
    return "".join(value.split()) if isinstance(value, str) else value
