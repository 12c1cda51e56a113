"""Proposals for selectors that find nothing any more, in words and for JSON. Nothing imports Scrapy."""

from __future__ import annotations

from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.stats.figures import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.proposals.memory import Proposal
    from scrapy_tps.stats.evidence import Evidence

#: The most proposals in a summary.
MOST_SHOWN: Final = 10
_NAMES: Final = ("selector", "kind", "pages", "found", "equal_values")


def notes(evidence: Evidence) -> Iterator[str]:
    """Yield a sentence for each lost selector; without a proposal, only for one that looks wrong for other reasons."""
    wrong = {(one.row.site, one.row.callback, one.row.name) for one in evidence.troubles}
    proposals = {key: one for key, one in evidence.earlier.proposals.items() if one.selector or key in wrong}
    for (site, callback, name), one in islice(sorted(proposals.items()), MOST_SHOWN):
        yield f"On {site} (callback {callback}), {note(name, one)}"
    if (more := len(proposals) - MOST_SHOWN) > 0:
        yield f"{counted(more, 'more proposal')}: scrapy tps-report --selectors"


def note(name: str, one: Proposal) -> str:
    """Return what a lost selector found, and what to try."""
    lost = f"`{name}` " + (
        f"found nothing on {counted(one.lost_pages, 'page')}" if one.lost_pages else "is lost with its rows"
    )
    if not one.selector:
        return f"{lost}; no element holds such values."
    found = f"found on {one.found:,} of {counted(one.pages, 'sampled page')}"
    values = f"{one.equal_values:,} of {counted(one.known_values, 'value')} seen before equal"
    return f"{lost}. Try `{one.selector}`: {found}{', ' + values if one.known_values else ''}."


def proposal_dict(one: Proposal | None) -> dict[str, Any] | None:
    """Return a proposal by name, ready for JSON; None if there is none."""
    if one is None or not one.selector:
        return None
    values = asdict(one)
    return {name: values[name] for name in _NAMES}
