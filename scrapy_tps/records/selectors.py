"""CSS selectors that select the records of a region and their columns, to paste into a spider."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lxml import etree
from parsel.csstranslator import HTMLTranslator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.records.model import DataRecord, DataRegion

#: Names that need no escaping in CSS; others are left out of selectors.
_PLAIN_NAME = re.compile(r"^-?[A-Za-z_][\w-]*$")
_LEVELS: Final = 8  # ancestors that may be named to tell a list from others
_CHECKED: Final = 25  # records whose cells a column's selector is tried on

_translator = HTMLTranslator()


@dataclass(frozen=True, slots=True)
class RegionSelectors:
    """CSS selectors of a region.

    :ivar record: selects the records; None where no selector can (records that span siblings).
    :ivar exact: whether it selects the records and nothing else on the page they were found on.
    :ivar columns: column name to selector below a record, with ``::text`` or ``::attr()``; a column that no
        selector can reach is not in it. Text with markup inside is ``selector ::text``: join the results.
    :ivar lists: names of columns that hold a list inside the record: the selector selects all of its items.
    """

    record: str | None
    exact: bool
    columns: dict[str, str]
    lists: frozenset[str] = frozenset()


def region_selectors(region: DataRegion) -> RegionSelectors:
    """Return selectors of a region of a page that is still in memory.

    The shortest is chosen that selects exactly the records of the page; where none does, the one that
    selects all of them and least else. Record selectors start with the nearest ancestor that has an ``id`` or
    a class of its own.
    """
    records = region.records
    single = [record.nodes[0] for record in records if len(record.nodes) == 1]
    if not single or len(single) != len(records):
        return RegionSelectors(None, False, {})
    record, exact = _record_selector(single)
    columns: dict[str, str] = {}
    lists = set()
    for place, column in enumerate(region.columns):
        selector = _column_selector(records[:_CHECKED], place, column.attribute)
        if selector is not None:
            columns[column.name] = selector
            if column.attribute is None and any(_is_list(record, place) for record in records):
                lists.add(column.name)
    return RegionSelectors(record, exact, columns, frozenset(lists))


def _is_list(record: DataRecord, place: int) -> bool:
    """Whether a cell is the joined text of a list inside the record."""
    element = record.elements[place]
    return any(element is not None and inner.records[0].nodes[:1] == [element] for inner in record.sublists)


def _record_selector(nodes: list[Any]) -> tuple[str | None, bool]:
    wanted = set(nodes)
    root = nodes[0].getroottree()
    best: tuple[int, str] | None = None
    for selector in _record_candidates(nodes):
        found = set(_select(root, selector, "//"))
        if found == wanted:
            return selector, True
        if found >= wanted and (best is None or len(found) < best[0]):
            best = (len(found), selector)
    return (best[1], False) if best is not None else (None, False)


def _record_candidates(nodes: list[Any]) -> Iterator[str]:
    tags = sorted({node.tag for node in nodes})
    shared = _shared_classes(nodes)
    own = [f"{tag}.{name}" for name in shared for tag in tags if len(tags) == 1]
    own += (
        ["".join([tags[0], *(f".{name}" for name in shared)])] if len(shared) > 1 and len(tags) == 1 else []
    )
    own.append(tags[0] if len(tags) == 1 else "*")
    yield from own[:-1]
    parents = list(dict.fromkeys(node.getparent() for node in nodes))
    path = ""
    for _ in range(_LEVELS):
        if any(parent is None or not isinstance(parent.tag, str) for parent in parents):
            return
        steps = _steps(parents)
        for step in steps:
            for one in own:
                yield f"{step} > {path}{one}"
        path = f"{steps[-1]} > {path}"
        parents = list(dict.fromkeys(parent.getparent() for parent in parents))
    for one in own:
        yield f"{path}{one}"


def _steps(elements: list[Any]) -> list[str]:
    """Ways to name elements: by id, by shared class, by tag; the last one is a plain tag."""
    tags = {element.tag for element in elements}
    tag = tags.pop() if len(tags) == 1 else "*"
    steps = []
    identifier = elements[0].get("id")
    if len(elements) == 1 and identifier and _PLAIN_NAME.match(identifier):
        steps.append(f"{tag}#{identifier}" if tag != "*" else f"#{identifier}")
    steps += [f"{tag if tag != '*' else ''}.{name}" for name in _shared_classes(elements)]
    steps.append(tag)
    return steps


def _shared_classes(elements: list[Any]) -> list[str]:
    """Class names that all of the elements have, in the order of the first."""
    shared = [
        name for name in dict.fromkeys((elements[0].get("class") or "").split()) if _PLAIN_NAME.match(name)
    ]
    for element in elements[1:]:
        names = set((element.get("class") or "").split())
        shared = [name for name in shared if name in names]
        if not shared:
            break
    return shared


def _column_selector(records: list[DataRecord], place: int, attribute: str | None) -> str | None:
    pairs = [(record.nodes[0], record.elements[place]) for record in records]
    there = [(top, element) for top, element in pairs if element is not None]
    if not there:
        return None
    best: tuple[int, str] | None = None
    for selector in _column_candidates(there):
        right = sum(_first(top, selector) is element for top, element in pairs)
        if best is None or right > best[0]:
            best = (right, selector)
        if right == len(pairs):
            break
    if best is None or 2 * best[0] <= len(pairs):
        return None
    if attribute is not None:
        return f"{best[1]}::attr({attribute})" if best[1] != "&" else f"::attr({attribute})"
    plain = all(not len(element) or element is top for top, element in there)
    text = "::text" if plain else " ::text"
    return f"{best[1]}{text}" if best[1] != "&" else text.strip()


def _column_candidates(pairs: list[tuple[Any, Any]]) -> Iterator[str]:
    top, element = pairs[0]
    if element is top:
        yield "&"  # the record itself
        return
    steps = _steps([one for _, one in pairs])
    yield from steps
    parents = [one.getparent() for _, one in pairs]
    if all(parent is not record for parent, (record, _) in zip(parents, pairs, strict=True)):
        yield from (f"{outer} > {inner}" for outer in _steps(parents) for inner in steps)
    path = _path(top, element)
    if path is not None:
        yield path


def _path(top: Any, element: Any) -> str | None:
    steps: list[str] = []
    while element is not top:
        parent = element.getparent()
        if parent is None or len(steps) > _LEVELS:
            return None
        same = [child for child in parent if child.tag == element.tag]
        steps.append(
            f"{element.tag}:nth-of-type({same.index(element) + 1})" if len(same) > 1 else element.tag
        )
        element = parent
    return " > ".join(reversed(steps))


def _first(top: Any, selector: str) -> Any:
    if selector == "&":
        return top
    found = _select(top, selector, "descendant::")
    return found[0] if found else None


def _select(context: Any, selector: str, prefix: str) -> list[Any]:
    try:
        return list(context.xpath(_translator.css_to_xpath(selector, prefix=prefix)))
    except (etree.XPathError, SyntaxError, ValueError):  # odd tag names: no selector of them
        return []
