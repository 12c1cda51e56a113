"""A page after pruning, with the results of the steps, and the account of it that users see."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from scrapy_tps.engine.explanation import Explanation, explain
from scrapy_tps.engine.fallback.usage import Fallbacks
from scrapy_tps.engine.html import document
from scrapy_tps.engine.html.elements import plain_elements
from scrapy_tps.engine.html.serializer import serialise
from scrapy_tps.engine.outcomes import NO_REGION, PRUNED
from scrapy_tps.engine.page_settings import PageSettings
from scrapy_tps.engine.sequence.columns import TagPathSequence
from scrapy_tps.engine.sequence.region_search import Split
from scrapy_tps.engine.sequence.walking import walk_tree
from scrapy_tps.engine.strategies import Selection, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from lxml.html import HtmlElement

    from scrapy_tps.engine.explanation import Region, Removed
    from scrapy_tps.engine.html.serializer import WrittenPage
    from scrapy_tps.engine.journal import Journal
    from scrapy_tps.records import DataRegions

#: Settings of a page that was excluded.
_LEFT_ALONE: Final = PageSettings(strategy=None, fallback=False)
#: Why a page has no original, for messages.
DROPPED: Final = "(TPS_FALLBACK and TPS_COMPARE are off, and TPS_LINKS is pruned)"
#: Settings stored with an account: with these and the mask, the page can be cut again.
_STORED: Final = ("strategy", "fallback", "links", "keep", "drop", "keep_invisible")
#: The figures of an account that are plain data.
FIGURES: Final = (
    "url",
    "outcome",
    "error",
    "excluded_by",
    "raw_nodes",
    "kept_nodes",
    "raw_chars",
    "kept_chars",
)


class Origin(NamedTuple):
    """The page as downloaded.

    :ivar source: None if it was dropped.
    :ivar encoding: the one that the server declared, or Scrapy found.
    """

    source: bytes | str | None
    url: str | None = None
    encoding: str | None = None


class Cut(NamedTuple):
    """A tree after the cut.

    :ivar mask: a byte for each node of the original's sequence, 1 if it stayed.
    :ivar chars: the visible characters that stayed.
    :ivar journal: the removed parts, which can be put back; None if they were dropped.
    :ivar explanation: that of a page whose original is dropped; otherwise it is made on first use.
    """

    mask: bytes | bytearray
    chars: int
    journal: Journal | None = None
    explanation: Explanation | None = None


@dataclass(slots=True)
class PrunedPage:
    """A page, pruned or not, as the engine and its callers work with it: the results of the steps.

    Each step is made once, from the one before it, and no later step writes into it. Users see its :class:`Pruning`.

    :ivar selection: that of the strategy, or the reason why it did not run.
    :ivar settings: those of the pruning; of a page that was stored, only some (`stored`).
    :ivar nodes, chars: nodes of the tag path sequence, and visible characters, of the page as downloaded.
    :ivar root: the ``html`` element of the tree, pruned or not; None if there is no tree that holds all of the page.
    :ivar size_ratio: the ratio in effect; None if the strategy did not run.
    :ivar cut: None if nothing was removed.
    :ivar written: the page as bytes, for a response; None if nobody needs them.
    :ivar html: the page after pruning as text; None if it has not been written.
    :ivar microseconds: the processor time that it took, if measured.
    """

    origin: Origin
    selection: Selection
    settings: PageSettings = _LEFT_ALONE
    nodes: int = 0
    chars: int = 0
    root: HtmlElement | None = None
    size_ratio: float | None = None
    cut: Cut | None = None
    timings: dict[str, float] = field(default_factory=dict)
    error: str | None = None
    excluded_by: str | None = None
    written: WrittenPage | None = None
    html: str | None = None
    stored: bool = False
    microseconds: int = 0
    _explanation: Explanation | None = None

    @property
    def journal(self) -> Journal | None:
        """The removed parts, which can be put back; None if nothing was removed, or they were dropped."""
        return None if self.cut is None else self.cut.journal

    @property
    def lock(self) -> AbstractContextManager[object]:
        """The lock to hold while the tree is read, because another thread may put removed parts back."""
        return nullcontext() if self.journal is None else self.journal.lock

    @property
    def spans(self) -> Sequence[Span]:
        """The regions that the strategy found, as spans of the original's sequence."""
        return informing(self.selection)

    @property
    def mask(self) -> bytes:
        """A byte for each node of the original's tag path sequence, 1 if it stayed; empty if all did."""
        return b"" if self.cut is None else bytes(self.cut.mask)

    @property
    def source(self) -> bytes | str:
        """The page as downloaded; raises ``ValueError`` if it was dropped."""
        if self.origin.source is None:
            raise ValueError(f"the original page was dropped {DROPPED}")
        return self.origin.source

    def read_again(self) -> document.Document:
        """Return the page as downloaded, parsed again because its tree has been cut."""
        return document.parse(document.parser_input(self.source, self.origin.encoding), self.origin.url)

    def walk_again(self) -> tuple[HtmlElement, TagPathSequence]:
        """Return root and sequence of :meth:`read_again`."""
        page = self.read_again()
        with plain_elements(page.body):
            return page.root, TagPathSequence() if page.body is None else walk_tree(page.body)

    def explain(self) -> Explanation:
        """Return the explanation, made on first use."""
        made = self._explanation or (self.cut and self.cut.explanation)
        if made is None and not self.selection.spans and self.cut is None:
            made = Explanation([], [])
        if made is None:
            mask = None if self.cut is None else self.cut.mask
            made = explain(self.walk_again()[1], self.spans, mask, self.settings)
        self._explanation = made
        return made

    def write_html(self) -> str:
        """Return the page after pruning, serialised on first use; if it was not pruned, the page as passed in."""
        if self.html is None:
            if self.cut is None:
                self.html = document.decode(self.source, self.origin.encoding)
            elif self.root is None:
                raise ValueError("this account was stored without its page")
            else:
                with self.lock:
                    self.html = serialise(self.root)
        return self.html


