"""A page after pruning: its tree, and the account and the explanation that come with it."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from scrapy_tps.engine.account import Account
from scrapy_tps.engine.explanation import Explanation, explain
from scrapy_tps.engine.fallback.usage import Fallbacks
from scrapy_tps.engine.html import document
from scrapy_tps.engine.html.serializer import serialise
from scrapy_tps.engine.outcomes import ERROR, PRUNED
from scrapy_tps.engine.sequence.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.html import HtmlElement

    from scrapy_tps.engine.explanation import Region, Removed
    from scrapy_tps.engine.journal import Journal
    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.records import DataRegions


class Pruning(Account):
    """A page, pruned or kept whole, and the account of what happened to it.

    :ivar source: the page as given (raw bytes in a crawl), all of the original that is kept; None if it was dropped.
        XPaths and texts of what was removed are worked out from it when they are asked for.
    :ivar asked: which selectors the page was asked, and which of them the page as downloaded answered: a
        :class:`~scrapy_tps.engine.fallback.usage.Fallbacks`.
    :ivar journal: what was taken out of the tree, and can be put back; None where nothing was, or it was dropped.
    """

    __slots__ = (
        "_explanation",
        "_html",
        "_root",
        "asked",
        "journal",
        "source",
    )

    def __init__(
        self, source: bytes | str | None, outcome: str, *, url: str | None = None, encoding: str | None = None
    ) -> None:
        super().__init__(outcome, url=url, encoding=encoding)
        self.source = source
        self.asked = Fallbacks()
        self.journal: Journal | None = None
        self._root: HtmlElement | None = None
        self._html: str | None = None
        self._explanation: Explanation | None = None

    def __repr__(self) -> str:
        return (
            f"<Pruning {self.outcome} nodes {self.raw_nodes} -> {self.kept_nodes} "
            f"({self.reduction:.0%} removed){f' {self.url}' if self.url else ''}>"
        )

    @property
    def html(self) -> str:
        """The page after pruning, serialised on first use; if it was kept whole, the page as given."""
        if self._html is None:
            if self.pruned and self._root is None:
                raise ValueError("this account was stored without its page")
            if self.pruned and self._root is not None:
                self._html = self._serialised()
            else:
                self._html = document.decode(self._original(), self.encoding)
        return self._html

    def _serialised(self) -> str:
        assert self._root is not None
        if self.journal is None:
            return serialise(self._root)
        with self.journal.lock:
            return serialise(self._root)

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
    def regions(self) -> list[Region]:
        """Every region found, in document order. Nodes in no region stayed."""
        return self._explained().regions

    def removed(self) -> Iterator[Removed]:
        """Iterate over what was removed, in document order: whole subtrees, single text nodes, scripts and styles."""
        return iter(self._explained().removed)

    def records(self, settings: Mapping[str, Any] | PageSettings | None = None) -> DataRegions:
        """Return the lists of records on the page after pruning, best first.

        See :func:`~scrapy_tps.extract_records` for `settings` and result.
        """
        from scrapy_tps.records.extract import records_below  # noqa: PLC0415 (takes as long as all else)
        from scrapy_tps.settings.definitions import page_settings  # noqa: PLC0415

        return records_below(self.root.find("body"), page_settings(settings))

    def markdown(self, *, links: bool = True, front_matter: bool = False, records: bool = False) -> str:
        """Return the page after pruning as Markdown in GitHub's flavour; needs the extra ``markdown``.

        All text of the tree is in it, in order and once. Links and pictures get absolute addresses if the page's own
        is known; addresses that a viewer might run (``javascript:``, ``data:``) are left out. HTML stands for what
        Markdown cannot say: tables with spans or with lists in their cells, emphasis inside of a word, ``sub`` and
        ``sup``. Tables of layout become paragraphs.

        :param links: False: texts of links and alternative texts of pictures, without addresses.
        :param front_matter: begin with YAML of what the page labels: title, address, canonical address, author, date,
            language.
        :param records: write lists of records (see :meth:`records`) as tables, or as lists of fields if rows are long.
            A list whose fields lack some of its words stays as it is.
        :raises ImportError: without the extra.
        """
        try:
            from scrapy_tps.engine.markdown import base_address, to_markdown  # noqa: PLC0415 (an extra)
        except ImportError as error:
            raise ImportError(
                "Markdown needs the extra `markdown`: pip install scrapy-tps[markdown]"
            ) from error
        from scrapy_tps.engine.front_matter import front_matter as labels  # noqa: PLC0415 (few ask for it)
        from scrapy_tps.records.markdown import records_markdown  # noqa: PLC0415 (takes as long as all else)

        root = self.root
        regions = self.records() if records and root.find("body") is not None else ()
        instead = records_markdown(regions, base_address(root, self.url))
        with nullcontext() if self.journal is None else self.journal.lock:
            text = to_markdown(root, self.url, links=links, instead=instead)
            return f"{labels(root, self.url)}\n{text}" if front_matter else text

    def parsed(self, root: HtmlElement | None) -> None:
        """Take over the tree of the page; None where it does not hold all of it."""
        self._root = root

    def cut(self, root: HtmlElement, mask: bytearray, chars: int) -> None:
        """Take over the tree from which all goes that `mask` does not keep, and the visible characters left."""
        self.outcome = PRUNED
        self._root, self._mask = root, mask
        self.kept_nodes, self.kept_chars = len(mask) - mask.count(0), chars

    def failed(self, error: Exception) -> None:
        """Keep the page whole because of an exception."""
        self.outcome, self.error = ERROR, f"{type(error).__name__}: {error}"
        self._root = self._mask = self._explanation = self.journal = None
        self.spans = ()
        self.kept_nodes, self.kept_chars = self.raw_nodes, self.raw_chars

    def explain(self, sequence: TagPathSequence) -> None:
        """Work out now what :attr:`regions` and :meth:`removed` say, where the original is not kept for it."""
        self._explanation = explain(sequence, self.spans, self._mask if self.pruned else None, self.cutting)

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any], *, source: bytes | str | None = None, html: str | None = None
    ) -> Pruning:
        """Return the account of :meth:`to_dict`, with the original and the pruned page if they are given."""
        pruning = cls(source, data["outcome"]).read(data)
        pruning._html = html
        return pruning

    def __reduce__(self) -> Any:
        return _restore, (self.to_dict(), self.source, self.html if self.pruned else None)

    def _original(self) -> bytes | str:
        if self.source is None:
            raise ValueError("the original page was dropped (TPS_KEEP_ORIGINAL is False)")
        return self.source

    def _explained(self) -> Explanation:
        """The explanation; walks the original again, because the tree has been cut."""
        if self._explanation is None:
            if not self.spans and not self._mask:
                return Explanation([], [])
            self.explain(walk(document.parse(document.read(self._original(), self.encoding), self.url).body))
        assert self._explanation is not None
        return self._explanation


def _restore(data: dict[str, Any], source: bytes | str | None, html: str | None) -> Pruning:
    return Pruning.from_dict(data, source=source, html=html)
