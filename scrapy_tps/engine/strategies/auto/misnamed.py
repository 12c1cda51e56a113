"""Content in parts that have the name of a consent notice, a dialog, a footer, a menu or a sidebar.

The name is the topic, or a word of the page's own vocabulary: a bakery sells cookies, an overlay shows the name and the
price of a tile, footnotes close an article. Structure tells what noise of that name does. A notice of consent occurs
once and asks for something. A dialog occurs once, too, or asks. The site's footer is next to its other parts, not next
to paragraphs or rows. A menu has links or controls. A sidebar has links.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.cues import reading
from scrapy_tps.engine.loops import boilerplate
from scrapy_tps.engine.native import compiled
from scrapy_tps.engine.strategies.auto.queries import (
    any_in,
    characters_of,
    holds_records,
    joined,
    within,
)
from scrapy_tps.engine.strategies.auto.thresholds import FIELDS, Thresholds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy_tps.engine.strategies.auto.decisions import Correction
    from scrapy_tps.engine.strategies.auto.page import Page


@dataclass(frozen=True, slots=True)
class Misnamed(Thresholds):
    notice: int = 400  # a notice without controls has at most so many characters
    # so many parts of one tag path are records if this part of them is similar to the first one, by this part of their
    # tag paths, and differs in text from it
    records: int = FIELDS
    alike: float = 0.5
    similar: float = 0.6
    most_nodes: int = 2000  # larger parts are not compared
    line: int = (
        20  # records have so many characters on average, at most this share of them in links, or a link each
    )
    linked: float = 0.35
    notes: int = 2  # so many links of a part lead back to the text
    # so many characters of prose are text; at most this share of a sidebar's text is in links
    sentences: int = 80
    sidebar_linked: float = 0.05
    beside: int = 200  # text next to a part of it has so many characters
    outline: float = 0.9  # a part with more of the page's text is the whole page
    levels: int = 8  # elements between a cell and a header or footer in it


_CONSENT: Final = reading.strong_or_weak(reading.CONSENT)

_DIALOG: Final = reading.strong_or_weak(reading.DIALOG)

#: Names of the parts of a dialog.
_OF_DIALOG: Final = reading.strong_or_weak(reading.DIALOG | reading.HEADER | reading.FOOTER)

_FRAME: Final = reading.strong_or_weak(reading.HEADER | reading.FOOTER)

_MENU: Final = reading.strong_or_weak(reading.MENU)

_SIDEBAR: Final = reading.strong_or_weak(reading.SIDEBAR | reading.ASIDE)

#: Parts that a site has next to its footer.
_OUTLINE: Final = reading.NAVIGATION | reading.LANDMARK | reading.MAIN | reading.MENU | reading.SIDEBAR

_CONTROLS: Final = frozenset({"button", "input", "select", "textarea"})

_FIELDS: Final = frozenset({"input", "select", "textarea"})

#: Elements of text and records.
_TEXT: Final = frozenset({"p", "pre", "blockquote", "table", "ul", "ol", "dl"})

_CELLS: Final = frozenset({"td", "th", "li", "dd"})

#: The first word of a class.
_STEM: Final = re.compile("[A-Za-z][a-z]*")


_saying: Final = compiled(boilerplate.saying)


def misnamed(page: Page, limits: Misnamed) -> list[Correction]:
    """Return the corrections of cues that are names of content."""
    controls = within(page, _CONTROLS, 0, page.size)
    size = page.text_before[-1]
    menus = _saying(page.columns, _MENU, size, 0.0, controls)
    sidebars = _saying(page.columns, _SIDEBAR, size, limits.sidebar_linked, controls)
    prose, end = page.prose_before, page.end
    return [
        *_without(page, _notices(page, limits), _CONSENT),
        *_without(page, _dialogs(page, limits), _OF_DIALOG),
        *_without(page, _edges(page, controls, limits), _FRAME),
        *_without(page, [node for node in menus if not _leads(page, node)], _MENU),
        *_without(
            page,
            [
                node
                for node in sidebars
                if prose[end[node]] - prose[node] >= limits.sentences and not page.cues[node] & reading.WRITER
            ],
            _SIDEBAR,
        ),
    ]


def _leads(page: Page, node: int) -> bool:
    """Whether a part is in a link or holds one."""
    return page.in_link[node] == 1 or any_in(page.links, node, page.end[node])


def _notices(page: Page, limits: Misnamed) -> Iterator[int]:
    for parts in _by_path(page, page.outermost_with(_CONSENT)).values():
        for node in parts:
            if len(parts) >= limits.records or not _asks_for_consent(page, node, limits):
                yield node


def _asks_for_consent(page: Page, node: int, limits: Misnamed) -> bool:
    """Whether a part is a notice: short, with a link or away from the text; or with a control, but without records;
    choices make it one of any length."""
    controls = within(page, _CONTROLS, node, page.end[node])
    kinds = page.sequence.values_of(controls, "type") if controls else []
    if any((kind or "").lower() in ("checkbox", "radio") for kind in kinds):
        return True
    if holds_records(page, node, limits.records, linked=True):
        return False
    links = _links(page, node)
    if controls or not all(_has_address(page, link) for link in links):
        return True
    if characters_of(page, node) > limits.notice:
        return False
    return bool(links) or not _is_of_text(page, node, page.all_with(_OUTLINE), {}, limits)


def _dialogs(page: Page, limits: Misnamed) -> Iterator[int]:
    if page.first_with(reading.DIALOG) < 0:
        return
    dialogs = [node for node in page.all_with(reading.DIALOG) if characters_of(page, node)]
    known: dict[int, tuple[int, Counter[str]]] = {}  # by part around
    done = 0
    for parts in _by_path(page, dialogs).values():
        if parts[0] >= done and (
            _are_records(page, parts, limits) if len(parts) > 1 else _is_section(page, parts[0], known)
        ):
            done = page.end[parts[-1]]
            yield from parts


def _are_records(page: Page, parts: list[int], limits: Misnamed) -> bool:
    """Whether dialogs are similar, with different texts and without fields or menus."""
    if len(parts) < limits.records:
        return False
    least = limits.alike * len(parts)
    size = sum(characters_of(page, part) for part in parts)
    if size < limits.line * len(parts):
        return False
    linked = sum(page.characters_in(part, page.end[part], page.in_link) for part in parts)
    if linked > limits.linked * size and sum(len(_links(page, part)) for part in parts) > len(parts):
        return False
    if sum(bool(within(page, _FIELDS, part, page.end[part])) for part in parts) >= least:
        return False
    first, *others = parts
    if sum(page.are_similar(first, other, limits.most_nodes, 1, limits.similar) for other in others) < least:
        return False
    texts = set()
    for part in parts:
        texts.add(joined(page, part))
        if len(texts) > least:
            return True
    return False


def _is_section(page: Page, node: int, known: dict[int, tuple[int, Counter[str]]]) -> bool:
    """Whether a part called a dialog, neither hidden nor with that role, is one of several sections with a name in
    common."""
    sequence, above = page.sequence, page.parent[node]
    if above < 0 or page.cues[node] & (reading.HIDDEN | reading.BUTTON) or not (stem := _stem(page, node)):
        return False
    if above not in known:
        known[above] = _sections(page, above)
    framing, names = known[above]
    return (
        framing in (-1, node)
        and names[stem] > 1
        and sequence.tag_of(node) != "dialog"
        and not sequence.value_of(node, "role")
    )


def _sections(page: Page, part: int) -> tuple[int, Counter[str]]:
    """Return the only child that is a part of the site, -1 without one; and, unless there are more, the first words of
    the classes of the shown ones."""
    children = page.children(part)
    framing = [child for child in children if page.cues[child] & (_OUTLINE | _FRAME)]
    if len(framing) > 1 or (framing and not page.cues[framing[0]] & reading.DIALOG):
        return 0, Counter()
    shown = (
        child
        for child in children
        if not page.is_text[child]
        and not page.cues[child] & (reading.DIALOG | reading.HIDDEN)
        and characters_of(page, child) > 0
    )
    return framing[0] if framing else -1, Counter(_stem(page, child) for child in shown)


def _stem(page: Page, node: int) -> str:
    """Return the first of several words of a node's class: names of the parts of a block begin alike."""
    classes = page.sequence.class_of(node) or ""
    found = _STEM.match(classes)
    return found[0] if found and found.end() < len(classes.split(None, 1)[0]) else ""


