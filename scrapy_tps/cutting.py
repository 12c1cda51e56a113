"""Cut a tree to what a strategy chose: Algorithm 5 (``pruneDOMTree``), and what stays in any case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.selectors import compile_selector
from scrapy_tps.sequence import ELEMENT, TEXT_OF, TagPathSequence, is_data_script
from scrapy_tps.strategies import PRUNED, Selection

if TYPE_CHECKING:
    from scrapy_tps.settings import PageSettings

_CONTROLS: Final = frozenset({"input", "select", "textarea", "button"})
_CODE: Final = frozenset({"script", "style"})
_HEAD_KEPT: Final = frozenset({"title", "meta", "base"})
_LINKS_DROPPED: Final = frozenset(
    {"stylesheet", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload", "icon", "mask-icon"}
)


def kept_mask(sequence: TagPathSequence, selection: Selection, settings: PageSettings) -> bytearray:
    """Return a byte for each node of the sequence: 1 where it stays.

    What stays: what the selection keeps; what ``TPS_KEEP`` matches with all it holds, over everything
    else; data scripts and form controls as set; and all ancestors of these. ``TPS_DROP`` goes first.
    """
    total = len(sequence)
    mask = bytearray(b"\x01") * total
    if selection.outcome == PRUNED:
        for span in selection.spans:
            if not span.kept:
                mask[span.start : span.end] = bytes(span.end - span.start)
    places = _places(sequence) if settings.keep or settings.drop else {}
    for index in _matching(sequence, settings.drop, places):
        mask[index : sequence.end[index]] = bytes(sequence.end[index] - index)
    for index in _matching(sequence, settings.keep, places):
        mask[index : sequence.end[index]] = b"\x01" * (sequence.end[index] - index)
    if 0 not in mask:
        return mask
    if settings.keep_data:
        for index, _ in sequence.data_scripts:
            mask[index] = 1
    if settings.keep_forms:
        _keep_forms(sequence, mask)
    parent = sequence.parent
    mask[0] = 1
    for index in range(total - 1, 0, -1):
        if mask[index]:
            mask[parent[index]] = 1
    return mask


def _places(sequence: TagPathSequence) -> dict[Any, int]:
    return {node: index for index, node in enumerate(sequence.nodes) if sequence.kinds[index] == ELEMENT}


def _matching(sequence: TagPathSequence, selectors: tuple[str, ...], places: dict[Any, int]) -> list[int]:
    body = sequence.nodes[0]
    found = [places.get(node) for selector in selectors for node in compile_selector(selector)(body)]
    return [index for index in found if index is not None]


def _keep_forms(sequence: TagPathSequence, mask: bytearray) -> None:
    """Keep the controls of removed forms that hold a hidden or password input.

    Of a ``select`` only the options that the form would send stay, its first or selected ones: a list of
    all countries is noise.
    """
    tags, symbols, end, nodes = sequence.symbol_tag, sequence.symbols, sequence.end, sequence.nodes
    forms = {symbol for symbol, tag in enumerate(tags) if tag == "form"}
    if not forms:
        return
    controls = {symbol for symbol, tag in enumerate(tags) if tag in _CONTROLS}
    index, total = 0, len(symbols)
    while index < total:
        if symbols[index] not in forms:
            index += 1
            continue
        inside = [place for place in range(index, end[index]) if symbols[place] in controls]
        if any(tags[symbols[place]] == "input" and _is_secret(nodes[place]) for place in inside):
            mask[index] = 1
            for place in inside:
                if not mask[place]:
                    mask[place] = 1
                    if tags[symbols[place]] == "select":
                        _keep_options(sequence, mask, place)
        index = end[index]


def _is_secret(control: Any) -> bool:
    return (control.get("type") or "").strip().lower() in {"hidden", "password"}


def _keep_options(sequence: TagPathSequence, mask: bytearray, select: int) -> None:
    nodes, end = sequence.nodes, sequence.end
    options = [
        place
        for place in range(select + 1, end[select])
        if sequence.kinds[place] == ELEMENT and nodes[place].tag == "option"
    ]
    chosen = [place for place in options if nodes[place].get("selected") is not None] or options[:1]
    for place in chosen:
        mask[place : end[place]] = b"\x01" * (end[place] - place)


def cut(sequence: TagPathSequence, mask: bytearray, settings: PageSettings) -> None:
    """Remove from the tree every node whose byte is 0; order, attributes and ancestors stay.

    Elements that lost something also lose their scripts and styles, except data scripts where those are
    kept. Comments, ``noscript`` and ``template`` stay with their parent: some sites keep tables and pictures
    in them.
    """
    end, nodes, kinds = sequence.end, sequence.nodes, sequence.kinds
    scripts = {script for _, script in sequence.data_scripts} if settings.keep_data else set()
    total = len(mask)
    next_removed = mask.find(0)
    index = 0
    while index < total and next_removed >= 0:
        if not mask[index]:
            _remove(nodes[index], kinds[index])
            index = end[index]
            next_removed = mask.find(0, index)
        elif next_removed >= end[index]:
            index = end[index]  # nothing in this subtree goes
        else:
            _remove_unseen(nodes[index], scripts)
            index += 1


def _remove(node: Any, kind: int) -> None:
    if kind == ELEMENT:
        _detach(node)
    elif kind == TEXT_OF:
        node.text = None
    else:
        node.tail = None


def _detach(node: Any) -> None:
    """Take an element out of the tree; the text behind it stays where it is."""
    parent, tail = node.getparent(), node.tail
    if tail:
        before = node.getprevious()
        if before is None:
            parent.text = (parent.text or "") + tail
        else:
            before.tail = (before.tail or "") + tail
    parent.remove(node)


def _remove_unseen(element: Any, kept_scripts: set[Any]) -> None:
    for child in list(element):
        if child.tag in _CODE and child not in kept_scripts:
            _detach(child)


def cut_head(root: Any, settings: PageSettings) -> None:
    """Cut the ``head`` to what spiders read: title, meta, links such as canonical, and data scripts.

    Without ``TPS_KEEP_HEAD`` only ``base`` and, where kept, data scripts remain.
    """
    head = root.find("head")
    if head is None:
        return
    for child in list(head):
        tag = child.tag
        if tag == "base" or (settings.keep_data and tag == "script" and is_data_script(child)):
            continue
        if settings.keep_head and (tag in _HEAD_KEPT or (tag == "link" and not _is_resource(child))):
            continue
        head.remove(child)


def _is_resource(link: Any) -> bool:
    return not _LINKS_DROPPED.isdisjoint((link.get("rel") or "").lower().split())
