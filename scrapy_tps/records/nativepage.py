"""A page whose columns are those of the native core, and the choice between it and pure Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_tps.engine import native
from scrapy_tps.records.page import (
    FLAG_BITS,
    FLAGS,
    TEXT_WEIGHTS,
    Kinship,
    RecordPage,
    Spread,
    Totals,
    read_class,
)
from scrapy_tps.records.regularity import Regularity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.records.page import Span


def page_of(sequence: TagPathSequence) -> RecordPage:
    """Return what record extraction needs to know of a page, natively where its sequence is native."""
    return NativeRecordPage(sequence) if isinstance(sequence, native.NativeSequence) else RecordPage(sequence)


class NativeRecordPage(RecordPage):
    """A page whose columns are C arrays; the results are those of :class:`RecordPage`."""

    _columns: Any
    _bags: Any

    def _derive(self, sequence: TagPathSequence) -> None:
        columns = native.extension("records").Columns(
            sequence.native_walk,  # type: ignore[attr-defined]
            read_class,
            FLAGS,
            FLAG_BITS,
            TEXT_WEIGHTS,
        )
        self._columns = columns
        self._bags = native.extension("records").Bags(
            sequence.native_walk,  # type: ignore[attr-defined]
            columns.grams,
            columns.paths,
            columns.gram_count,
        )
        self.paths, self.kinds = columns.paths, columns.kinds
        self.signatures, self.grams = columns.signatures, columns.grams
        self.count_of_path, self.count_of_kind = columns.count_of_path, columns.count_of_kind
        self.weight, self.text = columns.weight, columns.text
        self.link_text, self.links = columns.link_text, columns.links
        self.texts, self.text_nodes = columns.texts, columns.text_nodes
        self.signature_class = columns.signature_class
        self.signature_of_symbol = columns.signature_of_symbol
        self.nested_tags = columns.nested_tags

    def string(self, index: int) -> str:
        return self._columns.string(index)  # type: ignore[no-any-return]

    def strings(self, start: int, end: int) -> list[str]:
        return self._columns.strings(start, end)  # type: ignore[no-any-return]

    def different_texts(self, spans: Sequence[Span]) -> int:
        return self._columns.different_texts(spans)  # type: ignore[no-any-return]

    def density(self, spans: Sequence[Span]) -> float:
        return self._bags.density(spans)  # type: ignore[no-any-return]

    def regularity(self, spans: Sequence[Span], chosen: Sequence[int] | None = None) -> Regularity:
        return Regularity(*self._bags.regularity(spans, chosen))

    def fit(self, span: Span, typical: dict[int, int]) -> float:
        return self._bags.fit(typical, *span)  # type: ignore[no-any-return]

    def clusters(self, places: Sequence[int], least: float, most: int) -> list[int]:
        return self._bags.clusters(places, least, most)  # type: ignore[no-any-return]

    def totals(self, spans: Sequence[Span]) -> Totals:
        return Totals._make(self._columns.totals(spans))

    def spread(self, spans: Sequence[Span]) -> Spread:
        return Spread._make(self._columns.spread(spans))

    def kinship(self, spans: Sequence[Span]) -> Kinship:
        return Kinship._make(self._columns.kinship(spans))

    def places(self, path: int, signature: int | None) -> list[int]:
        return self._columns.places(path, -1 if signature is None else signature)  # type: ignore[no-any-return]
