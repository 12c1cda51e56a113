"""Reasons why a site looks wrong, from its figures.

Nothing imports Scrapy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.outcomes import ERROR
from scrapy_tps.stats.figures import OTHER, SiteWarning, counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy_tps.stats.figures import SiteFigures

#: Losses of items or requests found by the shadow check.
LOST: Final = "lost"
#: Pages without items and requests, on a site without items.
NOTHING_GIVEN: Final = "nothing_given"
#: Callbacks that raised an exception.
CALLBACK_FAILED: Final = "callback_failed"
#: Pages with the same title that yield almost nothing, on a site whose other pages yield items.
BARE: Final = "bare_pages"
#: Responses that are not pages for the callback (statuses such as 403), and failed downloads.
REFUSED: Final = "refused"
#: Requests that Scrapy filtered because of their host, in a crawl without items.
OFFSITE: Final = "offsite"
#: Fields that are blank, in this crawl or since an earlier one (:mod:`scrapy_tps.stats.health`).
FIELDS: Final = "fields"
#: Fewer items than in earlier crawls.
FEWER_ITEMS: Final = "fewer_items"
#: Repeated items.
SIMILAR: Final = "similar_items"
#: Selectors that find nothing, in this crawl or since an earlier one.
SELECTORS: Final = "selectors"
#: Failures of pruning.
PRUNING_FAILED: Final = "pruning_failed"
#: Alarms of other extensions.
ALARM: Final = "alarm"
#: Sites whose pruning the shadow check switched off.
SWITCHED_OFF: Final = "switched_off"

#: The fewest pages without output before a site without items looks wrong. A choice, not a measurement: a broad crawl
#: has many sites with one to four dead ends. If every second page of a site is a dead end, five in a row occur 3 times
#: in 100.
ENOUGH_PAGES: Final = 5
#: The least share of such pages among a site's pages before they are reported. A choice, too.
BARE_SHARE: Final = 0.05

_SWITCHED_OFF = "shadow/switched_off"
_FAILED_PRUNED = "shadow/errors"

#: Losses of the shadow check: the alarm, and its words.
LOSSES: Final = (
    ("shadow/lost_items", "lost", "item"),
    ("shadow/changed_items", "changed", "item"),
    ("shadow/lost_requests", "lost", "request"),
    ("shadow/changed_requests", "changed", "request"),
)


def site_warnings(figures: SiteFigures) -> list[SiteWarning]:
    """Return why a site looks wrong, worst first; empty if nothing does.

    Pages that were not pruned, and pages with requests but no items (such as lists), are not a reason.
    """
    alarms = figures.group("alarms")
    found = []
    if lost := losses_text(alarms):
        count = sum(alarms.get(kind, 0) for kind, _, _ in LOSSES) + alarms.get(_FAILED_PRUNED, 0)
        found.append(SiteWarning(LOST, lost, count))
    silent, failed = figures["pages_without_output"], figures["callback_errors"]
    if failed:
        errors = figures.group("errors")
        text = f"the callback failed on {counted(failed, 'page')}: {most(errors)[0]}"
        found.append(SiteWarning(CALLBACK_FAILED, text, failed))
    answered = sum(number for name, number in figures.group("refused").items() if name.startswith("HTTP "))
    if silent - answered >= ENOUGH_PAGES and silent != failed and not gave_items(figures):
        text = f"neither an item nor a request from {silent:,} of {counted(figures['pages'], 'page')}"
        text += "" if figures["pruned_pages"] else ", none of them pruned"
        found.append(SiteWarning(NOTHING_GIVEN, text, silent))
    if refused := _refused(figures):
        found.append(refused)
    if (bare := bare_title(figures)) and gave_items(figures):
        title, pages = bare
        text = (
            f"{pages:,} of {counted(figures['pages'], 'page')} are titled “{title}” and yield almost nothing"
        )
        found.append(SiteWarning(BARE, text, pages))
    if alarms.get(OFFSITE):
        found.append(SiteWarning(OFFSITE, "Scrapy filtered the requests to it as offsite", alarms[OFFSITE]))
    found.extend(figures.further)
    if unpruned := figures[f"outcome/{ERROR}"]:
        text = f"pruning failed on {counted(unpruned, 'page')}, not pruned"
        found.append(SiteWarning(PRUNING_FAILED, text, unpruned))
    told = {OFFSITE, _FAILED_PRUNED, _SWITCHED_OFF, *(kind for kind, _, _ in LOSSES)}
    found.extend(
        SiteWarning(ALARM, f"{counted(number, 'alarm')}: {kind}", number)
        for kind, number in sorted(alarms.items())
        if kind not in told
    )
    if off := alarms.get(_SWITCHED_OFF, 0):
        found.append(SiteWarning(SWITCHED_OFF, "not pruned any more after a loss", off))
    return found


def gave_items(figures: SiteFigures) -> bool:
    """Whether any page yielded an item, even one that pipelines dropped."""
    return any(figures[name] for name in ("items", "whole_items", "pruned_items"))


def _refused(figures: SiteFigures) -> SiteWarning | None:
    refused = figures.group("refused")
    number = sum(refused.values())
    among = figures["pages"] + sum(count for name, count in refused.items() if not name.startswith("HTTP "))
    if number < max(ENOUGH_PAGES, BARE_SHARE * among) and (not number or gave_items(figures)):
        return None
    return SiteWarning(
        REFUSED,
        f"{number:,} of {counted(among, 'request')} failed, most of them by {most(refused)[0]}",
        number,
    )


def most(tally: Mapping[str, int]) -> tuple[str, int]:
    """Return the most frequent entry of a tally; an empty one if the tally is empty."""
    return max(tally.items(), key=lambda one: (one[1], one[0])) if tally else ("", 0)


def bare_title(figures: SiteFigures) -> tuple[str, int] | None:
    """Return the most frequent title of pages that yield almost nothing, and their number; None if they are few."""
    named = {title: pages for title, pages in figures.group("bare").items() if title != OTHER}
    title, pages = most(named)
    return (title, pages) if pages >= max(ENOUGH_PAGES, BARE_SHARE * figures["pages"]) else None


def losses_text(alarms: Mapping[str, int]) -> str:
    """Return the losses that the shadow check found, in words, from its alarms; empty if there are none."""
    parts = [
        f"{counted(number, noun)} {verb}" for kind, verb, noun in LOSSES if (number := alarms.get(kind, 0))
    ]
    if failed := alarms.get(_FAILED_PRUNED, 0):
        parts.append(f"the callback failed on {counted(failed, 'page')} because it was pruned")
    return ", ".join(parts)
