"""Lists of records told by their texts alone, in parts that rules would take: several texts each, side by side."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from scrapy_tps.strategies.workspace import Workspace

#: Records have so many texts at least: entries of menus and filters have one, or two with the number behind it.
FIELDS: Final = 3


def holds_records(page: Workspace, part: int, least: int, *, linked: bool = False) -> bool:
    """Whether a part holds at least so many siblings of one tag path that have some texts each.

    :param linked: count those with a link alone.
    """
    parent, end, tags = page.parent, page.end, page.tags
    stop = end[part]
    text = page.text[part:stop]
    if text.count(1) < least * FIELDS:
        return False
    texts = [0, *accumulate(text)]
    links = [0, *accumulate(page.linked[part:stop])]
    items = Counter(
        [
            (parent[node], tags[node])
            for node in range(part + 1, stop)
            if texts[end[node] - part] - texts[node - part] >= FIELDS
            and (not linked or links[end[node] - part] > links[node - part])
        ]
    )
    return max(items.values(), default=0) >= least
