"""What stays of removed forms, so that ``FormRequest.from_response`` sends the same."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.engine import native

if TYPE_CHECKING:
    from scrapy_tps.engine.sequence.columns import TagPathSequence

_CONTROLS: Final = frozenset({"input", "select", "textarea", "button"})
_SECRET: Final = frozenset({"hidden", "password"})
_SENDING: Final = frozenset({"submit", "image"})
_NEVER_SENT: Final = frozenset({"button", "reset"})
_CHECKED: Final = frozenset({"checkbox", "radio"})


def keep_forms(sequence: TagPathSequence, mask: bytearray) -> None:
    """Keep in `mask` what removed forms with a hidden or password input would send as the page gives it.

    What the page does not fill in is not sent or comes from the spider: controls without a name, boxes that are not
    checked, buttons that send nothing. Of a ``select`` only the options that the form would send stay, its first or
    selected ones: a list of all countries is noise. Of a form that goes as a whole and that people write in
    (comments, contact, newsletters), hidden values alone stay. Of a form with several buttons that send it, all
    controls stay: ``clickdata`` may count them. Controls may stand outside of their form and name it (``form=``).
    """
    if native.keep_forms(sequence, mask):
        return
    forms = sequence.find({"form"})
    if not forms:
        return
    nodes = sequence.nodes
    secrets = [place for place in sequence.find({"input"}) if _type(nodes[place]) in _SECRET]
    if not secrets:
        return
    places = sequence.find(_CONTROLS)
    kept: list[int] = []
    names: set[str] = set()
    which = secret = stop = 0
    for form in forms:
        if form < stop:
            continue  # inside of a form that has been dealt with
        stop = sequence.stop(form)
        secret = bisect_left(secrets, form, secret)
        if secret == len(secrets):
            break
        if secrets[secret] < stop:
            first = bisect_left(places, form, which)
            which = bisect_left(places, stop, first)
            controls = places[first:which]
            types = [_type(nodes[place]) for place in controls]
            if mask.find(1, form, stop) < 0 and _is_written_in(nodes, form, controls, types):
                controls = [
                    place
                    for place, kind in zip(controls, types, strict=True)
                    if kind == "hidden" and _says(nodes[place], "name") and _says(nodes[place], "value")
                ]
            elif sum(kind in _SENDING for kind in types) < 2:
                controls = [
                    place
                    for place, kind in zip(controls, types, strict=True)
                    if kind in _SENDING or _is_sent(nodes[place], kind)
                ]
            mask[form] = 1
            name = nodes[form].get("id")
            if name:
                names.add(name)
            kept += controls
    if names:
        kept += [place for place in places if nodes[place].get("form") in names]
    _keep_controls(sequence, mask, kept)


def _type(control: Any) -> str:
    """How a control behaves: the ``type`` of an ``input``, what a ``button`` does, the tag of others."""
    tag: str = control.tag
    if tag in ("select", "textarea"):
        return tag
    kind: str = (control.get("type") or "").strip().lower()
    return kind if tag == "input" or kind in _NEVER_SENT else "submit"


def _says(control: Any, attribute: str) -> bool:
    return bool((control.get(attribute) or "").strip())


def _is_sent(control: Any, kind: str) -> bool:
    """Whether a control that sends no form by itself is part of what is sent."""
    if kind in _NEVER_SENT or not _says(control, "name"):
        return False
    return kind not in _CHECKED or control.get("checked") is not None


def _is_written_in(nodes: Any, form: int, controls: list[int], types: list[str]) -> bool:
    """Whether a form takes what people write: it asks for their address, and for no password.

    A search may ask for a text or an address, too, but not for a valid address (``type=email``), nor for both.
    """
    if (nodes[form].get("method") or "").strip().lower() != "post" or "password" in types:
        return False
    return "email" in types or (
        "textarea" in types and any("mail" in (nodes[place].get("name") or "").lower() for place in controls)
    )


def _keep_controls(sequence: TagPathSequence, mask: bytearray, kept: list[int]) -> None:
    """Keep controls, with the text of a ``textarea``, which is its value, and what a ``select`` would send."""
    nodes = sequence.nodes
    options = sequence.find({"option"})
    selects, areas = set(sequence.find({"select"})), set(sequence.find({"textarea"}))
    for place in kept:
        mask[place] = 1
        if place in selects:
            start = bisect_left(options, place)
            below = options[start : bisect_left(options, sequence.stop(place), start)]
            chosen = [option for option in below if nodes[option].get("selected") is not None]
            for option in chosen or below[:1]:
                _keep_subtree(sequence, mask, option)
        elif place in areas:
            _keep_subtree(sequence, mask, place)


def _keep_subtree(sequence: TagPathSequence, mask: bytearray, place: int) -> None:
    stop = sequence.stop(place)
    mask[place:stop] = b"\x01" * (stop - place)
