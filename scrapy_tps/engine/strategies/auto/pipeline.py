"""``auto``, ``aggressive`` and ``tps``: tables of rules, and what runs them.

A rule decides, the pipeline writes and measures. The rows run from the top to the bottom.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import GeneratorType
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.strategies.auto import conditions as when
from scrapy_tps.engine.strategies.auto import retain_thresholds as stay
from scrapy_tps.engine.strategies.auto import thresholds as at
from scrapy_tps.engine.strategies.auto.correct.marked_content import marked_content
from scrapy_tps.engine.strategies.auto.hints.first_heading import first_heading
from scrapy_tps.engine.strategies.auto.marks import ALWAYS
from scrapy_tps.engine.strategies.auto.mask.closing_dialogs import closing_dialogs
from scrapy_tps.engine.strategies.auto.mask.sure_boilerplate import sure_boilerplate
from scrapy_tps.engine.strategies.auto.page import Page
from scrapy_tps.engine.strategies.auto.passes import (
    cues,
    old_listings,
    promises,
    unmarked_promises,
)
from scrapy_tps.engine.strategies.auto.protect.below_heading import below_heading
from scrapy_tps.engine.strategies.auto.protect.record_groups import record_groups
from scrapy_tps.engine.strategies.auto.remove.article_surroundings import article_surroundings
from scrapy_tps.engine.strategies.auto.remove.beside_text import beside_text
from scrapy_tps.engine.strategies.auto.remove.choices import choices
from scrapy_tps.engine.strategies.auto.remove.closing_teasers import closing_teasers
from scrapy_tps.engine.strategies.auto.remove.comments import comments, comments_below_text
from scrapy_tps.engine.strategies.auto.remove.link_lists import link_lists
from scrapy_tps.engine.strategies.auto.remove.marked import marked
from scrapy_tps.engine.strategies.auto.remove.outside_main import outside_main
from scrapy_tps.engine.strategies.auto.rule import Phase, Rule
from scrapy_tps.engine.strategies.auto.veto.counted_tables import counted_tables
from scrapy_tps.engine.strategies.auto.veto.masks import masks_with_content
from scrapy_tps.engine.strategies.auto.veto.nothing_left import nothing_left
from scrapy_tps.engine.strategies.auto.writing import selection, write

if TYPE_CHECKING:
    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.engine.strategies import Selection
    from scrapy_tps.engine.strategies.auto.rule import Condition
    from scrapy_tps.engine.strategies.auto.scaling import Thresholds

_HINTS, _CORRECT, _MASK, _PROTECT, _REMOVE, _RETAIN, _VETO = Phase


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A table of rules.

    :ivar rules: the rows, in the order in which they run.
    :ivar reads: the hints that are read, as bits; -1: all of them.
    """

    rules: tuple[Rule, ...]
    reads: int = -1

    def without(self, *names: str) -> Pipeline:
        """The same table without some rules; raise ``ValueError`` where there is no such rule."""
        if unknown := set(names).difference(rule.name for rule in self.rules):
            raise ValueError(f"no rule is called {min(unknown)!r}")
        rules = [rule for rule in self.rules if rule.name not in names]
        return replace(self, rules=tuple(rules))

    def part(self, first: str, last: str) -> tuple[Rule, ...]:
        """The rows from one rule to another, both included."""
        names = [rule.name for rule in self.rules]
        return self.rules[names.index(first) : names.index(last) + 1]

    def select(self, sequence: TagPathSequence, size_ratio: float, usual_ratio: float) -> Selection:
        """Choose what stays, with thresholds moved as the size ratio is larger or smaller than the usual one.

        The usual ones hold where smaller ones would leave nothing of a page.
        """
        page = self.run(Page(sequence, read=self.reads, size_ratio=size_ratio), usual_ratio)
        if page.kept_whole and size_ratio < usual_ratio:
            page = self.run(Page(sequence, read=self.reads, size_ratio=usual_ratio), usual_ratio)
        return selection(page)

    def run(self, page: Page, usual_ratio: float = 0.0) -> Page:
        """Let every rule decide about a page and write what it decides."""
        slack = max(0.0, (1.0 - page.size_ratio) / (1.0 - usual_ratio))
        answers: dict[str, bool] = {}

        def holds(condition: Condition) -> bool:
            if condition.name not in answers:
                answers[condition.name] = condition.holds(page, condition.thresholds.scaled(slack))
            return answers[condition.name] is not condition.negated

        for _, phase, decide, thresholds, conditions, otherwise in self.rules:
            if phase is _RETAIN and not page.removed:
                continue
            limits: Thresholds | None = thresholds
            if conditions and not all(map(holds, conditions)):
                limits = otherwise
            if limits is None:
                continue
            decided = decide(page, limits.scaled(slack))
            for step in decided if isinstance(decided, GeneratorType) else (decided,):
                if step:
                    write(page, phase, step)
        return page


