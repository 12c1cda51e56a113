"""The heading that a page's ``title`` repeats, which stays whatever holds it.

Templates put the headline of an article into a ``header`` as an ``h2``, and the name of the site into the ``h1``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.hints import HEADING, SUBHEADING
from scrapy_tps.native import extension
from scrapy_tps.strategies.places import in_furniture, joined

if TYPE_CHECKING:
    from scrapy_tps.strategies.workspace import Workspace

_CORE: Final = extension("_furniture")
_HEADINGS: Final = HEADING | SUBHEADING
#: Shorter headings are in a title by accident …
LEAST: Final = 8
#: … and shorter parts of the title are the site's name.
_SHARE: Final = 1 / 3
#: So many headings that go are read, of so many nodes at most.
_READ: Final = 50
_NODES: Final = 20


def titles(page: Workspace) -> list[int]:
    """Return the longest heading in the page's title, where it would have gone and no other such stays: one or none."""
    gone = _gone(page)
    if not gone:
        return []
    title = "".join(page.sequence.title().split()).casefold()
    least = max(LEAST, _SHARE * len(title))
    named = [
        (len(text), -heading)
        for heading, size in gone
        if size >= least and len(text := _said(page, heading)) >= least and text in title
    ]
    if not named:
        return []
    length, place = max(named)
    heading = -place
    if in_furniture(page, heading):
        return []
    alive, end = page.alive, page.end
    headings = page.all_with(_HEADINGS)
    stays = (_said(page, other) for other in headings if alive[other] and end[other] - other <= _NODES)
    return [] if any(len(text) >= length and text in title for text in stays) else [heading]


def _gone(page: Workspace) -> list[tuple[int, int]]:
    """The first headings that go, and their sizes."""
    if page.columns is not None:
        return _CORE.gone_headings(page.columns, _HEADINGS, _NODES, _READ)  # type: ignore[no-any-return]
    alive, end = page.alive, page.end
    headings = page.all_with(_HEADINGS)
    gone = [heading for heading in headings if not alive[heading] and end[heading] - heading <= _NODES]
    return [(heading, sum(page.chars[heading : end[heading]])) for heading in gone[:_READ]]


def _said(page: Workspace, heading: int) -> str:
    return joined(page, heading).casefold()
