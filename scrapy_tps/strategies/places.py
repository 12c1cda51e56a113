"""What says where one is in a site: first headings, breadcrumbs and pagination, which stay whatever holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_tps.hints import BREADCRUMB

if TYPE_CHECKING:
    from scrapy_tps.strategies.workspace import Workspace


def without_copies(page: Workspace, roots: list[int]) -> list[int]:
    """These parts, with one of equal breadcrumbs where all or all but one would have gone.

    That is one that stays anyway, or the last one before the heading: what is made for telephones comes first.
    """
    crumbs = [root for root in roots if page.hints[root] & BREADCRUMB]
    alive = page.alive
    if len(crumbs) < 2 or all(alive[root] for root in crumbs):
        return roots
    nodes = page.sequence.nodes
    said = {root: "".join("".join(nodes[root].itertext()).split()) for root in crumbs}
    chosen: dict[str, int] = {}
    for root, text in said.items():
        before = chosen.get(text, -1)
        if before < 0 or (not alive[before] and (alive[root] or root < page.first_heading)):
            chosen[text] = root
    return [root for root in roots if root not in said or alive[root] or chosen[said[root]] == root]
