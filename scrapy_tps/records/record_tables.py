"""Lists of records as Markdown: tables where rows are short, otherwise lists of fields."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from scrapy_tps.engine.markdown import escaped, safe_address
from scrapy_tps.engine.sequence.columns import HIDDEN_TAGS

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from scrapy_tps.records.regions import DataRecord, DataRegion

#: Regions of less confidence stay as they are: menus, related links.
_LEAST_CONFIDENCE: Final = 0.5
#: Characters of a table's row; longer ones are lists of fields.
_WIDEST: Final = 240


def records_markdown(regions: Iterable[DataRegion], base: str | None) -> dict[Any, str]:
    """Return the Markdown that takes the place of elements: all of a list at its first record, nothing at the others.

    Text between two records parts their list. A list stays as it is where its fields do not hold every word of its
    records, so that none is lost.

    :param base: the address to which those of pictures are relative.
    """
    instead: dict[Any, str] = {}
    firsts: dict[Any, tuple[DataRegion, DataRecord]] = {}
    for region in regions:
        nodes = [node for record in region.records for node in record.nodes]
        if region.confidence < _LEAST_CONFIDENCE or not nodes or not all(map(_is_complete, region.records)):
            continue
        if instead and any(above in instead for node in nodes for above in (node, *node.iterancestors())):
            continue
        instead.update(dict.fromkeys(nodes, ""))
        firsts.update((record.nodes[0], (region, record)) for record in region.records)
    for region, records in _lists(firsts, instead):
        instead[records[0].nodes[0]] = _written(region, records, base)
    return instead


def _lists(
    firsts: dict[Any, tuple[DataRegion, DataRecord]], nodes: Container[Any]
) -> list[tuple[DataRegion, list[DataRecord]]]:
    """The records with nothing to read between them."""
    found: list[tuple[DataRegion, list[DataRecord]]] = []
    apart = True
    if firsts:
        walker = etree.iterwalk(next(iter(firsts)).getroottree(), ("start", "end", "comment", "pi"))
        for event, node in walker:
            if event != "start":
                apart = apart or bool(node.tail and node.tail.strip())
            elif node in nodes:
                walker.skip_subtree()
                if node in firsts:
                    region, record = firsts[node]
                    if apart or found[-1][0] is not region:
                        found.append((region, []))
                    found[-1][1].append(record)
                    apart = False
            elif node.tag in HIDDEN_TAGS:
                walker.skip_subtree()
            else:
                apart = apart or node.tag == "img" or bool(node.text and node.text.strip())
    return found


def _is_complete(record: DataRecord) -> bool:
    return not Counter(record.text.split()) - Counter(" ".join(filter(None, record.fields)).split())


def _written(region: DataRegion, records: list[DataRecord], base: str | None) -> str:
    rows = [_row(region, record, base) for record in records]
    if max(sum(map(len, filter(None, record.fields))) for record in region.records) > _WIDEST:
        shown = (
            "\\\n  ".join(f"**{escaped(name)}**: {value}" for name, value in row.items()) for row in rows
        )
        return "\n".join(f"- {row}" for row in shown)
    head = [column.name for column in region.columns if any(column.name in row for row in rows)]
    lines = [map(escaped, head), ["---"] * len(head), *([row.get(name, "") for name in head] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _row(region: DataRegion, record: DataRecord, base: str | None) -> dict[str, str]:
    """The fields that a record has, by name. The address of a text's element is the text's link."""
    fields = list(zip(region.columns, record.fields, record.elements, strict=True))
    addresses = {
        id(element): value for column, value, element in fields if column.attribute == "href" and value
    }
    row = {}
    for column, value, element in fields:
        if not value:
            continue
        if column.attribute is None and column.type not in ("image", "url"):
            address = safe_address(addresses.pop(id(element), None), base)
            row[column.name] = escaped(value) if address is None else f"[{escaped(value)}]({address})"
        elif column.type == "image":
            row[column.name] = f"![]({safe_address(value, base) or ''})"
        elif column.attribute != "href":
            row[column.name] = escaped(value)
    for column, value, element in fields:
        if column.attribute == "href" and id(element) in addresses and value:
            row[column.name] = f"[]({safe_address(value, base) or ''})"
    return row
