"""A page's tree as data, exactly as parsed, and what of it is gone after pruning.

A browser that parses a page again builds another tree than lxml does (``tbody`` appears, blocks leave
tables), so counts of selector matches would be wrong. The view rebuilds the tree node by node from this.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.sequence import ELEMENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.sequence import TagPathSequence

#: Tag of comments and processing instructions.
COMMENT: Final = "!"

#: What :func:`gone_data` says of a page kept whole.
NOTHING_GONE: Final[Mapping[str, list[Any]]] = MappingProxyType({"ranges": [], "texts": []})


def tree_data(root: Any, sequence: TagPathSequence) -> dict[str, Any]:
    """Return columns with one entry per element or comment, in document order.

    ``parent``, ``tag`` (number in ``tags``), ``attributes`` (0, or name numbers and values in turn),
    ``text``, ``tail`` (0 where there is none), ``index`` (place in the tag path sequence, or -1).
    """
    places = {
        node: index
        for index, (node, kind) in enumerate(zip(sequence.nodes, sequence.kinds, strict=True))
        if kind == ELEMENT
    }
    tags: dict[str, int] = {}
    names: dict[str, int] = {}
    numbers: dict[Any, int] = {}
    columns: dict[str, list[Any]] = {
        name: [] for name in ("parent", "tag", "attributes", "text", "tail", "index")
    }
    for number, node in enumerate(root.iter()):
        numbers[node] = number
        is_element = isinstance(node.tag, str)
        flat: list[Any] = []
        if is_element:
            for name, value in node.items():
                flat += (names.setdefault(name, len(names)), value)
        columns["parent"].append(numbers[node.getparent()] if number else -1)
        columns["tag"].append(tags.setdefault(node.tag if is_element else COMMENT, len(tags)))
        columns["attributes"].append(flat or 0)
        columns["text"].append(node.text or 0)
        columns["tail"].append((node.tail or 0) if number else 0)
        columns["index"].append(places.get(node, -1))
    return {"tags": list(tags), "names": list(names), **columns}


def gone_data(root: Any, sequence: TagPathSequence, mask: bytes, pruned_root: Any) -> dict[str, list[Any]]:
    """Return what of the tree of :func:`tree_data` is missing from the pruned tree.

    ``ranges``: first number and number after the last, in turn; ``texts``: (number, text, tail) of nodes
    that stayed but whose own text changed. Nodes of the sequence are told apart by `mask`; scripts,
    comments and what is in the head are matched in document order by what they are.
    """
    places = {
        node: index
        for index, (node, kind) in enumerate(zip(sequence.nodes, sequence.kinds, strict=True))
        if kind == ELEMENT
    }
    counterparts: dict[Any, Any] = {root: pruned_root}  # of nodes that stayed
    waiting: dict[Any, Iterator[Any]] = {}  # what is left of the children of a counterpart
    ahead: dict[Any, Any] = {}  # a child of a counterpart that was looked at and not matched yet
    ranges: list[int] = []
    texts: list[Any] = []
    for number, node in enumerate(root.iter()):
        found = counterparts.get(node)
        above = counterparts.get(node.getparent()) if number else None
        if above is not None:
            index = places.get(node)
            if index is None or mask[index]:
                found = _match(node, above, waiting, ahead)
        if found is None:  # what is inside a node that went, went with it
            if ranges and ranges[-1] == number:
                ranges[-1] = number + 1
            else:
                ranges += (number, number + 1)
            continue
        counterparts[node] = found
        if node.text != found.text or (number and node.tail != found.tail):
            texts.append((number, found.text or 0, (found.tail or 0) if number else 0))
    return {"ranges": ranges, "texts": texts}


def _match(node: Any, above: Any, waiting: dict[Any, Iterator[Any]], ahead: dict[Any, Any]) -> Any:
    """Return the next child of `above` that equals `node`, or None; children stand in the same order."""
    children = waiting.get(above)
    if children is None:
        children = waiting[above] = iter(list(above))
    candidate = ahead.pop(above, None)
    while candidate is None or (candidate.tag == "base" and not _same(node, candidate)):
        # the one element that a response may add: Scrapy's base URL must not change
        candidate = next(children, None)
        if candidate is None:
            return None
    if _same(node, candidate):
        return candidate
    ahead[above] = candidate
    return None


def _same(node: Any, other: Any) -> bool:
    if node.tag != other.tag:
        return False
    return bool(node.items() == other.items() if isinstance(node.tag, str) else node.text == other.text)
