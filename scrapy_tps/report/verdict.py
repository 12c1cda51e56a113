"""The verdict on a crawl: all well, or what to look at, worst first, with the thing to do.

It is made here, once, for the log, the command, the files and the HTML report. Nothing imports Scrapy.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.report.terminal import printable
from scrapy_tps.stats import doubts as kinds
from scrapy_tps.stats.doubts import Doubt, doubts, gave_items, losses_text
from scrapy_tps.stats.figures import ERROR, EXCLUDED, SiteFigures, counted
from scrapy_tps.stats.guard import JOB, STORE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from scrapy_tps.stats.queries import QueryRow

#: Sites that a finding names; more are counted.
MOST_NAMED: Final = 3

#: A file of figures that lacks some of this crawl.
NOT_KEPT: Final = "figures_not_kept"

#: What goes on beside the crawl failed: see :mod:`scrapy_tps.stats.guard`.
BESIDE: Final = "beside_failed"

#: Kinds of findings, worst first: what was lost, what may be lost, what cost nothing but was not meant so.
ORDER: Final = (
    kinds.LOST,
    kinds.NOTHING_GIVEN,
    kinds.CALLBACK_FAILED,
    kinds.QUERIES,
    kinds.ALARM,
    kinds.PRUNING_FAILED,
    kinds.SWITCHED_OFF,
    NOT_KEPT,
    BESIDE,
)

#: Why pages are left whole, in words.
LEFT_WHOLE: Final[Mapping[str, str]] = {
    "no_region": "nothing that could go",
    "ambiguous": "nothing but headings and the like would have stayed",
    "too_small": "fewer nodes than TPS_MIN_NODES",
    "too_large": "more than TPS_MAX_NODES or TPS_MAX_BYTES",
    "too_deep": "more levels than the parser can hold",
    "empty": "empty pages",
    "not_html": "not HTML",
    "no_body": "without a body",
    EXCLUDED: "by their status or your settings",
}

#: What :func:`shadow_command` is good for.
ASK_SHADOW: Final = (
    "See whether pruning is the cause. The shadow check compares the pages with their originals; its log names what is "
    "missing, and a setting that keeps it:"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at.

    :ivar kind: for programs: a name of :data:`ORDER`, or of the comparison of crawls.
    :ivar text: what was found, with numbers and the first sites.
    :ivar advice: what to do.
    :ivar paste: a command or setting that does it, ready to be pasted; empty when there is none.
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

    def to_dict(self) -> dict[str, Any]:
        """All of it by name, ready for JSON."""
        return {
            "kind": self.kind,
            "text": self.text,
            "advice": self.advice,
            "paste": self.paste,
            "sites": self.sites,
            "count": self.count,
            "examples": list(self.examples),
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a crawl, or a comparison of crawls, comes to.

    :ivar about: what was looked at, for the line that says all is well; empty when there was nothing to look at.
    :ivar findings: what to look at, worst first.
    :ivar notes: what is good to know and no reason to look at anything.
    :ivar wrong: the first sites that look wrong with their reasons, most pages first.
    :ivar wrong_sites: how many sites look wrong.
    :ivar stopped: the first queries that used to find something and find nothing any more.
    :ivar nothing: why there was nothing to look at, in words; empty: there was no page.
    """

    about: str
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    wrong: tuple[tuple[str, tuple[str, ...]], ...] = ()
    wrong_sites: int = 0
    stopped: tuple[QueryRow, ...] = ()
    nothing: str = ""

    @property
    def state(self) -> str:
        """``well``, ``look``, or ``empty`` when there was nothing to look at."""
        if self.findings:
            return "look"
        return "well" if self.about else "empty"

    @property
    def title(self) -> str:
        """The verdict in one line, where its findings follow."""
        found = len(self.findings)
        return f"{found} things to look at, worst first" if found > 1 else self.headline

    @property
    def headline(self) -> str:
        """The verdict in one line that can stand alone."""
        if self.findings:
            worst = self.findings[0].text
            if len(self.findings) == 1:
                return f"Look at this: {worst}."
            return f"{len(self.findings)} things to look at, the worst: {worst}."
        return (
            f"All well: {self.about}."
            if self.about
            else f"Nothing to judge: {self.nothing or 'no HTML page came'}."
        )

    def lines(self) -> list[str]:
        """The verdict for people: the headline, each finding with what to do, the notes.

        What would steer a terminal, in names of sites and alarms, is written out.
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
        """All of it by name, ready for JSON; without the list of sites, which reports have anyway."""
        return {
            "state": self.state,
            "headline": self.headline,
            "title": self.title,
            "findings": [finding.to_dict() for finding in self.findings],
            "notes": list(self.notes),
            "sites_that_look_wrong": self.wrong_sites,
        }


def named(shown: Sequence[str], all_of_them: int, noun: str = "site") -> str:
    """The first of a list, and how many more there are."""
    more = all_of_them - len(shown)
    return ", ".join(shown) + (f" and {counted(more, f'more {noun}')}" if more > 0 else "")


@dataclass(slots=True)
class _Gathered:
    """One kind of doubt, of all sites."""

    sites: int = 0
    count: int = 0
    unpruned: int = 0
    """Sites of which no page was pruned."""
    first: list[tuple[str, str]] = field(default_factory=list)
    """The first sites, and what is said of them."""
    last: str = ""

    def add(self, site: str, figures: SiteFigures, doubt: Doubt) -> None:
        self.count += doubt.count
        if site != self.last:  # a site may have two doubts of a kind
            self.last = site
            self.sites += 1
            self.unpruned += not figures.pruned_pages
            if len(self.first) < MOST_NAMED:
                self.first.append((site, doubt.text))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(site for site, _ in self.first)

    def where(self) -> str:
        """The sites in words, for the end of a sentence."""
        return f"{counted(self.sites, 'site')}: {named(self.names, self.sites)}"


def judge(
    total: SiteFigures,
    doubtful: Iterable[tuple[str, SiteFigures]],
    *,
    spider: str | None = None,
    listed: int = 0,
    failed_writes: Callable[[], int] | None = None,
    failures: Mapping[str, int] | None = None,
    stopped: Iterable[QueryRow] = (),
) -> Verdict:
    """Return the verdict on a crawl.

    :param total: the sum over all sites.
    :param doubtful: the sites that look wrong, most pages first; read once, and not held.
    :param spider: the name for commands to paste; None when there are several.
    :param listed: how many of these sites the verdict lists with their reasons.
    :param failed_writes: gives how often the file of figures failed where that was not made up for, else 0; asked
        when the sites have been read, which may fail.
    :param failures: how often what goes on beside the crawl failed, by name; looked at then, too.
    :param stopped: the first queries that used to find something and find nothing any more, for
        :attr:`Verdict.stopped`.
    """
    gathered: dict[str, _Gathered] = {}
    wrong: list[tuple[str, tuple[str, ...]]] = []
    sites = 0
    for site, figures in doubtful:
        reasons = doubts(figures)
        sites += bool(reasons)
        if reasons and len(wrong) < listed:
            wrong.append((site, tuple(reason.text for reason in reasons)))
        for reason in reasons:
            gathered.setdefault(reason.kind, _Gathered()).add(site, figures, reason)
    command = shadow_command(spider)
    findings = {kind: _finding(kind, found, total, command) for kind, found in gathered.items()}
    queries = tuple(stopped)
    if queries or kinds.QUERIES in gathered:
        findings[kinds.QUERIES] = _stopped(gathered.get(kinds.QUERIES), queries, spider)
    if kinds.NOTHING_GIVEN not in findings and total.silent_pages and not gave_items(total):
        findings[kinds.NOTHING_GIVEN] = _no_item_at_all(total, command)
    if failed := failed_writes() if failed_writes else 0:
        findings[NOT_KEPT] = Finding(
            NOT_KEPT,
            f"figures of this crawl are missing in TPS_STATS_FILE, which failed {_times(failed)}",
            "The log has the error. The totals shown here are complete, the sites those in memory; scrapy tps-report "
            "will not have all of them.",
            count=failed,
        )
    # of the file those that were not made up for are told above, of the job under a name of their own
    if beside := {
        name: times for name, times in (failures or {}).items() if name not in {STORE.name, JOB.name}
    }:
        told = ", ".join(f"{name} ({_times(times)})" for name, times in sorted(beside.items()))
        findings[BESIDE] = Finding(
            BESIDE,
            f"what goes on beside the crawl failed: {told}",
            "No page or item was lost by that, but figures, alarms or samples may be missing. The log has the first "
            "error of each kind and what to do about it.",
            count=sum(beside.values()),
        )
    unseen = total.pages and not (total.whole_pages or total.pruned_pages or gave_items(total))
    came = counted(total.pages, "page")
    return Verdict(
        about=f"nothing looks wrong on {came}" if total.pages and not unseen else "",
        nothing=f"{came} came, but none is known to have reached a callback" if unseen else "",
        findings=tuple(findings[kind] for kind in ORDER if kind in findings),
        notes=_left_whole(total),
        wrong=tuple(wrong),
        wrong_sites=sites,
        stopped=queries,
    )


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def shadow_command(spider: str | None) -> str:
    """The crawl again, with the shadow check; for a shell."""
    return f"scrapy crawl {'SPIDER' if spider is None else shlex.quote(spider)} -s TPS_SHADOW=0.05"


def _finding(kind: str, found: _Gathered, total: SiteFigures, command: str) -> Finding:
    paste = command if kind in _ASKED else _left_alone(found.names) if kind == kinds.LOST else ""
    advice = _ADVICE[kind]
    if kind == kinds.NOTHING_GIVEN and found.unpruned == found.sites:
        advice, paste = f"None of these pages was pruned: {_LOOK_ELSEWHERE}", ""
    text = _text(kind, found, total)
    return Finding(kind, text, advice, paste, found.sites, found.count, found.names)


def _text(kind: str, found: _Gathered, total: SiteFigures) -> str:
    sites, pages = counted(found.sites, "site"), counted(found.count, "page")
    names = named(found.names, found.sites)
    reasons = named([f"{site} ({text})" for site, text in found.first], found.sites)
    return {
        kinds.LOST: f"the shadow check found losses on {sites}: {names} ({losses_text(total)})",
        kinds.NOTHING_GIVEN: f"no item came from {sites}, and neither item nor request from {pages}: {names}",
        kinds.CALLBACK_FAILED: f"the callback failed on {pages} of {sites}: {names}",
        kinds.QUERIES: f"selectors that found something stopped finding anything on {sites}: {reasons}",
        kinds.ALARM: f"alarms of extensions on {sites}: {reasons}",
        kinds.PRUNING_FAILED: f"pruning failed on {pages}, left whole so that nothing is lost, of {sites}: {names}",
        kinds.SWITCHED_OFF: f"the shadow check switched pruning off on {sites}: {names}",
    }[kind]


#: Pages that were not pruned and gave nothing: pruning is not the cause.
_LOOK_ELSEWHERE: Final = "look at their status in the log (404, 403 …), and at the spider's selectors."

#: Kinds of which the shadow check tells the cause.
_ASKED: Final = frozenset({kinds.NOTHING_GIVEN, kinds.CALLBACK_FAILED})

_ADVICE: Final[Mapping[str, str]] = {
    kinds.LOST: (
        "The checked pages gave what their originals give; others may have lost more. The log names the cause and a "
        "setting that helps (“Pruning costs …”), which held from then on where it was found to; where there is none, "
        "leave these sites whole:"
    ),
    kinds.NOTHING_GIVEN: ASK_SHADOW,
    kinds.CALLBACK_FAILED: (
        "The log has the exceptions (“Spider error processing”). The shadow check tells whether the callback fails on "
        "the original, too:"
    ),
    kinds.QUERIES: (
        "If the site has changed its template, so must these selectors. How each selector does, those first that have "
        "found nothing for longest:"
    ),
    kinds.ALARM: "See what raises them: they are not scrapy-tps's own.",
    kinds.PRUNING_FAILED: (
        "The log has the first error of each site (“was kept whole because pruning it failed”): a wrong “tps” in a "
        "request's meta, or a bug; please report that."
    ),
    kinds.SWITCHED_OFF: (
        "Their further pages were left whole. Settle the loss first; TPS_SHADOW_LIMIT and TPS_SHADOW_REQUEST_LIMIT say "
        "how much may be lost."
    ),
}


def _no_item_at_all(total: SiteFigures, command: str) -> Finding:
    text = (
        f"no item came of the whole crawl, and neither item nor request from {total.silent_pages:,} of "
        f"{counted(total.pages, 'page')}"
    )
    advice = ASK_SHADOW
    if not total.pruned_pages:
        advice, command = f"No page was pruned: {_LOOK_ELSEWHERE}", ""
    return Finding(kinds.NOTHING_GIVEN, text, advice, command, count=total.silent_pages)


def _stopped(found: _Gathered | None, queries: Sequence[QueryRow], spider: str | None) -> Finding:
    """What is told of queries that stopped finding anything: those that still find nothing are named.

    :param found: the sites that raised an alarm; None where queries found something in earlier crawls only.
    """
    names = [
        f"{row.query} (callback {row.callback}: nothing on the last {counted(row.figures.dry, 'page')})"
        for row in queries[:MOST_NAMED]
    ]
    if found is None:
        sites = tuple(dict.fromkeys(row.site for row in queries))
        found = _Gathered(len(sites), len(queries), first=[(site, "") for site in sites[:MOST_NAMED]])
        text = f"selectors that found something in earlier crawls find nothing any more on {found.where()}"
    else:
        text = _text(kinds.QUERIES, found, SiteFigures())
    text += f"; now {', '.join(names)}" if names else ""
    paste = f"scrapy tps-report {'' if spider is None else f'{shlex.quote(spider)} '}--queries"
    return Finding(kinds.QUERIES, text, _ADVICE[kinds.QUERIES], paste, found.sites, found.count, found.names)


def _left_alone(sites: Sequence[str]) -> str:
    """The setting that leaves sites whole, as Python; empty where none has a host."""
    hosts = [site for site in sites if not site.startswith("(") and not site.endswith(":")]
    if not hosts:
        return ""
    return "TPS_DOMAINS = {" + ", ".join(f"{json.dumps(host)}: False" for host in hosts) + "}"


def _left_whole(total: SiteFigures) -> tuple[str, ...]:
    whole = {name: pages for name, pages in total.left_whole.items() if name != ERROR}
    if not whole:
        return ()
    reasons = "; ".join(
        f"{name} {pages:,} ({LEFT_WHOLE[name]})" if name in LEFT_WHOLE else f"{name} {pages:,}"
        for name, pages in sorted(whole.items(), key=lambda one: (-one[1], one[0]))
    )
    left = sum(whole.values())
    were = "was" if left == 1 else "were"
    return (f"{left:,} of {counted(total.pages, 'page')} {were} left whole, which loses nothing: {reasons}.",)
