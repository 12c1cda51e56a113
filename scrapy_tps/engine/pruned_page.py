"""A page after pruning, and the results of the steps: the page as read, the selection, the cut.

Each step is made once, from the one before it, and no later step writes into it.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from scrapy_tps.engine.explanation import Explanation, explain
from scrapy_tps.engine.fallback.usage import Fallbacks
from scrapy_tps.engine.html import document
from scrapy_tps.engine.html.serializer import serialise
from scrapy_tps.engine.outcomes import NO_REGION, PRUNED
from scrapy_tps.engine.page_settings import PageSettings
from scrapy_tps.engine.sequence.columns import TagPathSequence
from scrapy_tps.engine.sequence.region_search import Split
from scrapy_tps.engine.sequence.walking import walk
from scrapy_tps.engine.strategies import Selection, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from lxml.html import HtmlElement

    from scrapy_tps.engine.explanation import Region, Removed
    from scrapy_tps.engine.journal import Journal
    from scrapy_tps.records import DataRegions

#: Settings of a page that was excluded.
_LEFT_ALONE: Final = PageSettings(strategy=None, fallback=False)
#: Why a page has no original, for messages.
DROPPED: Final = "(TPS_FALLBACK is off, and TPS_LINKS is pruned)"
#: Settings stored with an account: with these and the mask, the page can be cut again.
_STORED: Final = ("strategy", "fallback", "links", "keep", "drop", "keep_invisible")
#: The stored figures of an account.
_PLAIN: Final = (
    "outcome",
    "url",
    "encoding",
    "raw_nodes",
    "kept_nodes",
    "raw_chars",
    "kept_chars",
    "error",
    "excluded_by",
)


class PageRead(NamedTuple):
    """A page as read, and its tag path sequence.

    :ivar refused: why the page cannot be pruned; None if it can.
    :ivar document: the parsed page; None if it was not parsed.
    :ivar tree: the ``html`` element of a tree that holds all of the page, else None.
    :ivar sequence: the walk of its body; None if it was not walked.
    :ivar chars: visible characters.
    """

    refused: str | None
    document: document.Document | None = None
    tree: HtmlElement | None = None
    sequence: TagPathSequence | None = None
    chars: int = 0


class Cut(NamedTuple):
    """A tree after the cut.

    :ivar mask: a byte for each node of the original's sequence, 1 if it stayed.
    :ivar chars: the visible characters that stayed.
    :ivar root: the ``html`` element; None if the page was stored without it.
    :ivar journal: the removed parts, which can be put back; None if they were dropped.
    :ivar explanation: that of a page whose original is dropped; otherwise it is made on first use.
    """

    mask: bytes | bytearray
    chars: int
    root: HtmlElement | None = None
    journal: Journal | None = None
    explanation: Explanation | None = None


def informing(selection: Selection) -> Sequence[Span]:
    """Return the spans of a selection; if the page is not pruned, all of them are kept."""
    if selection.outcome == PRUNED:
        return selection.spans
    return [span._replace(kept=True) for span in selection.spans]


class Pruning:
    """A page, pruned or not, and the account of what happened to it.

    :ivar outcome: ``pruned``, or why the page was not pruned: one of :data:`~scrapy_tps.engine.outcomes.OUTCOMES`.
    :ivar strategy: the setting ``TPS_STRATEGY`` in effect.
    :ivar url, encoding: those of the page as downloaded.
    :ivar raw_nodes, kept_nodes: nodes of the tag path sequence before and after.
    :ivar raw_chars, kept_chars: visible characters before and after.
    :ivar timings: seconds by step: ``decode``, ``parse``, ``walk``, ``strategy``, ``cut``.
    :ivar error: type and message of the exception behind the outcome ``error``, else None.
    :ivar excluded_by: the setting that excluded the page, else None: ``TPS_STATUS_CODES``,
        ``TPS_DOMAINS['shop.example']``, ``Request.meta['tps']``, ``TPS_ENABLED``, or ``TPS_SHADOW`` if the shadow check
        restored the original.
    :ivar selector_usage: the selectors used on the page, and those that the page as downloaded answered: a
        :class:`~scrapy_tps.engine.fallback.usage.Fallbacks`.
    """

    __slots__ = (
        *_PLAIN,
        "_cut",
        "_explanation",
        "_html",
        "_root",
        "_selection",
        "_settings",
        "_size_ratio",
        "_source",
        "selector_usage",
        "strategy",
        "timings",
    )

    def __init__(
        self,
        source: bytes | str | None,
        selection: Selection,
        settings: PageSettings = _LEFT_ALONE,
        *,
        url: str | None = None,
        encoding: str | None = None,
        nodes: int = 0,
        chars: int = 0,
        tree: HtmlElement | None = None,
        size_ratio: float | None = None,
        cut: Cut | None = None,
        timings: dict[str, float] | None = None,
        error: str | None = None,
        excluded_by: str | None = None,
        selector_usage: Fallbacks | None = None,
    ) -> None:
        outcome = selection.outcome
        if cut is not None:
            outcome = PRUNED
        elif outcome == PRUNED:
            outcome = NO_REGION
        self.outcome: Final = outcome
        self.strategy: Final = settings.strategy
        self.url: Final = url
        self.encoding: Final = encoding
        self.raw_nodes: Final = nodes
        self.raw_chars: Final = chars
        self.timings: Final = {} if timings is None else timings
        self.error: Final = error
        self.excluded_by: Final = excluded_by
        self.selector_usage: Final = Fallbacks() if selector_usage is None else selector_usage
        self._source: Final = source
        self._settings: Final = settings
        self._selection: Final = selection
        self._size_ratio: Final = size_ratio
        self._cut: Final = cut
        if cut is None:
            self.kept_nodes, self.kept_chars = nodes, chars
            self._root, self._explanation = tree, None
        else:
            self.kept_nodes, self.kept_chars = nodes - cut.mask.count(0), cut.chars
            self._root, self._explanation = cut.root, cut.explanation
        self._html: str | None = None

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
        """The page after pruning, serialised on first use; if it was not pruned, the page as passed in."""
        if self._html is None:
            if not self.pruned:
                self._html = document.decode(self._original(), self.encoding)
            elif self._root is None:
                raise ValueError("this account was stored without its page")
            else:
                with self._lock():
                    self._html = serialise(self._root)
        return self._html

    @property
    def root(self) -> HtmlElement:
        """The ``html`` element after pruning; if the page was not pruned, it is parsed again on first use."""
        if self._root is None:
            self._root = document.parse(self.html, self.url).root
        return self._root

    @property
    def regions(self) -> list[Region]:
        """All regions, in document order. Nodes outside any region stayed."""
        return self._explained().regions

    def removed(self) -> Iterator[Removed]:
        """Iterate over the removed parts, in document order: whole subtrees, single text nodes, scripts and styles."""
        return iter(self._explained().removed)

    def records(self, *, timeout: float | None = 5.0, min_confidence: float = 0.05) -> DataRegions:
        """Return the lists of records on the page after pruning, best first.

        See :func:`~scrapy_tps.extract_records` for arguments and result.
        """
        from scrapy_tps.records.extract import records_below  # noqa: PLC0415 (takes as long as all else)

        with self._lock():
            body = self.root.find("body")
            return records_below(body, timeout=timeout, min_confidence=min_confidence)

    def markdown(self, *, links: bool = True, front_matter: bool = False, records: bool = False) -> str:
        """Return the page after pruning as Markdown in GitHub's flavour; needs the extra ``markdown``.

        It has all text of the tree, in order and once. Links and pictures get absolute addresses if the page's own
        address is known; addresses that a viewer might run (``javascript:``, ``data:``) are omitted. HTML is used where
        Markdown has no syntax: tables with spans or with lists in their cells, emphasis inside a word, ``sub`` and
        ``sup``. Tables of layout become paragraphs.

        :param links: if False, write the texts of links and the alternative texts of pictures, without addresses.
        :param front_matter: begin with YAML of the page's labelled metadata: title, address, canonical address, author,
            date, language.
        :param records: write lists of records (see :meth:`records`) as tables, or as lists of fields if rows are long.
            A list whose fields lack some of its words is not changed.
        :raises ImportError: without the extra.
        """
        try:
            from scrapy_tps.engine.markdown import base_address, to_markdown  # noqa: PLC0415 (an extra)
        except ImportError as error:
            raise ImportError(
                "Markdown needs the extra `markdown`: pip install scrapy-tps[markdown]"
            ) from error
        from scrapy_tps.engine.front_matter import front_matter as labels  # noqa: PLC0415 (few ask for it)
        from scrapy_tps.records.record_tables import records_markdown  # noqa: PLC0415 (takes as long as all else)

        root = self.root
        with self._lock():
            instead = records_markdown(self.records() if records else (), base_address(root, self.url))
            text = to_markdown(root, self.url, links=links, instead=instead)
            return f"{labels(root, self.url)}\n{text}" if front_matter else text

    @property
    def _journal(self) -> Journal | None:
        """The removed parts, which can be put back; None if nothing was removed, or they were dropped."""
        return None if self._cut is None else self._cut.journal

    @property
    def _spans(self) -> Sequence[Span]:
        """The regions that the strategy found, as spans of the original's sequence."""
        return informing(self._selection)

    @property
    def _mask(self) -> bytes:
        """A byte for each node of the original's tag path sequence, 1 if it stayed; empty if all did."""
        return b"" if self._cut is None else bytes(self._cut.mask)

    def _lock(self) -> Any:
        return lock_of(self)

    def _original(self) -> bytes | str:
        if self._source is None:
            raise ValueError(f"the original page was dropped {DROPPED}")
        return self._source

    def _walked(self) -> tuple[HtmlElement, TagPathSequence]:
        """The page as downloaded, parsed and walked again, because its tree has been cut."""
        page = document.parse(document.read(self._original(), self.encoding), self.url)
        return page.root, TagPathSequence() if page.body is None else walk(page.body)

    def _explained(self) -> Explanation:
        """The explanation, made on first use."""
        if self._explanation is None:
            if not self._selection.spans and self._cut is None:
                return Explanation([], [])
            mask = None if self._cut is None else self._cut.mask
            self._explanation = explain(self._walked()[1], self._spans, mask, self._settings)
        return self._explanation

    def _to_dict(self) -> dict[str, Any]:
        """Return the account as plain data, without the page: for pickles, caches and (except for `mask`) JSON."""
        data = {name: getattr(self, name) for name in _PLAIN}
        settings = {name: getattr(self._settings, name) for name in _STORED}
        if not (self.strategy is None or isinstance(self.strategy, str)):
            settings["strategy"] = repr(self.strategy)
        return data | {
            "settings": settings,
            "timings": dict(self.timings),
            "spans": [tuple(span) for span in self._spans],
            "splits": [tuple(split) for split in self._selection.splits],
            "size_ratio": self._size_ratio,
            "mask": self._mask,
        }

    @classmethod
    def _from_dict(
        cls, data: Mapping[str, Any], *, source: bytes | str | None = None, html: str | None = None
    ) -> Pruning:
        """Return the account of a result of :meth:`_to_dict`, with the original and the pruned page if they are
        given."""
        settings = data["settings"]
        lists = {name: tuple(settings[name]) for name in ("keep", "drop", "keep_invisible")}
        pruning = cls(
            source,
            Selection(
                data["outcome"],
                [Span(*span) for span in data["spans"]],
                [Split(*split) for split in data["splits"]],
            ),
            replace(_LEFT_ALONE, **settings | lists),
            url=data["url"],
            encoding=data["encoding"],
            nodes=data["raw_nodes"],
            chars=data["raw_chars"],
            size_ratio=data["size_ratio"],
            cut=Cut(data["mask"], data["kept_chars"]) if data["mask"] else None,
            timings=dict(data["timings"]),
            error=data["error"],
            excluded_by=data["excluded_by"],
        )
        pruning._html = html
        return pruning

    def __reduce__(self) -> Any:
        return _restore, (self._to_dict(), self._source, self.html if self.pruned else None)


def lock_of(pruning: Pruning) -> AbstractContextManager[Any]:
    """The lock to hold while the tree of a page is read, because another thread may put removed parts back."""
    return nullcontext() if pruning._journal is None else pruning._journal.lock


def _restore(data: dict[str, Any], source: bytes | str | None, html: str | None) -> Pruning:
    return Pruning._from_dict(data, source=source, html=html)