def _edges(page: Page, controls: list[int], limits: Misnamed) -> Iterator[int]:
    """Yield headers and footers of a text or a record, and notes."""
    parts = _saying(page.columns, _FRAME, page.text_before[-1] / 2, limits.linked, controls)
    outline = page.all_with(_OUTLINE) if parts else []
    texts: dict[int, bool] = {}  # by part around
    rows: dict[tuple[int, int], bool] = {}  # by list and tag path
    for node in parts:
        if (
            _is_of_text(page, node, outline, texts, limits)
            or _are_notes(page, node, limits)
            or _is_in_row(page, node, rows, limits)
        ):
            yield node


def _is_of_text(page: Page, node: int, outline: list[int], known: dict[int, bool], limits: Misnamed) -> bool:
    """Whether a part follows paragraphs or records, in a part of the page that has none of the site's parts."""
    above, tag_of = page.parent[node], page.sequence.tag_of
    if above <= 0 or node == above + 1:
        return False
    if above not in known:
        texts = (characters_of(page, child) for child in page.children(above) if tag_of(child) in _TEXT)
        known[above] = (
            characters_of(page, above) <= limits.outline * page.text_before[-1]
            and not any_in(outline, above, page.end[above])
            and sum(texts) >= limits.beside
        )
    return known[above]


