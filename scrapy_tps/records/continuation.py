"""Finds the list of one page on the next: the last page of a listing may have one record, which is not a list by
itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from scrapy_tps.engine.sequence.columns import HIDDEN_TAGS
from scrapy_tps.records.extract import region_of
from scrapy_tps.records.page import normalise_class

if TYPE_CHECKING:
    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.records.across import Span
    from scrapy_tps.records.model import DataRegion
    from scrapy_tps.records.page import RecordPage

#: Records of the first page that say what is typical.
_SAMPLE: Final = 20
#: Share of what is typical that a record of another page has at least.
_LEAST_FIT: Final = 0.5

_Triple = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class RecordKind:
    """The shape of the records of a list, so that they can be recognised on another page of the site; it can be
    pickled.

    :ivar path: the tags from below ``body`` down to the record.
    :ivar classes: class names that all of its records have, digits as 0.
    :ivar typical: (grandparent's tag, parent's, own) and how often most of the records have it.
    :ivar confidence: that of the list.
    """

    path: tuple[str, ...]
    classes: tuple[str, ...]
    typical: tuple[tuple[_Triple, int], ...]
    confidence: float


def kind_of(region: DataRegion) -> RecordKind | None:
    """Return what the records of a list look like; None if each of them consists of several elements."""
    if any(len(record.nodes) != 1 for record in region.records):
        return None
    tops = [record.nodes[0] for record in region.records]
    path = Counter(map(_path, tops)).most_common(1)[0][0]
    shared = set.intersection(*(set(normalise_class(top.get("class") or "").split()) for top in tops))
    bags = [_bag(top) for top in tops[:_SAMPLE]]
    having = Counter(triple for bag in bags for triple in bag)
    typical = {
        triple: sorted(bag[triple] for bag in bags)[len(bags) // 2] or 1
        for triple, records in having.items()
        if 2 * records >= len(bags)
    }
    return RecordKind(path, tuple(sorted(shared)), tuple(sorted(typical.items())), region.confidence)


def continued(body: Any, kind: RecordKind, settings: PageSettings | None = None) -> DataRegion | None:
    """Return the records of a known kind below a ``body`` element, even if there is only one; None if there are
    none."""
    return region_of(body, lambda page: _places(page, kind), kind.confidence, settings)


def _path(top: Any) -> tuple[str, ...]:
    tags = [top.tag, *(above.tag for above in top.iterancestors())]
    below_body = tags.index("body") if "body" in tags else len(tags)
    return tuple(reversed(tags[:below_body]))


def _bag(top: Any) -> Counter[_Triple]:
    """The tags of a record's elements, each with those of the two above it, as far as they are its own."""
    bag: Counter[_Triple] = Counter()
    above: dict[Any, tuple[str, str]] = {}  # (own, parent's)
    for element in top.iter(etree.Element):
        parent, grandparent = above.get(element.getparent(), ("", "")) if element is not top else ("", "")
        if element.tag not in HIDDEN_TAGS and parent not in HIDDEN_TAGS:
            bag[grandparent, parent, element.tag] += 1
        above[element] = element.tag, parent
    return bag


def _places(page: RecordPage, kind: RecordKind) -> list[Span]:
    """The elements at the kind's path that have its classes and most of what is typical."""
    sequence, end = page.sequence, page.end
    wanted, typical, length = set(kind.classes), Counter(dict(kind.typical)), len(kind.path)
    least = _LEAST_FIT * typical.total()
    depths: list[int] = []  # steps of the kind's path to each symbol, -1 off the path
    for parent, tag in zip(sequence.symbol_parent, sequence.symbol_tag, strict=True):
        depth = depths[parent] if parent >= 0 else -1
        on_path = parent >= 0 and 0 <= depth < length and kind.path[depth] == tag
        depths.append(0 if parent < 0 else depth + 1 if on_path else -1)
    return [
        (place, end[place])
        for place, symbol in enumerate(sequence.symbols)
        if depths[symbol] == length
        and page.text[end[place]] > page.text[place]
        and wanted <= set(page.signature_class[page.signatures[place]].split())
        and (_bag(sequence.nodes[place]) & typical).total() >= least
    ]
