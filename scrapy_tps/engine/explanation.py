"""What happened to a page, in words and with places that a user can look up: regions, and what was removed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from scrapy_tps.engine.sequence.columns import TEXT
from scrapy_tps.engine.xpaths import XPaths

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.engine.strategies import Span

_SNIPPET = 80  # characters of the text that went, per entry of Pruning.removed()


@dataclass(frozen=True, slots=True)
class Region:
    """A region of a page.

    :ivar start, end: its nodes, [start, end) in the tag path sequence.
    :ivar xpath: that of the smallest element that contains it, in the original page.
    :ivar nodes, chars, links: its size: nodes, visible characters, ``a`` elements.
    :ivar kept: whether it was to stay.
    :ivar stays: how many of its nodes stayed. In a region that was to be removed these are the nodes that ``TPS_KEEP``
        or another rule keeps, and their ancestors; if the page was kept whole, all nodes.
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
    """One thing that was removed: a subtree or a text node of the original page.

    :ivar xpath: where it was.
    :ivar text: the start of its visible text (up to 80 characters).
    :ivar nodes, chars: its size.
    :ivar reason, rule: why, from its region.
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


def explain(sequence: TagPathSequence, spans: Sequence[Span], mask: bytearray | None) -> Explanation:
    """Return what became of a page, from the sequence of the original.

    :param mask: a byte for each node, 1 where it stayed; None: all did.
    """
    xpaths = XPaths(sequence)
    return Explanation(
        [describe_region(sequence, span, xpaths, mask) for span in spans],
        [] if mask is None else list(describe_removed(sequence, mask, spans, xpaths)),
    )


def describe_region(
    sequence: TagPathSequence, span: Span, xpaths: XPaths, mask: bytearray | None = None
) -> Region:
    """Return the account of one region; `mask` says which nodes stayed, None that all did."""
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
    sequence: TagPathSequence, mask: bytearray, spans: Sequence[Span], xpaths: XPaths
) -> Iterator[Removed]:
    """Yield what was removed, whole subtrees and single text nodes, each with the reason of its region."""
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
        matching = ordered[which] if ordered and ordered[which].start <= index < ordered[which].end else None
        yield Removed(
            xpath=xpaths.of(index),
            text=text_start(sequence, index, end, _SNIPPET),
            nodes=end - index,
            chars=sum(sequence.chars[index:end]),
            reason=matching.reason if matching else "matches TPS_DROP",
            rule=matching.rule if matching else "drop",
        )
        index = end


def text_start(sequence: TagPathSequence, start: int, end: int, most: int) -> str:
    """Return the start of the visible text of some nodes, up to `most` characters, white space collapsed."""
    parts: list[str] = []
    size = 0
    for index in range(start, end):
        if sequence.chars[index]:
            parts.append(" ".join(sequence.text_of(index).split()))
            size += len(parts[-1]) + 1
            if size > most:
                break
    return " ".join(parts)[:most]
