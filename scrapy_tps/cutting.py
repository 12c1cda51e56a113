"""Cut a tree to what a strategy chose: Algorithm 5 (``pruneDOMTree``), and what stays in any case."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps import native
from scrapy_tps.elements import PlainElements
from scrapy_tps.remembering import remembered
from scrapy_tps.scripts import is_data_script
from scrapy_tps.selectors import compile_selector
from scrapy_tps.sequence import HIDDEN_TAGS, TagPathSequence
from scrapy_tps.strategies import PRUNED, Selection, Span
from scrapy_tps.strategies.spans import Spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.settings import PageSettings

_CONTROLS: Final = frozenset({"input", "select", "textarea", "button"})
_SECRET: Final = frozenset({"hidden", "password"})
_HEAD_TAGS: Final = frozenset({"title", "meta", "link"}) | HIDDEN_TAGS
_LINKS_DROPPED: Final = frozenset(
    {"stylesheet", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload", "icon", "mask-icon"}
)


def kept_mask(sequence: TagPathSequence, selection: Selection, settings: PageSettings) -> bytearray:
    """Return a byte for each node of the sequence: 1 where it stays.

    What stays: what the selection keeps; what ``TPS_KEEP`` matches with all it holds, over everything
    else; data scripts and form controls as set; and all ancestors of these. ``TPS_DROP`` goes first.
    """
    with PlainElements(sequence.nodes[0]):
        return _kept_mask(sequence, selection, settings)


def _kept_mask(sequence: TagPathSequence, selection: Selection, settings: PageSettings) -> bytearray:
    mask = bytearray(b"\x01") * len(sequence)
    if selection.outcome == PRUNED:
        _clear(mask, selection.spans)
    for selectors, stays in ((settings.drop, b"\x00"), (settings.keep, b"\x01")):
        for index in _matching(sequence, selectors):
            stop = sequence.stop(index)
            mask[index:stop] = stays * (stop - index)
    if 0 not in mask:
        return mask
    if settings.keep_data:
        sequence.keep_data(mask)
    if settings.keep_forms:
        _keep_forms(sequence, mask)
    for element in _kept_hidden(sequence, settings):
        above = sequence.locate(element.iterancestors())
        if above:
            mask[max(above)] = 1
    sequence.add_ancestors(mask)
    return mask


def _clear(mask: bytearray, spans: Sequence[Span]) -> None:
    if isinstance(spans, Spans):
        spans.clear(mask)
        return
    for span in spans:
        if not span.kept:
            mask[span.start : span.end] = bytes(span.end - span.start)


def _kept_hidden(sequence: TagPathSequence, settings: PageSettings) -> set[Any]:
    """Elements that ``TPS_KEEP`` names and the sequence leaves out: scripts, styles, those of the head."""
    body = sequence.nodes[0]
    found = {node for selector in settings.keep for node in compile_selector(selector)(body)}
    return {node for node in found if node.tag in HIDDEN_TAGS}


def _matching(sequence: TagPathSequence, selectors: tuple[str, ...]) -> list[int]:
    if not selectors:
        return []
    body = sequence.nodes[0]
    return sequence.locate(node for selector in selectors for node in compile_selector(selector)(body))


def _keep_forms(sequence: TagPathSequence, mask: bytearray) -> None:
    """Keep the controls of removed forms that hold a hidden or password input.

    Of a ``select`` only the options that the form would send stay, its first or selected ones: a list of
    all countries is noise. Controls may stand outside of their form and name it (``form=``).
    """
    if native.keep_forms(sequence, mask):
        return
    forms = sequence.find({"form"})
    if not forms:
        return
    nodes = sequence.nodes
    secrets = [place for place in sequence.find({"input"}) if _is_secret(nodes[place])]
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
            mask[form] = 1
            name = nodes[form].get("id")
            if name:
                names.add(name)
            first = bisect_left(places, form, which)
            which = bisect_left(places, stop, first)
            kept += places[first:which]
    if names:
        kept += [place for place in places if nodes[place].get("form") in names]
    _keep_controls(sequence, mask, kept)


def _is_secret(field: Any) -> bool:
    return (field.get("type") or "").strip().lower() in _SECRET


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


def cut(sequence: TagPathSequence, mask: bytearray, settings: PageSettings) -> None:
    """Remove from the tree every node whose byte is 0; order, attributes and ancestors stay.

    Elements that lost something also lose their scripts and styles, except data scripts where those are
    kept. Comments, ``noscript`` and ``template`` stay with their parent: some sites keep tables and pictures
    in them. Where words would run into each other, white space stays.
    """
    body = sequence.nodes[0]
    with PlainElements(body):
        sequence.cut(mask, _kept_hidden(sequence, settings), keep_data=settings.keep_data)


def cut_head(root: Any, settings: PageSettings) -> None:
    """Cut the ``head`` to what spiders read: title, meta, links such as canonical, and data scripts.

    Without ``TPS_KEEP_HEAD`` only ``base`` and, where kept, data scripts remain. What ``TPS_KEEP`` names stays,
    and so do elements that belong in a body: libxml2 leaves unknown tags of a head where they are, text
    included.
    """
    head = next(root.iterchildren("head"), None)
    if head is None:
        return
    kept = {node for selector in settings.keep for node in compile_selector(selector)(root)}
    with PlainElements(head):
        if native.cut_head(head, settings.keep_head, settings.keep_data, _is_resource, kept):
            return
        for child in list(head):  # one by one: lxml looks for the ends of a slice from the first child on
            if child not in kept and not _stays_in_head(child, settings):
                head.remove(child)


def _stays_in_head(child: Any, settings: PageSettings) -> bool:
    tag = child.tag
    if not isinstance(tag, str):
        return False
    if tag not in _HEAD_TAGS:
        return True
    if tag in HIDDEN_TAGS:
        return tag == "script" and settings.keep_data and is_data_script(child)
    return settings.keep_head and not (tag == "link" and _is_resource(child.get("rel", "")))


@remembered
def _is_resource(rel: str) -> bool:
    return not _LINKS_DROPPED.isdisjoint(rel.lower().split())
