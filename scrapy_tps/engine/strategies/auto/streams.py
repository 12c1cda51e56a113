"""Parts that React streams: they come after the page and belong at the place of their placeholders.

React sends parts that are slow to render in hidden elements named ``S:n``, and a script moves them to the ``template``
elements ``B:n`` and ``P:n`` (React, ``react-dom/server``, ``renderToPipeableStream``). 33 of the 1,497 WCXB pages have
such parts.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from scrapy_tps.engine.cues.reading import STREAMED

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page


def streamed_into(page: Page, start: int, end: int) -> list[int]:
    """Return the streamed parts whose placeholders are in nodes [start, end), or in parts that are streamed there."""
    parts = page.all_with(STREAMED)
    holders = _holders(page, parts) if parts else {}
    known: dict[int, bool] = {}
    for part in parts:
        chain, at, belongs = [], part, False
        while at >= 0:
            if at in known:
                belongs = known[at]
                break
            known[at] = False  # placeholders in a cycle belong nowhere
            chain.append(at)
            holder = holders.get(at, -1)
            if holder < 0:
                break
            if start <= holder < end:
                belongs = True
                break
            place = bisect_right(parts, holder) - 1
            at = parts[place] if place >= 0 and holder < page.end[parts[place]] else -1
        known.update(dict.fromkeys(chain, belongs))
    return [part for part in parts if known[part]]


def _holders(page: Page, parts: list[int]) -> dict[int, int]:
    """Return the element around the placeholder of each part that has one."""
    sequence = page.sequence
    nodes = sequence.nodes
    numbers = {nodes[index].get("id").partition(":")[2]: index for index in parts}
    found = {}
    for template in nodes[0].iter("template"):
        kind, _, number = (template.get("id") or "").partition(":")
        if kind in ("B", "P") and number in numbers:
            found[numbers[number]] = template.getparent()
    places = {nodes[index]: index for index in sequence.locate(found.values())}
    return {part: places[holder] for part, holder in found.items() if holder in places}
