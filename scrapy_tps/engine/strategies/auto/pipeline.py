"""``auto``, ``aggressive`` and ``tps``: tables of rules, and the pipeline that runs them.

A rule decides, the pipeline writes and measures. The rows run from the top to the bottom.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from scrapy_tps.engine.cues.reading import (
    BREADCRUMB,
    BUTTON,
    COMMENTS,
    CONTROL,
    FORM,
    HIDDEN,
    MAIN,
    PAGER,
    WEAK,
    word_table,
)
from scrapy_tps.engine.strategies.auto import (
    content_cues,
    control_lists,
    labelled,
    landmarks,
    marked_parts,
    other_pages,
    pagination,
    provisional,
    queries,
    record_lists,
    sibling_cues,
    text_surroundings,
)
from scrapy_tps.engine.strategies.auto.decisions import Phase
from scrapy_tps.engine.strategies.auto.page import Page, selection, write_decisions
from scrapy_tps.engine.strategies.auto.thresholds import (
    DOMINANCE,
    ENOUGH_PROSE,
    CertainBoilerplate,
    LikeSiblings,
    LinkLists,
    OwnParts,
    RecordSurroundings,
    Revealed,
    SplitSides,
    Thresholds,
    needed,
    scaled,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.engine.strategies import Selection


class Condition(NamedTuple):
    """A condition for running rules. The pipeline evaluates it at most once per page, when a rule first needs it.

    :ivar name: in words, for the table in the documentation.
    :ivar holds: the test of the page with the thresholds.
    """

    name: str
    holds: Callable[[Page, Any], bool]
    thresholds: Thresholds = Thresholds()
    negated: bool = False

    def fails(self) -> Condition:
        """The opposite."""
        return self._replace(negated=not self.negated)


class Step(NamedTuple):
    """A function that decides.

    :ivar decide: gets the page and the thresholds, and returns decisions of the phase of its row.
    """

    decide: Callable[[Page, Any], Any]
    thresholds: Thresholds = Thresholds()

    @property
    def name(self) -> str:
        """That of the function, with hyphens."""
        return self.decide.__name__.replace("_", "-")


class Rule(NamedTuple):
    """One row of a table.

    :ivar name: unique in its table; a row of one step has the name of the step.
    :ivar steps: the decisions of a step are written before the next one runs.
    :ivar when: the conditions that must all be true; if there are none, it always runs.
    """

    name: str
    phase: Phase
    steps: tuple[Step, ...]
    when: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordPages(Thresholds):
    dominance: float = needed(DOMINANCE)
    # prose outside the best group is at most this share of the page
    outside_prose: float = scaled(0.2)


#: Cues of noise and breadcrumbs from names and roles, not from elements that every page may have.
_NOISE: Final = queries.SURE & ~(CONTROL | HIDDEN) | queries.SOFT & ~(FORM | BUTTON) | BREADCRUMB

#: Elements that tell the role of a part of a page.
_PARTS: Final = frozenset({"main", "article", "section", "nav", "header", "footer", "aside"})


@dataclass(frozen=True, slots=True)
class Unlabelled(Thresholds):
    # fewer than this share of the kinds of elements (tag paths with classes) have a class: 95 % of search results of
    # 2001 have less, and all of 2017 have .34 or more
    classes: float = scaled(0.3)
    most: float = 0.5  # if more of them may have one, at a low size ratio, other names are ignored
    named: int = _NOISE | COMMENTS | PAGER
    parts: frozenset[str] = _PARTS


def _is_about_records(page: Page, limits: RecordPages) -> bool:
    """Whether the best group is a large share of the page, with little prose outside."""
    records, prose = page.dominating(limits.dominance), page.prose_before
    return records is not None and (
        prose[-1] - prose[records.end] + prose[records.start] <= limits.outside_prose * page.weight_before[-1]
    )


def _is_unlabelled(page: Page, limits: Unlabelled) -> bool:
    """Whether no part is named: few kinds of elements have a class, or those of what is left name nothing; and none is
    a sectioning element of HTML 5 or called main.
    """
    elements, classed = page.sequence.count_symbols()
    named = limits.named | limits.named << WEAK
    return (classed < limits.classes * elements or page.first_with(named) < 0) and (
        limits.classes > limits.most or (not page.sequence.find(limits.parts) and page.first_with(MAIN) < 0)
    )


ABOUT_RECORDS: Final = Condition("about records", _is_about_records, RecordPages())

MOSTLY_RECORDS: Final = ABOUT_RECORDS._replace(thresholds=RecordPages(outside_prose=1.0))

UNLABELLED: Final = Condition("unlabelled", _is_unlabelled, Unlabelled())

# articles do not tell where the menu is, nor does an aside of prose, which has no cue of noise any more
NOISE_UNNAMED: Final = Condition(
    "noise unnamed", _is_unlabelled, Unlabelled(named=_NOISE, parts=_PARTS - {"article", "aside"})
)


#: Elements without a meaning: those of layout, and within lines.
_PLAIN: Final = frozenset(
    word_table("a b br center div em font hr i img input small span strong table tbody td tr u")
)

_CUES, _CORRECT, _PROVISIONAL, _PROTECT, _REMOVE, _RETAIN, _VETO = Phase

#: A step as it runs: function, thresholds, phase, conditions.
_Row: TypeAlias = "tuple[Callable[[Page, Any], Any], Any, Phase, tuple[Condition, ...]]"


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A table of rules.

    :ivar rules: the rows, in the order in which they run.
    :ivar reads: the bits of the cues that are read; -1 means all.
    """

    rules: tuple[Rule, ...]
    reads: int = -1
    _flat: list[_Row] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_flat", self._with(1.0))

    def without(self, *names: str) -> Pipeline:
        """Return the table without some rows or steps; raise ``ValueError`` if there is no row or step of a name."""
        if unknown := set(names).difference(self.steps(), (rule.name for rule in self.rules)):
            raise ValueError(f"no rule is called {min(unknown)!r}")
        rules = [
            rule._replace(steps=tuple(step for step in rule.steps if step.name not in names))
            for rule in self.rules
            if rule.name not in names
        ]
        return replace(self, rules=tuple(rule for rule in rules if rule.steps))

    def steps(self) -> dict[str, Step]:
        """Return the steps of all rows by name, in the order in which they run."""
        return {step.name: step for rule in self.rules for step in rule.steps}

    def part(self, first: str, last: str) -> tuple[Rule, ...]:
        """Return the rows from one rule to another, both included."""
        names = [rule.name for rule in self.rules]
        return self.rules[names.index(first) : names.index(last) + 1]

    def _with(self, slack: float) -> list[_Row]:
        """Return the steps with the phase and the conditions of their rows, and thresholds of this slack."""
        return [
            (decide, limits if slack == 1.0 else limits.scaled(slack), phase, conditions)
            for _, phase, steps, conditions in self.rules
            for decide, limits in steps
        ]

    def run(self, page: Page, usual_ratio: float = 0.0) -> Page:
        """Run every rule on a page and write its decisions."""
        slack = max(0.0, (1.0 - page.size_ratio) / (1.0 - usual_ratio))
        answers: dict[str, bool] = {}
        for decide, limits, phase, conditions in self._flat if slack == 1.0 else self._with(slack):
            if (phase is _RETAIN and not page.removed) or (
                conditions and not _are_met(conditions, page, slack, answers)
            ):
                continue
            if decided := decide(page, limits):
                write_decisions(page, phase, decided)
        return page


