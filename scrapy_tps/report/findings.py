"""The table of findings: a row for each kind, the worst first, with its evidence on a site, its words and its advice.

:data:`TABLE` is all that decides what is a finding. :mod:`scrapy_tps.stats.evidence` has what it reads. Nothing imports
Scrapy.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Final, TypeAlias

from scrapy_tps.engine.outcomes import ERROR
from scrapy_tps.report.causes import MOST_NAMED, OTHER_PAGE, Cause, Causes, named, not_pruned
from scrapy_tps.stats.error_isolation import DISTRIBUTED, STORE
from scrapy_tps.stats.evidence import (
    ENOUGH_PAGES,
    FAILED_PRUNED,
    FEWER_ITEMS,
    FIELDS,
    LOSSES,
    OFFSITE,
    REFUSED,
    SELECTORS,
    SIMILAR,
    SPARSE,
    SPARSE_SHARE,
    SWITCHED_OFF,
    failed_by,
    gave_items,
    losses_text,
    most,
    other_page,
)
from scrapy_tps.stats.figures import SiteFigures, SiteWarning, counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from scrapy_tps.stats.evidence import Trouble

    #: Texts, and the number of affected pages, requests or alarms.
    _Warnings: TypeAlias = Iterator[tuple[str, int]]

#: Settings that were added to keep the parts that a site had lost.
AUTO_KEEPS: Final = "shadow/kept"


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding.

    :ivar kind: for programs: the name of a row of :data:`TABLE`.
    :ivar text: the finding in words, with numbers and the first sites.
    :ivar advice: what to do.
    :ivar paste: a command or setting for this, ready to paste; empty if there is none.
    :ivar sites: how many sites it is about; 0 when it is about the crawl.
    :ivar count: how many pages, items and requests, or alarms.
    :ivar examples: the first sites.
    """

    kind: str
    text: str
    advice: str
    paste: str = ""
    sites: int = 0
    count: int = 0
    examples: tuple[str, ...] = ()


@dataclass(slots=True)
class Gathered:
    """The warnings of one kind, of all sites.

    :ivar first: the first sites, and their texts.
    :ivar figures: those of the first site.
    :ivar unrepaired: the first sites on which no auto-keep keeps the lost part.
    """

    sites: int = 0
    count: int = 0
    first: list[tuple[str, str]] = field(default_factory=list)
    figures: SiteFigures | None = None
    unrepaired: list[str] = field(default_factory=list)
    _last: str = ""

    def add(self, site: str, figures: SiteFigures, warning: SiteWarning) -> None:
        """Add a warning; those of a site come one after another."""
        self.count += warning.count
        if site == self._last:
            return
        self._last = site
        self.sites += 1
        self.figures = self.figures or figures
        if len(self.first) < MOST_NAMED:
            self.first.append((site, warning.text))
        held = figures[AUTO_KEEPS] and not figures[f"alarms/{SWITCHED_OFF}"]
        if not held and len(self.unrepaired) < MOST_NAMED:
            self.unrepaired.append(site)

    def words(self, causes: Causes) -> dict[str, str]:
        """Return what the texts of :data:`TABLE` name."""
        return {
            "sites": counted(self.sites, "site"),
            "pages": counted(self.count, "page"),
            "names": named([site for site, _ in self.first], self.sites),
            "reasons": named([f"{site} ({text})" for site, text in self.first], self.sites),
            "on_sites": named([f"on {site}, {text}" for site, text in self.first], self.sites),
            "losses": losses_text(causes.total.group("alarms")),
        }


# The evidence of each kind on a site.


def _lost(figures: SiteFigures) -> _Warnings:
    alarms = figures.group("alarms")
    if lost := losses_text(alarms):
        yield lost, sum(alarms.get(kind, 0) for kind in (*(kind for kind, *_ in LOSSES), FAILED_PRUNED))


def _of_count(name: str, text: str) -> Callable[[SiteFigures], _Warnings]:
    """Return evidence that a count is not 0; in its text, ``{pages}`` is the number of pages."""

    def evidence(figures: SiteFigures) -> _Warnings:
        if number := figures[name]:
            yield text.format(pages=counted(number, "page")), number

    return evidence


def _callback_failed(figures: SiteFigures) -> _Warnings:
    if failed := figures["callback_errors"]:
        errors = figures.group("errors")
        more = f", and {counted(len(errors) - 1, 'other error')}" if len(errors) > 1 else ""
        yield f"the callback failed on {counted(failed, 'page')}: {most(errors)[0]}{more}", failed


