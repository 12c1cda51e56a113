"""Evidence for findings: what the figures of a site say, and selectors and fields that look wrong, because they never
found anything, stopped, or find less than in the spider's earlier crawls.

:mod:`scrapy_tps.report.findings` puts it into words. Nothing imports Scrapy.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING, Final

from scrapy_tps.stats.coverage import PAGE_TEXT, RECORD_ITEM
from scrapy_tps.stats.fields import MOST_DISTINCT, distinct
from scrapy_tps.stats.figures import OTHER, SiteWarning, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from scrapy_tps.proposals.proposal import Proposals
    from scrapy_tps.stats.coverage import UseFigures, UseRow
    from scrapy_tps.stats.figures import SiteFigures


@dataclass(frozen=True, slots=True)
class Earlier:
    """Figures from the spider's earlier crawls that are clearly higher than those of one crawl.

    :ivar rows: selectors and fields, each with its rows in the earlier crawls and in that one, the oldest crawl first.
    :ivar items: site, earlier crawl, and its items, for sites with less than half of the items of each earlier crawl.
    :ivar new: the new site with the most items, and their number.
    :ivar usual: selectors and items that found no more in one of the earlier crawls.
    :ivar changed: fields that had several values and have one, or whose texts have another length or share of digits
        than in each of those crawls: what has changed, in words.
    :ivar proposals: those for selectors that found something in them.
    """

    rows: list[list[tuple[int, UseRow]]] = field(default_factory=list)
    items: list[tuple[str, int, int]] = field(default_factory=list)
    new: tuple[str, int] | None = None
    usual: set[tuple[str, ...]] = field(default_factory=set)
    changed: dict[tuple[str, ...], str] = field(default_factory=dict)
    proposals: Proposals = field(default_factory=dict)


#: Kinds of findings about selectors and fields: fields that are blank, fewer items, repeated ones, selectors that find
#: nothing.
FIELDS: Final = "fields"
FEWER_ITEMS: Final = "fewer_items"
SIMILAR: Final = "similar_items"
SELECTORS: Final = "selectors"
#: Kinds that are also causes of these: failed requests, and pages other than those requested.
REFUSED: Final = "refused"
SPARSE: Final = "sparse_pages"

#: The alarm of requests that Scrapy filtered because of their host, in a crawl without items.
OFFSITE: Final = "offsite"
#: The alarms of the shadow check: losses with their words, callbacks that failed, and a site that it switched off.
LOSSES: Final = (
    ("shadow/lost_items", "lost", "item"),
    ("shadow/changed_items", "changed", "item"),
    ("shadow/lost_requests", "lost", "request"),
    ("shadow/changed_requests", "changed", "request"),
)
FAILED_PRUNED: Final = "shadow/errors"
SWITCHED_OFF: Final = "shadow/switched_off"

#: The fewest pages without output before a site without items looks wrong. A choice, not a measurement: a broad crawl
#: has many sites with one to four dead ends. If every second page of a site is a dead end, five in a row occur 3 times
#: in 100.
ENOUGH_PAGES: Final = 5
#: The least share of such pages among a site's pages before they are reported. A choice, too.
SPARSE_SHARE: Final = 0.05
#: The least share of a callback's pages without output, if others have items. A choice: a quarter.
SILENT_SHARE: Final = 0.25
#: A smaller decline of a share is not reported. A choice: ten points.
FALL: Final = 0.1
#: With a smaller share of distinct items, items are repeated. A choice: a product in four categories is common.
FEW_DIFFERENT: Final = 0.2
#: The fewest informative fields before items are called similar: some items have only a status and a type.
TELLING_FIELDS: Final = 3
#: The most remembered entries of one crawl: troubles, and sites with callbacks or shared selectors or fields.
MOST_TROUBLES: Final = 1000
MOST_KEYS: Final = 100_000
#: The number of selectors that are named as a cause on a site.
MOST_CAUSES: Final = 3


@dataclass(frozen=True, slots=True)
class Trouble:
    """A selector, a field or a class of items that looks wrong on a site.

    :ivar words: what is wrong, in words.
    :ivar similar: whether that is repeated items.
    """

    row: UseRow
    words: str
    similar: bool = False

    @property
    def kind(self) -> str:
        """The kind of the finding."""
        if not self.row.item:
            return SELECTORS
        if self.row.name:
            return FIELDS
        return SIMILAR if self.similar else FEWER_ITEMS

    @property
    def name(self) -> str:
        """The selector, the path of the field, or the class of the items."""
        return self.row.name or self.row.item

    @property
    def rest(self) -> str:
        """The trouble in words, after its name or several names."""
        whose = f" of {self.row.item}" if self.row.is_field else ""
        return f"{whose} (callback {self.row.callback}): {self.words}"

    def __str__(self) -> str:
        """Return the trouble in words, without the site."""
        return self.name + self.rest


@dataclass(slots=True)
class Evidence:
    """What selectors and fields of a crawl say.

    :ivar troubles: by the keys of their rows, the worst first: fields, then items, then selectors.
    :ivar dead: the first selectors of a site that found nothing at all there, by site.
    :ivar asking: sites and callbacks whose selectors found something.
    :ivar earlier: the higher figures of earlier crawls.
    :ivar figures: those of the first sites that look wrong.
    """

    troubles: dict[tuple[str, ...], Trouble] = field(default_factory=dict)
    dead: dict[str, list[UseRow]] = field(default_factory=dict)
    asking: set[tuple[str, str]] = field(default_factory=set)
    earlier: Earlier = field(default_factory=Earlier)
    figures: dict[str, SiteFigures] = field(default_factory=dict)

    def causes(self, site: str, callback: str | None = None) -> list[UseRow]:
        """Return the selectors that found nothing on a site, or less than in earlier crawls; of one callback or any."""
        fallen = [one.row for one in self.troubles.values() if one.row.site == site and not one.row.item]
        found = {row.key: row for row in (*self.dead.get(site, ()), *fallen)}
        return [row for row in found.values() if callback in {None, row.callback}][:MOST_CAUSES]

    def of_sites(self, sites: Iterable[tuple[str, SiteFigures]]) -> Iterator[tuple[str, SiteFigures]]:
        """Yield sites with what it says about them."""
        reasons: dict[str, list[SiteWarning]] = {}
        for one in self.troubles.values():
            reasons.setdefault(one.row.site, []).append(SiteWarning(one.kind, str(one), 1))
        for site, crawl, items in self.earlier.items:
            text = f"less than half of the {counted(items, 'item')} of crawl {crawl}"
            reasons.setdefault(site, []).append(SiteWarning(FEWER_ITEMS, text, 1))
        for site, figures in sites:
            figures.further = reasons.get(site, ())
            yield site, figures


def gave_items(figures: SiteFigures) -> bool:
    """Whether any page yielded an item, even one that pipelines dropped."""
    return any(figures[name] for name in ("items", "whole_items", "pruned_items"))


def most(tally: Mapping[str, int]) -> tuple[str, int]:
    """Return the most frequent entry of a tally that has a name of its own; an empty one if there is none."""
    named = (one for one in tally.items() if one[0] != OTHER)
    return max(named, key=lambda one: (one[1], one[0]), default=("", 0))


def failed_by(refused: Mapping[str, int]) -> str:
    """Return that requests failed, with the most frequent status or exception."""
    return f"failed{', most often' if len(refused) > 1 else ''} by {most(refused)[0]}"


def other_page(figures: SiteFigures) -> tuple[str, int] | None:
    """Return the page that a site sends instead of those requested, in words, and how often; None if it is rare.

    The evidence: many redirects lead to one address, many pages that yield almost nothing have the same title, or all
    of them look like a log-in, a block or a consent page.
    """
    enough = max(ENOUGH_PAGES, SPARSE_SHARE * figures["pages"])
    title, pages = most(figures.group("sparse"))
    address, redirects = most(figures.group("redirected"))
    if redirects >= enough:
        return f"{counted(redirects, 'request')} led to {address}{f', “{title}”' if title else ''}", redirects
    # a site without items may have answered its first requests only
    walled = not gave_items(figures) and 2 * figures["walls"] >= figures["pages"] > 0
    if pages < enough and not (walled and pages):
        return None
    among, address = counted(figures["pages"], "page"), f" at {address}" if redirects else ""
    verbs = ("is", "yields") if pages == 1 else ("are", "yield")
    return f"{pages:,} of {among} {verbs[0]} titled “{title}”{address} and {verbs[1]} almost nothing", pages


def losses_text(alarms: Mapping[str, int]) -> str:
    """Return the losses that the shadow check found, in words, from its alarms; empty if there are none."""
    parts = [
        f"{counted(number, noun)} {verb}" for kind, verb, noun in LOSSES if (number := alarms.get(kind, 0))
    ]
    if failed := alarms.get(FAILED_PRUNED, 0):
        parts.append(f"the callback failed on {counted(failed, 'page')} because it was pruned")
    return ", ".join(parts)


def gather(rows: Iterable[UseRow], earlier: Earlier, pages: int) -> Evidence:
    """Return the troubles.

    :param rows: the selectors and fields of a crawl, in the order of :meth:`UseRow.order`.
    :param pages: ``TPS_SELECTOR_PAGES``; 0 finds no troubles.
    """
    if not pages:
        return Evidence()
    reader = _Reader(pages, Evidence(earlier=earlier))
    for row in rows:
        reader.read(row)
    return reader.evidence()


class _Reader:
    """Reads the selectors and fields of a crawl, those with matches first."""

    def __init__(self, pages: int, evidence: Evidence) -> None:
        self._pages = pages
        self._evidence = evidence
        self._given: set[tuple[str, str]] = set()  # sites and callbacks that yielded items
        self._telling: Counter[tuple[str, ...]] = Counter()  # informative fields of a class of items
        self._sites: Counter[tuple[str, ...]] = Counter()  # number of sites with a match
        self._lacking: Counter[tuple[str, ...]] = Counter()  # number of sites without any
        self._never: list[UseRow] = []
        self._similar: list[UseRow] = []
        self._stopped: list[Trouble] = []

    def read(self, row: UseRow) -> None:
        """Take the next row."""
        figures, where = row.figures, (row.site, row.callback)
        sites = self._sites if figures.found_pages else self._lacking
        if len(sites) < MOST_KEYS:
            sites[row.key[1:]] += 1
        if not figures.found_pages:
            if not row.item and len(self._evidence.dead) < MOST_TROUBLES:
                self._evidence.dead.setdefault(row.site, []).append(row)
            if figures.asked >= self._pages and where in self._given and len(self._never) < MOST_KEYS:
                self._never.append(row)
            return
        self._stopped += self._troubles(row)
        if row.is_field:
            if figures.sketch and "." not in row.name:
                self._telling[row.key[:3]] += 1
        elif row.item:
            if len(self._given) < MOST_KEYS:
                self._given.add(where)
            # a full sketch does not show how many more there are
            values = distinct(figures.sketch) or MOST_DISTINCT
            few = values < MOST_DISTINCT and values <= FEW_DIFFERENT * figures.asked
            if few and figures.asked >= self._pages:
                self._similar.append(row)
        elif row.name != PAGE_TEXT and len(self._evidence.asking) < MOST_KEYS:
            self._evidence.asking.add(where)

    def _troubles(self, row: UseRow) -> Iterator[Trouble]:
        """Yield what this crawl alone, and its comparison with earlier ones, show of a row with matches."""
        figures, earlier = row.figures, self._evidence.earlier
        if row.key not in earlier.usual:
            if figures.finds_nothing_any_more(self._pages):
                yield Trouble(row, f"{_nothing(row)} on the last {counted(figures.dry, 'page')}")
            elif row.item and not row.name and (words := self._silent(figures)):
                yield Trouble(row, words)
        if words := earlier.changed.get(row.key, ""):
            yield Trouble(row, words)

    def _silent(self, figures: UseFigures) -> str:
        """Return in words that many pages of a callback that yields items had no output; empty if they are few."""
        silent = figures.pages - figures.found_pages
        if figures.pages < self._pages or silent < max(ENOUGH_PAGES, SILENT_SHARE * figures.pages):
            return ""
        return f"{silent:,} of {counted(figures.pages, 'page')} yielded neither items nor requests"

    def evidence(self) -> Evidence:
        fallen = (fell(group, self._pages) for group in self._evidence.earlier.rows)
        troubles = {one.row.key: one for one in (*self._stopped, *fallen) if one}
        for row in self._never:
            # all sites should have a match if hardly any site lacks it; also if no site has one
            others = self._sites[row.key[1:]]
            if not others or self._lacking[row.key[1:]] <= max(1, others // 10):
                everywhere = f"{'in' if row.is_field else 'on'} {'all ' if row.number > 1 else ''}"
                troubles.setdefault(row.key, Trouble(row, f"{_nothing(row)} {everywhere}{_among(row)}"))
        for row in self._similar:
            if self._telling[row.key[:3]] >= TELLING_FIELDS:
                different = f"only {distinct(row.figures.sketch)} different among {row.figures.asked:,} items"
                words = f"{different}, page addresses aside"
                troubles.setdefault(row.key, Trouble(row, words, similar=True))
        order = (FIELDS, FEWER_ITEMS, SIMILAR, SELECTORS)
        kept = [one for one in troubles.values() if not _within(one, troubles)]
        kept.sort(key=lambda one: (order.index(one.kind), one.row.key))
        self._evidence.troubles = {one.row.key: one for one in kept[:MOST_TROUBLES]}
        return self._evidence


def share(row: UseRow) -> float:
    """Return the share of items with a filled field, of pages with a match of a selector, or of pages with items."""
    return row.found / row.number if row.number else 0.0


def _among(row: UseRow) -> str:
    return counted(row.number, "item" if row.is_field else "page")


def _nothing(row: UseRow) -> str:
    return "blank" if row.is_field else "none" if row.item else "found nothing"


def fell(group: list[tuple[int, UseRow]], pages: int) -> Trouble | None:
    """Return the trouble if a share is clearly lower than in earlier crawls: by more than ten points, and by more than
    chance gives once in some hundred cases.

    :param group: crawls and rows, the oldest first; the last is the crawl in question.
    """
    *before, (_, row) = group
    known = [(crawl, one) for crawl, one in before if one.number >= pages]
    if not known or row.number < pages:
        return None
    best = max(share(one) for _, one in known)
    if not _is_less(row, best):
        return None
    later = [crawl for crawl, one in group if not _is_less(one, best)]
    since = next(crawl for crawl, _ in group if crawl > max(later))
    return Trouble(row, f"{100 * best:.0f} → {100 * share(row):.0f} % of {_among(row)} since crawl {since}")


def _is_less(row: UseRow, expected: float) -> bool:
    among = row.number
    missing = expected * among - row.found
    return missing > FALL * among and missing >= 3 + 3 * sqrt(among * expected * (1 - expected))


def _within(trouble: Trouble, troubles: dict[tuple[str, str, str, str], Trouble]) -> bool:
    """Whether a field is part of another one that looks wrong, or the column of a list, which others need not have."""
    site, callback, item, path = trouble.row.key
    if item == RECORD_ITEM:
        return bool(path)
    return bool(item) and "." in path and (site, callback, item, path.rpartition(".")[0]) in troubles
