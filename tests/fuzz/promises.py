"""What holds for every page whatever it looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_tps import prune
from scrapy_tps.engine.html.document import decode, parse
from scrapy_tps.engine.sequence.columns import ELEMENT, TEXT_OF
from scrapy_tps.engine.sequence.walking import walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy_tps import Pruning
    from scrapy_tps.engine.sequence.columns import TagPathSequence

#: Outcomes of pages that nothing can be wrong with.
WHOLE = frozenset(
    {"empty", "not_html", "no_body", "too_small", "too_large", "too_deep", "no_region", "ambiguous"}
)


def check_promises(page: bytes | str, settings: Mapping[str, Any], encoding: str | None = None) -> Pruning:
    """Prune a page and raise ``AssertionError`` where a promise is broken.

    No error; a page kept whole is what was given; a pruned page holds exactly the texts that the account
    says, in order; what went is listed completely; the same input gives the same page again.
    """
    pruning = prune(page, encoding=encoding, settings=settings)
    assert pruning.error is None, pruning.error
    removed = list(pruning.removed())
    assert sum(one.nodes for one in removed) == pruning.raw_nodes - pruning.kept_nodes
    assert sum(one.chars for one in removed) == pruning.raw_chars - pruning.kept_chars
    if not pruning.pruned:
        assert pruning.outcome in WHOLE, pruning.outcome
        assert pruning.html == decode(page, encoding)
        return pruning
    body = parse(decode(page, encoding)).body
    raw, kept = walk(body), walk(pruning.root.find("body"))
    mask = pruning.mask
    assert len(mask) == len(raw) == pruning.raw_nodes
    assert sum(mask) == pruning.kept_nodes
    everything = b"\x01" * len(kept)
    assert words(kept, everything) == words(raw, mask)
    assert tags(kept, everything) == tags(raw, mask)
    assert prune(page, encoding=encoding, settings=settings).html == pruning.html
    return pruning


def words(sequence: TagPathSequence, mask: bytes) -> str:
    """The texts that stay, without white space."""
    return "".join(
        "".join((node.text if kind == TEXT_OF else node.tail).split())
        for node, kind, stays in zip(sequence.nodes, sequence.kinds, mask, strict=True)
        if stays and kind != ELEMENT
    )


def tags(sequence: TagPathSequence, mask: bytes) -> list[tuple[Any, ...]]:
    """The elements that stay, with their attributes."""
    return [
        (node.tag, *node.attrib.items())
        for node, kind, stays in zip(sequence.nodes, sequence.kinds, mask, strict=True)
        if stays and kind == ELEMENT
    ]