def _are_met(conditions: tuple[Condition, ...], page: Page, slack: float, answers: dict[str, bool]) -> bool:
    for name, holds, limits, negated in conditions:
        if name not in answers:
            answers[name] = holds(page, limits if slack == 1.0 else limits.scaled(slack))
        if answers[name] is negated:
            return False
    return True


def _row(phase: Phase, decide: Callable[[Page, Any], Any], limits: Any = None, *when: Condition) -> Rule:
    """Return a row of one step."""
    step = Step(decide) if limits is None else Step(decide, limits)
    return Rule(step.name, phase, (step,), when)


_LANDMARKS: Final = Step(landmarks.landmarks, landmarks.Landmarks())

_NEXT_LINKS: Final = Step(pagination.next_links, pagination.NextLinks())

_OLD_LISTINGS: Final = (
    Step(record_lists.record_surroundings, RecordSurroundings()),
    Step(record_lists.split_sides, SplitSides()),
)

AUTO: Final = Pipeline(
    (
        # the place and the structure of parts correct their cues
        Rule(
            "cues",
            _CORRECT,
            (
                Step(content_cues.own_parts, OwnParts()),
                Step(marked_parts.related_headings, marked_parts.RelatedHeadings()),
                Step(content_cues.own_banners, content_cues.PromotionLists()),
                Step(sibling_cues.like_siblings, LikeSiblings()),
                Step(sibling_cues.revealed, Revealed()),
            ),
        ),
        _row(_PROVISIONAL, provisional.certain_boilerplate, CertainBoilerplate()),
        _row(_CUES, marked_parts.first_heading, marked_parts.NamedByTitle()),
        _row(_PROTECT, record_lists.record_groups, record_lists.RecordGroups()),
        _row(_VETO, provisional.put_back_content, provisional.PutBackContent()),
        _row(_CORRECT, content_cues.marked_content, content_cues.MarkedContent()),
        _row(_REMOVE, marked_parts.marked, marked_parts.MARKED_PARTS),
        _row(_REMOVE, marked_parts.outside_main, marked_parts.OutsideMain()),
        # from here on, rules use no words
        _row(_REMOVE, control_lists.link_lists, LinkLists(plain=_PLAIN), NOISE_UNNAMED),
        _row(_REMOVE, other_pages.other_pages, other_pages.OtherPages()),
        # position alone decides only on pages without names in the markup
        _row(_REMOVE, record_lists.around_list, record_lists.AroundList()),
        Rule("old-listings", _REMOVE, _OLD_LISTINGS, (UNLABELLED, ABOUT_RECORDS)),
        _row(_REMOVE, control_lists.alike_lists, LinkLists(together=0.1, plain=_PLAIN), NOISE_UNNAMED),
        _row(_REMOVE, control_lists.choices, control_lists.Choices()),
        Rule(
            "promises",
            _RETAIN,
            (
                _LANDMARKS,
                Step(pagination.pagination, pagination.Pagination()),
                Step(labelled.labelled, labelled.Labelled()),
                Step(landmarks.counts, landmarks.Counts()),
                _NEXT_LINKS,
            ),
        ),
        _row(_VETO, provisional.nothing_left),
    ),
)