# what goes by position alone goes where markup calls nothing by a name
_OLD_RECORDS: Final = (when.UNLABELLED, when.ABOUT_RECORDS)
AUTO: Final = Pipeline(
    (
        Rule("cues", _CORRECT, cues, at.Cues()),
        Rule("sure-boilerplate", _MASK, sure_boilerplate, at.SureBoilerplate()),
        Rule("first-heading", _HINTS, first_heading, stay.NamedByTitle()),
        Rule("closing-dialogs", _MASK, closing_dialogs, at.ClosingDialogs()),
        Rule("record-groups", _PROTECT, record_groups, at.RecordGroups()),
        Rule("masks-with-content", _VETO, masks_with_content, at.MaskedContent()),
        Rule("marked-content", _CORRECT, marked_content, at.MarkedContent()),
        Rule("marked", _REMOVE, marked, at.MARKED_PARTS),
        Rule("outside-main", _REMOVE, outside_main, at.OutsideMain()),
        Rule("comments-below-text", _REMOVE, comments_below_text, at.CommentsBelowText()),
        # from here on rules know no words
        Rule(
            "link-lists",
            _REMOVE,
            link_lists,
            at.LinkLists(),
            (when.UNLABELLED,),
            otherwise=at.LinkLists(links=16, pictures=0.3),
        ),
        Rule("article-surroundings", _REMOVE, article_surroundings, at.ArticleSurroundings()),
        Rule("old-listings", _REMOVE, old_listings, at.OldListings(), _OLD_RECORDS),
        Rule("counted-tables", _VETO, counted_tables, at.CountedTables(), (when.UNLABELLED,)),
        Rule("choices", _REMOVE, choices, at.Choices()),
        Rule("promises", _RETAIN, promises, stay.Promises()),
        Rule("nothing-left", _VETO, nothing_left),
    ),
)

# what goes by position goes on labelled pages as well
_RECORDS: Final = (when.MOSTLY_RECORDS,)
AGGRESSIVE: Final = Pipeline(
    (
        *AUTO.part("cues", "outside-main"),
        Rule("comments", _REMOVE, comments),
        *AUTO.part("comments-below-text", "comments-below-text"),
        Rule("link-lists", _REMOVE, link_lists, at.LinkLists()),
        *AUTO.part("article-surroundings", "article-surroundings"),
        Rule("closing-teasers", _REMOVE, closing_teasers, at.ClosingTeasers()),
        Rule("below-heading", _PROTECT, below_heading, at.BelowHeading(), _RECORDS),
        Rule("old-listings", _REMOVE, old_listings, at.OldListings(), _RECORDS),
        Rule(
            "beside-text",
            _REMOVE,
            beside_text,
            at.BesideText(),
            (when.MOSTLY_RECORDS.fails(),),
        ),
        *AUTO.part("choices", "nothing-left"),
    )
)

TPS: Final = Pipeline(
    (
        Rule("record-groups", _PROTECT, record_groups, at.RecordGroups()),
        Rule("link-lists", _REMOVE, link_lists, at.LinkLists(panels=False)),
        Rule("old-listings", _REMOVE, old_listings, at.OldListings()),
        Rule("promises", _RETAIN, unmarked_promises, stay.Promises()),
        Rule("nothing-left", _VETO, nothing_left),
    ),
    reads=ALWAYS,
)
