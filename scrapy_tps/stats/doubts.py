"""What looks wrong on a site, from its figures: the reasons in words, and the same conditions in SQL.

Nothing imports Scrapy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from scrapy_tps.stats.figures import ERROR, counted
from scrapy_tps.stats.queries import FINDS_NOTHING

if TYPE_CHECKING:
    from scrapy_tps.stats.figures import SiteFigures

#: Items or requests that the shadow check missed on pruned pages.
LOST: Final = "lost"
#: Pages without items and without requests, on a site that gave no item.
NOTHING_GIVEN: Final = "nothing_given"
#: Callbacks that raised an exception.
CALLBACK_FAILED: Final = "callback_failed"
#: Queries that used to find something and find nothing any more.
QUERIES: Final = "queries"
#: Pruning that failed, so that pages were left whole.
PRUNING_FAILED: Final = "pruning_failed"
#: Alarms of other extensions.
ALARM: Final = "alarm"
#: Sites that the shadow check switched off.
SWITCHED_OFF: Final = "switched_off"

#: Pages that must have given nothing before a site without items looks wrong. A choice, not a measurement: a broad
#: crawl meets many sites of one to four dead ends, and of a site on which every second page is one by nature five in a
#: row come up 3 times in 100.
ENOUGH_PAGES: Final = 5

_SWITCHED_OFF = "shadow/switched_off"
_FAILED_PRUNED = "shadow/errors"

#: Losses of the shadow check: the alarm, and how it is said.
LOSSES: Final = (
    ("shadow/lost_items", "lost", "item"),
    ("shadow/changed_items", "changed", "item"),
    ("shadow/lost_requests", "lost", "request"),
    ("shadow/changed_requests", "changed", "request"),
)

#: :func:`doubts` has something to say, as a condition in SQL. The fields are the columns of the store. A row whose
#: outcomes can't be read is chosen, too, so that it is told of.
SQL: Final = (
    f"({{silent_pages}} >= {ENOUGH_PAGES} AND {{items}} = 0 AND {{whole_items}} = 0 AND {{pruned_items}} = 0)"
    f" OR {{failed_pages}} > 0 OR CASE WHEN json_valid({{outcomes}})"
    f" THEN coalesce(json_extract({{outcomes}}, '$.{ERROR}') > 0, 0) ELSE 1 END OR {{alarms}} <> '{{{{}}}}'"
)


@dataclass(frozen=True, slots=True)
class Doubt:
    """One reason why a site looks wrong.

    :ivar kind: :data:`LOST`, :data:`NOTHING_GIVEN` … for programs.
    :ivar text: the reason in words, without the site.
    :ivar count: how many pages, items and requests, or alarms it is about.
    """

    kind: str
    text: str
    count: int


def doubts(figures: SiteFigures) -> list[Doubt]:
    """Why a site looks wrong, worst first; empty when nothing does.

    Pages that were left whole, and pages that gave requests and no item (lists, say), are no reason.
    """
    alarms = figures.alarms
    found = []
    if lost := losses_text(figures):
        count = sum(alarms.get(kind, 0) for kind, _, _ in LOSSES) + alarms.get(_FAILED_PRUNED, 0)
        found.append(Doubt(LOST, lost, count))
    silent = figures.silent_pages
    if silent >= ENOUGH_PAGES and not gave_items(figures):
        found.append(Doubt(NOTHING_GIVEN, _nothing_text(figures), silent))
    if failed := figures.failed_pages:
        found.append(Doubt(CALLBACK_FAILED, f"the callback failed on {counted(failed, 'page')}", failed))
    if stopped := alarms.get(FINDS_NOTHING, 0):
        text = f"{counted(stopped, 'selector')} stopped finding anything"
        found.append(Doubt(QUERIES, text, stopped))
    if errors := figures.outcomes.get(ERROR, 0):
        found.append(
            Doubt(PRUNING_FAILED, f"pruning failed on {counted(errors, 'page')}, left whole", errors)
        )
    told = {
        FINDS_NOTHING,
        _FAILED_PRUNED,
        _SWITCHED_OFF,
        *(kind for kind, _, _ in LOSSES),
    }
    found.extend(
        Doubt(ALARM, f"{counted(number, 'alarm')}: {kind}", number)
        for kind, number in sorted(alarms.items())
        if kind not in told
    )
    if off := alarms.get(_SWITCHED_OFF, 0):
        found.append(Doubt(SWITCHED_OFF, "not pruned any more after a loss", off))
    return found


def gave_items(figures: SiteFigures) -> bool:
    """Whether any page gave an item, even one that pipelines dropped."""
    return bool(figures.items or figures.whole_items or figures.pruned_items)


def losses_text(figures: SiteFigures) -> str:
    """What the shadow check found to be lost, in words; empty when nothing was."""
    parts = [
        f"{counted(number, noun)} {verb}"
        for kind, verb, noun in LOSSES
        if (number := figures.alarms.get(kind, 0))
    ]
    if failed := figures.alarms.get(_FAILED_PRUNED, 0):
        parts.append(f"the callback failed on {counted(failed, 'page')} because it was pruned")
    return ", ".join(parts)


def _nothing_text(figures: SiteFigures) -> str:
    text = f"neither an item nor a request from {figures.silent_pages:,} of {counted(figures.pages, 'page')}"
    return text if figures.pruned_pages else f"{text}, none of them pruned"
