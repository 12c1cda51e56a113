"""Content in parts that have the name of a consent notice, a dialog, a footer, a menu or a sidebar.

The name is the topic, or a word of the page's own vocabulary: a bakery sells cookies, an overlay shows the name and the
price of a tile, footnotes close an article. Structure tells what noise of that name does. A notice of consent occurs
once and asks for something. A dialog occurs once, too, or asks. The site's footer is next to its other parts, not next
to paragraphs or rows, and behind the part of the first heading. A menu has links or controls. A sidebar has links.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.cues import reading
from scrapy_tps.engine.loops import boilerplate, siblings
from scrapy_tps.engine.native import compiled
from scrapy_tps.engine.strategies.auto.queries import (
    HEADINGS,
    characters_of,
    holds_records,
    joined,
    within,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_tps.engine.strategies.auto.decisions import Correction
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import Misnamed


_CONSENT: Final = reading.strong_or_weak(reading.CONSENT)

_DIALOG: Final = reading.strong_or_weak(reading.DIALOG)

#: Names of the parts of a dialog.
_OF_DIALOG: Final = reading.strong_or_weak(reading.DIALOG | reading.HEADER | reading.FOOTER)

_FOOTER: Final = reading.strong_or_weak(reading.FOOTER)

_FRAME: Final = _FOOTER | reading.strong_or_weak(reading.HEADER)

_MENU: Final = reading.strong_or_weak(reading.MENU)

_SIDEBAR: Final = reading.strong_or_weak(reading.SIDEBAR | reading.ASIDE)

#: Parts that a site has next to its footer.
_OUTLINE: Final = reading.NAVIGATION | reading.LANDMARK | reading.MAIN | reading.MENU | reading.SIDEBAR

_CONTROLS: Final = frozenset({"button", "input", "select", "textarea"})

_FIELDS: Final = frozenset({"input", "select", "textarea"})

_PICTURES: Final = frozenset({"img", "picture"})

#: Types of controls to choose with.
_CHOOSING: Final = frozenset({"checkbox", "radio"})

#: Elements of text and records.
_TEXT: Final = frozenset({"p", "pre", "blockquote", "table", "ul", "ol", "dl"})

_CELLS: Final = frozenset({"td", "th"})

_ENTRIES: Final = _CELLS | {"li", "dd"}

#: The first word of a class.
_STEM: Final = re.compile("[A-Za-z][a-z]*")


_saying: Final = compiled(boilerplate.saying)

_own_edges: Final = compiled(siblings.own_edges)

_is_beside_text: Final = compiled(siblings.is_beside_text)


def misnamed(page: Page, limits: Misnamed) -> list[Correction]:
    """Return the corrections of cues that are names of content."""
    found: list[Correction] = []
    size = page.text_before[-1]
    menus = _saying(page.columns, _MENU, size, 0.0)
    menus = _menus(page, menus) if menus else menus
    sidebars = _saying(page.columns, _SIDEBAR, size, limits.sidebar_linked)
    for nodes, cues in (
        (_notices(page, limits), _CONSENT),
        (_dialogs(page, limits), _OF_DIALOG),
        (_edges(page, menus, limits), _FRAME),
        (menus, _MENU),
        (_sidebars(page, sidebars, limits) if sidebars else sidebars, _SIDEBAR),
    ):
        if nodes:
            found += _without(page, nodes, cues)
    return found


def _menus(page: Page, menus: list[int]) -> list[int]:
    """Return those without links and controls."""
    return [node for node in menus if not (_leads(page, node) or _controls(page, node))]


def _sidebars(page: Page, sidebars: list[int], limits: Misnamed) -> list[int]:
    """Return those of prose, and shorter ones of their tag paths."""
    prose, end = page.prose_before, page.end
    paths = {page.tags[node] for node in sidebars if prose[end[node]] - prose[node] >= limits.sentences}
    return [
        node
        for node in sidebars
        if page.tags[node] in paths and not page.cues[node] & reading.WRITER and not _controls(page, node)
    ]


def _controls(page: Page, node: int, tags: frozenset[str] = _CONTROLS) -> Sequence[int]:
    return within(page, tags, node, page.end[node])


def _leads(page: Page, node: int) -> bool:
    """Whether a part is in a link or holds one."""
    return page.in_link[node] == 1 or page.any_in(page.links, node, page.end[node])


def _notices(page: Page, limits: Misnamed) -> list[int]:
    """Return parts called notices of consent that are no notices."""
    notices = page.outermost_with(_CONSENT)
    if not notices:
        return notices
    headings = page.all_with(reading.SUBHEADING)
    return [
        node
        for parts in _by_path(page, notices).values()
        for node in parts
        if len(parts) >= limits.records or not _asks_for_consent(page, node, headings, limits)
    ]


def _asks_for_consent(page: Page, node: int, headings: list[int], limits: Misnamed) -> bool:
    """Whether a part is a notice: short, with a link, or away from the text and without a main heading; or with a
    control, but without records; choices make it one of any length, unless a heading in it repeats the page's title."""
    long = characters_of(page, node) > limits.notice
    if long and _repeats_title(page, node):
        return False
    controls = _controls(page, node)
    kinds = page.sequence.values_of(controls, "type") if controls else []
    if not _CHOOSING.isdisjoint(map(str.lower, filter(None, kinds))):
        return True
    if (
        holds_records(page, node, limits.records)
        or _is_section_of_text(page, node, headings, controls, limits)
        or (not controls and _are_records(page, _headed(page, node, headings), headings, limits))
    ):
        return False
    links = _links(page, node)
    if controls or not all(_has_address(page, link) for link in links):
        return True
    if long:
        return False
    if links:
        return True
    if page.parent[node] > 0 and characters_of(page, node) < limits.sentences:
        return False  # scripts put "Manage consent" at the end of the page
    if page.any_in(page.all_with(reading.HEADING), node, page.end[node]):
        return False
    texts = page.sequence.symbols_with(_TEXT)
    return not _follows(page, node, page.all_with(HEADINGS)) and (
        node == page.parent[node] + 1
        or not _is_beside_text(page.columns, node, page.all_with(_OUTLINE), texts, limits)
    )


