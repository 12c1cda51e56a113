"""The likeliest cause of a finding, by the available evidence, with advice. Nothing imports Scrapy."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from scrapy_tps.stats.evidence import BARE, REFUSED, most, other_page
from scrapy_tps.stats.figures import SiteFigures, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    """The names for commands to paste: of the spider (None if there are several), and of the distributed crawl."""

    spider: str | None = None
    distributed_crawl: str | None = None

    @property
    def shadow(self) -> str:
        """The command that repeats the crawl with the shadow check."""
        return (
            f"scrapy crawl {'SPIDER' if self.spider is None else shlex.quote(self.spider)} -s TPS_SHADOW=0.05"
        )

    @property
    def selectors(self) -> str:
        """The command that lists the selectors that look wrong."""
        which = "" if self.spider is None else f"{shlex.quote(self.spider)} "
        if self.distributed_crawl is not None:
            which = f"--distributed-crawl {shlex.quote(self.distributed_crawl)} "
        return f"scrapy tps-report {which}--selectors --wrong"


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

        :param callback: the affected callback; its selectors come first, because others may have filled the item.
        """
        dead = self.evidence.causes(site, callback)
        finding = any(one == site and callback in {None, other} for one, other in self.evidence.asking)
        past = not dead and (figures["text/pages"] or (not finding and figures["past_selectors"]))
        dead = dead or ([] if past else self.evidence.causes(site))
        if taken := [row for row in dead if row.figures.taken]:
            return self._taken(taken, figures)
        refused = figures.group("refused")
        if (failed := sum(refused.values())) and 2 * failed >= figures["pages"]:
            why = f"; {counted(failed, 'request')} failed, most of them by {most(refused)[0]}"
            return Cause(why, "Fix that first.", kind=REFUSED)
        if other := other_page(figures):
            return Cause(f"; {other[0]}", OTHER_PAGE, kind=BARE)
        if dead:
            return self._dead(dead, figures)
        if not figures["pruned_pages"]:
            return Cause(
                "",
                "No page was pruned: look at their status in the log (404, 403 …), and at the spider's selectors.",
            )
        if checked := figures["shadow/pages"]:
            compared = f"The shadow check compared {counted(checked, 'page')}"
            return Cause("", f"{compared}: pruning is not the cause. Look at the callback.")
        if checked := figures["compare/pages"]:
            compared = f"{counted(checked, 'page')} read as text gave the same as the original, or its output"
            return Cause("", f"{compared}: pruning is not the cause. Look at the callback.")
        if past:
            mean = figures.mean_reduction
            removed = "a part" if mean is None else f"{mean:.0%}"
            how = "without selectors" if not finding else "as text, too"
            return Cause(
                f"; the callback reads the pages {how} ({removed} of them was removed)",
                "Selector fallback covers selectors only. Let the callback read response.original, or do not prune "
                "the site:",
                not_pruned([site]),
            )
        if finding:
            return Cause(
                "", "Its selectors find something on these pages: check what the callback does with it."
            )
        return Cause(
            "",
            "See whether pruning is the cause. The shadow check compares the pages with their originals; its log "
            "names what is missing, and a setting that keeps it:",
            self.commands.shadow,
        )

    def _taken(self, rows: Sequence[UseRow], figures: SiteFigures) -> Cause:
        names = ", ".join(row.name for row in rows)
        if figures["taken/TPS_DROP"]:
            return Cause(
                f"; TPS_DROP removes matches of {names}",
                "TPS_DROP removes these parts. If the items need them, take them out of TPS_DROP; if not, delete "
                "these selectors.",
            )
        keep = list(dict.fromkeys(_ENDS.sub("", row.name) for row in rows))
        return Cause(
            f"; {names} would match parts that pruning removes",
            "With TPS_FALLBACK on, such selectors run on the original page. With it off, this keeps their matches:",
            f"TPS_DOMAINS = {json.dumps({rows[0].site: {'TPS_KEEP': keep}}, ensure_ascii=False)}",
        )

    def _dead(self, rows: Sequence[UseRow], figures: SiteFigures) -> Cause:
        finds = "finds" if len(rows) == 1 else "find"
        nothing = "nothing" if not any(row.figures.found_pages for row in rows) else "less"
        tried = not figures["without_fallback"] and nothing == "nothing"
        where = ", neither on these pages nor on their originals" if tried else ""
        return Cause(
            f"; {', '.join(row.name for row in rows)} {finds} {nothing}{where}",
            "Compare these selectors with a page in a browser: they are misspelt, or the site has changed.",
            self.commands.selectors,
        )


def named(names: Sequence[str], number: int = 0, noun: str = "more site") -> str:
    """Return the first names, and how many others there are, of the number of all names if it is larger."""
    more = max(number, len(names)) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {counted(more, noun)}" if more > 0 else "")


def not_pruned(sites: Sequence[str]) -> str:
    """Return the setting that excludes sites from pruning, as Python; empty if none has a host."""
    hosts = [site for site in sites if site and not site.startswith("(") and not site.endswith(":")]
    if not hosts:
        return ""
    return "TPS_DOMAINS = {" + ", ".join(f"{json.dumps(host)}: False" for host in hosts) + "}"
