"""The account of a page: figures, as plain data that can be stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_tps.engine.outcomes import PRUNED
from scrapy_tps.engine.sequence.region_search import Split
from scrapy_tps.engine.strategies import Span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typing_extensions import Self

_PLAIN = (
    "cutting",
    "outcome",
    "ask",
    "links",
    "url",
    "encoding",
    "size_ratio",
    "raw_nodes",
    "kept_nodes",
    "raw_chars",
    "kept_chars",
    "error",
    "excluded_by",
)


class Account:
    """The account of a page: what was removed, and why.

    :ivar outcome: ``pruned``, or why the page was kept whole: one of :data:`~scrapy_tps.engine.outcomes.OUTCOMES`.
    :ivar strategy: the setting ``TPS_STRATEGY`` that held; ``size_ratio``: the ratio that held, or None if no strategy
        ran.
    :ivar cutting: the settings that say what stays whatever the strategy chose, by field of
        :class:`~scrapy_tps.engine.page_settings.PageSettings`: with :attr:`mask` the page can be cut again.
    :ivar ask: whether the original answers selectors that the pruned page can't (``TPS_ASK``).
    :ivar links: which page links are to be taken from (``TPS_LINKS``).
    :ivar raw_nodes, kept_nodes: nodes of the tag path sequence before and after.
    :ivar raw_chars, kept_chars: visible characters before and after.
    :ivar spans: the regions as the strategy found them, spans of the original's sequence.
    :ivar splits: the splits in the order in which they were made.
    :ivar timings: seconds by step: ``decode``, ``parse``, ``walk``, ``strategy``, ``cut``.
    :ivar error: type and message of the exception behind the outcome ``error``, else None.
    :ivar excluded_by: what excluded the page, else None: ``TPS_STATUS_CODES``, ``TPS_DOMAINS['shop.example']``,
        ``Request.meta['tps']``, ``TPS_ENABLED``, or ``TPS_SHADOW`` if the shadow check restored the original.
    """

    __slots__ = (*_PLAIN, "_mask", "spans", "splits", "strategy", "timings")

    def __init__(self, outcome: str, *, url: str | None = None, encoding: str | None = None) -> None:
        self.outcome = outcome
        self.url = url
        self.encoding = encoding
        self.strategy: Any = None
        self.links = "original"
        self.ask = False
        self.cutting: dict[str, Any] = {}
        self.size_ratio: float | None = None
        self.raw_nodes = self.kept_nodes = 0
        self.raw_chars = self.kept_chars = 0
        self.spans: Sequence[Span] = ()
        self.splits: Sequence[Split] = ()
        self.timings: dict[str, float] = {}
        self.error: str | None = None
        self.excluded_by: str | None = None
        self._mask: bytearray | None = None

    @property
    def pruned(self) -> bool:
        """Whether anything was removed."""
        return self.outcome == PRUNED

    @property
    def reduction(self) -> float:
        """Share of the nodes that were removed, 0 to 1."""
        return 1 - self.kept_nodes / self.raw_nodes if self.raw_nodes else 0.0

    @property
    def mask(self) -> bytes:
        """A byte for each node of the original's tag path sequence, 1 where it stayed; empty if all did."""
        return bytes(self._mask) if self._mask is not None and self.pruned else b""

    def to_dict(self) -> dict[str, Any]:
        """Return the account as plain data, without the page: for pickles, caches and (except for `mask`) JSON."""
        data = {name: getattr(self, name) for name in _PLAIN}
        data["strategy"] = self.strategy if isinstance(self.strategy, str) else repr(self.strategy)
        data["timings"] = dict(self.timings)
        data["spans"] = [tuple(span) for span in self.spans]
        data["splits"] = [tuple(split) for split in self.splits]
        data["mask"] = self.mask
        return data

    def read(self, data: Mapping[str, Any]) -> Self:
        """Take over the data of :meth:`to_dict`, and return the account."""
        for name in _PLAIN:
            setattr(self, name, data[name])
        self.strategy, self.timings = data["strategy"], dict(data["timings"])
        self.spans = [Span(*span) for span in data["spans"]]
        self.splits = [Split(*split) for split in data["splits"]]
        self._mask = bytearray(data["mask"]) or None
        return self
