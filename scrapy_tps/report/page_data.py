"""A page as data for its view: its tree exactly as parsed, its sequence, its removed parts, its records.

A browser that parses a page again builds another tree than lxml does (``tbody`` appears, blocks leave tables), so
counts of selector matches would be wrong. The view rebuilds the tree node by node from this.
"""

from __future__ import annotations

from dataclasses import asdict
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from scrapy_tps.engine import native
from scrapy_tps.engine.cutting import cut, matching
from scrapy_tps.engine.explanation import text_start
from scrapy_tps.engine.outcomes import OUTCOMES
from scrapy_tps.engine.pruned_page import FIGURES, page_of
from scrapy_tps.engine.sequence.columns import ELEMENT
from scrapy_tps.records.extract import records_below

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_tps.engine.pruned_page import Pruning
    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.records.regions import DataRecord

#: Tag of comments and processing instructions.
COMMENT: Final = "!"

#: Writes each node of a tree as ``n``, and each of its text nodes as ``t``. XPath returns text nodes, too, but lxml
#: goes from each to the element before it: quadratic for thousands of texts whose elements in between were removed.
_WITH_TEXTS: Final = etree.XSLT(
    etree.XML(
        """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
            <xsl:template match="/"><xsl:apply-templates select="*"/></xsl:template>
            <xsl:template match="*"><n><xsl:apply-templates/></n></xsl:template>
            <xsl:template match="comment() | processing-instruction()"><n/></xsl:template>
            <xsl:template match="text()"><t><xsl:value-of select="."/></t></xsl:template>
        </xsl:stylesheet>"""
    )
)

_CLASS_CHARACTERS = 60  # of a class attribute, in paths of the plot
_TEXT_CHARACTERS = 120  # of a region's text, in the list
_MOST_REGIONS: Final = 20
_MOST_RECORDS: Final = 500  # of a region
_VALUE_CHARACTERS: Final = 200


class PageWalk:
    """A page as downloaded, walked once for its view.

    :ivar root: its ``html`` element; `body`: its ``body``, or None.
    :ivar sequence: its tag path sequence; empty where there is no body.
    :ivar nodes: its elements and comments in document order; `numbers`: their places there.
    :ivar places: the places of elements in the sequence.
    """

    def __init__(self, root: Any, sequence: TagPathSequence) -> None:
        self.root, self.sequence = root, sequence
        self.nodes = list(root.iter())
        self.numbers = {node: number for number, node in enumerate(self.nodes)}
        self.places = {
            node: index
            for index, (node, kind) in enumerate(zip(sequence.nodes, sequence.kinds, strict=True))
            if kind == ELEMENT
        }
        self.body = sequence.nodes[0] if len(sequence.nodes) else None


def tree_data(page: PageWalk) -> dict[str, Any]:
    """Return columns with one entry per element or comment, in document order.

    ``parent``, ``tag``, ``attributes`` (names with values), ``text``, ``tail`` (0 where there is none), ``index``
    (place in the tag path sequence, or -1). Also ``outside``: comments before the root, nearest first, and after it.
    """
    root, *others = page.nodes
    return {
        "parent": [-1, *(page.numbers[node.getparent()] for node in others)],
        "tag": [node.tag if isinstance(node.tag, str) else COMMENT for node in page.nodes],
        "attributes": [node.items() for node in page.nodes],
        "text": [node.text or 0 for node in page.nodes],
        "tail": [0, *(node.tail or 0 for node in others)],
        "index": [page.places.get(node, -1) for node in page.nodes],
        "outside": [
            [one.text or "" for one in root.itersiblings(etree.Comment, preceding=preceding)]
            for preceding in (True, False)
        ],
    }


