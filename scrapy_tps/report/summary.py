"""The summary of a crawl: all well, or the findings, worst first, with advice.

It is made here, once, for the log, the command, the files and the HTML report. Nothing imports Scrapy.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.engine.outcomes import ERROR, OUTCOMES
from scrapy_tps.report.causes import MOST_NAMED, Causes, Finding, health_findings, left_alone, named
from scrapy_tps.stats import site_warnings as kinds
from scrapy_tps.stats.error_isolation import DISTRIBUTED, STORE
from scrapy_tps.stats.figures import SiteFigures, SiteWarning, counted
from scrapy_tps.stats.health import Health, marked
from scrapy_tps.stats.site_warnings import gave_items, losses_text, site_warnings
from scrapy_tps.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from scrapy_tps.stats.health import Trouble

#: The number of sites whose figures are kept for causes.
MOST_REMEMBERED: Final = 100

#: Kinds of findings that are made from selectors and fields, not from sites.
_OF_HEALTH: Final = frozenset({kinds.FIELDS, kinds.FEWER_ITEMS, kinds.SIMILAR, kinds.SELECTORS})

#: Settings that were added to keep the parts that a site had lost, and the alarm if they did not help.
AUTO_KEEPS: Final = "shadow/auto_keeps"
_SWITCHED_OFF: Final = "shadow/switched_off"

#: A file of figures that lacks some of this crawl.
NOT_KEPT: Final = "figures_not_kept"

#: A failure in a part of scrapy-tps on which no page depends: see :mod:`scrapy_tps.stats.error_isolation`.
FAILURES: Final = "failures"

#: Kinds of findings, worst first: losses, possible losses, and faults that cost nothing.
ORDER: Final = (
    kinds.LOST,
    kinds.CALLBACK_FAILED,
    kinds.OFFSITE,
    kinds.REFUSED,
    kinds.NOTHING_GIVEN,
    kinds.BARE,
    kinds.FIELDS,
    kinds.FEWER_ITEMS,
    kinds.SIMILAR,
    kinds.SELECTORS,
    kinds.ALARM,
    kinds.PRUNING_FAILED,
    kinds.SWITCHED_OFF,
    NOT_KEPT,
    FAILURES,
)


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a crawl, or of a comparison of crawls.

    :ivar about: what was looked at, for the line that says all is well; empty when there was nothing to look at.
    :ivar findings: what to look at, worst first.
    :ivar notes: what is good to know and no reason to look at anything.
    :ivar wrong: the first sites that look wrong with their reasons, most pages first.
    :ivar wrong_sites: how many sites look wrong; `sites`: how many there are, for a single crawl.
    :ivar troubles: the selectors and fields that look wrong.
    :ivar reasons: what selectors and fields say about sites.
    :ivar nothing: why there was nothing to look at, in words; empty: there was no page.
    """

    about: str
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    wrong: tuple[tuple[str, tuple[str, ...]], ...] = ()
    wrong_sites: int = 0
    sites: int = 0
    troubles: tuple[Trouble, ...] = ()
    reasons: Mapping[str, list[SiteWarning]] = field(default_factory=dict)
    nothing: str = ""

    @property
    def state(self) -> str:
        """``well``, ``look``, or ``empty`` if there was nothing to examine."""
        if self.findings:
            return "look"
        return "well" if self.about else "empty"

    @property
    def title(self) -> str:
        """The summary in one line, followed by its findings."""
        found = len(self.findings)
        return f"{found} findings, worst first" if found > 1 else self.headline

    @property
    def headline(self) -> str:
        """The summary in one line that can stand alone."""
        if self.findings:
            worst = self.findings[0].text
            if len(self.findings) == 1:
                return f"Look at this: {worst}."
            return f"{len(self.findings)} findings, the worst: {worst}."
        return (
            f"All well: {self.about}."
            if self.about
            else f"Nothing to judge: {self.nothing or 'no HTML page was fetched'}."
        )

    def lines(self) -> list[str]:
        """Yield the summary for people: the headline, each finding with advice, the notes.

        Control characters in names of sites and alarms are escaped.
        """
        lines = [self.headline]
        for number, finding in enumerate(self.findings, 1):
            if number > 1:  # the headline has the first
                lines.append(f"  {number}. {finding.text}.")
            lines.append(f"     {finding.advice}")
            if finding.paste:
                lines.append(f"         {finding.paste}")
        return [printable(line) for line in lines + [f"  {note}" for note in self.notes]]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it by name, ready for JSON, without the list of sites, which reports have anyway."""
        return {
            "state": self.state,
            "headline": self.headline,
            "title": self.title,
            "findings": [asdict(finding) for finding in self.findings],
            "notes": list(self.notes),
            "sites_that_look_wrong": self.wrong_sites,
        }


@dataclass(slots=True)
class _Gathered:
    """One kind of warning, of all sites."""

    sites: int = 0
    count: int = 0
    first: list[tuple[str, str]] = field(default_factory=list)
    """The first sites, and their texts."""
    figures: SiteFigures | None = None
    """The texts of the first site."""
    open: list[str] = field(default_factory=list)
    """The first sites on which no auto-keep keeps the lost part."""
    last: str = ""

    def add(self, site: str, figures: SiteFigures, warning: SiteWarning) -> None:
        self.count += warning.count
        if site != self.last:  # a site may have two warnings of a kind
            self.last = site
            self.sites += 1
            self.figures = self.figures or figures
            if len(self.first) < MOST_NAMED:
                self.first.append((site, warning.text))
            held = figures[AUTO_KEEPS] and not figures[f"alarms/{_SWITCHED_OFF}"]
            if not held and len(self.open) < MOST_NAMED:
                self.open.append(site)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(site for site, _ in self.first)


def summarise(
    total: SiteFigures,
    sites: Iterable[tuple[str, SiteFigures]],
    *,
    spider: str | None = None,
    listed: int = 0,
    failed_writes: Callable[[], int] | None = None,
    failures: Mapping[str, int] | None = None,
    health: Health | None = None,
) -> Summary:
    """Return the summary of a crawl.

    :param total: the sum over all sites.
    :param sites: the sites, most pages first; read once, and not held.
    :param spider: the name for commands to paste; None if there are several.
    :param listed: the number of sites that look wrong to list with their reasons.
    :param failed_writes: returns the number of failed writes to the file of figures that were not repeated; called
        after the sites have been read, which may also fail.
    :param failures: the number of failures by name in parts of scrapy-tps on which no page depends; read then, too.
    :param health: the selectors and fields that look wrong.
    """
    health = health or Health()
    reasons = health.by_site()
    gathered, wrong, wrong_sites, all_sites = _gather(marked(sites, reasons), listed, health)
    causes = Causes(total, health, spider)
    findings = {
        kind: _finding(kind, found, causes) for kind, found in gathered.items() if kind not in _OF_HEALTH
    }
    findings |= {one.kind: one for one in health_findings(causes)}
    explained = {kinds.NOTHING_GIVEN, kinds.CALLBACK_FAILED, kinds.REFUSED} & findings.keys()
    if not explained and total["pages_without_output"] and not gave_items(total):
        findings[kinds.NOTHING_GIVEN] = _no_item_at_all(causes)
    findings |= {
        one.kind: one for one in _of_failures(failed_writes() if failed_writes else 0, failures or {})
    }
    pages = total["pages"]
    unseen = pages and not (total["whole_pages"] or total["pruned_pages"] or gave_items(total))
    fetched = counted(pages, "page")
    return Summary(
        about=f"nothing looks wrong on {fetched}" if pages and not unseen else "",
        nothing=f"{fetched} fetched, but none is known to have reached a callback" if unseen else "",
        findings=tuple(findings[kind] for kind in ORDER if kind in findings),
        notes=tuple(_notes(total)),
        wrong=tuple(wrong),
        wrong_sites=wrong_sites,
        sites=all_sites,
        troubles=tuple(health.troubles),
        reasons=reasons,
    )


def _gather(
    sites: Iterable[tuple[str, SiteFigures]], listed: int, health: Health
) -> tuple[dict[str, _Gathered], list[tuple[str, tuple[str, ...]]], int, int]:
    """Return the warnings by kind, the first sites with their reasons, their number, and the number of all sites."""
    gathered: dict[str, _Gathered] = {}
    wrong: list[tuple[str, tuple[str, ...]]] = []
    number = all_sites = 0
    for site, figures in sites:
        all_sites += 1
        reasons = site_warnings(figures)
        if not reasons:
            continue
        number += 1
        if len(health.figures) < MOST_REMEMBERED:
            health.figures[site] = figures
        if len(wrong) < listed:
            wrong.append((site, tuple(reason.text for reason in reasons)))
        for reason in reasons:
            gathered.setdefault(reason.kind, _Gathered()).add(site, figures, reason)
    return gathered, wrong, number, all_sites


def _of_failures(failed_writes: int, failures: Mapping[str, int]) -> Iterator[Finding]:
    """Yield the findings about failures that did not affect the crawl."""
    if failed_writes:
        yield Finding(
            NOT_KEPT,
            f"figures of this crawl are missing in TPS_STATS_FILE, which failed {_times(failed_writes)}",
            "The log has the error. The totals shown here are complete, the sites those in memory; scrapy tps-report "
            "will not have all of them.",
            count=failed_writes,
        )
    # failures of the file that were not repeated are reported above, those of the store under a separate name
    failed = {name: times for name, times in failures.items() if name not in {STORE.name, DISTRIBUTED.name}}
    if failed:
        told = ", ".join(f"{name} ({_times(times)})" for name, times in sorted(failed.items()))
        yield Finding(
            FAILURES,
            f"parts of scrapy-tps failed: {told}",
            "No page or item was lost, but figures, alarms or samples may be missing. The log has the first "
            "error of each kind and what to do about it.",
            count=sum(failed.values()),
        )


def added_up(summaries: Sequence[tuple[str, Summary]], total: SiteFigures) -> Summary:
    """Return the summary of several crawls: each finding once, with the last crawl that has it.

    :param summaries: the name of each crawl, and the summary of it, the oldest first.
    """
    found: dict[str, list[tuple[str, Finding]]] = {}
    for crawl, summary in summaries:
        for finding in summary.findings:
            found.setdefault(finding.kind, []).append((crawl, finding))
    findings = []
    for kind in (kind for kind in ORDER if kind in found):
        crawl, last = found[kind][-1]
        others = len(found[kind]) - 1
        which = crawl + (f" and {counted(others, 'earlier one')}" if others else "")
        findings.append(replace(last, text=f"{which}: {last.text}"))
    sites: dict[str, tuple[str, ...]] = {}
    reasons: dict[str, list[SiteWarning]] = {}
    for _, summary in summaries:
        for site, texts in summary.wrong:
            sites[site] = tuple(dict.fromkeys((*sites.get(site, ()), *texts)))
        for site, further in summary.reasons.items():
            reasons.setdefault(site, []).extend(further)
    last_one = summaries[-1][1]
    return Summary(
        about=f"nothing looks wrong on {counted(total['pages'], 'page')}"
        if any(one.about for _, one in summaries)
        else "",
        nothing=last_one.nothing,
        findings=tuple(findings),
        notes=tuple(_notes(total)),
        wrong=tuple(sites.items()),
        wrong_sites=len(sites),
        troubles=tuple(one for _, summary in reversed(summaries) for one in summary.troubles),
        reasons=reasons,
    )


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _finding(kind: str, found: _Gathered, causes: Causes) -> Finding:
    sites, pages = counted(found.sites, "site"), counted(found.count, "page")
    names = named(found.names, found.sites)
    reasons = named([f"{site} ({text})" for site, text in found.first], found.sites)
    told = named([f"on {site}, {text}" for site, text in found.first], found.sites)
    text = {
        kinds.LOST: f"the shadow check found losses on {sites}: {names} ({losses_text(causes.total.group('alarms'))})",
        kinds.NOTHING_GIVEN: f"no items from {sites}, and neither item nor request from {pages}: {names}",
        kinds.CALLBACK_FAILED: told,
        kinds.OFFSITE: f"the crawl produced no items, and Scrapy filtered requests to {sites} as offsite: {names}",
        kinds.BARE: told,
        kinds.REFUSED: told,
        kinds.ALARM: f"alarms of extensions on {sites}: {reasons}",
        kinds.PRUNING_FAILED: f"pruning failed on {pages}, not pruned so that nothing is lost, of {sites}: {names}",
        kinds.SWITCHED_OFF: f"the shadow check switched pruning off on {sites}: {names}",
    }[kind]
    advice, paste = _ADVICE.get(kind, ""), ""
    if kind == kinds.LOST:
        advice, paste = (_LOST, left_alone(found.open)) if found.open else (_LOST_AND_KEPT, "")
    if kind in {kinds.NOTHING_GIVEN, kinds.CALLBACK_FAILED}:
        assert found.figures is not None
        why, advice, paste = causes.of(found.names[0], found.figures)
        text += why
    return Finding(kind, text, advice, paste, found.sites, found.count, found.names)


_LOST: Final = (
    "The spider got the originals' results for the checked pages; others may have lost more. The log names each cause "
    "and, if there is one, a setting that keeps the lost part (“Pruning costs …”). If not, do not prune the site:"
)
_LOST_AND_KEPT: Final = (
    "The spider got the originals' results for the checked pages, and an auto-keep keeps the lost part on later ones. "
    "The log names the setting that keeps it from the start (“Pruning costs …”)."
)
_ADVICE: Final[Mapping[str, str]] = {
    kinds.OFFSITE: "If the spider should follow them, add the site's other name to allowed_domains.",
    kinds.REFUSED: (
        "The site or the network refuses: a block (403, 429), pages that are gone (404, 410), a server or a "
        "name that does not answer. Scrapy's log names each."
    ),
    kinds.BARE: (
        "The site answers with a different page than the one requested: a log-in, a block, an error. Look at one in a "
        "browser; then check cookies, headers and the speed of the crawl."
    ),
    kinds.ALARM: "Find the extension that raises them; scrapy-tps does not.",
    kinds.PRUNING_FAILED: (
        "The log has the first error of each site (“was not pruned because pruning failed”): a wrong “tps” in a "
        "request's meta, or a bug; please report that."
    ),
    kinds.SWITCHED_OFF: (
        "Later pages of these sites were not pruned. Fix the loss first; the limit in TPS_SHADOW sets how much may "
        "be lost."
    ),
}


def _no_item_at_all(causes: Causes) -> Finding:
    total = causes.total
    silent = total["pages_without_output"]
    text = (
        f"the crawl produced no items, and neither item nor request from {silent:,} of "
        f"{counted(total['pages'], 'page')}"
    )
    why, advice, paste = causes.of(next(iter(causes.health.dead), ""), total)
    return Finding(kinds.NOTHING_GIVEN, text + why, advice, paste, count=silent)


def _notes(total: SiteFigures) -> Iterator[str]:
    """Yield the comparisons and losses of the shadow check, and the pages that were not pruned."""
    if pages := total["shadow/pages"]:
        what = " and ".join(counted(total[f"shadow/{noun}s"], noun) for noun in ("item", "request"))
        lost = losses_text(total.group("alarms")) or "nothing was lost"
        yield f"The shadow check compared {counted(pages, 'page')} with the original ({what}): {lost}."
    whole = {name: pages for name, pages in total.not_pruned.items() if name != ERROR}
    if whole:
        reasons = "; ".join(
            f"{name} {pages:,} ({OUTCOMES[name]})" if name in OUTCOMES else f"{name} {pages:,}"
            for name, pages in sorted(whole.items(), key=lambda one: (-one[1], one[0]))
        )
        left = sum(whole.values())
        were = "was" if left == 1 else "were"
        yield f"{left:,} of {counted(total['pages'], 'page')} {were} not pruned, which loses nothing: {reasons}."
