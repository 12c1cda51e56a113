"""The likeliest cause of a finding, by the available evidence, with advice. Nothing imports Scrapy."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from scrapy_tps.engine.outcomes import OUTCOMES
from scrapy_tps.stats.evidence import REFUSED, SPARSE, failed_by, other_page
from scrapy_tps.stats.figures import SiteFigures, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scrapy_tps.stats.coverage import UseRow
    from scrapy_tps.stats.evidence import Evidence

#: The number of sites, or of troubles of one kind, that a finding names; others are counted.
MOST_NAMED: Final = 3

#: What to do if a site sends another page.
OTHER_PAGE: Final = (
    "The site answers with a different page than the one requested: a log-in, a block, a consent page, an error. Look "
    "at one in a browser; then check cookies, headers and the speed of the crawl."
)

_ENDS: Final = re.compile(r"::[\w-]+(\([^)]*\))?$|/(text\(\)|@[\w-]+)$")


class Cause(NamedTuple):
    """The likeliest cause of a problem.

    :ivar why: the end of the sentence about the problem; empty if the cause is not known.
    :ivar advice: what to do.
    :ivar paste: a command or setting for this, ready to paste.
    :ivar kind: the kind of the finding that tells the same about a site; empty if there is none.
    """

    why: str
    advice: str
    paste: str = ""
    kind: str = ""


class Commands(NamedTuple):
    """The commands to paste.

    :ivar spider: the spider's name; None if there are several.
    :ivar distributed_crawl: the name of the distributed crawl; None if it is none.
    :ivar stats_file: ``TPS_STATS_FILE`` if the project's settings name another one.
    :ivar project: whether there is a project, which ``scrapy crawl`` needs.
    """

    spider: str | None = None
    distributed_crawl: str | None = None
    stats_file: str | None = None
    project: bool = True

    @property
    def shadow(self) -> str:
        """The command, or setting, that compares each page with its original in another crawl."""
        if not self.project:
            return "TPS_SHADOW = 1"
        return f"scrapy crawl {'SPIDER' if self.spider is None else shlex.quote(self.spider)} -s TPS_SHADOW=1"

    @property
    def selectors(self) -> str:
        """The command that lists the selectors that look wrong."""
        crawl, spider = self.distributed_crawl, self.spider
        which = ["--distributed", crawl] if crawl else [spider] if spider else []
        return self.report(*which, "--selectors", "--wrong")

    def report(self, *arguments: str) -> str:
        """Return the command that shows a report of this crawl's figures."""
        file = [] if self.stats_file is None else ["-s", f"TPS_STATS_FILE={self.stats_file}"]
        return shlex.join(["scrapy", "tps-report", *arguments, *file])


@dataclass(frozen=True, slots=True)
class Causes:
    """Finds the likeliest cause of a problem in the evidence.

    :ivar total: the sum over all sites.
    :ivar evidence: the selectors and fields that look wrong.
    :ivar commands: the names for commands to paste.
    """

    total: SiteFigures
    evidence: Evidence
    commands: Commands

    def of(self, site: str, figures: SiteFigures, callback: str | None = None) -> Cause:
        """Return the likeliest cause of a problem on a site.

        :param callback: the affected callback; its selectors come first, because others may have filled the item, but
            did not fail.
        """
        rows = self.evidence.causes(site, callback)
        finds = any(one == site and callback in {None, other} for one, other in self.evidence.asking)
        reads = not rows and bool(figures["text/pages"])
        if not (rows or reads or figures["callback_errors"]):
            rows = self.evidence.causes(site)
        problem = _Problem(site, figures, rows, finds, reads, self.commands)
        return next(filter(None, (cause(problem) for cause in _LIKELIEST)), _unknown(problem))


class _Problem(NamedTuple):
    """A problem on a site.

    :ivar rows: the selectors that found nothing, or less than in earlier crawls.
    :ivar finds: whether others found something.
    :ivar reads: whether callbacks read pages as text, and no selector explains the problem.
    """

    site: str
    figures: SiteFigures
    rows: Sequence[UseRow]
    finds: bool
    reads: bool
    commands: Commands


def _dropped(problem: _Problem) -> Cause | None:
    taken = _names(row for row in problem.rows if row.figures.taken)
    if not taken or not problem.figures["taken/TPS_DROP"]:
        return None
    return Cause(
        f"; TPS_DROP removes matches of {taken}",
        "TPS_DROP removes these parts. If the items need them, take them out of TPS_DROP; if not, delete these "
        "selectors.",
    )


def _taken(problem: _Problem) -> Cause | None:
    rows = [row for row in problem.rows if row.figures.taken]
    if not rows:
        return None
    keep = list(dict.fromkeys(_ENDS.sub("", row.name) for row in rows))
    return Cause(
        f"; {_names(rows)} would match parts that pruning removes",
        "With TPS_FALLBACK on, such selectors run on the original page. With it off, this keeps their matches, and "
        "replaces the TPS_KEEP of the site:",
        f"TPS_DOMAINS = {json.dumps({rows[0].site: {'TPS_KEEP': keep}}, ensure_ascii=False)}",
    )


