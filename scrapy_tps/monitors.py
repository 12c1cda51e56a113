"""Monitors for spidermon: what pruning did to a crawl, compared with thresholds when the spider closes.

For spidermon (the extra ``spidermon``); nothing else of scrapy-tps imports this module. See :class:`TpsMonitorSuite`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.exceptions import NotConfigured
from spidermon import MonitorSuite, monitors
from spidermon.contrib.scrapy.monitors import BaseScrapyMonitor

from scrapy_tps.downloadermiddlewares.pruning import TpsMiddleware
from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.stats.figures import ERROR, counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_tps.stats.figures import SiteFigures

#: Sites that a message names at most.
_NAMED_SITES = 3

#: What the shadow check may find (alarms ``shadow/…``) that is a loss.
_LOSSES = ("lost_items", "changed_items", "lost_requests", "changed_requests", "errors")


class TpsMonitor(BaseScrapyMonitor):
    """Base of the monitors of pruning, with the figures of the crawl.

    All of them are skipped if scrapy-tps is switched off.
    """

    @property
    def figures(self) -> SiteFigures:
        """The figures of the whole crawl so far."""
        return self._pages().figures.total

    def setting(self, name: str) -> Any:
        """The checked value of a setting."""
        return crawl_setting(self.crawler.settings, name)

    def sites(self, amount: Callable[[SiteFigures], float]) -> str:
        """The sites with the largest `amount`, for a message; the largest first, those with none left out."""
        found = [(amount(figures), site) for site, figures in self._pages().figures.sites()]
        worst = sorted((pair for pair in found if pair[0] > 0), key=lambda pair: (-pair[0], pair[1]))
        named = ", ".join(site for _, site in worst[:_NAMED_SITES])
        more = len(worst) - _NAMED_SITES
        return f"{named} and {counted(more, 'more site')}" if more > 0 else named

    def _pages(self) -> TpsMiddleware:
        middleware: TpsMiddleware | None = self.crawler.get_downloader_middleware(TpsMiddleware)
        if middleware is None:
            self.skipTest("scrapy-tps does not prune this crawl")
        assert middleware is not None
        return middleware


@monitors.name("Reduction of pages by scrapy-tps")
class ReductionMonitor(TpsMonitor):
    """The mean reduction of the pages is neither too low nor too high.

    Too low (:setting:`TPS_MONITOR_MIN_REDUCTION`): pruning does nothing for this crawl, or a site keeps it off. Too
    high (:setting:`TPS_MONITOR_MAX_REDUCTION`): look whether what remains is what is wanted. Skipped where no page was
    measured.
    """

    def test_reduction(self) -> None:
        figures = self.figures
        mean = figures.reduction.mean
        if mean is None:
            self.skipTest("no page was measured")
            return
        low = self.setting("TPS_MONITOR_MIN_REDUCTION")
        high = self.setting("TPS_MONITOR_MAX_REDUCTION")
        told = f"the mean reduction of {counted(figures.measured, 'page')} is {mean:.1%}"
        if mean < low:
            sites = self.sites(lambda site: site.measured if _mean(site) < low else 0)
            self.fail(f"{told}, less than TPS_MONITOR_MIN_REDUCTION ({low:.1%}); sites: {sites}")
        if mean > high:
            sites = self.sites(lambda site: site.measured if _mean(site) > high else 0)
            self.fail(f"{told}, more than TPS_MONITOR_MAX_REDUCTION ({high:.1%}); sites: {sites}")


@monitors.name("Pages without items in a crawl with scrapy-tps")
class EmptyPagesMonitor(TpsMonitor):
    """Not too many pages gave no item (:setting:`TPS_MONITOR_MAX_EMPTY`, a share of the pages handed to callbacks).

    Skipped where no callback got a page.
    """

    def test_empty_pages(self) -> None:
        figures = self.figures
        parsed = figures.whole_pages + figures.pruned_pages
        if not parsed:
            self.skipTest("no callback got a page")
        allowed = self.setting("TPS_MONITOR_MAX_EMPTY")
        share = figures.empty_pages / parsed
        if share > allowed:
            self.fail(
                f"{figures.empty_pages:,} of {counted(parsed, 'page')} ({share:.1%}) gave no item, more than "
                f"TPS_MONITOR_MAX_EMPTY ({allowed:.1%}); sites: {self.sites(lambda site: site.empty_pages)}"
            )


@monitors.name("Losses found by the shadow check of scrapy-tps")
class LossesMonitor(TpsMonitor):
    """The shadow check found no more losses than :setting:`TPS_MONITOR_MAX_LOSSES`.

    Items and requests that the pruned page did not give or gave otherwise, and pages whose callback failed on the
    pruned page alone. They were made good, on the pages that were checked. Skipped where :setting:`TPS_SHADOW` is 0.
    """

    def test_losses(self) -> None:
        if not self.setting("TPS_SHADOW"):
            self.skipTest("TPS_SHADOW is 0: nothing is checked")
        found = _losses(self.figures)
        allowed = self.setting("TPS_MONITOR_MAX_LOSSES")
        if sum(found.values()) > allowed:
            told = ", ".join(f"{number:,} {kind.replace('_', ' ')}" for kind, number in found.items())
            self.fail(
                f"pruning cost {told}, more than TPS_MONITOR_MAX_LOSSES ({allowed:,}); "
                f"sites: {self.sites(lambda site: sum(_losses(site).values()))}"
            )


@monitors.name("Errors of scrapy-tps")
class ErrorsMonitor(TpsMonitor):
    """No more pages than :setting:`TPS_MONITOR_MAX_ERRORS` could not be pruned because of an error."""

    def test_errors(self) -> None:
        allowed = self.setting("TPS_MONITOR_MAX_ERRORS")
        found = self.figures.outcomes.get(ERROR, 0)
        if found > allowed:
            self.fail(
                f"pruning {counted(found, 'page')} failed, more than TPS_MONITOR_MAX_ERRORS ({allowed:,}); "
                f"sites: {self.sites(lambda site: site.outcomes.get(ERROR, 0))}"
            )


class TpsMonitorSuite(MonitorSuite):
    """All monitors of scrapy-tps::

        SPIDERMON_SPIDER_CLOSE_MONITORS = ["scrapy_tps.monitors.TpsMonitorSuite"]

    Raises ``ValueError`` where a threshold is wrong, and where the least reduction is above the greatest.
    """

    monitors: ClassVar[list[type]] = [ReductionMonitor, EmptyPagesMonitor, LossesMonitor, ErrorsMonitor]

    def __init__(self, *args: Any, crawler: Any = None, **kwargs: Any) -> None:
        super().__init__(*args, crawler=crawler, **kwargs)
        if crawler is None:
            raise NotConfigured("the monitors of scrapy-tps need a crawler")
        low, high = (
            crawl_setting(crawler.settings, f"TPS_MONITOR_{end}_REDUCTION") for end in ("MIN", "MAX")
        )
        if low > high:
            raise ValueError(
                f"TPS_MONITOR_MIN_REDUCTION is {low}; allowed: at most TPS_MONITOR_MAX_REDUCTION, which is {high}"
            )


def _mean(figures: SiteFigures) -> float:
    return figures.reduction.mean or 0.0


def _losses(figures: SiteFigures) -> dict[str, int]:
    """Losses by kind, those that there are."""
    found = {kind: figures.alarms.get(f"shadow/{kind}", 0) for kind in _LOSSES}
    return {kind: number for kind, number in found.items() if number}
