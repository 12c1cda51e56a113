"""Lists of records as Markdown: tables if rows are short, otherwise lists of fields."""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.engine.markdown import one_line, safe_address

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_tps.records.regions import DataRecord, DataRegion

#: Regions with less confidence are not changed: menus, related links.
_LEAST_CONFIDENCE: Final = 0.5
#: The most characters of a table's row; longer rows become lists of fields.
_WIDEST: Final = 240


def records_markdown(regions: Iterable[DataRegion], base: str | None) -> dict[Any, tuple[str, ...]]:
    """Return the replacements of elements for :func:`to_markdown`: an item at the first element of each record.

    A list is not changed if its fields lack words of its records, so that none is lost except those of buttons, or if
    it has only one column.

    :param base: the address to which those of pictures are relative.
    """
    instead: dict[Any, tuple[str, ...]] = {}
    for number, region in enumerate(regions):
        nodes = [node for record in region.records for node in record.nodes]
        if not nodes or region.confidence < _LEAST_CONFIDENCE or not all(map(_is_complete, region.records)):
            continue
        if instead and any(above in instead for node in nodes for above in (node, *node.iterancestors())):
            continue
        rows = [_row(region, record, base) for record in region.records]
        names = [column.key for column in region.columns if any(column.key in row for row in rows)]
        if len(names) < 2:  # paragraphs, items
            continue
        opening, items, closing = _list(region, rows, names)
        instead.update(dict.fromkeys(nodes, ()))
        for record, item in zip(region.records, items, strict=True):
            instead[record.nodes[0]] = opening, item, f"{closing}<!-- {number} -->"
    return instead


def _list(region: DataRegion, rows: list[dict[str, str]], names: list[str]) -> tuple[str, list[str], str]:
    """Return the start of the list of a region's records, its items, and its end."""
    if max(sum(map(len, filter(None, record.fields))) for record in region.records) > _WIDEST:
        fields = [[f"<strong>{escape(name)}</strong>: {row[name]}" for name in row] for row in rows]
        return "<ul>", [f'<li marker="-"><p>{"<br>".join(lines)}</p></li>' for lines in fields], "</ul>"
    items = [_cells("td", (row.get(name, "") for name in names)) for row in rows]
    return f"<table>{_cells('th', map(escape, names))}", items, "</table>"


def _is_complete(record: DataRecord) -> bool:
    """Whether fields have all words of a record, except those of its buttons, and signs."""
    buttons = ["".join(button.itertext()) for node in record.nodes for button in node.iter("button")]
    said = " ".join([*filter(None, record.fields), *buttons])
    missing = Counter(record.text.split()) - Counter(said.split())
    return not any(character.isalnum() for word in missing for character in word)


def _cells(tag: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{cell}</{tag}>' for cell in cells)}</tr>"


def _row(region: DataRegion, record: DataRecord, base: str | None) -> dict[str, str]:
    """Return the fields of a record, by name. The address of a text's element, or of that around it, is the text's
    link."""
    cells = zip(region.columns, record.fields, record.elements, strict=True)
    fields = [(column, value, element) for column, value, element in cells if value]
    # a column may hold several addresses, joined by spaces
    links = {element: value.split()[0] for column, value, element in fields if column.attribute == "href"}
    row = {}
    for column, value, element in sorted(fields, key=lambda field: field[0].attribute == "href"):
        is_link = column.attribute == "href"
        html = "" if is_link else escape(one_line(value))
        if column.type == "image":
            html = f'<img alt="" src="{escape(safe_address(value, base))}">'
        elif is_link or (column.attribute is None and column.type != "url"):
            link = element if element in links else element.getparent()
            address = safe_address(links.pop(link, None), base)
            html = f'<a href="{escape(address)}">{html}</a>' if address else html
        if html:
            row[column.key] = html
    return row
