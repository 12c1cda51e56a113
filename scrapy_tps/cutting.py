"""Cut a tree to what a strategy chose: Algorithm 5 (``pruneDOMTree``), and what stays in any case."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.selectors import compile_selector
from scrapy_tps.sequence import ELEMENT, HIDDEN_TAGS, TAIL_OF, TEXT_OF, TagPathSequence, is_data_script
from scrapy_tps.strategies import PRUNED, Selection

if TYPE_CHECKING:
    from scrapy_tps.settings import PageSettings

_CONTROLS: Final = frozenset({"input", "select", "textarea", "button"})
_CODE: Final = frozenset({"script", "style"})
_HEAD_TAGS: Final = frozenset({"title", "meta", "link"}) | HIDDEN_TAGS
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
    kept; comments, ``noscript`` and ``template`` stay with their parent: some sites keep tables and pictures
    in them. Of the white space behind what goes, what separates words stays.
    """
    end = sequence.end
    scripts = {script for _, script in sequence.data_scripts} if settings.keep_data else set()
    total = len(mask)
    next_removed = mask.find(0)
    index = 0
    while index < total and next_removed >= 0:
        if not mask[index]:
            index = end[index]  # went when its parent was cut
            next_removed = mask.find(0, index)
        elif next_removed >= end[index]:
            index = end[index]  # nothing in this subtree goes
        else:
            _cut_children(sequence, mask, index, scripts)
            index += 1


def _cut_children(sequence: TagPathSequence, mask: bytearray, index: int, scripts: set[Any]) -> None:
    """Remove the children of a kept element that go, in one pass.

    Texts that become neighbours are joined once per run: joining them pair by pair is quadratic on a page
    of a million comments.
    """
    end, nodes, kinds = sequence.end, sequence.nodes, sequence.kinds
    element = nodes[index]
    place, stop = index + 1, end[index]
    run = _TextRun(element, False)
    if place < stop and kinds[place] == TEXT_OF:
        if not mask[place]:
            run.clear()
        place += 1
    for child in list(element):
        if place < stop and kinds[place] == ELEMENT and nodes[place] is child:
            stays = bool(mask[place])
            place = end[place]
        else:
            stays = child.tag not in _CODE or child in scripts
        text_stays = True
        if place < stop and kinds[place] == TAIL_OF and nodes[place] is child:
            text_stays = bool(mask[place])
            place += 1
        if stays:
            run.write()
            run = _TextRun(child, True)
            if not text_stays:
                run.clear()
        else:
            tail = child.tail
            element.remove(child)
            if tail and text_stays:
                run.add(tail)
    run.write()


class _TextRun:
    """The text right behind a kept element, or at the start of its parent, while siblings go."""

    __slots__ = ("_is_tail", "_node", "_parts")

    def __init__(self, node: Any, is_tail: bool) -> None:
        self._node = node
        self._is_tail = is_tail
        self._parts: list[str] | None = None  # None: as it was

    def clear(self) -> None:
        self._parts = []

    def add(self, text: str) -> None:
        parts = self._parts
        if parts is None:
            before = self._node.tail if self._is_tail else self._node.text
            parts = self._parts = [before] if before else []
        if parts and text.isspace() and parts[-1][-1].isspace():
            return
        parts.append(text)

    def write(self) -> None:
        if self._parts is None:
            return
        text = "".join(self._parts) or None
        if self._is_tail:
            self._node.tail = text
        else:
            self._node.text = text


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
