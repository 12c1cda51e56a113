"""Extraction of the data regions of a page, and of the list of one page on the next page."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeVar

from lxml import etree

from scrapy_tps.engine import native
from scrapy_tps.engine.html.document import MAX_NODES, decode, is_html, parse
from scrapy_tps.engine.html.elements import plain_elements, reads_tree
from scrapy_tps.engine.xpaths import XPaths
from scrapy_tps.records import ranking
from scrapy_tps.records.candidates import candidate_groups
from scrapy_tps.records.cells import CellReader
from scrapy_tps.records.columns import table_of
from scrapy_tps.records.next_page import base_url
from scrapy_tps.records.ranking import variants_of
from scrapy_tps.records.record_page import RecordPage, normalise_class
from scrapy_tps.records.record_parts import find_sublists, headed_list
from scrapy_tps.records.record_selectors import ways_inside
from scrapy_tps.records.regions import Budget, DataRecord, DataRegion, DataRegions
from scrapy_tps.settings.definitions import page_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.records.cells import Cell
    from scrapy_tps.records.record_group import Group
    from scrapy_tps.records.record_page import Span


T = TypeVar("T")

#: The number of candidate lists that are examined closely, the most promising first: it bounds the cost of a page.
MAX_CANDIDATES: Final = 16
#: The number of these that are always examined, even if the time is up.
LEAST_SCORED: Final = 3
#: The number of these whose variants are examined, the best first.
MAX_VARIED: Final = 6
#: Another list counts if it is at least this times as probable as the best, unlike filters and teasers.
OF_THE_BEST: Final = 0.5
#: The number of levels of nested lists that are followed.
MAX_LEVELS: Final = 3


def extract_records(
    body: bytes | str,
    *,
    url: str | None = None,
    encoding: str | None = None,
    timeout: float | None = 5.0,
    min_confidence: float = 0.05,
    settings: Mapping[str, Any] | PageSettings | None = None,
) -> DataRegions:
    """Find the lists of records on a page, whole or pruned, without selectors.

    :param body: the page; bytes are decoded as in Scrapy.
    :param url: its address, which makes those of links and pictures absolute.
    :param encoding: the encoding that the server declared.
    :param timeout: seconds; the records found by then are returned. None means no limit.
    :param min_confidence: lists of a lower confidence, 0 to 1, are not returned.
    :param settings: a mapping of ``TPS_*`` names; only ``TPS_MAX_BYTES`` has an effect here.
    :return: the regions, best first; empty if there is no list. Markup never raises an exception. The attribute
        ``complete`` is False if the time ran out.
    :raises ValueError: on a wrong argument, an unknown setting or a wrong value.
    :raises TypeError: if `body` is neither bytes nor str.
    """
    if not isinstance(body, (bytes, str)):
        raise TypeError(f"body must be bytes or str, not {type(body).__name__}")
    checked = page_settings(settings)
    if len(body) > checked.max_bytes:
        return DataRegions()
    text = decode(body, encoding)
    if not text.lstrip().startswith("<") and not is_html(text):  # the items of a feed are records
        return DataRegions()
    try:
        document = parse(text, url)
    except etree.LxmlError:
        return DataRegions()
    return records_below(document.body, timeout=timeout, min_confidence=min_confidence)


@reads_tree
def records_below(body: Any, *, timeout: float | None = 5.0, min_confidence: float = 0.05) -> DataRegions:
    """Find the lists of records below a ``body`` element (None means an empty page); the tree is not changed."""
    if not 0 <= min_confidence <= 1:
        raise ValueError(f"min_confidence is {min_confidence!r}; allowed: a number from 0 to 1")
    found = _extracted(body, timeout, lambda one: one.regions(one.ranked(one.candidates()), min_confidence))
    return DataRegions() if found is None else found


@reads_tree
def candidate_lists(root: Any) -> list[list[Any]]:
    """Return the first elements of the records of all lists below an element that may be one, the likeliest first."""
    return _extracted(root, None, lambda one: [one.first_elements(group) for group in one.candidates()]) or []


def _extracted(body: Any, timeout: float | None, extract: Callable[[Extraction], T]) -> T | None:
    """Return what is extracted from a page; None for an empty or a too large one."""
    budget = Budget(timeout)
    if body is None:
        return None
    with plain_elements(body):
        tree = body.getroottree()
        base = base_url(tree.getroot(), tree.docinfo.URL or "")
        sequence = native.walk(body)
        return extract(Extraction(sequence, budget, base)) if len(sequence) <= MAX_NODES else None


class Extraction:
    """The extraction of one page, in three steps.

    :param base: the address against which links are resolved.
    """

    def __init__(self, sequence: TagPathSequence, budget: Budget, base: str = "") -> None:
        self._page = RecordPage(sequence)
        self._reader = CellReader(self._page, base)
        self._xpaths = XPaths(sequence)
        self._budget = budget

    def regions(self, ranked: list[tuple[Group, float]], least: float) -> DataRegions:
        """Return lists of at least that confidence as regions, aligned into columns and with the lists inside records.

        A list with less than half the share of the best is omitted.
        """
        regions = DataRegions()
        confidences = ranking.confidences([share for _, share in ranked])
        for (group, share), confidence in zip(ranked, confidences, strict=True):
            if confidence < least or share < OF_THE_BEST * ranked[0][1]:
                break
            if regions and not self._budget.left():
                break
            innermost, sublists = self.innermost(group)
            regions.append(self._region(innermost.spans, sublists, confidence, MAX_LEVELS))
        regions.complete = not self._budget.exceeded
        return regions

    def continued(self, kind: RecordKind) -> DataRegion | None:
        """Return the region of the records of a known kind, None if there are none."""
        spans = _places(self._page, kind)
        if not spans:
            return None
        return self._region(spans, self._sublists(spans, MAX_LEVELS), kind.confidence, MAX_LEVELS)

    def candidates(self) -> list[Group]:
        """Return the most promising of the page's lists, best first.

        All of them are searched for, regardless of the time, because the page's main list may be the last one.
        """
        found = [(ranking.promise(group), group) for group in candidate_groups(self._page, self._budget)]
        found.sort(key=lambda entry: -entry[0])  # stable: equals stay in document order
        return [group for _, group in found[:MAX_CANDIDATES]]

    def first_elements(self, group: Group) -> list[Any]:
        """Return the first element of each record of a list that starts with one."""
        page = self._page
        return [page.nodes[start] for start, _ in group.spans if page.is_element(start)]

    def ranked(self, promising: list[Group]) -> list[tuple[Group, float]]:
        """Return the best forms of lists that share no node with their shares of the odds, best first."""
        found = []
        for group in promising:
            found.append((ranking.score(group), group))
            if not self._budget.left() and len(found) >= LEAST_SCORED:
                break
        found.sort(key=lambda entry: -entry[0])
        scored = found[:MAX_VARIED]
        for _, group in found[:MAX_VARIED]:
            if self._budget.left():
                scored += [(ranking.score(one), one) for one in variants_of(group)]
        scored.sort(key=lambda entry: -entry[0])  # stable: equal scores stay in document order
        chosen: list[tuple[float, Group]] = []
        taken = bytearray(len(self._page))
        for score, group in scored:
            if any(taken.find(1, start, end) >= 0 for start, end in group.spans):
                continue
            for start, end in group.spans:
                taken[start:end] = b"\x01" * (end - start)
            chosen.append((score, group))
        shares = ranking.shares([score for score, _ in chosen])
        return [(group, share) for (_, group), share in zip(chosen, shares, strict=True)]

    def innermost(self, group: Group) -> tuple[Group, list[list[list[Span]]]]:
        """Return a list, or the list that its records head, with the lists inside its records."""
        while True:
            sublists = self._sublists(group.spans, MAX_LEVELS)
            below = next(filter(None, (headed_list(group, sublist) for sublist in sublists)), None)
            if below is None:
                return group, sublists
            group = max([below, *variants_of(below)], key=ranking.score)

    def _sublists(self, spans: list[Span], levels: int) -> list[list[list[Span]]]:
        return find_sublists(self._page, self._reader, spans) if levels > 1 and self._budget.left() else []

    def _region(
        self, spans: list[Span], sublists: list[list[list[Span]]], confidence: float, levels: int
    ) -> DataRegion:
        """Return the region of records, given the lists inside these."""
        page, reader = self._page, self._reader
        joined: dict[int, str] = {}
        inner: list[list[DataRegion]] = [[] for _ in spans]
        for sublist in sublists:
            self._split_off(sublist, joined, inner, confidence, levels - 1)
        cells = [reader.cells(span, joined) for span in spans]
        columns, table = table_of(page, reader, spans, cells)
        records = self._records(spans, table, inner)
        return DataRegion(records, columns, confidence, self._xpaths.of(page.ancestor_of(spans)))

    def _split_off(
        self,
        items: list[list[Span]],
        joined: dict[int, str],
        inner: list[list[DataRegion]],
        confidence: float,
        levels: int,
    ) -> None:
        """Make one region of the items of all records, so that they share columns, and distribute it to the records."""
        page = self._page
        everything = [item for of_record in items for item in of_record]
        whole = self._region(everything, self._sublists(everything, levels), confidence, levels)
        start = 0
        for of_record, regions in zip(items, inner, strict=True):
            if not of_record:
                continue
            texts = (" ".join(page.strings(*item)) for item in of_record)
            joined[of_record[0][0]] = ", ".join(texts)
            joined.update((item[0], "") for item in of_record[1:])
            part = whole.records[start : start + len(of_record)]
            start += len(of_record)
            xpath = self._xpaths.of(page.parent[of_record[0][0]])
            regions.append(DataRegion(part, whole.columns, confidence, xpath))

    def _records(
        self, spans: list[Span], table: list[list[Cell | None]], inner: list[list[DataRegion]]
    ) -> list[DataRecord]:
        page, nodes = self._page, self._page.nodes
        fields = [[None if cell is None else cell.value for cell in column] for column in table]
        elements = [[None if cell is None else nodes[cell.place] for cell in column] for column in table]
        return [
            DataRecord(
                text=" ".join(page.strings(*span)),
                fields=[column[place] for column in fields],
                nodes=[nodes[top] for top in page.tops(*span) if page.is_element(top)],
                sublists=inner[place],
                elements=[column[place] for column in elements],
            )
            for place, span in enumerate(spans)
        ]


#: The number of records of the first page that define the typical structure.
_SAMPLE: Final = 20
#: The least share of the typical structure in a record of another page.
_LEAST_FIT: Final = 0.5


@dataclass(frozen=True, slots=True)
class RecordKind:
    """The shape of the records of a list, for recognition on another page of the site; it can be pickled.

    :ivar path: the tags from below ``body`` down to the record.
    :ivar classes: class names that all of its records have, digits as 0.
    :ivar typical: the ways, by tags, to elements inside that most of the records have.
    :ivar confidence: that of the list.
    """

    path: tuple[str, ...]
    classes: tuple[str, ...]
    typical: tuple[str, ...]
    confidence: float


def kind_of(region: DataRegion) -> RecordKind | None:
    """Return the shape of the records of a list; None if each of them consists of several elements."""
    if any(len(record.nodes) != 1 for record in region.records):
        return None
    tops = [record.nodes[0] for record in region.records]
    path = Counter(map(_tag_path, tops)).most_common(1)[0][0]
    shared = set.intersection(*(set(normalise_class(top.get("class") or "").split()) for top in tops))
    having = Counter(chain.from_iterable(map(ways_inside, tops[:_SAMPLE])))
    typical = sorted(way for way, records in having.items() if 2 * records >= min(len(tops), _SAMPLE))
    return RecordKind(path, tuple(sorted(shared)), tuple(typical), region.confidence)


@reads_tree
def continued(body: Any, kind: RecordKind, *, timeout: float | None = 5.0) -> DataRegion | None:
    """Return the records of a known kind below a ``body`` element, even if there is only one; None if there are
    none."""
    return _extracted(body, timeout, lambda one: one.continued(kind))


def _tag_path(top: Any) -> tuple[str, ...]:
    tags = [top.tag, *(above.tag for above in top.iterancestors())]
    below_body = tags.index("body") if "body" in tags else len(tags)
    return tuple(reversed(tags[:below_body]))


def _places(page: RecordPage, kind: RecordKind) -> list[Span]:
    """Return the elements at the kind's path that have its classes and most of the typical structure."""
    sequence, end = page.sequence, page.end
    wanted, typical = set(kind.classes), set(kind.typical)
    return [
        (place, end[place])
        for place in sequence.find(kind.path[-1:])
        if page.text[end[place]] > page.text[place]
        and wanted <= page.class_names[page.signatures[place]]
        and _tag_path(sequence.nodes[place]) == kind.path
        and len(typical & ways_inside(sequence.nodes[place])) >= _LEAST_FIT * len(typical)
    ]
