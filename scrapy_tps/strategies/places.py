"""What says where one is in a site: first headings, breadcrumbs and pagination, which stay whatever holds them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from scrapy_tps.hints import BREADCRUMB, CONSENT, CONTROL, DIALOG, HIDDEN, LANDMARK, NAVIGATION, PAGER
from scrapy_tps.native import extension

if TYPE_CHECKING:
    from scrapy_tps.strategies.workspace import Workspace

_CORE: Final = extension("_sequence")
_COPIED: Final = BREADCRUMB | PAGER
#: What a name or a title says in these is about the site, not about the page.
_FURNITURE: Final = NAVIGATION | CONTROL | DIALOG | HIDDEN | LANDMARK | CONSENT


def without_copies(page: Workspace, roots: list[int]) -> list[int]:
    """These parts, with one of equal breadcrumbs or pagers where all or all but one would have gone.

    That is one that stays anyway; else of breadcrumbs the last one before the heading, as what is made for telephones
    comes first, and of pagers the last one, below the list.
    """
    places = [root for root in roots if page.hints[root] & _COPIED]
    alive = page.alive
    if len(places) < 2 or all(alive[root] for root in places):
        return roots
    # of parts that may be equal only: reading them is what this costs
    sizes = {root: sum(page.chars[root : page.end[root]]) for root in places}
    times = Counter(sizes.values())
    said = {root: _said(page, root) for root, size in sizes.items() if times[size] > 1}
    chosen: dict[str, int] = {}
    for root, text in said.items():
        before = chosen.get(text, -1)
        later = root < page.first_heading or page.hints[root] & PAGER
        if before < 0 or (not alive[before] and (alive[root] or later)):
            chosen[text] = root
    return [root for root in roots if root not in said or alive[root] or chosen[said[root]] == root]


def in_furniture(page: Workspace, node: int) -> bool:
    """Whether a node or anything around it is a menu, a dialog, hidden, or the site's banner or footer."""
    while node > 0:
        if page.hints[node] & _FURNITURE:
            return True
        node = page.parent[node]
    return False


def _said(page: Workspace, root: int) -> str:
    """The text of a part without white space; of pagination, which may be of pictures, with the addresses of links."""
    text = joined(page, root)
    if page.hints[root] & PAGER:
        links = page.sequence.nodes[root].iter("a", "link")
        return " ".join([text, *(link.get("href") or "" for link in links)])
    return text


def joined(page: Workspace, part: int) -> str:
    """The visible text of a part without white space."""
    if page.columns is not None:
        return _CORE.joined(page.columns.walk, part, page.end[part])  # type: ignore[no-any-return]
    texts = (page.sequence.text_of(place) for place in range(part, page.end[part]) if page.chars[place])
    return "".join("".join(texts).split())
