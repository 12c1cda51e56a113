"""The account of one page, for people and for programs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from scrapy_tps.stats.figures import counted
from scrapy_tps.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.engine.explanation import Region
    from scrapy_tps.engine.pruning import Pruning

_FIGURES = (
    "url",
    "outcome",
    "error",
    "excluded_by",
    "encoding",
    "raw_nodes",
    "kept_nodes",
    "raw_chars",
    "kept_chars",
)


def account_json(pruning: Pruning) -> str:
    """Return the account as JSON, a line break at its end."""
    data: dict[str, Any] = {name: getattr(pruning, name) for name in _FIGURES}
    data["strategy"] = _strategy(pruning)
    data["size_ratio"] = pruning._size_ratio
    data["reduction"] = round(pruning.reduction, 4)
    data["seconds"] = {step: round(seconds, 6) for step, seconds in pruning.timings.items()}
    data["regions"] = [asdict(region) for region in pruning.regions]
    data["removed"] = [asdict(one) for one in pruning.removed()]
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def account_text(pruning: Pruning) -> str:
    """Return the account as lines for people, a line break at the end."""
    return "\n".join(map(printable, _lines(pruning))) + "\n"


def _strategy(pruning: Pruning) -> str | None:
    strategy = pruning.strategy
    return strategy if strategy is None or isinstance(strategy, str) else repr(strategy)


def _why(pruning: Pruning) -> str:
    if pruning.excluded_by:
        return f" by {pruning.excluded_by}"
    return f": {pruning.error}" if pruning.error else ""


def _fate(region: Region, pruning: Pruning) -> tuple[str, str, str]:
    """The outcome for a region, the number of nodes, and the reason."""
    if region.kept:
        return "kept", counted(region.nodes, "node"), region.reason
    if region.stays < region.nodes:
        gone = region.nodes - region.stays
        size = f"{gone:,} of {counted(region.nodes, 'node')}" if region.stays else counted(gone, "node")
        return "removed", size, region.reason
    but = "holds what stays" if pruning.pruned else "the page is kept whole"
    return "kept", counted(region.nodes, "node"), f"would go ({region.reason}), but {but}"


def _lines(pruning: Pruning) -> Iterator[str]:
    if pruning.url:
        yield f"page       {pruning.url}"
    yield f"outcome    {pruning.outcome}{_why(pruning)}"
    strategy = _strategy(pruning)
    if strategy is not None:
        ratio = "" if pruning._size_ratio is None else f", size ratio {pruning._size_ratio:g}"
        yield f"strategy   {strategy}{ratio}"
    yield f"nodes      {pruning.raw_nodes} -> {pruning.kept_nodes} ({pruning.reduction:.1%} removed)"
    yield f"text       {pruning.raw_chars} -> {pruning.kept_chars} characters"
    if pruning.timings:
        steps = ", ".join(f"{step} {1000 * seconds:.1f}" for step, seconds in pruning.timings.items())
        yield f"time       {1000 * sum(pruning.timings.values()):.1f} ms ({steps})"
    regions = pruning.regions
    if regions:
        yield "regions"
        for region in regions:
            fate, nodes, reason = _fate(region, pruning)
            size = f"{nodes}, {counted(region.chars, 'character')}, {counted(region.links, 'link')}"
            yield f"  {fate:8} {region.xpath}: {size}; {reason}"
    yield "removed"
    for one in pruning.removed():
        text = f": {one.text!r}" if one.text else ""
        yield f"  {one.xpath}: {counted(one.nodes, 'node')}, {one.reason}{text}"
