"""Promises that hold for every page, regardless of its markup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_tps import prune
from scrapy_tps.engine.html.document import decode, parse
from scrapy_tps.engine.pruned_page import account_data, page_of
from scrapy_tps.engine.sequence.columns import ELEMENT, TEXT_OF
from scrapy_tps.engine.sequence.walking import walk_tree

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

    No error; a page that is not pruned is what was given; a pruned page holds exactly the texts that the account
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
    raw, kept = walk_tree(body), walk_tree(pruning.root.find("body"))
    mask = page_of(pruning).mask
    assert len(mask) == len(raw) == pruning.raw_nodes
    assert sum(mask) == pruning.kept_nodes
    assert sum(raw.chars) == pruning.raw_chars
    assert sum(size for size, stays in zip(raw.chars, mask, strict=True) if stays) == pruning.kept_chars
    everything = b"\x01" * len(kept)
    assert words(kept, everything) == words(raw, mask)
    assert chains(kept, everything) == chains(raw, mask)
    # regions are disjoint and in document order
    places = [place for region in pruning.regions for place in (region.start, region.end)]
    assert places == sorted(places)
    assert all(region.start < region.end <= len(raw) for region in pruning.regions)
    assert len({one.xpath for one in removed}) == len(removed)
    again = prune(page, encoding=encoding, settings=settings)
    assert again.html == pruning.html
    assert {**account_data(again), "timings": 0} == {**account_data(pruning), "timings": 0}
    return pruning


def words(sequence: TagPathSequence, mask: bytes) -> str:
    """The texts that stay, without white space."""
    return "".join(
        "".join((node.text if kind == TEXT_OF else node.tail).split())
        for node, kind, stays in zip(sequence.nodes, sequence.kinds, mask, strict=True)
        if stays and kind != ELEMENT
    )


def chains(sequence: TagPathSequence, mask: bytes) -> list[tuple[Any, ...]]:
    """Return the chain of tags and attributes from the body, for each element that stays."""
    found: dict[int, tuple[Any, ...]] = {}
    for place, (node, kind) in enumerate(zip(sequence.nodes, sequence.kinds, strict=True)):
        if kind == ELEMENT:
            step = (node.tag, *node.attrib.items())
            found[place] = (*found.get(sequence.parent[place], ()), step)
    return [chain for place, chain in found.items() if mask[place]]
