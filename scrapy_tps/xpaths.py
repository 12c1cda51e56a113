"""XPaths of nodes of a tag path sequence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from scrapy_tps.sequence import TAIL_OF, TEXT, TEXT_OF

if TYPE_CHECKING:
    from scrapy_tps.sequence import TagPathSequence

_XPATH_NAME = re.compile(r"[A-Za-z_][\w.-]*")


class XPaths:
    """XPaths of many nodes of a sequence: siblings are counted once, not once per node."""

    def __init__(self, sequence: TagPathSequence) -> None:
        self._sequence = sequence
        self._steps: dict[int, str] = {}

    def of(self, index: int) -> str:
        """Return the XPath of one node; it selects exactly that node in the page as parsed."""
        parent = self._sequence.parent
        steps = []
        while index > 0:
            step = self._steps.get(index)
            if step is None:
                self._count_children(parent[index])
                step = self._steps[index]
            steps.append(step)
            index = parent[index]
        return "/".join(["/html/body", *reversed(steps)])

    def _count_children(self, above: int) -> None:
        sequence, steps = self._sequence, self._steps
        by_tag: dict[str, list[int]] = {}
        texts: dict[tuple[Any, int], int] = {}
        child, stop = above + 1, sequence.end[above]
        while child < stop:
            tag = sequence.symbol_tag[sequence.symbols[child]]
            if tag == TEXT:
                texts[sequence.nodes[child], sequence.kinds[child]] = child
            else:
                by_tag.setdefault(tag, []).append(child)
            child = sequence.end[child]
        for tag, places in by_tag.items():
            # a tag may be no XPath name: `o:p`, `metaname="copyright"`
            name = tag if _XPATH_NAME.fullmatch(tag) else f"*[name()={_literal(tag)}]"
            for position, place in enumerate(places, 1):
                steps[place] = f"{name}[{position}]" if len(places) > 1 else name
        if texts:
            self._count_texts(above, texts)

    def _count_texts(self, above: int, texts: dict[tuple[Any, int], int]) -> None:
        """Number text nodes as XPath does: those of white space alone count, too."""
        element = self._sequence.nodes[above]
        present = [(element, TEXT_OF)] if element.text else []
        present.extend((child, TAIL_OF) for child in element if child.tail)
        for position, text in enumerate(present, 1):
            place = texts.get(text)
            if place is not None:
                self._steps[place] = f"text()[{position}]" if len(present) > 1 else "text()"


def _literal(text: str) -> str:
    if '"' not in text:
        return f'"{text}"'
    if "'" not in text:
        return f"'{text}'"
    return "concat(" + ", '\"', ".join(f'"{part}"' for part in text.split('"')) + ")"
