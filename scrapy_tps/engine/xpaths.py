"""XPaths of nodes of a tag path sequence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scrapy_tps.engine.sequence.columns import TAIL_OF, TEXT, TEXT_OF

if TYPE_CHECKING:
    from scrapy_tps.engine.html.elements import Element
    from scrapy_tps.engine.sequence.columns import TagPathSequence

_NAME = re.compile(r"[A-Za-z_][\w.-]*")


class XPaths:
    """The XPath of each node in the page as parsed: ``/html/body/div[2]/ul/li[3]``.

    An XPath selects exactly its node, as long as the tree has not been cut. The steps below an element are computed
    once for all its children, so that all XPaths of a page take linear time. Elements that are not in the sequence
    (such as scripts) are never counted in a step, because no step names them.
    """

    def __init__(self, sequence: TagPathSequence) -> None:
        self._sequence = sequence
        self._steps: dict[int, str] = {0: "/html/body"}  # by node, for all children of a node at once

    def of(self, index: int) -> str:
        """Return the XPath of the node at `index`."""
        parent, steps = self._sequence.parent, []
        while index >= 0:
            if index not in self._steps:
                self._number_children(parent[index])
            steps.append(self._steps[index])
            index = parent[index]
        return "/".join(reversed(steps))

    def _number_children(self, above: int) -> None:
        sequence = self._sequence
        end, symbols, tags = sequence.end, sequence.symbols, sequence.symbol_tag
        elements: dict[str, list[int]] = {}
        texts: dict[tuple[Element, int], int] = {}
        child, stop = above + 1, end[above]
        while child < stop:
            tag = tags[symbols[child]]
            if tag == TEXT:
                texts[sequence.nodes[child], sequence.kinds[child]] = child
            else:
                elements.setdefault(tag, []).append(child)
            child = end[child]
        for tag, same in elements.items():
            if not tag.isprintable():  # `<a\x1f>`: an XPath cannot hold it
                self._number_elements(sequence.nodes[above], same)
                continue
            # a tag may not be a valid name: `o:p`, `metaname="copyright"`
            name = tag if _NAME.fullmatch(tag) else f"*[name()={literal(tag)}]"
            for number, index in enumerate(same, 1):
                self._steps[index] = name if len(same) == 1 else f"{name}[{number}]"
        if texts:
            self._number_texts(sequence.nodes[above], texts)

    def _number_elements(self, element: Element, places: list[int]) -> None:
        """Number the elements among all children, including those outside the sequence."""
        wanted = {self._sequence.nodes[place]: place for place in places}
        for number, child in enumerate((child for child in element if isinstance(child.tag, str)), 1):
            if child in wanted:
                self._steps[wanted[child]] = f"*[{number}]"

    def _number_texts(self, element: Element, texts: dict[tuple[Element, int], int]) -> None:
        """Number the text nodes as XPath does: white space alone counts too."""
        present = [(element, TEXT_OF)] if element.text else []
        present.extend((child, TAIL_OF) for child in element if child.tail)
        for number, text in enumerate(present, 1):
            if text in texts:
                self._steps[texts[text]] = "text()" if len(present) == 1 else f"text()[{number}]"


def literal(text: str) -> str:
    """Return a text as a literal of XPath, which has no escapes."""
    if '"' not in text:
        return f'"{text}"'
    if "'" not in text:
        return f"'{text}'"
    return "concat(" + ", '\"', ".join(f'"{part}"' for part in text.split('"')) + ")"
