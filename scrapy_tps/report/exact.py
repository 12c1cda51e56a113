"""A page's tree as data, exactly as parsed, and what of it is gone after pruning.

A browser that parses a page again builds another tree than lxml does (``tbody`` appears, blocks leave
tables), so counts of selector matches would be wrong. The view rebuilds the tree node by node from this.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from scrapy_tps.engine.sequence.columns import ELEMENT

if TYPE_CHECKING:
    from scrapy_tps.engine.sequence.columns import TagPathSequence

#: Tag of comments and processing instructions.
COMMENT: Final = "!"


def tree_data(root: Any, sequence: TagPathSequence) -> dict[str, Any]:
    """Return columns with one entry per element or comment, in document order.

    ``parent``, ``tag`` (number in ``tags``), ``attributes`` (0, or name numbers and values in turn),
    ``text``, ``tail`` (0 where there is none), ``index`` (place in the tag path sequence, or -1). Beside
    these ``outside``: comments before the root, nearest first, and after it.
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
    comments = [
        [one.text or "" for one in root.itersiblings(etree.Comment, preceding=preceding)]
        for preceding in (True, False)
    ]
    return {"tags": list(tags), "names": list(names), "outside": comments, **columns}


def gone_data(root: Any, sequence: TagPathSequence, mask: bytes, pruned_root: Any) -> dict[str, list[Any]]:
    """Return what of the tree of :func:`tree_data` is missing from the pruned tree.

    ``ranges``: first number and number after the last, in turn; ``texts``: (number, text, tail) of nodes
    that stayed but whose own text changed, each as the list of text nodes that XPath counts. Nodes of the
    sequence are told apart by `mask`; scripts, comments and what is in the head by what they are.
    """
    places = {
        node: index
        for index, (node, kind) in enumerate(zip(sequence.nodes, sequence.kinds, strict=True))
        if kind == ELEMENT
    }
    counterparts: dict[Any, Any] = {root: pruned_root}  # of nodes that stayed
    children: dict[Any, _Children] = {}
    pieces = _Pieces()
    ranges: list[int] = []
    texts: list[Any] = []
    for number, node in enumerate(root.iter()):
        found = counterparts.get(node)
        above = counterparts.get(node.getparent()) if number else None
        if above is not None:  # what is inside a node that went, went with it
            index = places.get(node)
            if index is None or mask[index]:
                if above not in children:
                    children[above] = _Children(above)
                found = children[above].take(node)
        if found is not None:
            counterparts[node] = found
            if node.text != found.text or (number and node.tail != found.tail):
                texts.append((number, pieces.text(found), pieces.tail(found) if number else []))
        elif ranges and ranges[-1] == number:
            ranges[-1] = number + 1
        else:
            ranges += (number, number + 1)
    return {"ranges": ranges, "texts": texts}


class _Pieces:
    """Texts as the text nodes that they consist of: where an element went, two may stand side by side."""

    def __init__(self) -> None:
        self._known: dict[Any, dict[Any, list[str]]] = {}

    def text(self, element: Any) -> list[str]:
        """Return the text nodes before the first child; the text of a comment."""
        if not isinstance(element.tag, str):
            return [element.text or ""]
        return self._of(element).get(None, [])

    def tail(self, element: Any) -> list[str]:
        """Return the text nodes between an element or comment and its next sibling."""
        return self._of(element.getparent()).get(element, [])

    def _of(self, parent: Any) -> dict[Any, list[str]]:
        """Return the text nodes of a parent by the child in front of them."""
        if parent not in self._known:
            found = self._known[parent] = {}
            before = None
            for node in parent.xpath("node()"):
                if isinstance(node, str):
                    found.setdefault(before, []).append(str(node))
                else:
                    before = node
        return self._known[parent]


class _Children:
    """Children of a pruned element by what they are; of equal ones, the first comes first.

    Not by place: a response may move ``base``, so that Scrapy's base URL stays the same.
    """

    def __init__(self, element: Any) -> None:
        self._left: dict[Any, deque[Any]] = {}
        for child in element:
            self._left.setdefault(_what(child), deque()).append(child)

    def take(self, node: Any) -> Any:
        """Return the next child that equals `node`, or None."""
        equal = self._left.get(_what(node))
        return equal.popleft() if equal else None


def _what(node: Any) -> Any:
    return (node.tag, *node.items()) if isinstance(node.tag, str) else (COMMENT, node.text)
