"""The regions and removed parts of a page, in words, with places that a user can look up."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import merge
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from scrapy_tps.engine.cutting import matching
from scrapy_tps.engine.html.data_scripts import is_data_script
from scrapy_tps.engine.sequence.columns import CODE_TAGS, ELEMENT, TAIL_OF, TEXT, TEXT_OF, is_unseen
from scrapy_tps.engine.xpaths import XPaths

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from scrapy_tps.engine.html.elements import Element
    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.engine.strategies import Span

_SNIPPET = 80  # characters of removed text, per entry of Pruning.removed()


@dataclass(frozen=True, slots=True)
class Region:
    """A region of a page.

    :ivar start, end: its nodes, [start, end) in the tag path sequence.
    :ivar xpath: that of the smallest element that contains it, in the original page.
    :ivar nodes, chars, links: its size: nodes, visible characters, ``a`` elements.
    :ivar kept: whether the strategy decided to keep it.
    :ivar stays: how many of its nodes stayed. If the region was to be removed, these are the nodes that ``TPS_KEEP`` or
        another rule keeps, and their ancestors; if the page was not pruned, all nodes.
    :ivar reason: why, in words.
    :ivar rule: short name of the rule that decided.
    """

    start: int
    end: int
    xpath: str
    nodes: int
    chars: int
    links: int
    kept: bool
    reason: str
    rule: str
    stays: int


@dataclass(frozen=True, slots=True)
class Removed:
    """A removed part: a subtree or a text node of the original page, a script or a style.

    :ivar xpath: its place in the original page.
    :ivar text: the start of its visible text, or of a script (up to 80 characters).
    :ivar nodes, chars: its size; 0 for a script, which is not visible.
    :ivar reason, rule: the reason and the rule of its region.
    """

    xpath: str
    text: str
    nodes: int
    chars: int
    reason: str
    rule: str


class Explanation(NamedTuple):
    """Regions and removals of a page, each in document order."""

    regions: list[Region]
    removed: list[Removed]


def explain(
    sequence: TagPathSequence,
    spans: Sequence[Span],
    mask: bytes | bytearray | None,
    settings: PageSettings,
) -> Explanation:
    """Return the explanation of a page, from the sequence of the original.

    :param mask: a byte for each node, 1 if it stayed; None if all stayed.
    :param settings: those of the cut.
    """
    xpaths = XPaths(sequence)
    removed: list[Removed] = []
    if mask is not None:
        code = describe_code(sequence, mask, settings, xpaths)
        parts = describe_removed(sequence, mask, spans, xpaths)
        removed = [one for _, one in merge(code, parts, key=itemgetter(0))]
    return Explanation([describe_region(sequence, span, xpaths, mask) for span in spans], removed)


def describe_region(
    sequence: TagPathSequence, span: Span, xpaths: XPaths, mask: bytes | bytearray | None = None
) -> Region:
    """Return the account of one region; `mask` has the nodes that stayed, None if all did."""
    ancestor, last = span.start, span.end - 1
    while ancestor > 0 and (
        sequence.end[ancestor] <= last or sequence.symbol_tag[sequence.symbols[ancestor]] == TEXT
    ):
        ancestor = sequence.parent[ancestor]
    tags, symbols = sequence.symbol_tag, sequence.symbols
    return Region(
        start=span.start,
        end=span.end,
        xpath=xpaths.of(ancestor),
        nodes=span.end - span.start,
        chars=sum(sequence.chars[span.start : span.end]),
        links=sum(tags[symbols[index]] == "a" for index in range(span.start, span.end)),
        kept=span.kept,
        reason=span.reason,
        rule=span.rule,
        stays=span.end - span.start if mask is None else mask.count(1, span.start, span.end),
    )


def describe_removed(
    sequence: TagPathSequence, mask: bytes | bytearray, spans: Sequence[Span], xpaths: XPaths
) -> Iterator[tuple[int, Removed]]:
    """Yield the places of whole subtrees and single text nodes that were removed, with the reason of their region."""
    ordered = sorted((span for span in spans if not span.kept), key=lambda span: span.start)
    which = 0
    index, total = 0, len(mask)
    while index < total:
        if mask[index]:
            index += 1
            continue
        end = sequence.end[index]
        while which + 1 < len(ordered) and ordered[which].end <= index:
            which += 1
        region = ordered[which] if ordered and ordered[which].start <= index < ordered[which].end else None
        yield (
            index,
            Removed(
                xpath=xpaths.of(index),
                text=text_start(sequence, index, end, _SNIPPET),
                nodes=end - index,
                chars=sum(sequence.chars[index:end]),
                reason=region.reason if region else "matches TPS_DROP",
                rule=region.rule if region else "drop",
            ),
        )
        index = end


def describe_code(
    sequence: TagPathSequence, mask: bytes | bytearray, settings: PageSettings, xpaths: XPaths
) -> list[tuple[int, Removed]]:
    """Return the removed scripts and styles, of the head and of elements that lost something, and their places."""
    nodes, end = sequence.nodes, sequence.end
    root = nodes[0].getparent()
    assert root is not None
    stays = matching(root, settings.keep)
    if "data" in settings.keep_invisible:
        stays.update(script for script in root.iter("script") if is_data_script(script))
    found = []
    for head in root.iterchildren("head"):
        found += [(0, one) for _, one in _code_of(head, "/html/head", stays)]
    for index in range(len(mask)):
        if mask[index] and sequence.kinds[index] == ELEMENT and mask.find(0, index, end[index]) >= 0:
            code = list(_code_of(nodes[index], xpaths.of(index), stays))
            if code:
                places = _places_of_code(sequence, index)
                found += [(places[child], one) for child, one in code]
    return sorted(found, key=itemgetter(0))


def _code_of(holder: Element, xpath: str, stays: Collection[Element]) -> Iterator[tuple[Element, Removed]]:
    """Yield the scripts and styles among the children of an element, except those that stay."""
    numbers = dict.fromkeys(CODE_TAGS, 0)
    for child in holder.iterchildren(*CODE_TAGS):
        tag = str(child.tag)
        numbers[tag] += 1
        if child not in stays:
            step = tag if len(holder.findall(tag)) == 1 else f"{tag}[{numbers[tag]}]"
            text = " ".join((child.text or "").split())[:_SNIPPET]
            yield child, Removed(f"{xpath}/{step}", text, 0, 0, "code, not data", tag)


def _places_of_code(sequence: TagPathSequence, index: int) -> dict[Element, int]:
    """Return the place of the first node after each script and style among the children of an element."""
    nodes, end, kinds = sequence.nodes, sequence.end, sequence.kinds
    place, stop = index + 1, end[index]
    places = {}
    place += place < stop and kinds[place] == TEXT_OF
    for child in nodes[index]:
        if child.tag in CODE_TAGS:
            places[child] = place
        elif isinstance(child.tag, str) and not is_unseen(child):
            place = end[place]
        place += place < stop and kinds[place] == TAIL_OF and nodes[place] is child
    return places


def text_start(sequence: TagPathSequence, start: int, end: int, most: int) -> str:
    """Return the start of the visible text of some nodes, up to `most` characters, with white space collapsed."""
    parts: list[str] = []
    size = 0
    for index in range(start, end):
        if sequence.chars[index]:
            parts.append(" ".join(sequence.text_of(index).split()))
            size += len(parts[-1]) + 1
            if size > most:
                break
    return " ".join(parts)[:most]
