"""Strip pages to their main-content region before spiders parse them.

The engine (:func:`prune`) is usable without Scrapy: :class:`Addon` is imported when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_tps.explaining import Region, Removed
from scrapy_tps.pruning import Pruning, prune
from scrapy_tps.records import DataRecord, DataRegion, extract_records

if TYPE_CHECKING:
    from scrapy_tps.addon import Addon

__all__ = [
    "Addon",
    "DataRecord",
    "DataRegion",
    "Pruning",
    "Region",
    "Removed",
    "extract_records",
    "prune",
]


def __getattr__(name: str) -> Any:
    if name == "Addon":
        from scrapy_tps.addon import Addon  # noqa: PLC0415

        return Addon
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
