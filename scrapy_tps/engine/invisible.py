"""Invisible parts that stay although what is around them goes: what forms send, and metadata (``TPS_KEEP_INVISIBLE``).

Metadata is that of the page, which the parser moved into the body, and that of items. A tag that belongs in the body
ends the head: ``title``, ``meta``, ``link`` and ``base`` after it are in the body (``meta`` on a seventh of the
labelled pages). Any split would remove them there. Of removed forms, ``FormRequest.from_response`` sends the same.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.bounded_cache import remembered

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence

_CONTROLS: Final = frozenset({"input", "select", "textarea", "button"})
_SECRET: Final = frozenset({"hidden", "password"})
_SENDING: Final = frozenset({"submit", "image"})
_BUTTONS: Final = frozenset({"submit", "image", "button", "reset"})
_CHECKED: Final = frozenset({"checkbox", "radio"})
_FIELDS: Final = frozenset({"", "text", "email", "tel", "url"})
#: Names of ratings, where 0 means no rating; in other choices 0 may be the first of several.
_RATING: Final = re.compile("(?<![a-z])(?:ratings?|rate|stars?|votes?|score)(?![a-z])")
#: Attributes by which a button changes the data that are sent, or their destination.
_PRESSED: Final = ("name", "formaction", "formmethod", "formenctype")


def keep_forms(sequence: TagPathSequence, mask: bytearray) -> None:
    """Keep in `mask` the controls that removed forms with a hidden or password input would send.

    Controls without a name and unchecked boxes are not sent. They are removed from forms without a button, from forms
    whose buttons have no name and are therefore not sent, and from forms with a single button that sends them. If a
    button is an ``input``, the controls before it stay, because ``clickdata`` may count them (``nr``). Other forms keep
    all controls, because ``clickdata`` may name any. A ``select`` keeps only the options that the form would send: a
    list of all countries is noise. If a form in which people write (comments, contact, newsletters) is removed as a
    whole, its empty fields are removed, because the spider fills them in, and so are buttons without a name. Controls
    may be outside their form and name it (``form=``).
    """
    forms = sequence.find({"form"})
    if not forms:
        return
    places = sequence.find(_CONTROLS)
    if not places:
        return
    kept: list[int] = []
    names: set[str] = set()
    which = stop = held = 0
    for form in forms:
        if form < stop:
            if form < held:  # inside a form that stays
                mask[form] = 1
            continue
        stop = sequence.stop(form)
        first = bisect_left(places, form, which)
        which = bisect_left(places, stop, first)
        controls = places[first:which]
        if mask.find(0, form, stop) < 0 and sequence.value_of(form, "id") is None:
            held = stop  # all of it stays
            continue
        types = _types(sequence, controls)
        if not types:
            continue
        kept += _sent(sequence, form, controls, types, goes=mask.find(1, form, stop) < 0)
        mask[form] = 1
        held = stop
        name = sequence.value_of(form, "id")
        if name:
            names.add(name)
    if names:
        named = zip(places, sequence.values_of(places, "form"), strict=True)
        kept += [place for place, form_of in named if form_of in names]
    if kept:
        _keep_controls(sequence, mask, kept)


def _types(sequence: TagPathSequence, controls: Sequence[int]) -> list[str]:
    """Return how Scrapy treats each control; empty if none is a hidden or a password input."""
    given, tags = sequence.values_of(controls, "type"), list(map(sequence.tag_of, controls))
    pairs = list(zip(tags, given, strict=True))
    if not any(tag == "input" and kind and kind.strip().lower() in _SECRET for tag, kind in pairs):
        return []
    return [_type(tag if kind is None else f"{tag} {kind}") for tag, kind in pairs]


def _sent(
    sequence: TagPathSequence, form: int, controls: Sequence[int], types: list[str], *, goes: bool
) -> Sequence[int]:
    """Return the controls of a form that stay, see :func:`keep_forms`; `goes`: nothing else of the form stays."""
    names = sequence.values_of(controls, "name")
    buttons = {number: controls[number] for number, kind in enumerate(types) if kind in _BUTTONS}
    places = list(buttons.values())
    mute = not any(set(sequence.values_of(places, name)) - {None} for name in _PRESSED)
    if not mute and (len(buttons) != 1 or types[min(buttons)] not in _SENDING):
        return controls
    written, counted = goes and _is_written_in(sequence, form, controls, types), 0
    if not written:
        inputs = (number + 1 for number, place in buttons.items() if sequence.tag_of(place) == "input")
        counted = max(inputs, default=0)
    return [
        place
        for number, (place, kind, name) in enumerate(zip(controls, types, names, strict=True))
        if number < counted
        or (
            not (written and mute)
            if kind in _BUTTONS
            else name
            and (kind not in _CHECKED or sequence.value_of(place, "checked") is not None)
            and not (written and _is_empty(sequence, place, kind))
        )
    ]


@remembered
def _type(said: str) -> str:
    """Return how Scrapy treats a control: by the ``type`` of an ``input`` or a ``button``, and by the tag of others.

    Scrapy ignores case in types, but not white space around them, and its regular expressions equate more letters than
    Python's ``lower()``. A doubtful control counts as ``button``, so that the form keeps all controls.
    """
    tag, given, small = said.lower().partition(" ")
    if tag in ("select", "textarea"):
        return tag
    if tag == "button":
        return "submit" if not given or small == "submit" else "button"
    kind = small.strip()
    if not kind.isascii() or (kind in _BUTTONS and kind != small):
        return "button"
    return small if kind in _CHECKED else kind


def _is_empty(sequence: TagPathSequence, control: int, kind: str) -> bool:
    """Whether a control is an empty field, or a rating of "none"."""
    if kind == "textarea":
        area = sequence.nodes[control]
        return not area.text and not len(area)
    value = sequence.value_of(control, "value")
    if kind == "radio":
        name = sequence.value_of(control, "name") or ""
        return value == "" or (value == "0" and bool(_RATING.search(name.lower())))
    return kind in _FIELDS and not value


def _is_written_in(sequence: TagPathSequence, form: int, controls: Sequence[int], types: list[str]) -> bool:
    """Whether people write in a form: it asks for their address, and not for a password.

    A search may also ask for a text or an address, but not for a valid address (``type=email``), nor for both. Forms
    for comments that a script sends name no method.
    """
    if "password" in types:
        return False
    if "email" in types and "textarea" in types:
        return True
    value_of = sequence.value_of
    if (value_of(form, "method") or "").strip().lower() != "post":
        return False
    return "email" in types or (
        "textarea" in types and any("mail" in (value_of(place, "name") or "").lower() for place in controls)
    )


def _keep_controls(sequence: TagPathSequence, mask: bytearray, kept: list[int]) -> None:
    """Keep controls, with the text of a ``textarea``, which is its value, and the options that a ``select`` would
    send."""
    options: Sequence[int] | None = None
    for place in kept:
        mask[place] = 1
        tag = sequence.tag_of(place)
        if tag == "select":
            options = sequence.find({"option"}) if options is None else options
            start = bisect_left(options, place)
            below = options[start : bisect_left(options, sequence.stop(place), start)]
            for option in options_sent(sequence, below):
                _keep_subtree(sequence, mask, option)
        elif tag == "textarea":
            _keep_subtree(sequence, mask, place)


def options_sent(sequence: TagPathSequence, options: Sequence[int]) -> Sequence[int]:
    """Return the options of a ``select`` that are sent: the selected ones, or the first one that can be selected."""
    value_of = sequence.value_of
    chosen = [option for option in options if value_of(option, "selected") is not None]
    if not chosen:
        enabled = (option for option in options if value_of(option, "disabled") is None)
        chosen = [next(enabled, option) for option in options[:1]]
    return chosen


def _keep_subtree(sequence: TagPathSequence, mask: bytearray, place: int) -> None:
    stop = sequence.stop(place)
    mask[place:stop] = b"\x01" * (stop - place)


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
        _keep_subtree(sequence, mask, place)


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
