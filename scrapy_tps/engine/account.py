"""What became of a page: the account that comes with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.engine.explanation import Region, Removed, describe_region, describe_removed
from scrapy_tps.engine.html import document
from scrapy_tps.engine.html.serializer import serialise
from scrapy_tps.engine.sequence.region_search import Split
from scrapy_tps.engine.sequence.walking import walk
from scrapy_tps.engine.strategies import AMBIGUOUS, NO_REGION, PRUNED, Span
from scrapy_tps.engine.xpaths import XPaths
from scrapy_tps.settings.definitions import PageSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lxml.html import HtmlElement

    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.records import DataRegions

EXCLUDED = "excluded"

TOO_SMALL = "too_small"

TOO_LARGE = "too_large"

TOO_DEEP = "too_deep"

EMPTY = "empty"

NOT_HTML = "not_html"

NO_BODY = "no_body"

ERROR = "error"

#: All that a page can come to.
OUTCOMES: Final = (
    PRUNED,
    NO_REGION,
    AMBIGUOUS,
    EXCLUDED,
    TOO_SMALL,
    TOO_LARGE,
    TOO_DEEP,
    EMPTY,
    NOT_HTML,
    NO_BODY,
    ERROR,
)

_PLAIN = (
    "outcome",
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


class Pruning:
    """A page, pruned or kept whole, and the account of what happened to it.

    :ivar outcome: ``pruned``, or why the page was kept whole: ``empty``, ``not_html``, ``no_body``,
        ``too_small``, ``too_large``, ``too_deep``, ``no_region``, ``ambiguous``, ``excluded``, ``error``.
    :ivar strategy: the setting ``TPS_STRATEGY`` that held; ``size_ratio``: the ratio that held, or None if no strategy
        ran.
    :ivar links: which page links are to be taken from (``TPS_LINKS``).
    :ivar raw_nodes, kept_nodes: nodes of the tag path sequence before and after.
    :ivar raw_chars, kept_chars: visible characters before and after.
    :ivar splits: the splits in the order in which they were made.
    :ivar timings: seconds by step: ``decode``, ``parse``, ``walk``, ``strategy``, ``cut``.
    :ivar error: type and message of the exception behind the outcome ``error``, else None.
    :ivar excluded_by: what excluded the page, else None: ``TPS_STATUS_CODES``, ``TPS_DOMAINS['shop.example']``,
        ``Request.meta['tps']``, ``TPS_ENABLED``, or ``TPS_SHADOW`` if the shadow check restored the original.

    Of the original page only `source` is kept (raw bytes in a crawl). XPaths and texts of what was removed are
    computed from it when they are asked for.
    """

    __slots__ = (
        "_html",
        "_mask",
        "_regions",
        "_removed",
        "_root",
        "_spans",
        "encoding",
        "error",
        "excluded_by",
        "kept_chars",
        "kept_nodes",
        "links",
        "outcome",
        "raw_chars",
        "raw_nodes",
        "size_ratio",
        "source",
        "splits",
        "strategy",
        "timings",
        "url",
    )

    def __init__(
        self, source: bytes | str | None, outcome: str, *, url: str | None = None, encoding: str | None = None
    ) -> None:
        self.source = source
        self.outcome = outcome
        self.url = url
        self.encoding = encoding
        self.strategy: Any = None
        self.links = "original"
        self.size_ratio: float | None = None
        self.raw_nodes = self.kept_nodes = 0
        self.raw_chars = self.kept_chars = 0
        self.splits: Sequence[Split] = ()
        self.timings: dict[str, float] = {}
        self.error: str | None = None
        self.excluded_by: str | None = None
        self._root: HtmlElement | None = None
        self._html: str | None = None
        self._mask: bytearray | None = None
        self._spans: Sequence[Span] = ()
        self._regions: list[Region] | None = None
        self._removed: list[Removed] | None = None

    def __repr__(self) -> str:
        return (
            f"<Pruning {self.outcome} nodes {self.raw_nodes} -> {self.kept_nodes} "
            f"({self.reduction:.0%} removed){f' {self.url}' if self.url else ''}>"
        )

    @property
    def pruned(self) -> bool:
        """Whether anything was removed."""
        return self.outcome == PRUNED

    @property
    def reduction(self) -> float:
        """Share of the nodes that were removed, 0 to 1."""
        return 1 - self.kept_nodes / self.raw_nodes if self.raw_nodes else 0.0

    @property
    def html(self) -> str:
        """The page after pruning, serialised on first use; if it was kept whole, the page as given."""
        if self._html is None:
            if self.pruned and self._root is None:
                raise ValueError("this account was stored without its page")
            if self.pruned and self._root is not None:
                self._html = serialise(self._root)
            else:
                self._html = document.decode(self._original(), self.encoding)
        return self._html

    @property
    def root(self) -> HtmlElement:
        """The ``html`` element after pruning; if the page was kept whole, it is parsed again on first use."""
        if self._root is None:
            self._root = document.parse(self.html, self.url).root
        return self._root

    @property
    def tree(self) -> HtmlElement | None:
        """The tree that was parsed for pruning, or None if it does not hold the whole page."""
        return self._root

    @property
    def mask(self) -> bytes:
        """A byte for each node of the original's tag path sequence, 1 where it stayed; empty if all did."""
        return bytes(self._mask) if self._mask is not None and self.pruned else b""

    @property
    def regions(self) -> list[Region]:
        """Every region found, in document order. Nodes in no region stayed."""
        if self._regions is None:
            self._explain()
        return self._regions or []

    def removed(self) -> Iterator[Removed]:
        """Iterate over what was removed, in document order: whole subtrees and single text nodes."""
        if self._removed is None:
            self._explain()
        return iter(self._removed or [])

    def records(self, settings: Mapping[str, Any] | PageSettings | None = None) -> DataRegions:
        """Return the lists of records on the page after pruning, best first.

        See :func:`~scrapy_tps.extract_records` for `settings` and result.
        """
        from scrapy_tps.records.extract import records_below  # noqa: PLC0415 (takes as long as all else)

        checked = settings if isinstance(settings, PageSettings) else PageSettings.from_mapping(settings)
        return records_below(self.root.find("body"), checked)

    def to_dict(self) -> dict[str, Any]:
        """Return the account as plain data, without the page: for pickles, caches and (except for `mask`) JSON."""
        data = {name: getattr(self, name) for name in _PLAIN}
        data["strategy"] = self.strategy if isinstance(self.strategy, str) else repr(self.strategy)
        data["timings"] = dict(self.timings)
        data["spans"] = [tuple(span) for span in self._spans]
        data["splits"] = [tuple(split) for split in self.splits]
        data["mask"] = self.mask
        return data

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any], *, source: bytes | str | None = None, html: str | None = None
    ) -> Pruning:
        """Return the account from the data of :meth:`to_dict`, with the original and the pruned page if they are
        given."""
        pruning = cls(source, data["outcome"])
        for name in _PLAIN:
            setattr(pruning, name, data[name])
        pruning.strategy, pruning.timings = data["strategy"], dict(data["timings"])
        pruning._spans = [Span(*span) for span in data["spans"]]
        pruning.splits = [Split(*split) for split in data["splits"]]
        pruning._mask = bytearray(data["mask"]) or None
        pruning._html = html
        return pruning

    def __reduce__(self) -> Any:
        return _restore, (self.to_dict(), self.source, self.html if self.pruned else None)

    def _original(self) -> bytes | str:
        if self.source is None:
            raise ValueError("the original page was dropped (TPS_KEEP_ORIGINAL is False)")
        return self.source

    def _explain(self) -> None:
        """Work out regions and removals; walks the original again, because the tree has been cut."""
        if not self._spans and not self._mask:
            self._regions, self._removed = [], []
            return
        body = document.parse(document.read(self._original(), self.encoding), self.url).body
        self._describe(walk(body))

    def _describe(self, sequence: TagPathSequence) -> None:
        xpaths = XPaths(sequence)
        mask = self._mask if self.pruned else None
        self._regions = [describe_region(sequence, span, xpaths, mask) for span in self._spans]
        self._removed = []
        if mask is not None:
            self._removed = list(describe_removed(sequence, mask, self._spans, xpaths))


def _restore(data: dict[str, Any], source: bytes | str | None, html: str | None) -> Pruning:
    return Pruning.from_dict(data, source=source, html=html)