def _refused(problem: _Problem) -> Cause | None:
    refused = problem.figures.group("refused")
    failed = sum(refused.values())
    if not failed or 2 * failed < problem.figures["pages"]:
        return None
    why = f"; {counted(failed, 'request')} {failed_by(refused)}"
    return Cause(why, "Fix that first.", kind=REFUSED)


def _other_page(problem: _Problem) -> Cause | None:
    other = other_page(problem.figures)
    return Cause(f"; {other[0]}", OTHER_PAGE, kind=SPARSE) if other else None


def _dead(problem: _Problem) -> Cause | None:
    rows = problem.rows
    if not rows:
        return None
    less = any(row.figures.found_pages for row in rows)
    why = f"; {_names(rows)} {'finds' if len(rows) == 1 else 'find'} {'less' if less else 'nothing'}"
    if problem.figures["without_fallback"]:  # the removed parts may have matches
        return _unknown(problem)._replace(why=why)
    return Cause(
        why if less else f"{why}, neither on the pages nor on their originals",
        "Compare these selectors with a page in a browser: they are misspelt, or the site has changed.",
        problem.commands.selectors,
    )


def _not_pruned(problem: _Problem) -> Cause | None:
    if problem.figures["pruned_pages"]:
        return None
    reasons = outcomes_text(problem.figures.not_pruned)
    return Cause("", f"No page was pruned{reasons}. Look at the pages, and at the spider's selectors.")


def _not_by_pruning(problem: _Problem) -> Cause | None:
    figures, more = problem.figures, ""
    shown = []
    if checked := figures["shadow/pages"]:
        shown.append(f"The shadow check compared {counted(checked, 'page')}")
    elif checked := figures["compare/pages"] + figures["compare/failed"]:
        shown.append(f"The callback read {counted(checked, 'page')} as downloaded")
        more = problem.commands.shadow if checked < figures["text/pages"] else ""
    if failed := figures["compare/original_failed"] + figures["shadow/original_failed"]:
        shown.append(f"The callback failed on {counted(failed, 'page')} as downloaded")
    if not shown:
        return None
    advice = "Look at the callback, or compare more pages:" if more else "Look at the callback."
    return Cause("", f"{'. '.join(shown)}: on these, pruning is not the cause. {advice}", more)


def _read_as_text(problem: _Problem) -> Cause | None:
    if not problem.reads:
        return None
    mean = problem.figures.mean_reduction
    removed = "a part" if mean is None else f"{mean:.0%}"
    how = "as text, too" if problem.finds else "without selectors"
    return Cause(
        f"; the callback reads the pages {how} ({removed} of them was removed)",
        "Selector fallback covers selectors only. Let the callback read response.original, or do not prune the site:",
        not_pruned([problem.site]),
    )


def _found(problem: _Problem) -> Cause | None:
    if not problem.finds:
        return None
    advice = (
        "Its selectors find something on this site: check what the callback does with it. A selector of tags alone, "
        "such as p::text, gets only what the pruned page has. The shadow check compares that with the original:"
    )
    return Cause("", advice, problem.commands.shadow)


def _unknown(problem: _Problem) -> Cause:
    return Cause(
        "",
        "See whether pruning is the cause. The shadow check compares the pages with their originals; its log names "
        "what is missing, and a setting that keeps it:",
        problem.commands.shadow,
    )


#: The causes, the likeliest first: each returns itself if the evidence shows it.
_LIKELIEST: Final = (
    _dropped,
    _taken,
    _refused,
    _other_page,
    _dead,
    _not_pruned,
    _not_by_pruning,
    _read_as_text,
    _found,
)


def _names(rows: Iterable[UseRow]) -> str:
    return ", ".join(row.name for row in rows)


def named(names: Sequence[str], number: int = 0, noun: str = "more site") -> str:
    """Return the first names, and how many others there are, of the number of all names if it is larger."""
    more = max(number, len(names)) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {counted(more, noun)}" if more > 0 else "")


def outcomes_text(pages: Mapping[str, int]) -> str:
    """Return a colon and the outcomes of pages, in words, with their numbers, the largest first; empty for none."""
    order = sorted(pages.items(), key=lambda one: (-one[1], one[0]))
    words = (
        f"{name} {number:,}" + (f" ({OUTCOMES[name]})" if name in OUTCOMES else "") for name, number in order
    )
    return ": " + "; ".join(words) if pages else ""


def not_pruned(sites: Sequence[str]) -> str:
    """Return the setting that excludes sites from pruning, as Python; empty if none has a host."""
    hosts = [site for site in sites if site and not site.startswith("(") and not site.endswith(":")]
    if not hosts:
        return ""
    return "TPS_DOMAINS = {" + ", ".join(f"{json.dumps(host)}: False" for host in hosts) + "}"
