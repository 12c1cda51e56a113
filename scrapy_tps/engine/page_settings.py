"""The checked settings of one page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class PageSettings:
    """The checked settings of one page, with their defaults.

    :data:`scrapy_tps.settings.definitions.SETTINGS` has meaning and allowed values of each;
    :func:`~scrapy_tps.settings.definitions.page_settings` makes them from a user's values.

    :ivar switch: the cause of `enabled`: the name of a setting, with its domain, or the key of ``meta``.
    """

    enabled: bool = True
    strategy: Any = "auto"
    size_ratio: float | None = None
    min_nodes: int = 30
    max_bytes: int = 32 * 1024 * 1024
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    keep_head: bool = True
    keep_data: bool = True
    keep_forms: bool = True
    keep_original: bool = True
    ask: bool = True
    content_check: Any = None
    links: str = "original"
    status_codes: frozenset[int] = frozenset({200})
    records_timeout: float | None = 5.0
    records_min_confidence: float = 0.05
    switch: str = "TPS_ENABLED"
