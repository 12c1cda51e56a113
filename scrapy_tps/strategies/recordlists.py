"""Lists of records told by their texts alone, in parts that rules would take: several texts each, side by side."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from scrapy_tps.strategies.workspace import Workspace

#: Records have so many texts at least: entries of menus and filters have one, or two with the number behind it.
FIELDS: Final = 3


def most_records(page: Workspace, part: int, *, linked: bool = False) -> int:
    """The largest number of siblings of one tag path in a part that have some texts each; 0 where these are too few.

    :param linked: count those with a link alone.
    """
    parent, end, tags = page.parent, page.end, page.tags
    stop = end[part]
    text = page.text[part:stop]
    if text.count(1) < 2 * FIELDS or (linked and not page.linked.count(1, part, stop)):
        return 0
    before = [0, *accumulate(text)]
    items = Counter(
        [
            (parent[node], tags[node])
            for node in range(part + 1, stop)
            if before[end[node] - part] - before[node - part] >= FIELDS
            and (not linked or page.linked.find(1, node, end[node]) >= 0)
        ]
    )
    return max(items.values(), default=0)