def _refused(figures: SiteFigures) -> _Warnings:
    refused = figures.group("refused")
    number = sum(refused.values())
    among = figures["pages"] + sum(count for name, count in refused.items() if not name.startswith("HTTP "))
    if number >= max(ENOUGH_PAGES, SPARSE_SHARE * among) or (number and not gave_items(figures)):
        yield f"{number:,} of {counted(among, 'request')} {failed_by(refused)}", number


def _nothing_given(figures: SiteFigures) -> _Warnings:
    silent = figures["pages_without_output"]
    answered = sum(number for name, number in figures.group("refused").items() if name.startswith("HTTP "))
    told_otherwise = silent == figures["callback_errors"] or other_page(figures)
    if silent - answered >= ENOUGH_PAGES and not told_otherwise and not gave_items(figures):
        text = f"{silent:,} of {counted(figures['pages'], 'page')} yielded neither items nor requests"
        yield text + ("" if figures["pruned_pages"] else ", none of them pruned"), silent


def _whole_page(figures: SiteFigures) -> _Warnings:
    for selector, pages in figures.group("whole_page").items():
        where = f"in a loop over its parts, on {counted(pages, 'page')}"
        yield f"{selector} selects from the whole page {where}", pages


def _garbled(figures: SiteFigures) -> _Warnings:
    for name, pages in figures.group("garbled").items():
        if pages >= max(ENOUGH_PAGES, SPARSE_SHARE * figures["pages"]):
            yield f"{name} has misread characters (�, Ã¤) on {counted(pages, 'page')}", pages


def _alarms(figures: SiteFigures) -> _Warnings:
    own = {OFFSITE, FAILED_PRUNED, SWITCHED_OFF, *(kind for kind, *_ in LOSSES)}
    for kind, number in sorted(figures.group("alarms").items()):
        if kind not in own:
            yield f"{counted(number, 'alarm')}: {kind}", number


# What a finding of each kind advises.


def _likeliest(found: Gathered, causes: Causes) -> Cause:
    figures = found.figures or causes.total
    *_, failed = most(figures.group("errors"))[0][:-1].split(" ")
    return causes.of(found.first[0][0], figures, failed or None)


