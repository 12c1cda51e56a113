"""Parts that stay although what is around them goes: controls of forms, and metadata (``TPS_KEEP_INVISIBLE``).

Metadata is that of the page, which the parser moved into the body, and that of items. A tag that belongs in the body
ends the head: ``title``, ``meta``, ``link`` and ``base`` after it are in the body (``meta`` on a seventh of the
labelled pages). Any split would remove them there. Removed forms can be sent as on the whole page.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.bounded_cache import remembered

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence

_CONTROLS: Final = frozenset({"input", "select", "textarea", "button"})
_SECRET: Final = frozenset({"hidden", "password"})


def keep_forms(sequence: TagPathSequence, mask: bytearray) -> None:
    """Keep in `mask` the controls of forms with a hidden or password input, without the text around them.

    Whoever sends the form names controls, or counts them. A ``select`` keeps only the options that the form would send:
    a list of all countries is noise. Controls may be outside their form and name it (``form=``).
    """
    forms = sequence.find({"form"})
    places = sequence.find(_CONTROLS) if forms else ()
    if not places:
        return
    kept: list[int] = []
    names: set[str] = set()
    for form in forms:
        first = bisect_left(places, form)
        controls = places[first : bisect_left(places, sequence.stop(form), first)]
        if _is_filled_in_by_the_page(sequence, controls):
            kept += controls
            mask[form] = 1
            name = sequence.value_of(form, "id")
            if name:
                names.add(name)
    if names:
        named = zip(places, sequence.values_of(places, "form"), strict=True)
        kept += [place for place, form_of in named if form_of in names]
    options: Sequence[int] | None = None
    for place in kept:
        mask[place] = 1
        tag = sequence.tag_of(place)
        if tag == "select":
            options = sequence.find({"option"}) if options is None else options
            start = bisect_left(options, place)
            below = options[start : bisect_left(options, sequence.stop(place), start)]
            for option in options_sent(sequence, below):
                fill_subtree(sequence, mask, option, 1)
        elif tag == "textarea":  # its text is its value
            fill_subtree(sequence, mask, place, 1)


def _is_filled_in_by_the_page(sequence: TagPathSequence, controls: Sequence[int]) -> bool:
    return any(
        kind and kind.strip().lower() in _SECRET and sequence.tag_of(place) == "input"
        for place, kind in zip(controls, sequence.values_of(controls, "type"), strict=True)
    )


def options_sent(sequence: TagPathSequence, options: Sequence[int]) -> Sequence[int]:
    """Return the options of a ``select`` that are sent: the selected ones, or the first one that can be selected."""
    value_of = sequence.value_of
    chosen = [option for option in options if value_of(option, "selected") is not None]
    if not chosen:
        enabled = (option for option in options if value_of(option, "disabled") is None)
        chosen = [next(enabled, option) for option in options[:1]]
    return chosen


def fill_subtree(sequence: TagPathSequence, mask: bytearray, place: int, byte: int) -> None:
    """Write 0 or 1 for a node and all nodes below it into a mask."""
    stop = sequence.stop(place)
    mask[place:stop] = bytes([byte]) * (stop - place)


_BASE: Final = frozenset({"base"})
_TAGS: Final = frozenset({"title", "meta", "link"}) | _BASE
_DRAWING: Final = "svg"
_OF_PAGE: Final = ("name", "http-equiv", "charset")
_ITEM: Final = ("itemscope", "typeof")
_LINKS_DROPPED: Final = frozenset(
    {"stylesheet", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload", "icon", "mask-icon"}
)


#: The owner of metadata.
_WHOLE, _PART = "page", "item"


@remembered
def is_resource(rel: str) -> bool:
    """Whether the ``rel`` of a ``link`` names a resource for browsers, which spiders don't read."""
    return not _LINKS_DROPPED.isdisjoint(rel.lower().split())


