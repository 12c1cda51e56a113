"""The checked settings of one page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

#: What ``TPS_KEEP_INVISIBLE`` can name.
INVISIBLE: Final = ("head", "data", "forms")


@dataclass(frozen=True, slots=True)
class PageSettings:
    """The checked settings of one page, with their defaults.

    :data:`scrapy_tps.settings.definitions.SETTINGS` has meaning and allowed values of each;
    :func:`~scrapy_tps.settings.definitions.page_settings` makes them from a user's values.

    :ivar switch: the cause of `enabled`: the name of a setting, with its domain, or the key of ``meta``.
    :ivar needs_original: whether the page as downloaded is needed besides: for a shadow check, samples, a view.
    :ivar keep_original: whether anything needs it, so that it is not dropped.
    """

    enabled: bool = True
    strategy: Any = "auto"
    size_ratio: float | None = None
    min_nodes: int = 30
    max_bytes: int = 32 * 1024 * 1024
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    keep_invisible: tuple[str, ...] = INVISIBLE
    fallback: bool = True
    links: str = "original"
    status_codes: frozenset[int] = frozenset({200})
    switch: str = "TPS_ENABLED"
    needs_original: bool = False

    keep_original: bool = field(init=False)

    def __post_init__(self) -> None:
        keep = self.fallback or self.links == "original" or self.needs_original
        object.__setattr__(self, "keep_original", keep)