def _repair(found: Gathered, _: Causes) -> Cause:
    loss = "The spider got the originals' results for the checked pages"
    if found.unrepaired:
        return Cause(
            "",
            f"{loss}; others may have lost more. The log names each cause and, if there is one, a setting that keeps "
            "the lost part (“Pruning loses data …”). If not, do not prune the site:",
            not_pruned(found.unrepaired),
        )
    return Cause(
        "",
        f"{loss}, and the lost part stays on later ones. The log names the setting that keeps it from the start "
        "(“Pruning loses data …”).",
    )


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of finding.

    :ivar name: for programs.
    :ivar evidence: yields the texts and counts of a site that looks wrong; None for kinds that selectors, fields or
        failures of scrapy-tps show.
    :ivar text: the finding in words; :meth:`Gathered.words` has the names in braces.
    :ivar advice: what to do, or a function that finds the likeliest cause.
    """

    name: str
    evidence: Callable[[SiteFigures], Iterable[tuple[str, int]]] | None = None
    text: str = "{on_sites}"
    advice: str | Callable[[Gathered, Causes], Cause] = ""

    def finding(self, found: Gathered, causes: Causes) -> Finding:
        """Return the finding about all sites with such a warning."""
        cause = Cause("", self.advice) if isinstance(self.advice, str) else self.advice(found, causes)
        text = self.text.format(**found.words(causes)) + cause.why
        names = tuple(site for site, _ in found.first)
        return Finding(self.name, text, cause.advice, cause.paste, found.sites, found.count, names)


CALLBACK_FAILED: Final = "callback_failed"
NOTHING_GIVEN: Final = "nothing_given"
NOT_KEPT: Final = "figures_not_kept"
FAILURES: Final = "failures"

#: All kinds of findings, worst first: losses, possible losses, and faults that cost nothing.
TABLE: Final = (
    Kind("lost", _lost, "the shadow check found losses on {sites}: {names} ({losses})", _repair),
    Kind(CALLBACK_FAILED, _callback_failed, advice=_likeliest),
    Kind(
        OFFSITE,
        _of_count(f"alarms/{OFFSITE}", "Scrapy filtered the requests to it as offsite"),
        "the crawl produced no items, and Scrapy filtered requests to {sites} as offsite: {names}",
        "If the spider should follow them, add the site's other name to allowed_domains.",
    ),
    Kind(
        REFUSED,
        _refused,
        advice="The site or the network refuses: a block (403, 429), pages that are gone (404, 410), a server or a "
        "name that does not answer. Scrapy's log names each.",
    ),
    Kind(
        NOTHING_GIVEN,
        _nothing_given,
        "no items from {sites}; {pages} yielded neither items nor requests: {names}",
        _likeliest,
    ),
    Kind(SPARSE, lambda figures: filter(None, [other_page(figures)]), advice=OTHER_PAGE),
    Kind(FIELDS),
    Kind(FEWER_ITEMS),
    Kind(
        SIMILAR,
        advice="If the callback loops over parts of the page, it has to select from the part (row.css), not from the "
        "page (response.css).",
    ),
    Kind(
        "whole_page",
        _whole_page,
        advice="Select from the part: row.css('h3'), not response.css('h3'). An XPath that begins with a slash begins "
        "at the page, too. Begin it with a dot: row.xpath('.//h3').",
    ),
    Kind(
        "garbled",
        _garbled,
        advice="The page was decoded wrongly, or the site itself sends such text: look at it in a browser. "
        "response.replace(encoding=…) decodes the page in another encoding.",
    ),
    Kind(SELECTORS),
    Kind(
        "alarm",
        _alarms,
        "alarms of extensions on {sites}: {reasons}",
        "Find the extension that raises them; scrapy-tps does not.",
    ),
    Kind(
        "pruning_failed",
        _of_count(f"outcome/{ERROR}", "pruning failed on {pages}, not pruned"),
        "pruning failed on {pages}, not pruned so that nothing is lost, of {sites}: {names}",
        "The log has the first error of each site (“was not pruned because pruning failed”): a wrong “tps” in a "
        "request's meta, or a bug; please report that.",
    ),
    Kind(
        "switched_off",
        _of_count(f"alarms/{SWITCHED_OFF}", "not pruned any more after a loss"),
        "the shadow check switched pruning off on {sites}: {names}",
        "Later pages of these sites were not pruned. Fix the loss first; the limit in TPS_SHADOW sets how much may "
        "be lost.",
    ),
    Kind(
        NOT_KEPT,
        advice="The log has the error. The totals shown here are complete, the sites those in memory; scrapy "
        "tps-report will not have all of them.",
    ),
    Kind(
        FAILURES,
        advice="No page or item was lost, but figures, alarms or samples may be missing. The log has the first "
        "error of each kind and what to do about it.",
    ),
)
KINDS: Final = {kind.name: kind for kind in TABLE}


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings in the order of :data:`TABLE`."""
    order = list(KINDS)
    return tuple(sorted(findings, key=lambda one: order.index(one.kind)))


def site_warnings(figures: SiteFigures) -> list[SiteWarning]:
    """Return why a site looks wrong, worst first; empty if nothing does.

    Pages that were not pruned, and pages with requests but no items (such as lists), are not a reason.
    """
    found = []
    for kind in TABLE:
        if kind.evidence is not None:
            found += [SiteWarning(kind.name, text, count) for text, count in kind.evidence(figures)]
        else:
            found += [one for one in figures.further if one.kind == kind.name]
    return found


def findings_of_sites(gathered: Mapping[str, Gathered], causes: Causes) -> Iterator[Finding]:
    """Yield the findings about sites: of the whole crawl, if it has no items and no other reason for that."""
    for name, found in gathered.items():
        if KINDS[name].evidence is not None:
            yield KINDS[name].finding(found, causes)
    total = causes.total
    silent = total["pages_without_output"]
    explained = {NOTHING_GIVEN, CALLBACK_FAILED, REFUSED, SPARSE} & gathered.keys()
    if silent and not explained and not gave_items(total):
        among = counted(total["pages"], "page")
        cause = causes.of(next(iter(causes.evidence.dead), ""), total)
        yield Finding(
            NOTHING_GIVEN,
            f"the crawl produced no items; {silent:,} of {among} yielded no requests either{cause.why}",
            cause.advice,
            cause.paste,
            count=silent,
        )


