"""``auto``, ``aggressive`` and ``tps``: tables of rules, and what runs them.

A rule decides, the pipeline writes and measures. The rows run from the top to the bottom.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.strategies.auto import conditions as when
from scrapy_tps.engine.strategies.auto import retain_thresholds as stay
from scrapy_tps.engine.strategies.auto import thresholds as at
from scrapy_tps.engine.strategies.auto.correct.headed_sections import headed_sections
from scrapy_tps.engine.strategies.auto.correct.like_siblings import like_siblings
from scrapy_tps.engine.strategies.auto.correct.marked_content import marked_content
from scrapy_tps.engine.strategies.auto.correct.own_banners import own_banners
from scrapy_tps.engine.strategies.auto.correct.own_parts import own_parts
from scrapy_tps.engine.strategies.auto.correct.recurring_names import recurring_names
from scrapy_tps.engine.strategies.auto.correct.related_headings import related_headings
from scrapy_tps.engine.strategies.auto.correct.revealed import revealed
from scrapy_tps.engine.strategies.auto.correct.text_menus import text_menus
from scrapy_tps.engine.strategies.auto.hints.first_heading import first_heading
from scrapy_tps.engine.strategies.auto.marks import ALWAYS
from scrapy_tps.engine.strategies.auto.mask.closing_dialogs import closing_dialogs
from scrapy_tps.engine.strategies.auto.mask.sure_furniture import sure_furniture
from scrapy_tps.engine.strategies.auto.page import Page
from scrapy_tps.engine.strategies.auto.protect.below_heading import below_heading
from scrapy_tps.engine.strategies.auto.protect.beside_records import beside_records
from scrapy_tps.engine.strategies.auto.protect.code import code
from scrapy_tps.engine.strategies.auto.protect.record_groups import record_groups
from scrapy_tps.engine.strategies.auto.remove.article_surroundings import article_surroundings
from scrapy_tps.engine.strategies.auto.remove.beside_text import beside_text
from scrapy_tps.engine.strategies.auto.remove.choices import choices
from scrapy_tps.engine.strategies.auto.remove.closing_teasers import closing_teasers
from scrapy_tps.engine.strategies.auto.remove.comments import comments, comments_below_text
from scrapy_tps.engine.strategies.auto.remove.link_lists import link_lists
from scrapy_tps.engine.strategies.auto.remove.marked import marked
from scrapy_tps.engine.strategies.auto.remove.outside_main import outside_main
from scrapy_tps.engine.strategies.auto.remove.record_surroundings import record_surroundings
from scrapy_tps.engine.strategies.auto.remove.resources import resources
from scrapy_tps.engine.strategies.auto.remove.split_sides import split_sides
from scrapy_tps.engine.strategies.auto.retain.counts import counts
from scrapy_tps.engine.strategies.auto.retain.labelled import labelled
from scrapy_tps.engine.strategies.auto.retain.landmarks import landmarks
from scrapy_tps.engine.strategies.auto.retain.next_links import next_links
from scrapy_tps.engine.strategies.auto.retain.pagination import pagination, unmarked_pagination
from scrapy_tps.engine.strategies.auto.retain.titles import titles
from scrapy_tps.engine.strategies.auto.rule import Phase, Rule
from scrapy_tps.engine.strategies.auto.veto.counted_tables import counted_tables
from scrapy_tps.engine.strategies.auto.veto.lost_main import lost_main
from scrapy_tps.engine.strategies.auto.veto.masks import masks_with_content
from scrapy_tps.engine.strategies.auto.veto.nothing_left import nothing_left
from scrapy_tps.engine.strategies.auto.writing import selection, set_checkpoint, write

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
    :ivar checkpoint: the rule that a veto may go back to: what went before it has gone for good.
    """

    rules: tuple[Rule, ...]
    reads: int = -1
    checkpoint: str = ""

    def without(self, *names: str) -> Pipeline:
        """The same table without some rules; raise ``ValueError`` where there is no such rule."""
        if unknown := set(names).difference(rule.name for rule in self.rules):
            raise ValueError(f"no rule is called {min(unknown)!r}")
        rules = [rule for rule in self.rules if rule.name not in names]
        checkpoint = self.checkpoint
        if checkpoint in names:  # the first one after it
            after = self.rules[[rule.name for rule in self.rules].index(checkpoint) :]
            checkpoint = next((rule.name for rule in after if rule.name not in names), "")
        return replace(self, rules=tuple(rules), checkpoint=checkpoint)

    def part(self, first: str, last: str) -> tuple[Rule, ...]:
        """The rows from one rule to another, both included."""
        names = [rule.name for rule in self.rules]
        return self.rules[names.index(first) : names.index(last) + 1]

    def select(self, sequence: TagPathSequence, size_ratio: float, usual_ratio: float) -> Selection:
        """Choose what stays, with thresholds scaled down where the size ratio is larger than the usual one."""
        return selection(self.run(Page(sequence, read=self.reads, size_ratio=size_ratio), usual_ratio))

    def run(self, page: Page, usual_ratio: float = 0.0) -> Page:
        """Let every rule decide about a page and write what it decides."""
        slack = max(0.0, (1.0 - page.size_ratio) / (1.0 - usual_ratio))
        answers: dict[str, bool] = {}

        def holds(condition: Condition) -> bool:
            if condition.name not in answers:
                answers[condition.name] = condition.holds(page, condition.thresholds)
            return answers[condition.name] is not condition.negated

        for name, phase, decide, thresholds, conditions, otherwise in self.rules:
            if name == self.checkpoint:
                set_checkpoint(page)
            if phase is _RETAIN and not page.removed:
                continue
            limits: Thresholds | None = thresholds
            if conditions and not all(map(holds, conditions)):
                limits = otherwise
            if limits is None:
                continue
            decided = decide(page, limits if slack >= 1.0 else limits.scaled(slack))
            if decided:
                write(page, phase, decided)
        return page