def _are_notes(page: Page, node: int, limits: Misnamed) -> bool:
    """Whether links of a part lead to other places of the page, from a note to the text; a site's footer has others."""
    if page.parent[node] <= 0:
        return False
    hrefs = page.sequence.values_of(_links(page, node)[: 2 * limits.notes], "href")
    return sum((href or "").startswith("#") and len(href or "") > 1 for href in hrefs) >= limits.notes


def _is_in_row(page: Page, node: int, known: dict[tuple[int, int], bool], limits: Misnamed) -> bool:
    """Whether a part is in one of several rows or entries of a list that is not the page."""
    cell, tag_of = node, page.sequence.tag_of
    for _ in range(limits.levels):
        if cell <= 0 or tag_of(cell) in _CELLS:
            break
        cell = page.parent[cell]
    if cell <= 0 or tag_of(cell) not in _CELLS:
        return False
    row = page.parent[cell] if tag_of(cell) in ("td", "th") else cell
    above, kind = page.parent[row], page.tags[row]
    if (above, kind) not in known:
        known[above, kind] = (
            above > 0
            and characters_of(page, above) <= limits.outline * page.text_before[-1]
            and sum(page.tags[child] == kind for child in page.children(above)) >= limits.records
        )
    return known[above, kind]


def _links(page: Page, node: int) -> list[int]:
    return page.links[bisect_left(page.links, node) : bisect_left(page.links, page.end[node])]


def _has_address(page: Page, link: int) -> bool:
    """Whether a link leads to a page or to a part of this one: others are controls for a script."""
    href = (page.sequence.value_of(link, "href") or "").strip()
    return len(href) > 1 and not href.lower().startswith("javascript:")


def _by_path(page: Page, nodes: Iterable[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for node in nodes:
        found.setdefault(page.tags[node], []).append(node)
    return found


def _without(page: Page, nodes: Iterable[int], cues: int) -> Iterator[Correction]:
    """Yield the corrections that take cues from parts, in any order, and from those in them."""
    named: list[int] = []
    for node in nodes:
        named = named or page.all_with(cues)
        inside = named[bisect_left(named, node) : bisect_left(named, page.end[node])]
        yield from ((one, cues, 0) for one in inside)
