"""The summary of a crawl: what was checked, or the findings, worst first, with advice.

It is made here, once, for the log, the command, the files and the HTML report. Nothing imports Scrapy.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.report.causes import Causes, Commands, named, outcomes_text
from scrapy_tps.report.findings import (
    Gathered,
    findings_of_sites,
    findings_of_uses,
    site_warnings,
    worst_first,
)
from scrapy_tps.stats.evidence import Evidence, losses_text
from scrapy_tps.stats.figures import SiteFigures, counted
from scrapy_tps.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scrapy_tps.report.findings import Finding

#: The number of sites whose figures are kept for causes.
MOST_REMEMBERED: Final = 100
#: The most proposals in a summary.
MOST_PROPOSALS: Final = 10


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a crawl.

    :ivar about: what was checked, for the line without findings; empty when there was nothing to check.
    :ivar findings: what to look at, worst first.
    :ivar notes: what is good to know and no reason to look at anything.
    :ivar wrong: the first sites that look wrong with their reasons, most pages first.
    :ivar wrong_sites: how many sites look wrong; `sites`: how many there are.
    :ivar evidence: what selectors and fields say, and proposals for those that find nothing any more.
    :ivar nothing: why there was nothing to look at, in words; empty: there was no page.
    """

    about: str
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    wrong: tuple[tuple[str, tuple[str, ...]], ...] = ()
    wrong_sites: int = 0
    sites: int = 0
    evidence: Evidence = field(default_factory=Evidence)
    nothing: str = ""

    @property
    def state(self) -> str:
        """``clean``, ``findings``, or ``empty`` if there was nothing to examine."""
        if self.findings:
            return "findings"
        return "clean" if self.about else "empty"

    @property
    def headline(self) -> str:
        """The summary in one line that can stand alone."""
        if self.findings:
            worst = self.findings[0].text
            if len(self.findings) == 1:
                return f"Look at this: {worst}."
            return f"{len(self.findings)} findings, the worst: {worst}."
        if self.about:
            return f"No findings on {self.about}."
        return f"Nothing to judge: {self.nothing or 'no HTML page was fetched'}."

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
            "findings": [asdict(finding) for finding in self.findings],
            "notes": list(self.notes),
            "sites_that_look_wrong": self.wrong_sites,
        }


def summarise(
    total: SiteFigures,
    sites: Iterable[tuple[str, SiteFigures]],
    *,
    commands: Commands | None = None,
    listed: int = 0,
    failures: Callable[[], Iterable[Finding]] = tuple,
    evidence: Evidence | None = None,
) -> Summary:
    """Return the summary of a crawl.

    :param total: the sum over all sites.
    :param sites: the sites, most pages first; read once, and not held.
    :param commands: the names for commands to paste.
    :param listed: the number of sites that look wrong to list with their reasons.
    :param failures: returns the findings about failures of scrapy-tps on which no page depends; called after the sites
        have been read, which may also fail.
    :param evidence: what selectors and fields say.
    """
    evidence = evidence or Evidence()
    gathered, wrong, wrong_sites, all_sites = _gather(sites, listed, evidence)
    causes = Causes(total, evidence, commands or Commands())
    findings = (*findings_of_sites(gathered, causes), *findings_of_uses(causes), *failures())
    pages = total["pages"]
    unseen = pages and not (total["whole_pages"] or total["pruned_pages"])
    told = f"{counted(pages, 'page')} fetched, but none is known to have reached a callback with its response.tps"
    return Summary(
        about=_checked(total) if pages and not unseen else "",
        nothing=told if unseen else "",
        findings=worst_first(findings),
        notes=(*_proposals(evidence), *_notes(total)),
        wrong=tuple(wrong),
        wrong_sites=wrong_sites,
        sites=all_sites,
        evidence=evidence,
    )


def _proposals(evidence: Evidence) -> Iterator[str]:
    """Yield a sentence for each lost selector; without a proposal, only for one that looks wrong for other reasons."""
    wrong = {(one.row.site, one.row.callback, one.row.name) for one in evidence.troubles.values()}
    shown = [
        item for item in sorted(evidence.earlier.proposals.items()) if item[1].selector or item[0] in wrong
    ]
    for (site, callback, name), one in shown[:MOST_PROPOSALS]:
        yield f"On {site} (callback {callback}), {one.note(name)}"
    if more := len(shown[MOST_PROPOSALS:]):
        yield f"{counted(more, 'more proposal')}: scrapy tps-report --selectors"


def _gather(
    sites: Iterable[tuple[str, SiteFigures]], listed: int, evidence: Evidence
) -> tuple[dict[str, Gathered], list[tuple[str, tuple[str, ...]]], int, int]:
    """Return the warnings by kind, the first sites with their reasons, their number, and the number of all sites."""
    gathered: dict[str, Gathered] = {}
    wrong: list[tuple[str, tuple[str, ...]]] = []
    number = all_sites = 0
    for site, figures in evidence.of_sites(sites):
        all_sites += 1
        reasons = site_warnings(figures)
        if not reasons:
            continue
        number += 1
        if len(evidence.figures) < MOST_REMEMBERED:
            evidence.figures[site] = figures
        if len(wrong) < listed:
            wrong.append((site, tuple(reason.text for reason in reasons)))
        for reason in reasons:
            gathered.setdefault(reason.kind, Gathered()).add(site, figures, reason)
    return gathered, wrong, number, all_sites


def _checked(total: SiteFigures) -> str:
    """Return the number of pages, and how far those that callbacks read as text were compared with the originals."""
    pages, text, compared = counted(total["pages"], "page"), total["text/pages"], total["compare/pages"]
    if not text:
        return pages
    kept = f", {counted(len(total.group('kept')), 'part')} kept" if total.group("kept") else ""
    # the text of pages that were not pruned is not watched
    read = f"callbacks read the text of {counted(text, 'pruned page')}"
    return f"{pages}; {read}, {compared or 'none'} compared with the original{kept}"


def _notes(total: SiteFigures) -> Iterator[str]:
    """Yield the comparisons and losses of the shadow check, and the pages that were not pruned."""
    if pages := total["shadow/pages"]:
        what = " and ".join(counted(total[f"shadow/{noun}s"], noun) for noun in ("item", "request"))
        lost = losses_text(total.group("alarms")) or "nothing was lost"
        yield f"The shadow check compared {counted(pages, 'page')} with the original ({what}): {lost}."
    if pages := total["compare/used_up"]:
        yield (
            f"{counted(pages, 'page')} read as text had removed parts that no comparison covers, because the "
            "comparisons of the callback were used up. The callback read them as downloaded."
        )
    if pages := total["compare/failed"]:
        yield (
            f"The comparison failed on {counted(pages, 'page')} read as text, so the callback reads later pages of "
            "these sites as downloaded. The log has the first error of each site."
        )
    if parts := list(total.group("kept")):
        yield (
            f"Callbacks need parts that were removed at first: {named(parts, noun='more part')}. They stay on the "
            "pages of their sites, in later crawls, too, as long as TPS_STATS_FILE has the crawl that found them. Its "
            "log has the settings (“TPS_DOMAINS = …”)."
        )
    if whole := total.not_pruned:
        number, pages = sum(whole.values()), total["pages"]
        some = f"{number:,} of {counted(pages, 'page')} not pruned"
        yield f"{some if number < pages else 'No page was pruned'}, so nothing is missing{outcomes_text(whole)}."
