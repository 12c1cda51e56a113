"""XPaths of nodes of a tag path sequence, from its columns alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_tps.sequence import TEXT

if TYPE_CHECKING:
    from scrapy_tps.sequence import TagPathSequence


class XPaths:
    """Says where a node stands in the page as parsed: ``/html/body/div[2]/ul/li[3]``.

    The steps below an element are worked out once for all its children, so that asking for every node costs
    no more than writing the answers. Elements that are not in the sequence (scripts and the like) are never
    counted in a step, because no step names them.
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
        end, symbols, tags = self._sequence.end, self._sequence.symbols, self._sequence.symbol_tag
        children: dict[str, list[int]] = {}
        child, stop = above + 1, end[above]
        while child < stop:
            children.setdefault(tags[symbols[child]], []).append(child)
            child = end[child]
        for tag, same in children.items():
            name = "text()" if tag == TEXT else tag
            for number, index in enumerate(same, 1):
                self._steps[index] = name if len(same) == 1 else f"{name}[{number}]"
