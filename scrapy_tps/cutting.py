"""Cut a tree to what a strategy chose: Algorithm 5 (``pruneDOMTree``), and what stays in any case."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from scrapy_tps.selectors import compile_selector
from scrapy_tps.sequence import ELEMENT, HIDDEN_TAGS, TAIL_OF, TEXT_OF, TagPathSequence, is_data_script
from scrapy_tps.strategies import PRUNED, Selection

if TYPE_CHECKING:
    from scrapy_tps.settings import PageSettings

_GONE: Final = "TPS-GONE"  # no page has it: the parser turns tags into lower case
_CONTROLS: Final = frozenset({"input", "select", "textarea", "button"})
_HEAD_TAGS: Final = frozenset({"title", "meta", "link"}) | HIDDEN_TAGS
_CODE: Final = frozenset({"script", "style"})
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
    all countries is noise. Controls may stand outside of their form and name it (``form=``).
    """
    tags, symbols, end, nodes = sequence.symbol_tag, sequence.symbols, sequence.end, sequence.nodes
    forms = {symbol for symbol, tag in enumerate(tags) if tag == "form"}
    if not forms:
        return
    wanted = {symbol for symbol, tag in enumerate(tags) if tag in _CONTROLS}
    controls = [place for place, symbol in enumerate(symbols) if symbol in wanted]
    names: set[str] = set()
    which = stop = 0
    for form in [place for place, symbol in enumerate(symbols) if symbol in forms]:
        if form < stop:
            continue  # inside of a form that has been dealt with
        stop = end[form]
        which = bisect_left(controls, form, which)
        inside = controls[which : bisect_left(controls, stop, which)]
        if any(tags[symbols[place]] == "input" and _is_secret(nodes[place]) for place in inside):
            mask[form] = 1
            name = nodes[form].get("id")
            if name:
                names.add(name)
            for place in inside:
                _keep_control(sequence, mask, place)
    if names:
        for place in controls:
            if nodes[place].get("form") in names:
                _keep_control(sequence, mask, place)


def _is_secret(control: Any) -> bool:
    return (control.get("type") or "").strip().lower() in {"hidden", "password"}


def _keep_control(sequence: TagPathSequence, mask: bytearray, control: int) -> None:
    nodes, end = sequence.nodes, sequence.end
    tag = sequence.symbol_tag[sequence.symbols[control]]
    mask[control] = 1
    if tag == "textarea":  # its text is its value
        mask[control : end[control]] = b"\x01" * (end[control] - control)
    elif tag == "select":
        options = [
            place
            for place in range(control + 1, end[control])
            if sequence.symbol_tag[sequence.symbols[place]] == "option"
        ]
        chosen = [place for place in options if nodes[place].get("selected") is not None] or options[:1]
        for place in chosen:
            mask[place : end[place]] = b"\x01" * (end[place] - place)


def cut(sequence: TagPathSequence, mask: bytearray, settings: PageSettings) -> None:
    """Remove from the tree every node whose byte is 0; order, attributes and ancestors stay.

    Elements that lost something also lose their scripts and styles, except data scripts where those are
    kept. Comments, ``noscript`` and ``template`` stay with their parent: some sites keep tables and pictures
    in them. Where words would run into each other, white space stays.
    """
    end = sequence.end
    scripts = {script for _, script in sequence.data_scripts} if settings.keep_data else set()
    total = len(mask)
    next_removed = mask.find(0)
    index = 0
    while index < total and next_removed >= 0:
        if not mask[index]:
            index = end[index]  # marked with the children of its parent
            next_removed = mask.find(0, index)
        elif next_removed >= end[index]:
            index = end[index]  # nothing in this subtree goes
        else:
            _mark_children(sequence, mask, index, scripts)
            index += 1
    # lxml takes texts away together with the element before them, and setting them anew fails on control
    # characters and is quadratic on a million comments; this leaves them where they are
    etree.strip_elements(sequence.nodes[0], _GONE, with_tail=False)


def _mark_children(sequence: TagPathSequence, mask: bytearray, index: int, scripts: set[Any]) -> None:
    """Mark the child elements of a kept element that go, and remove its texts that go."""
    end, nodes, kinds = sequence.end, sequence.nodes, sequence.kinds
    element = nodes[index]
    place, stop = index + 1, end[index]
    blank = False  # whether what stays of the element so far is known to end in white space …
    before = None  # … or the kept child whose tail has not been looked at
    if place < stop and kinds[place] == TEXT_OF:
        if not mask[place]:
            element.text = _remains(element.text)
            blank = element.text is not None
        place += 1
    for child in list(element):
        if place < stop and kinds[place] == ELEMENT and nodes[place] is child:
            stays = mask[place] != 0
            place = end[place]
        else:
            stays = child.tag not in _CODE or child in scripts
        if place < stop and kinds[place] == TAIL_OF and nodes[place] is child:
            if mask[place]:
                blank = False
            else:
                child.tail = None if blank else _remains(child.tail)
                blank = blank or child.tail is not None
            before = None
            place += 1
        elif stays:
            blank, before = False, child
        else:
            tail = child.tail
            if tail:
                if blank or (before is not None and before.tail):
                    child.tail = None
                blank, before = True, None
        if not stays:
            child.tag = _GONE


def _remains(text: str) -> str | None:
    """Return what has to stay of a text that goes, so that the words around it stay apart."""
    return " " if text[0].isspace() or text[-1].isspace() else None


def cut_head(root: Any, settings: PageSettings) -> None:
    """Cut the ``head`` to what spiders read: title, meta, links such as canonical, and data scripts.

    Without ``TPS_KEEP_HEAD`` only ``base`` and, where kept, data scripts remain. Elements that belong in
    a body stay: libxml2 leaves unknown tags of a head where they are, text included.
    """
    head = root.find("head")
    if head is None:
        return
    for child in list(head):
        tag = child.tag
        if isinstance(tag, str):
            if tag not in _HEAD_TAGS or (settings.keep_data and tag == "script" and is_data_script(child)):
                continue
            if settings.keep_head and tag not in HIDDEN_TAGS and not (tag == "link" and _is_resource(child)):
                continue
        head.remove(child)


def _is_resource(link: Any) -> bool:
    return not _LINKS_DROPPED.isdisjoint((link.get("rel") or "").lower().split())
