"""The add-on: one line in ``settings.py`` that enables everything."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.misc import load_object
from scrapy.utils.python import global_object_name

from scrapy_tps.downloadermiddlewares.pruning import TpsMiddleware
from scrapy_tps.extensions import TpsFigures, TpsSampling
from scrapy_tps.settings.crawl import check_settings
from scrapy_tps.sharing.connection import distributed_crawl_of
from scrapy_tps.spidermiddlewares.items import TpsSpiderMiddleware
from scrapy_tps.statscollectors import TpsStatsCollector

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.settings import BaseSettings


#: Paths, so that nothing is imported: scrapy-poet loads the first one, if it is installed …
_POET_PROVIDER: Final = "scrapy_tps.poet.TpsProvider"
#: … and ``scrapy check`` loads these.
_CONTRACTS: Final = tuple(
    f"scrapy_tps.contracts.{name}Contract" for name in ("Reduces", "Keeps", "Finds", "Outcome")
)


class Addon:
    """Enable scrapy-tps: ``ADDONS = {"scrapy_tps.Addon": 500}``.

    Adds the downloader middleware (545), the spider middleware (20), the comparison of callbacks (10000, unless
    ``TPS_SHADOW`` is 0 and ``TPS_COMPARE`` off), the figures per site (0), the samples (0, if ``TPS_SAMPLES`` is not 0)
    and the contracts. It respects your own settings: a component that you list yourself keeps your priority (or stays
    off, with None). The stats collector replaces Scrapy's default only; your own ``STATS_CLASS`` stays, and gets the
    totals.

    With ``TPS_ENABLED`` off it adds only the downloader middleware and the contracts: pages arrive as downloaded, and
    spiders that use ``response.original`` keep working.

    :class:`scrapy_tps.poet.TpsProvider` joins the ``SCRAPY_POET_PROVIDERS`` (1200) in either case, if scrapy-poet is
    installed.

    Raises ``ValueError`` on a wrong ``TPS_*`` setting.
    """

    def __repr__(self) -> str:
        return "<scrapy_tps.Addon>"  # as Scrapy lists it in the log

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components to the settings of a crawl."""
        values = check_settings(settings)
        distributed_crawl_of(settings)
        if find_spec("scrapy_poet"):
            # after scrapy-poet's own, which end at 1000
            _list(settings, "SCRAPY_POET_PROVIDERS", [_POET_PROVIDER], 1200)
        settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", TpsMiddleware, 545)
        if not values["TPS_ENABLED"]:
            return
        settings.setdefault_in_component_priority_dict("SPIDER_MIDDLEWARES", TpsSpiderMiddleware, 20)
        if values["TPS_SHADOW"].share or values["TPS_COMPARE"]:
            from scrapy_tps.spidermiddlewares.shadow import TpsShadowMiddleware  # noqa: PLC0415 (can be switched off)

            settings.setdefault_in_component_priority_dict("SPIDER_MIDDLEWARES", TpsShadowMiddleware, 10000)
        settings.setdefault_in_component_priority_dict("EXTENSIONS", TpsFigures, 0)
        if values["TPS_SAMPLES"]:
            settings.setdefault_in_component_priority_dict("EXTENSIONS", TpsSampling, 0)
        if load_object(settings["STATS_CLASS"]) is MemoryStatsCollector:
            settings.set("STATS_CLASS", TpsStatsCollector, settings.getpriority("STATS_CLASS") or "addon")

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Add the contracts, which ``scrapy check`` reads before there is a crawler."""
        _list(settings, "SPIDER_CONTRACTS", _CONTRACTS, 10)


def _list(settings: BaseSettings, name: str, paths: Iterable[str], priority: int) -> None:
    """Add the paths of components to a setting, unless it lists them already, without importing them."""
    components = settings.getdict(name)
    listed = {one if isinstance(one, str) else global_object_name(one) for one in components}
    components |= {path: priority for path in paths if path not in listed}
    settings.set(name, components, settings.getpriority(name) or 0)