def gone_data(pruning: Pruning) -> dict[str, list[Any]]:
    """Return the parts of the tree of :func:`tree_data` that the pruned tree lacks, by cutting the page once more.

    ``nodes``: their numbers; ``texts``: (number, text, tail) of nodes that stayed but whose own text changed, each as
    the list of text nodes that XPath counts.
    """
    nodes: list[int] = []
    texts: list[Any] = []
    pruned = page_of(pruning)
    if not pruned.mask:
        return {"nodes": nodes, "texts": texts}
    page = PageWalk(*pruned.walk_again())
    assert page.body is not None
    before = [(node.text, number and node.tail) for number, node in enumerate(page.nodes)]
    settings = pruned.settings
    named = matching(page.root, settings.keep)
    # the same cut as in a crawl, so that texts are joined or kept apart in the same way
    journal = cut(native.walk(page.body), bytearray(pruned.mask), settings, named)
    # a copy of each node: an ``n`` with those of its children, and a ``t`` for each text node among them
    copies = dict(zip(page.root.iter(), _WITH_TEXTS(page.root).iter("n"), strict=True))
    for number, node in enumerate(page.nodes):
        copy = copies.get(node)
        if copy is None:
            nodes.append(number)
        elif (node.text, number and node.tail) != before[number]:
            text = _texts_at(copy) if isinstance(node.tag, str) else [node.text or ""]
            texts.append((number, text, _texts_at(copy.itersiblings())))
    journal.moves.join()  # lxml takes quadratic time to free removed parts one by one
    return {"nodes": nodes, "texts": texts}


def sequence_data(sequence: TagPathSequence) -> dict[str, Any]:
    return {
        "symbols": list(sequence.symbols),
        "parents": sequence.symbol_parent,
        "tags": sequence.symbol_tag,
        "classes": [" ".join(one.split())[:_CLASS_CHARACTERS] if one else 0 for one in sequence.symbol_class],
    }


def own_fate(sequence: TagPathSequence, prunings: Iterable[Pruning]) -> list[int]:
    """Return the text nodes that are removed without their parent, or form a separate region."""
    found: set[int] = set()
    texts = [index for index, kind in enumerate(sequence.kinds) if kind != ELEMENT]
    for pruning in prunings:
        mask = page_of(pruning).mask
        if mask:
            found.update(index for index in texts if not mask[index] and mask[sequence.parent[index]])
        for region in pruning.regions:
            index = region.start
            while index < region.end:
                if sequence.kinds[index] != ELEMENT:
                    found.add(index)
                index = sequence.end[index] if sequence.end[index] <= region.end else index + 1
    return sorted(found)


def account(pruning: Pruning) -> dict[str, Any]:
    """Return the figures of a page by name, ready for JSON."""
    strategy = pruning.strategy
    return {name: getattr(pruning, name) for name in FIGURES} | {
        "encoding": page_of(pruning).origin.encoding,
        "strategy": strategy if strategy is None or isinstance(strategy, str) else repr(strategy),
        "size_ratio": page_of(pruning).size_ratio,
        "reduction": round(pruning.reduction, 4),
        "seconds": {step: round(seconds, 6) for step, seconds in pruning.timings.items()},
    }


def variant_data(pruning: Pruning, page: PageWalk) -> dict[str, Any]:
    regions = [
        asdict(region) | {"text": text_start(page.sequence, region.start, region.end, _TEXT_CHARACTERS)}
        for region in pruning.regions
    ]
    return account(pruning) | {
        "means": "Pruned"
        if pruning.pruned
        else f"Not pruned: {OUTCOMES.get(pruning.outcome, pruning.outcome)}",
        "mask": list(page_of(pruning).mask),
        "regions": regions,
        "dropped": [asdict(one) for one in pruning.removed() if one.rule == "drop"],
        "splits": [split._asdict() for split in page_of(pruning).selection.splits],
        "gone": gone_data(pruning),
    }


def records_data(page: PageWalk) -> list[dict[str, Any]]:
    """Return the data regions of a page, best first; elements as places in the tag path sequence, or -1.

    At most 20 regions with 500 records each; ``count`` is the number of all records.
    """
    places, end = page.places, page.sequence.end

    def record_data(record: DataRecord) -> dict[str, Any]:
        spans = [(places[node], end[places[node]]) for node in record.nodes if node in places]
        values = [value if value is None else value[:_VALUE_CHARACTERS] for value in record.fields]
        return {
            "spans": spans,
            "fields": values,
            "cells": [places.get(element, -1) for element in record.elements],
        }

    return [
        {
            "xpath": region.xpath,
            "confidence": region.confidence,
            "count": len(region.records),
            "columns": [{"name": column.key, "type": column.type} for column in region.columns],
            "records": [record_data(record) for record in region.records[:_MOST_RECORDS]],
        }
        for region in records_below(page.body)[:_MOST_REGIONS]
    ]


def _texts_at(copies: Iterable[Any]) -> list[str]:
    """Return the text nodes at the start of these copies."""
    return [copy.text for copy in takewhile(lambda one: one.tag == "t", copies)]