def _repeats_title(page: Page, node: int) -> bool:
    """Whether the page's title holds a heading in a part."""
    title = "".join(page.sequence.title().split()).casefold()
    inside = page.between(page.all_with(HEADINGS), node, page.end[node])
    return any(said and said in title for said in (joined(page, one).casefold() for one in inside))


def _follows(page: Page, node: int, headings: list[int]) -> bool:
    """Whether a part is right behind a heading."""
    before = bisect_left(headings, node) - 1
    return before >= 0 and page.end[headings[before]] == node


def _is_section_of_text(
    page: Page, node: int, headings: list[int], controls: Sequence[int], limits: Misnamed
) -> bool:
    """Whether a part with a heading is next to text of its make; if it has controls, next to a part with a heading."""
    above, end = page.parent[node], page.end
    if (
        not page.any_in(headings, node, end[node])
        or characters_of(page, above) > limits.outline * page.text_before[-1]
        or page.any_in(page.all_with(_OUTLINE), above, end[above])
    ):
        return False
    others = [
        child for child in page.children(above) if page.tags[child] == page.tags[node] and child != node
    ]
    return sum(characters_of(page, other) for other in others) >= limits.beside and (
        not controls or any(page.any_in(headings, other, end[other]) for other in others)
    )


def _dialogs(page: Page, limits: Misnamed) -> list[int]:
    """Return parts called dialogs that are records or sections."""
    named, texts, end = page.all_with(_DIALOG), page.text_before, page.end
    dialogs = [node for node in named if texts[end[node]] > texts[node]]
    if not dialogs:
        return dialogs
    headings = page.all_with(reading.SUBHEADING)
    outline = page.all_with(_OUTLINE)
    known: dict[int, Counter[str]] = {}
    found: list[int] = []
    done = 0
    for parts in _by_path(page, dialogs).values():
        first = parts[0]
        if first < done:
            continue
        if len(parts) > 1:
            own = _are_records(page, parts, headings, limits) or all(
                _only_tells(page, part, headings, limits) for part in parts
            )
        else:
            own = _may_be_section(page, first) and (
                _is_of_block(page, first, outline, known, limits.records)
                or (not _leads(page, first) and _only_tells(page, first, headings, limits))
                or (
                    len(page.between(headings, first, end[first])) >= limits.records
                    and _are_records(page, _headed(page, first, headings), headings, limits)
                )
            )
        if own:
            done = end[parts[-1]]
            alike = set(_alike(page, parts, limits) if len(parts) > 1 else parts)
            found += [part for part in parts if part in alike or not _controls(page, part, _FIELDS)]
    return found


def _may_be_section(page: Page, node: int) -> bool:
    """Whether a part is neither hidden nor a dialog by its element or role."""
    return (
        not page.cues[node] & (reading.HIDDEN | reading.BUTTON)
        and page.sequence.tag_of(node) != "dialog"
        and not page.sequence.value_of(node, "role")
    )


def _are_records(page: Page, parts: list[int], headings: list[int], limits: Misnamed) -> bool:
    """Whether dialogs are similar, with different texts and without fields or menus."""
    if len(parts) < limits.records:
        return False
    least = limits.alike * len(parts)
    size = sum(characters_of(page, part) for part in parts)
    if size < limits.line * len(parts) and not all(
        page.any_in(headings, part, page.end[part]) or within(page, _PICTURES, part, page.end[part])
        for part in parts
    ):
        return False
    linked = sum(page.characters_in(part, page.end[part], page.in_link) for part in parts)
    if linked > limits.linked * size and sum(len(_links(page, part)) for part in parts) > len(parts):
        return False
    asking = sum(bool(_controls(page, part, _FIELDS)) for part in parts)
    if asking >= least or len(_alike(page, parts, limits)) < least + 1:
        return False
    texts = set()
    for part in parts:
        texts.add(joined(page, part))
        if len(texts) > least:
            return True
    return False


