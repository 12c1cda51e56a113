"""The likeliest cause of a finding, by the available evidence, with advice. Nothing imports Scrapy."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from scrapy_tps.engine.outcomes import OUTCOMES
from scrapy_tps.stats.evidence import REFUSED, SPARSE, failed_by, other_page
from scrapy_tps.stats.figures import SiteFigures, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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
        likeliest_first = chain(
            _of_removed_parts(rows, figures),
            _of_pages(rows, figures, self.commands),
            _of_callback(site, figures, self.commands, finds=finds, reads=reads),
        )
        return next(likeliest_first)


def _of_removed_parts(rows: Sequence[UseRow], figures: SiteFigures) -> Iterator[Cause]:
    """Yield causes of which the selectors are evidence: those that found nothing, or less than in earlier crawls."""
    taken = [row for row in rows if row.figures.taken]
    if taken and figures["taken/TPS_DROP"]:
        yield Cause(
            f"; TPS_DROP removes matches of {_names(taken)}",
            "TPS_DROP removes these parts. If the items need them, take them out of TPS_DROP; if not, delete these "
            "selectors.",
        )
    if taken:
        keep = list(dict.fromkeys(_ENDS.sub("", row.name) for row in taken))
        yield Cause(
            f"; {_names(taken)} would match parts that pruning removes",
            "With TPS_FALLBACK on, such selectors run on the original page. With it off, this keeps their matches, and "
            "replaces the TPS_KEEP of the site:",
            f"TPS_DOMAINS = {json.dumps({taken[0].site: {'TPS_KEEP': keep}}, ensure_ascii=False)}",
        )


def _of_pages(rows: Sequence[UseRow], figures: SiteFigures, commands: Commands) -> Iterator[Cause]:
    """Yield causes of which the pages are evidence: others than those requested, or without what selectors select."""
    refused = figures.group("refused")
    failed = sum(refused.values())
    if failed and 2 * failed >= figures["pages"]:
        yield Cause(f"; {counted(failed, 'request')} {failed_by(refused)}", "Fix that first.", kind=REFUSED)
    if other := other_page(figures):
        yield Cause(f"; {other[0]}", OTHER_PAGE, kind=SPARSE)
    if rows:
        less = any(row.figures.found_pages for row in rows)
        why = f"; {_names(rows)} {'finds' if len(rows) == 1 else 'find'} {'less' if less else 'nothing'}"
        if figures["without_fallback"]:  # the removed parts may have matches
            yield _unknown(commands)._replace(why=why)
        yield Cause(
            why if less else f"{why}, neither on the pages nor on their originals",
            "Compare these selectors with a page in a browser: they are misspelt, or the site has changed.",
            commands.selectors,
        )
    if not figures["pruned_pages"]:
        reasons = outcomes_text(figures.not_pruned)
        yield Cause("", f"No page was pruned{reasons}. Look at the pages, and at the spider's selectors.")


def _of_callback(
    site: str, figures: SiteFigures, commands: Commands, *, finds: bool, reads: bool
) -> Iterator[Cause]:
    """Yield what is left: the callback, or an unknown cause.

    :param finds: whether some of its selectors found something.
    :param reads: whether callbacks read pages as text, and no selector explains the problem.
    """
    shown, more = [], ""
    if checked := figures["shadow/pages"]:
        shown.append(f"The shadow check compared {counted(checked, 'page')}")
    elif checked := figures["compare/pages"] + figures["compare/failed"]:
        shown.append(f"The callback read {counted(checked, 'page')} as downloaded")
        more = commands.shadow if checked < figures["text/pages"] else ""
    if failed := figures["compare/original_failed"] + figures["shadow/original_failed"]:
        shown.append(f"The callback failed on {counted(failed, 'page')} as downloaded")
    if shown:
        advice = "Look at the callback, or compare more pages:" if more else "Look at the callback."
        yield Cause("", f"{'. '.join(shown)}: on these, pruning is not the cause. {advice}", more)
    if reads:
        mean = figures.mean_reduction
        removed = "a part" if mean is None else f"{mean:.0%}"
        how = "as text, too" if finds else "without selectors"
        yield Cause(
            f"; the callback reads the pages {how} ({removed} of them was removed)",
            "Selector fallback covers selectors only. Let the callback read response.original, or do not prune the "
            "site:",
            not_pruned([site]),
        )
    if finds:
        yield Cause(
            "",
            "Its selectors find something on this site: check what the callback does with it. A selector of tags "
            "alone, such as p::text, gets only what the pruned page has. The shadow check compares that with the "
            "original:",
            commands.shadow,
        )
    yield _unknown(commands)


def _unknown(commands: Commands) -> Cause:
    return Cause(
        "",
        "See whether pruning is the cause. The shadow check compares the pages with their originals; its log names "
        "what is missing, and a setting that keeps it:",
        commands.shadow,
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