def informing(selection: Selection) -> Sequence[Span]:
    """Return the spans of a selection; if the page is not pruned, all of them are kept."""
    if selection.outcome == PRUNED:
        return selection.spans
    return [span._replace(kept=True) for span in selection.spans]


class Pruning:
    """A page, pruned or not, and the account of what happened to it.

    :ivar outcome: ``pruned``, or why the page was not pruned: one of :data:`~scrapy_tps.engine.outcomes.OUTCOMES`.
    :ivar strategy: the setting ``TPS_STRATEGY`` in effect.
    :ivar url: that of the page as downloaded.
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

    __slots__ = (*FIGURES, "_page", "selector_usage", "strategy", "timings")

    def __init__(self, page: PrunedPage) -> None:
        cut, outcome = page.cut, page.selection.outcome
        if cut is not None:
            outcome = PRUNED
        elif outcome == PRUNED:
            outcome = NO_REGION
        self._page: Final = page
        self.outcome: Final = outcome
        self.strategy: Final = page.settings.strategy
        self.url: Final = page.origin.url
        self.raw_nodes: Final = page.nodes
        self.raw_chars: Final = page.chars
        self.kept_nodes: Final = page.nodes if cut is None else page.nodes - cut.mask.count(0)
        self.kept_chars: Final = page.chars if cut is None else cut.chars
        self.timings: Final = page.timings
        self.error: Final = page.error
        self.excluded_by: Final = page.excluded_by
        self.selector_usage = Fallbacks()

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
        return self._page.write_html()

    @property
    def root(self) -> HtmlElement:
        """The ``html`` element after pruning; if the page was not pruned, it is parsed again on first use."""
        if self._page.root is None:
            self._page.root = document.parse(self.html, self.url).root
        return self._page.root

    @property
    def regions(self) -> list[Region]:
        """All regions, in document order. Nodes outside any region stayed."""
        return self._page.explain().regions

    def removed(self) -> Iterator[Removed]:
        """Iterate over the removed parts, in document order: whole subtrees, single text nodes, scripts and styles."""
        return iter(self._page.explain().removed)

    def records(
        self, *, timeout: float | None = 5.0, min_confidence: float = 0.05, parse: bool = False
    ) -> DataRegions:
        """Return the lists of records on the page after pruning, best first.

        See :func:`~scrapy_tps.extract_records` for result and other arguments.

        :param parse: whether prices and dates are parsed, too: see
            :meth:`DataRegions.parse <scrapy_tps.records.DataRegions.parse>`.
        """
        from scrapy_tps.records.extract import records_below  # noqa: PLC0415 (takes as long as all else)

        with self._page.lock:
            body = self.root.find("body")
            found = records_below(body, timeout=timeout, min_confidence=min_confidence)
        if parse:
            found.parse()
        return found

    def next_page(self) -> str | None:
        """Return the address of the page after this one in a listing; None if there is none.

        Scrapy's ``response.follow()`` takes it. The link is looked for on the page as downloaded, because pruning may
        remove pagination, unless that was dropped. None, too, for a page that the engine did not read, or without
        address.
        """
        from scrapy_tps.records.next_page import next_page  # noqa: PLC0415 (few ask for it)

        page = self._page
        if self.url is None or (page.root is None and page.origin.source is None):
            return None
        if not self.pruned or page.origin.source is None:
            return next_page(self.root, self.url)
        return next_page(page.read_again().root, self.url)

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
            A list of one column, or whose fields lack some of its words other than those of buttons, is not changed.
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
        with self._page.lock:
            instead = records_markdown(self.records() if records else (), base_address(root, self.url))
            text = to_markdown(root, self.url, links=links, instead=instead)
            return f"{labels(root, self.url)}\n{text}" if front_matter else text

    def __reduce__(self) -> tuple[object, ...]:
        html = self.html if self.pruned else None
        return partial(restore_account, source=self._page.origin.source, html=html), (account_data(self),)


def page_of(pruning: Pruning) -> PrunedPage:
    """Return the page that an account was made from."""
    return pruning._page


def account_data(pruning: Pruning) -> dict[str, Any]:
    """Return an account as plain data, without the page: for pickles, caches and (except for `mask`) JSON."""
    page = page_of(pruning)
    data = {name: getattr(pruning, name) for name in FIGURES}
    settings = {name: getattr(page.settings, name) for name in _STORED}
    if not (pruning.strategy is None or isinstance(pruning.strategy, str)):
        settings["strategy"] = repr(pruning.strategy)
    return data | {
        "encoding": page.origin.encoding,
        "settings": settings,
        "timings": dict(pruning.timings),
        "spans": [tuple(span) for span in page.spans],
        "splits": [tuple(split) for split in page.selection.splits],
        "size_ratio": page.size_ratio,
        "mask": page.mask,
    }


def restore_account(
    data: Mapping[str, Any], *, source: bytes | str | None = None, html: str | None = None
) -> Pruning:
    """Return the account of a result of :func:`account_data`, with the original and the pruned page if they are
    given."""
    settings = data["settings"]
    lists = {name: tuple(settings[name]) for name in ("keep", "drop", "keep_invisible")}
    spans = [Span(*span) for span in data["spans"]]
    splits = [Split(*split) for split in data["splits"]]
    return Pruning(
        PrunedPage(
            Origin(source, data["url"], data["encoding"]),
            Selection(data["outcome"], spans, splits),
            replace(_LEFT_ALONE, **settings | lists),
            nodes=data["raw_nodes"],
            chars=data["raw_chars"],
            size_ratio=data["size_ratio"],
            cut=Cut(data["mask"], data["kept_chars"]) if data["mask"] else None,
            timings=dict(data["timings"]),
            error=data["error"],
            excluded_by=data["excluded_by"],
            html=html,
            stored=True,
        )
    )