def findings_of_uses(causes: Causes) -> Iterator[Finding]:
    """Yield the findings about selectors and fields, one for each kind."""
    evidence = causes.evidence
    explained = set()  # sites of which another finding tells the cause of blank fields and missing items
    for site, figures in evidence.figures.items():
        kinds = {one.kind for one in site_warnings(figures)}
        if kinds & {CALLBACK_FAILED, causes.of(site, figures).kind}:
            explained.add(site)
    troubles = [one for one in evidence.troubles.values() if one.row.site not in explained]
    # their causes name the selectors
    named_there = {(one.row.site, one.row.callback) for one in troubles if one.kind == FIELDS}
    for kind, group in groupby(troubles, key=lambda one: one.kind):
        found = [one for one in group if kind != SELECTORS or one.row.key[:2] not in named_there]
        if kind != FEWER_ITEMS and found:
            yield _of_troubles(kind, found, causes)
    fewer = [one for one in troubles if one.kind == FEWER_ITEMS]
    items = [one for one in evidence.earlier.items if one[0] not in explained]
    if fewer or items:
        yield _fewer_items(fewer, items, causes)


def _of_troubles(kind: str, found: Sequence[Trouble], causes: Causes) -> Finding:
    site, callback, *_ = found[0].row
    advice = KINDS[kind].advice
    if isinstance(advice, str) and advice:
        cause = Cause("", advice)
    else:
        cause = causes.of(site, causes.evidence.figures.get(site) or causes.total, callback)
    why = "" if kind == SELECTORS and "TPS_" not in cause.why else cause.why
    sites = tuple(dict.fromkeys(one.row.site for one in found))
    text = _named_troubles(found) + why
    return Finding(kind, text, cause.advice, cause.paste, len(sites), len(found), sites[:MOST_NAMED])


def _fewer_items(found: Sequence[Trouble], fewer: Sequence[tuple[str, int, int]], causes: Causes) -> Finding:
    earlier = causes.evidence.earlier
    parts = [
        f"{site} gave less than half of the {counted(items, 'item')} of crawl {crawl}"
        for site, crawl, items in fewer
    ]
    sites = tuple(dict.fromkeys([*(site for site, *_ in fewer), *(one.row.site for one in found)]))
    figures = causes.evidence.figures.get(sites[0])
    if figures is None and earlier.new:
        new, items = earlier.new
        cause = Cause(
            f", and was not seen in this one; {new} is new and gave {counted(items, 'item')}",
            "If that is the same site under another name, all is well: name both in settings and allowed_domains.",
        )
    else:
        cause = causes.of(sites[0], figures or causes.total)
    text = (named(parts) or _named_troubles(found)) + cause.why
    count = len(parts) + len(found)
    return Finding(FEWER_ITEMS, text, cause.advice, cause.paste, len(sites), count, sites[:MOST_NAMED])


def _named_troubles(found: Sequence[Trouble]) -> str:
    """Return the first troubles with their sites; texts shared by several names or sites appear once."""
    names: dict[tuple[str, str], dict[str, None]] = {}
    for one in found:
        names.setdefault((one.rest, one.row.site), {})[one.name] = None
    sites: dict[str, list[str]] = {}
    for (rest, site), same in names.items():
        sites.setdefault(named([*same], noun="more field") + rest, []).append(site)
    shown = [f"on {named(where)}, {what}" for what, where in [*sites.items()][:MOST_NAMED]]
    more = len(sites) - len(shown)
    return "; ".join(shown) + (f"; and {more:,} more" if more else "")


def findings_of_failures(failed_writes: int, failures: Mapping[str, int]) -> Iterator[Finding]:
    """Yield the findings about failures that did not affect the crawl.

    :param failed_writes: failed writes of the file of figures that were not repeated.
    :param failures: failures by name of parts of scrapy-tps.
    """
    if failed_writes:
        text = f"figures of this crawl are missing in TPS_STATS_FILE, which failed {_times(failed_writes)}"
        yield Finding(NOT_KEPT, text, str(KINDS[NOT_KEPT].advice), count=failed_writes)
    # failures of the file that were not repeated are reported above, those of the store under a separate name
    failed = {name: times for name, times in failures.items() if name not in {STORE.name, DISTRIBUTED.name}}
    if failed:
        parts = ", ".join(f"{name} ({_times(times)})" for name, times in sorted(failed.items()))
        text = f"parts of scrapy-tps failed: {parts}"
        yield Finding(FAILURES, text, str(KINDS[FAILURES].advice), count=sum(failed.values()))


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"
