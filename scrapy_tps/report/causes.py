"""Findings, their causes by the available evidence, and advice. Nothing imports Scrapy."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from scrapy_tps.stats import site_warnings as kinds
from scrapy_tps.stats.figures import SiteFigures, counted
from scrapy_tps.stats.site_warnings import bare_title, most

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_tps.stats.coverage import UseRow
    from scrapy_tps.stats.health import Health, Trouble

#: The purpose of :func:`shadow_command`.
ASK_SHADOW: Final = (
    "See whether pruning is the cause. The shadow check compares the pages with their originals; its log names what is "
    "missing, and a setting that keeps it:"
)


#: The number of sites, or of troubles of one kind, that a finding names; others are counted.
MOST_NAMED: Final = 3

_ENDS: Final = re.compile(r"::[\w-]+(\([^)]*\))?$|/(text\(\)|@[\w-]+)$")


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding.

    :ivar kind: for programs: a name of :data:`scrapy_tps.report.summary.ORDER`.
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


@dataclass(frozen=True, slots=True)
class Causes:
    """Finds the likeliest cause of a finding in the counts.

    :ivar total: the sum over all sites.
    :ivar health: the selectors and fields that look wrong.
    :ivar spider: the name for commands to paste; None when there are several.
    """

    total: SiteFigures
    health: Health
    spider: str | None

    def of(self, site: str, figures: SiteFigures, callback: str | None = None) -> tuple[str, str, str]:
        """Return the likeliest cause of a problem on a site, as the end of a sentence; the advice; the text to paste.

        :param callback: the affected callback; its selectors come first, because others may have filled the item.
        """
        dead = self.health.causes(site, callback)
        asking = any(one == site and callback in {None, other} for one, other in self.health.asking)
        past = not dead and not asking and figures["past_selectors"]
        dead = dead or ([] if past else self.health.causes(site))
        if taken := [row for row in dead if row.figures.taken]:
            return self._taken(taken, figures)
        refused = figures.group("refused")
        if (failed := sum(refused.values())) and 2 * failed >= figures["pages"]:
            why = f"; {counted(failed, 'request')} failed, most of them by {most(refused)[0]}"
            return why, "Fix that first.", ""
        if bare := bare_title(figures):
            advice = (
                "The site answers with a different page than the one requested. Look at one in a browser."
            )
            return f"; {counted(bare[1], 'page')} are “{bare[0]}”", advice, ""
        if dead:
            return self._dead(dead, figures)
        if not figures["pruned_pages"]:
            advice = "No page was pruned: look at their status in the log (404, 403 …), and at the spider's selectors."
            return "", advice, ""
        if checked := figures["shadow/pages"]:
            compared = f"The shadow check compared {counted(checked, 'page')}"
            advice = f"{compared}: pruning is not the cause. Look at the callback."
            return "", advice, ""
        if past:
            mean = figures.mean_reduction
            removed = "a part" if mean is None else f"{mean:.0%}"
            why = f"; the callback reads the pages without selectors ({removed} of them was removed)"
            advice = (
                "Selector fallback covers selectors only. Let the callback read response.original, or do not prune "
                "the site:"
            )
            return why, advice, left_alone([site])
        if asking:
            advice = "Its selectors find something on these pages: check what the callback does with it."
            return "", advice, ""
        return "", ASK_SHADOW, shadow_command(self.spider)

    def _taken(self, rows: Sequence[UseRow], figures: SiteFigures) -> tuple[str, str, str]:
        names = _names(rows)
        if figures["taken/TPS_DROP"]:
            advice = (
                "TPS_DROP removes these parts. If the items need them, take them out of TPS_DROP; if not, delete "
                "these selectors."
            )
            return f"; TPS_DROP removes matches of {names}", advice, ""
        keep = list(dict.fromkeys(_ENDS.sub("", row.name) for row in rows))
        paste = f"TPS_DOMAINS = {json.dumps({rows[0].site: {'TPS_KEEP': keep}}, ensure_ascii=False)}"
        why = f"; {names} would match parts that pruning removes"
        return (
            why,
            "With TPS_FALLBACK on, such selectors run on the original page. With it off, this keeps their matches:",
            paste,
        )

    def _dead(self, rows: Sequence[UseRow], figures: SiteFigures) -> tuple[str, str, str]:
        finds = "finds" if len(rows) == 1 else "find"
        nothing = "nothing" if all(not row.figures.dry < row.figures.pages for row in rows) else "less"
        looked = not figures["without_fallback"]
        where = ", neither on these pages nor on their originals" if looked and nothing == "nothing" else ""
        advice = (
            "Compare these selectors with a page in a browser: they are misspelt, or the site has changed."
        )
        paste = f"scrapy tps-report {'' if self.spider is None else f'{shlex.quote(self.spider)} '}--selectors --wrong"
        return f"; {_names(rows)} {finds} {nothing}{where}", advice, paste


def health_findings(causes: Causes) -> Iterator[Finding]:
    """Yield the findings about selectors and fields, one for each kind."""
    troubles = causes.health.troubles
    explained = {(one.row.site, one.row.callback) for one in troubles if one.kind == kinds.FIELDS}
    for kind, group in groupby(troubles, key=lambda one: one.kind):
        found = [one for one in group if kind != kinds.SELECTORS or one.row.key[:2] not in explained]
        if kind != kinds.FEWER_ITEMS and found:
            yield _of_troubles(kind, found, causes)
    fewer = [one for one in troubles if one.kind == kinds.FEWER_ITEMS]
    if fewer or causes.health.earlier.items:
        yield _fewer_items(fewer, causes)


def _of_troubles(kind: str, found: Sequence[Trouble], causes: Causes) -> Finding:
    first = found[0]
    text = _named_troubles(found)
    if kind == kinds.SIMILAR:
        why, advice, paste = "", _ALIKE_ADVICE, ""
    else:
        figures = causes.health.figures.get(first.row.site) or causes.total
        why, advice, paste = causes.of(first.row.site, figures, first.row.callback)
        if kind == kinds.SELECTORS and "TPS_" not in why:
            why = ""
    sites = tuple(dict.fromkeys(one.row.site for one in found))
    return Finding(kind, text + why, advice, paste, len(sites), len(found), sites[:MOST_NAMED])


def _fewer_items(found: Sequence[Trouble], causes: Causes) -> Finding:
    earlier = causes.health.earlier
    parts = [
        f"{site} gave less than half of the {counted(items, 'item')} of crawl {crawl}"
        for site, crawl, items in earlier.items
    ]
    sites = tuple(dict.fromkeys([*(site for site, *_ in earlier.items), *(one.row.site for one in found)]))
    text = named(parts) or _named_troubles(found)
    figures = causes.health.figures.get(sites[0])
    if figures is None and earlier.new:
        site, items = earlier.new
        why = f", and was not seen in this one; {site} is new and gave {counted(items, 'item')}"
        advice = "If that is the same site under another name, all is well: name both in settings and allowed_domains."
        paste = ""
    else:
        why, advice, paste = causes.of(sites[0], figures or causes.total)
    count = len(parts) + len(found)
    return Finding(kinds.FEWER_ITEMS, text + why, advice, paste, len(sites), count, sites[:MOST_NAMED])


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


_ALIKE_ADVICE: Final = (
    "If the callback loops over parts of the page, it has to select from the part (row.css), not from the page "
    "(response.css)."
)


def _names(rows: Sequence[UseRow]) -> str:
    return ", ".join(row.name for row in rows)


def named(names: Sequence[str], number: int = 0, noun: str = "more site") -> str:
    """Return the first names, and how many others there are, of the number of all names if it is larger."""
    more = max(number, len(names)) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {counted(more, noun)}" if more > 0 else "")


def shadow_command(spider: str | None) -> str:
    """Return a shell command that runs the crawl again with the shadow check."""
    return f"scrapy crawl {'SPIDER' if spider is None else shlex.quote(spider)} -s TPS_SHADOW=0.05"


def left_alone(sites: Sequence[str]) -> str:
    """Return the setting that excludes sites from pruning, as Python; empty if none has a host."""
    hosts = [site for site in sites if site and not site.startswith("(") and not site.endswith(":")]
    if not hosts:
        return ""
    return "TPS_DOMAINS = {" + ", ".join(f"{json.dumps(host)}: False" for host in hosts) + "}"
