"""The walk: a page's DOM as a tag path sequence.

Velloso & Dorneles, Algorithm 2 (``convertToSeq``): the nodes of the body in document order, each written as a symbol
that stands for its path of tags and styles from the body.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import Any, Final

from scrapy_tps.engine.html.data_scripts import is_data_script
from scrapy_tps.engine.html.elements import Behind, Element
from scrapy_tps.engine.sequence.columns import (
    HIDDEN_TAGS,
    TAIL_OF,
    TEXT,
    TEXT_OF,
    TagPathSequence,
    is_shadow_root,
)

#: Stands for the tag of a shadow root, where other templates are unseen.
SHADOW_ROOT: Final = "#shadow-root"

#: Kana, hangul and ideographs.
_WIDE: Final = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uff60]")


def walk_tree(body: Element) -> TagPathSequence:  # noqa: C901, PLR0912, PLR0915 (a call costs as much as its work)
    """Return the tag path sequence of a ``body`` element; the tree is not changed."""
    sequence = TagPathSequence()
    parent, end, symbols, nodes = sequence.parent, sequence.end, sequence.symbols, sequence.nodes
    # Interned tag paths: two nodes have the same symbol if and only if their whole chains of (tag, class,
    # style) are equal, at a fraction of the cost of building the strings of Algorithm 2.
    table: dict[tuple[int, str, str | None, str | None], int] = {}
    below: list[int] = []  # for each symbol, that of the texts below it, or -1

    def new_symbol(above: int, tag: str, classes: str | None, style: str | None) -> int:
        sequence.symbol_parent.append(above)
        sequence.symbol_tag.append(tag)
        sequence.symbol_class.append(classes)
        sequence.symbol_style.append(style)
        below.append(-1)
        return len(below) - 1

    texts: list[str] = []
    places: list[int] = []  # of the texts …
    tails: list[int] = []  # … and of those after an element
    # the nodes above the current one, and their places in the sequence, -1 if they have none
    opened: list[Element] = []
    indexes: list[int] = []
    current: Any = body.getparent()  # an element, or the sentinel
    number: int | None
    index = -1
    size = depth = 0
    node: Any
    for node in chain(body.iter(), (Behind(current),)):
        up = node.getparent()
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
                        path = symbols[above]
                        number = below[path]
                        if number < 0:
                            number = below[path] = new_symbol(path, TEXT, None, None)
                        symbols.append(number)
                        parent.append(above)
                        nodes.append(current)
                        tails.append(size)
                        places.append(size)
                        texts.append(text)
                        size += 1
                        end.append(size)
                if opened[-1] is up:
                    break
                current = opened.pop()
                index = indexes.pop()
        current = node
        tag = node.tag
        # -1: the body; -2: below a hidden element
        path = symbols[above] if above >= 0 else -2 if size else -1
        # lxml can use byte strings directly
        key = (path, tag, node.get(b"class"), node.get(b"style"))
        number = table.get(key)
        if number is None:
            # hidden elements never get into the table; shadow roots get keys that no other template has
            shadow = tag == "template" and is_shadow_root(node)
            if (tag in HIDDEN_TAGS and not shadow) or tag.__class__ is not str or (above < 0 and size):
                if tag == "script" and above >= 0 and is_data_script(node):
                    sequence.data_scripts.append((above, node))
                index = -1
                continue
            own = (path, SHADOW_ROOT, *key[2:]) if shadow else key
            number = table.get(own)
            if number is None:
                number = table[own] = new_symbol(*key)
        symbols.append(number)
        parent.append(above)
        nodes.append(node)
        end.append(0)
        index = size
        size += 1
        text = node.text
        if text and not text.isspace():
            path = number
            number = below[path]
            if number < 0:
                number = below[path] = new_symbol(path, TEXT, None, None)
            symbols.append(number)
            parent.append(index)
            nodes.append(node)
            places.append(size)
            texts.append(text)
            size += 1
            end.append(size)
    sequence.depth = depth
    sequence.chars, sequence.wide = _measure(size, places, texts)
    kinds = sequence.kinds = bytearray(size)
    for place in places:
        kinds[place] = TEXT_OF
    for place in tails:
        kinds[place] = TAIL_OF
    return sequence


def _measure(size: int, places: list[int], texts: list[str]) -> tuple[list[int], dict[int, int]]:
    """Return the number of characters of each of `size` nodes, and, by place, the number of East Asian ones.

    :param places: places of the text nodes. All others have no characters.
    :param texts: their texts; surrounding white space is not counted.
    """
    chars = [0] * size
    for place, length in zip(places, map(len, map(str.strip, texts)), strict=True):
        chars[place] = length
    wide = {
        place: count
        for place, text in zip(places, texts, strict=True)
        if not text.isascii() and (count := len(_WIDE.findall(text)))
    }
    return chars, wide