# what goes by position alone goes where markup calls nothing by a name
_OLD_RECORDS: Final = (when.UNLABELLED, when.ABOUT_RECORDS)
AUTO: Final = Pipeline(
    (
        Rule("related-headings", _CORRECT, related_headings, at.RelatedHeadings()),
        Rule("headed-sections", _CORRECT, headed_sections, at.HeadedSections()),
        Rule("own-parts", _CORRECT, own_parts, at.OwnParts()),
        Rule("own-banners", _CORRECT, own_banners, at.PromotionLists()),
        Rule("like-siblings", _CORRECT, like_siblings, at.LikeSiblings()),
        Rule("recurring-names", _CORRECT, recurring_names, at.RecurringNames()),
        Rule("revealed", _CORRECT, revealed, at.Revealed()),
        Rule("sure-furniture", _MASK, sure_furniture, at.SureFurniture()),
        Rule("first-heading", _HINTS, first_heading, stay.NamedByTitle()),
        Rule("closing-dialogs", _MASK, closing_dialogs, at.ClosingDialogs()),
        Rule("record-groups", _PROTECT, record_groups, at.RecordGroups()),
        Rule("masks-with-content", _VETO, masks_with_content, at.MaskedContent()),
        Rule("text-menus", _CORRECT, text_menus, at.TextMenus()),
        Rule("marked-content", _CORRECT, marked_content, at.MarkedContent()),
        Rule("marked", _REMOVE, marked, at.MARKED_PARTS),
        Rule("outside-main", _REMOVE, outside_main, at.OutsideMain()),
        Rule("comments-below-text", _REMOVE, comments_below_text, at.CommentsBelowText()),
        # from here on rules know no words, and `lost-main` may take back what they decide
        Rule(
            "link-lists",
            _REMOVE,
            link_lists,
            at.LinkLists(),
            (when.UNLABELLED,),
            otherwise=at.LinkLists(links=16, pictures=0.3),
        ),
        Rule("code", _PROTECT, code),
        Rule("article-surroundings", _REMOVE, article_surroundings, at.ArticleSurroundings()),
        Rule("beside-records", _PROTECT, beside_records, at.BesideRecords(), _OLD_RECORDS),
        Rule(
            "record-surroundings",
            _REMOVE,
            record_surroundings,
            at.RecordSurroundings(),
            _OLD_RECORDS,
        ),
        Rule("split", _REMOVE, split_sides, at.SplitSides(), _OLD_RECORDS),
        Rule("lost-main", _VETO, lost_main, at.LostMain()),
        Rule("counted-tables", _VETO, counted_tables, at.CountedTables(), (when.UNLABELLED,)),
        Rule("choices", _REMOVE, choices, at.Choices()),
        Rule("resources", _REMOVE, resources),
        Rule("landmarks", _RETAIN, landmarks, stay.Landmarks()),
        Rule("pagination", _RETAIN, pagination, stay.Pagination()),
        Rule("titles", _RETAIN, titles, stay.Titles()),
        Rule("labelled", _RETAIN, labelled, stay.Labelled()),
        Rule("counts", _RETAIN, counts, stay.Counts()),
        Rule("next-links", _RETAIN, next_links, stay.NextLinks()),
        Rule("nothing-left", _VETO, nothing_left),
    ),
    checkpoint="link-lists",
)

# what goes by position goes on labelled pages as well
_RECORDS: Final = (when.MOSTLY_RECORDS,)
AGGRESSIVE: Final = Pipeline(
    (
        *AUTO.part("related-headings", "outside-main"),
        Rule("comments", _REMOVE, comments),
        *AUTO.part("comments-below-text", "comments-below-text"),
        Rule("link-lists", _REMOVE, link_lists, at.LinkLists()),
        *AUTO.part("code", "article-surroundings"),
        Rule("closing-teasers", _REMOVE, closing_teasers, at.ClosingTeasers()),
        Rule("beside-records", _PROTECT, beside_records, at.BesideRecords(), _RECORDS),
        Rule("below-heading", _PROTECT, below_heading, at.BelowHeading(), _RECORDS),
        Rule(
            "record-surroundings",
            _REMOVE,
            record_surroundings,
            at.RecordSurroundings(),
            _RECORDS,
        ),
        Rule("split", _REMOVE, split_sides, at.SplitSides(), _RECORDS),
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
        Rule("link-lists", _REMOVE, link_lists, at.LinkLists()),
        Rule("record-surroundings", _REMOVE, record_surroundings, at.RecordSurroundings()),
        Rule("split", _REMOVE, split_sides, at.SplitSides()),
        Rule("landmarks", _RETAIN, landmarks, stay.Landmarks()),
        Rule("pagination", _RETAIN, unmarked_pagination, stay.Pagination()),
        Rule("next-links", _RETAIN, next_links, stay.NextLinks()),
        Rule("nothing-left", _VETO, nothing_left),
    ),
    reads=ALWAYS,
)
