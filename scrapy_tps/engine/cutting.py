"""Cut a tree to the selection of a strategy: Algorithm 5 (``pruneDOMTree``), and the parts that always stay."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine import native
from scrapy_tps.engine.html.data_scripts import is_data_script
from scrapy_tps.engine.html.elements import MOST_HTML_ELEMENTS, plain_elements
from scrapy_tps.engine.invisible import fill_subtree, is_resource, keep_forms, keep_metadata
from scrapy_tps.engine.journal import Child, Journal, Loser, Moves
from scrapy_tps.engine.selectors import compile_selector
from scrapy_tps.engine.sequence.columns import CODE_TAGS, ELEMENT, HIDDEN_TAGS, TagPathSequence, is_unseen

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from scrapy_tps.engine.html.elements import Element
    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.strategies import Selection

_CORE: Final = native.extension("cutting")
_HEAD_TAGS: Final = frozenset({"title", "meta", "link"}) | HIDDEN_TAGS


def matching(root: Element, selectors: Iterable[str]) -> set[Element]:
    """Return all elements of a page that any of the selectors matches, also in the head and in unseen elements."""
    with plain_elements(root):
        return {node for selector in selectors for node in compile_selector(selector)(root)}


def kept_mask(
    sequence: TagPathSequence, selection: Selection, settings: PageSettings, named: Collection[Element] = ()
) -> bytearray:
    """Return a byte for each node of the sequence: 1 where it stays.

    :param named: elements that ``TPS_KEEP`` matches (:func:`matching`).

    These stay: the nodes that the selection keeps; the elements `named` with everything inside, above all else; data
    scripts, form controls and metadata by their settings; and all ancestors of these. ``TPS_DROP`` overrides metadata.
    """
    mask = bytearray(b"\x01") * len(sequence)
    body = sequence.nodes[0]
    if body.getparent() in named:
        return mask
    selection.clear(mask)
    dropped = bytearray()
    if settings.drop:
        dropped = bytearray(len(mask))
        for index in sequence.locate(matching(body, settings.drop)):
            fill_subtree(sequence, mask, index, 0)
            fill_subtree(sequence, dropped, index, 1)
    if named:
        for index in sequence.locate(named):
            fill_subtree(sequence, mask, index, 1)
        for index in sequence.locate(_holding_unseen(named)):
            mask[index] = 1
    if 0 not in mask:
        return mask
    if "data" in settings.keep_invisible:
        sequence.keep_data(mask)
    if "forms" in settings.keep_invisible:
        keep_forms(sequence, mask)
    keep_metadata(sequence, mask, dropped, keep_head="head" in settings.keep_invisible)
    sequence.add_ancestors(mask)
    return mask


def _holding_unseen(named: Iterable[Element]) -> set[Element]:
    """Return the elements that hold unseen ones (``noscript``, ``template``, scripts) that are named or hold named
    ones.

    Unseen elements stay if the element that holds them does.
    """
    holding = set()
    for element in named:
        unseen = None
        for node in chain((element,), element.iterancestors()):
            if is_unseen(node):
                unseen = node
        if unseen is not None and (holder := unseen.getparent()) is not None:
            holding.add(holder)
    return holding


def cut(
    sequence: TagPathSequence, mask: bytearray, settings: PageSettings, named: Collection[Element] = ()
) -> Journal:
    """Take every node whose byte is 0 out of the tree, and cut the head; order, attributes and ancestors stay.

    :param named: as for :func:`kept_mask`.
    :return: the journal of the removed parts.

    Elements that lost something also lose their scripts and styles, except named ones, and data scripts if these are
    kept. Comments, ``noscript`` and ``template`` stay with their parent: some sites keep tables and pictures in them.
    White space stays where words would otherwise run together.

    The ``head`` keeps the parts that spiders read: title, meta, links such as canonical, and data scripts. Without
    ``head`` in ``TPS_KEEP_INVISIBLE`` only ``base`` and, if kept, data scripts remain. Named elements stay, with their
    ancestors, and so do elements that belong in a body: libxml2 leaves unknown tags in the head, with their text.

    Elements that ``TPS_DROP`` matches cannot be put back: they are not in the journal.
    """
    body = sequence.nodes[0]
    dropped = []
    if settings.drop:
        places = sequence.locate(matching(body, settings.drop))
        dropped = [sequence.nodes[place] for place in _gone(sequence, mask, places)]
    code = {element for element in named if element.tag in CODE_TAGS}
    moves = sequence.cut(mask, code, keep_data="data" in settings.keep_invisible)
    root = body.getparent()
    assert root is not None
    head = next(root.iterchildren("head"), None)
    if head is not None and head not in named:
        kept = {node for element in named for node in chain((element,), element.iterancestors())}
        _cut_head(head, moves, settings, kept)
    with plain_elements(body, MOST_HTML_ELEMENTS):
        moves.hold(False)
    moves.hold(True)
    journal = Journal(moves, body)
    if dropped:
        journal.drop(dropped)
    return journal


def _gone(sequence: TagPathSequence, mask: bytearray, places: Iterable[int]) -> Iterator[int]:
    """Yield the elements at `places` to remove; if one stays because of its content, those inside it to remove."""
    done = 0
    for place in sorted(places):
        at, stop = max(place, done), sequence.stop(place)
        while at < stop:
            if mask[at] or sequence.kinds[at] != ELEMENT:
                at += 1
            else:
                yield at
                at = sequence.stop(at)
        done = max(done, stop)


def _cut_head(head: Element, moves: Moves, settings: PageSettings, kept: Collection[Element]) -> None:
    if not isinstance(moves, Moves):
        invisible = settings.keep_invisible
        _CORE.cut_head(head, moves, "head" in invisible, "data" in invisible, is_resource, kept)
        return
    children = []
    for child in head:
        stays = child in kept or _stays_in_head(child, settings)
        children.append(Child(child, child.tail, child.tail if stays else None, stays, -1))
    if not all(child.stays for child in children):
        moves.add(Loser(head, head.text, head.text, children))
        moves.part()


def _stays_in_head(child: Element, settings: PageSettings) -> bool:
    tag = child.tag
    if not isinstance(tag, str):
        return False
    if tag not in _HEAD_TAGS:
        return True
    if tag in HIDDEN_TAGS:
        return tag == "script" and "data" in settings.keep_invisible and is_data_script(child)
    return "head" in settings.keep_invisible and not (tag == "link" and is_resource(child.get("rel", "")))