# position also decides on labelled pages about records
AGGRESSIVE: Final = Pipeline(
    (
        *AUTO.part("cues", "link-lists"),
        _row(_REMOVE, other_pages.other_pages, other_pages.OtherPages(commented=ENOUGH_PROSE)),
        *AUTO.part("around-list", "around-list"),
        _row(_PROTECT, record_lists.below_heading, record_lists.BelowHeading(), MOSTLY_RECORDS),
        Rule("old-listings", _REMOVE, _OLD_LISTINGS, (MOSTLY_RECORDS,)),
        *AUTO.part("alike-lists", "alike-lists"),
        _row(_REMOVE, text_surroundings.next_to_text, text_surroundings.NextToText(), MOSTLY_RECORDS.fails()),
        *AUTO.part("choices", "nothing-left"),
    )
)

TPS: Final = Pipeline(
    (
        _row(_PROTECT, record_lists.record_groups, record_lists.RecordGroups()),
        _row(_REMOVE, control_lists.link_lists, LinkLists()),
        Rule("old-listings", _REMOVE, _OLD_LISTINGS),
        _row(_REMOVE, control_lists.alike_lists, LinkLists(together=0.1)),
        # pagination by cues or else by numbers
        Rule(
            "promises",
            _RETAIN,
            (_LANDMARKS, Step(pagination.pagination, pagination.Pagination(marked=False)), _NEXT_LINKS),
        ),
        *AUTO.part("nothing-left", "nothing-left"),
    ),
    reads=queries.ALWAYS,
)


@dataclass(frozen=True, slots=True)
class TableStrategy:
    """Runs a table.

    :ivar pipeline: the table; ``AUTO.without(name)`` makes a strategy without one of its rules.
    :ivar size_ratio: the ratio at which thresholds are those of the table, 0.80: the smaller side of a split is removed
        if it holds at most a tenth of both. A higher one lets the rules remove less, a lower one more
        (:mod:`scrapy_tps.engine.strategies.auto.thresholds`).
    """

    pipeline: Pipeline
    size_ratio: float = 0.80

    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:  # noqa: ARG002
        """Choose what stays, with thresholds adjusted by the difference between the size ratio and the usual one.

        The usual ones apply if smaller ones would leave nothing of a page.
        """
        table, usual = self.pipeline, self.size_ratio
        page = table.run(Page(sequence, read=table.reads, size_ratio=size_ratio), usual)
        if page.kept_whole and size_ratio < usual:
            page = table.run(Page(sequence, read=table.reads, size_ratio=usual), usual)
        return selection(page)


@dataclass(frozen=True, slots=True)
class AutoStrategy(TableStrategy):
    """Protects record groups; removes boilerplate, link lists, surroundings and small sides of splits."""

    pipeline: Pipeline = AUTO


@dataclass(frozen=True, slots=True)
class AggressiveStrategy(TableStrategy):
    """``auto``, where position also decides on labelled pages about records; also removes comments below shorter texts,
    and small parts next to a text."""

    pipeline: Pipeline = AGGRESSIVE


@dataclass(frozen=True, slots=True)
class TpsStrategy(TableStrategy):
    """The published idea, improved: several regions, search on both sides, sizes by weight, protected records.

    Roles, class names and elements such as ``nav`` are ignored; only the first heading, breadcrumbs and pagination
    always stay.
    """

    pipeline: Pipeline = TPS