def keep_metadata(
    sequence: TagPathSequence, mask: bytearray, dropped: bytes | bytearray, *, keep_head: bool
) -> None:
    """Keep in `mask` the metadata of the page, and that of items of which another part stays.

    :param mask: a byte for each node, 1 if it stays for other reasons.
    :param dropped: likewise, 1 if the user's settings remove it; empty if there is no such node.
    :param keep_head: if False, only ``base`` is kept.

        Metadata of the page: ``base``, ``title`` (outside drawings), ``meta`` and ``link`` except for resources.
        Metadata of an item: ``meta`` and ``link`` with ``itemprop`` (or ``property`` below ``typeof``), unless other
        attributes make them the page's. It stays with its item: the nearest element above with ``itemscope`` or
        ``typeof``, else its parent. If that element holds no text, or is itself a property of another item, the same
        applies to the element around it.
    """
    places = [
        place
        for place in sequence.find(_TAGS if keep_head else _BASE)
        if not mask[place] and not (dropped and dropped[place])
    ]
    if not places:
        return
    items = _Items(sequence)
    whose = [(place, _whose(sequence, items, place)) for place in places]
    kept = [place for place, of in whose if of == _WHOLE]
    of_items = [place for place, of in whose if of == _PART]
    if of_items:
        sequence.add_ancestors(mask)
        kept += items.staying(of_items, mask)
    for place in kept:
        fill_subtree(sequence, mask, place, 1)


def _whose(sequence: TagPathSequence, items: _Items, place: int) -> str | None:
    """Return whether metadata belongs to the page or an item; None for a resource, or the title of a drawing."""
    tag, value_of = sequence.tag_of(place), sequence.value_of
    if tag not in ("meta", "link"):
        return None if tag == "title" and _is_drawn(sequence, place) else _WHOLE
    rel = value_of(place, "rel") if tag == "link" else None
    is_item = value_of(place, "itemprop") is not None
    if rel and is_resource(rel):
        return _PART if is_item else None
    if rel if tag == "link" else any(value_of(place, name) is not None for name in _OF_PAGE):
        return _WHOLE
    is_item = is_item or (value_of(place, "property") is not None and items.above(place) > 0)
    return _PART if is_item else _WHOLE


def _is_drawn(sequence: TagPathSequence, place: int) -> bool:
    """Whether a node is in a drawing, whose ``title`` is not that of the page."""
    while place >= 0 and sequence.tag_of(place) != _DRAWING:
        place = sequence.above(place)
    return place >= 0


class _Items:
    """The items of a page, each examined once."""

    def __init__(self, sequence: TagPathSequence) -> None:
        self._sequence = sequence
        self._at: dict[int, int] = {-1: -1}  # the nearest item at or above a node, -1: none
        self._texts: bytearray | None = None

    def above(self, place: int) -> int:
        """Return the nearest item above a node, -1 where there is none."""
        around, value_of, at = self._sequence.above, self._sequence.value_of, self._at
        path = []
        above = around(place)
        while above not in at:
            path.append(above)
            if any(value_of(above, name) is not None for name in _ITEM):
                at[above] = above
                break
            above = around(above)
        for below in path:
            at[below] = at[above]
        return at[above]

    def staying(self, places: Iterable[int], mask: bytearray) -> list[int]:
        """Return those that stay with their items; in `mask`, all ancestors of nodes that stay have to stay."""
        stays: dict[int, bool] = {}  # by the element around them
        texts, stop, value_of = self._sequence.text_mask(), self._sequence.stop, self._sequence.value_of
        kept = []
        for place in places:
            path = []
            box = self._around(place)
            while box not in stays:
                path.append(box)
                seen = texts.find(1, box, stop(box)) >= 0
                if box == 0 or (seen and value_of(box, "itemprop") is None):
                    stays[box] = bool(mask[box])
                    break
                box = self._around(box)
            for below in path:
                stays[below] = stays[box]
            if stays[box]:
                kept.append(place)
        return kept

    def _around(self, place: int) -> int:
        item = self.above(place)
        return self._sequence.above(place) if item < 0 else item
