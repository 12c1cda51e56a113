"""The walk: a page's DOM as a tag path sequence, in columns with one entry per node.

Velloso & Dorneles, Definitions 2 and 3 and Algorithm 2 (``convertToSeq``): the nodes of the body in
document order, each written as a symbol that stands for its path of tags and styles from the body.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from scrapy_tps.document import plain_elements

#: Elements that are no part of the sequence, nor is anything inside them: they are never shown.
HIDDEN_TAGS: Final = frozenset({"script", "noscript", "style", "template"})

#: Tag of the symbols of text nodes.
TEXT: Final = "#text"

ELEMENT: Final = 0
TEXT_OF: Final = 1
TAIL_OF: Final = 2

_END: Final = object()

_DATA_TYPE = re.compile(r"json", re.IGNORECASE)
# `window.__STATE__ = {`, `var products = [`, `self.__next_f.push(`: data that a spider may read
_STATE_SCRIPT = re.compile(
    r"""^\s*(?:(?:var|let|const)\s+|(?:window|self|globalThis)\s*[.\[])"""
    r"""[\w$.\[\]"' ]{1,80}=\s*(?:[\[{]|JSON\.parse)"""
    r"""|\b__[A-Za-z][A-Za-z0-9_]{2,60}(?:__\b|\s*=|\.push)"""
)
_STATE_PREFIX = 2000  # characters of a script that are looked at


@dataclass(slots=True)
class TagPathSequence:
    """A page's tag path sequence; index 0 is the body, every column is in document order.

    :ivar parent: index of each node's parent element, -1 for the body.
    :ivar end: index after the last node of each node's subtree.
    :ivar symbols: each node's tag path with ``class`` and ``style`` as published, as a number.
    :ivar chars: visible characters of each text node (white space around it not counted), 0 for elements.
    :ivar nodes: the lxml element of each node; for a text node the element that carries it.
    :ivar kinds: ``ELEMENT``, or where a text node is stored: ``TEXT_OF`` or ``TAIL_OF`` its carrier.
    :ivar symbol_parent: for each symbol, the symbol of its parent (-1 for the body's); parents come first.
    :ivar symbol_tag: for each symbol, its last tag (``TEXT`` for text nodes).
    :ivar symbol_class: for each symbol, its last ``class`` attribute or None.
    :ivar data_scripts: (index of the parent, element) of scripts that hold data, in document order.
    :ivar depth: the deepest level of the tree, the body being level 1; what is hidden counts as well.

    Elements and text nodes that hold more than white space are in the sequence; comments and
    ``HIDDEN_TAGS`` are not.
    """

    parent: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    symbols: list[int] = field(default_factory=list)
    chars: list[int] = field(default_factory=list)
    nodes: list[Any] = field(default_factory=list)
    kinds: bytearray = field(default_factory=bytearray)
    symbol_parent: list[int] = field(default_factory=list)
    symbol_tag: list[str] = field(default_factory=list)
    symbol_class: list[str | None] = field(default_factory=list)
    data_scripts: list[tuple[int, Any]] = field(default_factory=list)
    depth: int = 0

    def __len__(self) -> int:
        return len(self.symbols)


def walk(body: Any) -> TagPathSequence:
    """Return the tag path sequence of a ``body`` element; the tree is not changed."""
    with plain_elements(body):
        return _walk(body)


def _walk(body: Any) -> TagPathSequence:  # noqa: C901, PLR0912, PLR0915 (a call costs as much as its work)
    sequence = TagPathSequence()
    parent, end, symbols, chars = sequence.parent, sequence.end, sequence.symbols, sequence.chars
    nodes, kinds = sequence.nodes, sequence.kinds
    above_symbol, tags, classes = sequence.symbol_parent, sequence.symbol_tag, sequence.symbol_class
    # Interned tag paths: two nodes have the same symbol exactly when their whole chains of (tag, class,
    # style) are equal, at a fraction of the cost of building the strings of Algorithm 2.
    table: dict[tuple[int, str, str | None, str | None], int] = {}
    texts: dict[int, int] = {}  # symbol of the texts below a symbol
    # the nodes above the current one, and their places in the sequence, -1 where they have none
    opened: list[Any] = []
    indexes: list[int] = []
    current: Any = None
    index = -1
    size = depth = 0
    for node in chain(body.iter(), (_END,)):
        up = None if node is _END or not size else node.getparent()
        if up is current:
            opened.append(current)
            indexes.append(index)
            above = index
            if len(opened) > depth:
                depth = len(opened)
        else:
            while True:
                if index >= 0:
                    end[index] = size
                above = indexes[-1]
                if above >= 0:
                    text = current.tail
                    if text and not text.isspace():
                        symbol = symbols[above]
                        number = texts.get(symbol)
                        if number is None:
                            number = texts[symbol] = len(tags)
                            above_symbol.append(symbol)
                            tags.append(TEXT)
                            classes.append(None)
                        symbols.append(number)
                        parent.append(above)
                        nodes.append(current)
                        kinds.append(TAIL_OF)
                        chars.append(len(text.strip()))
                        size += 1
                        end.append(size)
                if opened[-1] is up:
                    break
                current = opened.pop()
                index = indexes.pop()
            if node is _END:
                break
        current = node
        tag = node.tag
        if tag in HIDDEN_TAGS or tag.__class__ is not str or (above < 0 and size):
            if tag == "script" and above >= 0 and is_data_script(node):
                sequence.data_scripts.append((above, node))
            index = -1
            continue
        key = (symbols[above] if size else -1, tag, node.get("class"), node.get("style"))
        number = table.get(key)
        if number is None:
            number = table[key] = len(tags)
            above_symbol.append(key[0])
            tags.append(tag)
            classes.append(key[2])
        symbols.append(number)
        parent.append(above)
        nodes.append(node)
        kinds.append(ELEMENT)
        chars.append(0)
        end.append(0)
        index = size
        size += 1
        text = node.text
        if text and not text.isspace():
            symbol = number
            number = texts.get(symbol)
            if number is None:
                number = texts[symbol] = len(tags)
                above_symbol.append(symbol)
                tags.append(TEXT)
                classes.append(None)
            symbols.append(number)
            parent.append(index)
            nodes.append(node)
            kinds.append(TEXT_OF)
            chars.append(len(text.strip()))
            size += 1
            end.append(size)
    sequence.depth = depth
    return sequence


def is_data_script(script: Any) -> bool:
    """Whether a ``script`` element holds data rather than code (JSON-LD, ``type*=json``, page state)."""
    kind = script.get("type")
    if kind and _DATA_TYPE.search(kind):
        return True
    identifier = script.get("id")
    if identifier and identifier.startswith("__"):
        return True
    text = script.text
    return bool(text) and _STATE_SCRIPT.search(text[:_STATE_PREFIX]) is not None
