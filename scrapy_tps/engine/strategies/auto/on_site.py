"""Strategies for pages of a site of which something is known: the tables for single pages, and what the site says.

From the second page of a site on, what is new on the site comes back where rules took it. Where enough pages are made
like a page, what stands on all of them goes. On the first page of a site, rules that go by position take nothing:
measured on the Testbed's other half, `auto` without them keeps every record on 98.7 instead of 96.9 % of the pages.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, cast

from scrapy_tps.engine.outcomes import PRUNED
from scrapy_tps.engine.strategies.auto import thresholds as at
from scrapy_tps.engine.strategies.auto.conditions import UNLABELLED
from scrapy_tps.engine.strategies.auto.page import Page
from scrapy_tps.engine.strategies.auto.pipeline import AGGRESSIVE, TPS, Pipeline
from scrapy_tps.engine.strategies.auto.protect.record_groups import record_groups
from scrapy_tps.engine.strategies.auto.remove.record_surroundings import record_surroundings
from scrapy_tps.engine.strategies.auto.remove.template import template
from scrapy_tps.engine.strategies.auto.retain.site_veto import new_records, site_veto
from scrapy_tps.engine.strategies.auto.rule import Phase, Rule
from scrapy_tps.engine.strategies.auto.site_thresholds import SiteVeto, Template
from scrapy_tps.engine.strategies.auto.strategy import (
    AggressiveStrategy,
    AutoStrategy,
    TableStrategy,
    TpsStrategy,
)
from scrapy_tps.engine.strategies.auto.writing import selection, write

if TYPE_CHECKING:
    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.engine.site import Judgement
    from scrapy_tps.engine.strategies import Selection, Strategy

#: Those that are their fields and nothing else; those of users may be more.
_OUR_TABLES: Final = frozenset({TableStrategy, AutoStrategy, AggressiveStrategy, TpsStrategy})
_TEMPLATE: Final = Rule("template", Phase.REMOVE, template, Template())
#: Before a strategy that is no table has chosen: code of the user may change the tree, which these read.
_RECORDS: Final = Pipeline(
    (Rule("record-groups", Phase.PROTECT, record_groups, at.RecordGroups()),),
    reads=TPS.reads,
)
#: After it. Nothing is known of its rules: any part with something new comes back.
_OVER: Final = Pipeline(
    (
        _TEMPLATE,
        Rule("new-records", Phase.RETAIN, new_records, SiteVeto()),
        Rule("site-veto", Phase.RETAIN, site_veto, SiteVeto().for_all(0.1)),
    )
)


def with_site(strategy: Strategy, site: Judgement) -> Strategy:
    """Return the strategy for a page of which other pages of its site say this."""
    if isinstance(strategy, TableStrategy):
        if site.pages:
            table = (by_evidence if site.full and site.alike else on_site)(strategy.pipeline)
            if type(strategy) in _OUR_TABLES:  # to replace fields takes ten times as long
                return _TableOnSite(strategy.size_ratio, table, site)
            return replace(strategy, pipeline=table, site=site)
        if strategy.pipeline is AGGRESSIVE:
            strategy = AutoStrategy()
        return replace(strategy, pipeline=careful(strategy.pipeline))
    return SiteStrategy(strategy, site) if site.pages else strategy


@lru_cache(maxsize=16)
def on_site(table: Pipeline) -> Pipeline:
    """Return the same table with what the other pages of a site say: template goes, and what is new stays."""
    rules = list(table.rules)
    place = next((number for number, rule in enumerate(rules) if rule.phase is Phase.RETAIN), len(rules))
    rules.insert(place, _TEMPLATE)
    rules.append(Rule("site-veto", Phase.RETAIN, site_veto, SiteVeto()))
    return replace(table, rules=tuple(rules))


@lru_cache(maxsize=16)
def by_evidence(table: Pipeline) -> Pipeline:
    """Return the table of :func:`on_site` with what surrounds the records gone on labelled pages as well.

    Alone, rules of position know too little there; with a veto of its own this one takes only what other pages of the
    site show. It leaves breadcrumbs and pagination alone: what comes back anyway costs time. It is worth .17 points of
    the Testbed's noise (others; .36 online). With `split`, and what protects text from both, it would be .02 and .04
    more, for another two searches of each page.
    """
    table = on_site(table)
    if not any(UNLABELLED in rule.when for rule in table.rules):
        return table
    rules = [
        rule._replace(
            when=tuple(condition for condition in rule.when if condition is not UNLABELLED),
            thresholds=replace(cast("at.RecordSurroundings", rule.thresholds), landmarks=False),
        )
        if rule.decide is record_surroundings
        else rule
        for rule in table.rules
    ]
    veto = rules.pop()
    rules += [
        veto._replace(when=(UNLABELLED,)),
        veto._replace(name="evidence-veto", thresholds=SiteVeto().by_evidence(), when=(UNLABELLED.fails(),)),
    ]
    return replace(table, rules=tuple(rules))


@lru_cache(maxsize=16)
def careful(table: Pipeline) -> Pipeline:
    """Return the same table without its rules of position; what a page calls its main content is no position."""
    return table.without(
        *(rule.name for rule in table.rules if rule.by_position and rule.name != "outside-main")
    )


def without_site(chosen: Selection, nodes: int) -> bytearray:
    """Return a byte for each node, 1 where it stays by what the page itself says: what a site is taught.

    If the veto's result was taught, what came back once would be a reason to come back.
    """
    if chosen.taught is not None:
        return chosen.taught()
    mask = bytearray(b"\x01") * nodes
    if chosen.outcome == PRUNED:
        for start, end, kept, _, rule in chosen.spans:
            if rule == "site_veto" if kept else rule != "template":
                mask[start:end] = bytes(end - start)
    return mask


class _TableOnSite:
    """What :class:`TableStrategy` is with a site; a frozen dataclass would take three times as long to make."""

    __slots__ = ("_site", "_table", "size_ratio")

    def __init__(self, size_ratio: float, table: Pipeline, site: Judgement) -> None:
        self.size_ratio, self._table, self._site = size_ratio, table, site

    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:  # noqa: ARG002
        return self._table.select(sequence, size_ratio, self.size_ratio, self._site)


@dataclass(frozen=True, slots=True)
class SiteStrategy:
    """A strategy that is no table, and over what it chooses what the other pages of the site say.

    :ivar strategy: the strategy itself.
    :ivar site: what they say.
    """

    strategy: Any
    site: Judgement

    @property
    def size_ratio(self) -> float:
        return self.strategy.size_ratio  # type: ignore[no-any-return]

    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:
        page = _RECORDS.run(Page(sequence, read=_RECORDS.reads, site=self.site))
        chosen: Selection = self.strategy.select(sequence, size_ratio, settings)
        removals = (
            [(span.start, span.end, span.rule, span.reason) for span in chosen.spans if not span.kept]
            if chosen.outcome == PRUNED
            else []
        )
        write(page, Phase.REMOVE, removals)
        _OVER.run(page)
        if page.removed == removals and not page.retained:
            return chosen
        return replace(selection(page), splits=chosen.splits)