def _alike(page: Page, parts: list[int], limits: Misnamed) -> list[int]:
    """Return the parts that are similar to the first one without fields, if any: a sign-up may be among them."""
    first = next((part for part in parts if not _controls(page, part, _FIELDS)), parts[0])
    return [part for part in parts if page.are_similar(first, part, limits.most_nodes, 1, limits.similar)]


def _headed(page: Page, part: int, headings: list[int]) -> list[int]:
    """Return the entries of a part, or of the only part in it, if each has a heading."""
    while len(entries := page.children(part)) == 1:
        part = entries[0]
    return entries if all(page.any_in(headings, entry, page.end[entry]) for entry in entries) else []


def _only_tells(page: Page, node: int, headings: list[int], limits: Misnamed) -> bool:
    """Whether a part has a heading, or is right behind one, and no control and few links: a dialog has a control, or a
    link without an address, to close it."""
    stop = page.end[node]
    return (
        (page.any_in(headings, node, stop) or _follows(page, node, headings))
        and _may_be_section(page, node)
        and not page.in_link[node]
        and page.characters_in(node, stop, page.in_link) <= limits.linked * characters_of(page, node)
        and not _controls(page, node)
        and all(_has_address(page, link) for link in _links(page, node))
    )


def _stem(page: Page, node: int) -> str:
    """Return the first of several words of a node's class: names of the parts of a block begin alike."""
    classes = page.sequence.class_of(node) or ""
    found = _STEM.match(classes)
    return found[0] if found and found.end() < len(classes.split(None, 1)[0]) else ""


def _edges(page: Page, menus: list[int], limits: Misnamed) -> list[int]:
    """Return a footer right below the first heading, headers and footers of a text or a record, and notes.

    :param menus: those without links and controls: no parts of a site.
    """
    found: list[int] = []
    heading = page.first_with(reading.HEADING)
    below = page.end[max(heading, 0)]
    if (
        below < page.size
        and page.cues[below] & _FOOTER
        and page.characters_in(below, page.end[below], page.in_link)
        < limits.linked * characters_of(page, below)
        and not _controls(page, below)
    ):
        found.append(below)
    edges = _saying(page.columns, _FRAME, page.text_before[-1] / 2, limits.linked)
    edges = [node for node in edges if not _controls(page, node)]
    if not edges:
        return found
    sequence = page.sequence
    tags = sequence.symbols_with(_TEXT), sequence.symbols_with(_ENTRIES), sequence.symbols_with(_CELLS)
    outline = page.all_with(_OUTLINE)
    if menus:
        none = {node for node, *_ in _without(page, menus, _MENU)}
        outline = [node for node in outline if node not in none]
    last = (page.all_with(_FOOTER | reading.LANDMARK) or [-1])[-1]
    own = _own_edges(page.columns, edges, (heading, last), outline, tags, limits)
    known: dict[int, Counter[str]] = {}
    return found + [
        node
        for node in edges
        if node in own
        or _are_notes(page, node, limits)
        or _is_of_block(page, node, outline, known, limits.records + 1)
    ]


def _is_of_block(
    page: Page, node: int, outline: Sequence[int], known: dict[int, Counter[str]], least: int
) -> bool:
    """Whether a part is one of so many with a name in common, and not next to parts of a site: ``price-header``,
    ``price-row``.

    :param known: the first words of the classes of children, by part around.
    """
    above, stem = page.parent[node], _stem(page, node)
    if above <= 0 or not stem or page.any_in(outline, above + 1, page.end[above]):
        return False
    if above not in known:
        known[above] = Counter(_stem(page, child) for child in page.children(above))
    return known[above][stem] >= least


def _are_notes(page: Page, node: int, limits: Misnamed) -> bool:
    """Whether links of a part lead to other places of the page, from a note to the text; a site's footer has others."""
    links = _links(page, node)[: 2 * limits.notes]
    if page.parent[node] <= 0 or len(links) < limits.notes:
        return False
    hrefs = page.sequence.values_of(links, "href")
    return sum((href or "").startswith("#") and len(href or "") > 1 for href in hrefs) >= limits.notes


def _links(page: Page, node: int) -> Sequence[int]:
    return page.between(page.links, node, page.end[node])


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
    named = page.all_with(cues)
    for node in nodes:
        yield from ((one, cues, 0) for one in page.between(named, node, page.end[node]))
