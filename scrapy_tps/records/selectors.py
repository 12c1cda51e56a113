"""CSS selectors that select the records of a region and their columns, to paste into a spider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lxml import etree
from parsel.csstranslator import HTMLTranslator

from scrapy_tps.records.columnselectors import ColumnSelector, column_selectors
from scrapy_tps.records.steps import shared_classes, steps_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.records.model import DataRegion

_LEVELS: Final = 8  # ancestors that may be named to tell a list from others

_translator = HTMLTranslator()


@dataclass(frozen=True, slots=True)
class RegionSelectors:
    """CSS selectors of a region.

    :ivar record: selects the records; None where no selector can (records that span siblings).
    :ivar exact: whether it selects the records and nothing else on the page they were found on.
    :ivar columns: column name to selector below a record; a column that no selector can reach is not in it.
    """

    record: str | None
    exact: bool
    columns: dict[str, ColumnSelector]


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
    return RegionSelectors(record, exact, column_selectors(region))


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
    shared = shared_classes(nodes)
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
        steps = steps_of(parents, identifiers=True)
        for step in steps:
            for one in own:
                yield f"{step} > {path}{one}"
        path = f"{steps[-1]} > {path}"
        parents = list(dict.fromkeys(parent.getparent() for parent in parents))
    for one in own:
        yield f"{path}{one}"


def _select(context: Any, selector: str, prefix: str) -> list[Any]:
    try:
        return list(context.xpath(_translator.css_to_xpath(selector, prefix=prefix)))
    except (etree.XPathError, SyntaxError, ValueError):  # odd tag names: no selector of them
        return []
