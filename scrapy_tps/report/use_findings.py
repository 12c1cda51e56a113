"""Findings about selectors and fields, and about fewer items. Nothing imports Scrapy."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from scrapy_tps.report.causes import MOST_NAMED, Cause, named
from scrapy_tps.report.findings import CALLBACK_FAILED, KINDS, Finding, site_warnings
from scrapy_tps.stats.evidence import FEWER_ITEMS, FIELDS, SELECTORS
from scrapy_tps.stats.figures import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_tps.report.causes import Causes
    from scrapy_tps.stats.evidence import Trouble


def findings_of_uses(causes: Causes) -> Iterator[Finding]:
    """Yield the findings about selectors and fields, one for each kind."""
    evidence = causes.evidence
    explained = set()  # sites of which another finding tells the cause of blank fields and missing items
    for site, figures in evidence.figures.items():
        kinds = {one.kind for one in site_warnings(figures)}
        if kinds & {CALLBACK_FAILED, causes.of(site, figures).kind}:
            explained.add(site)
    troubles = [one for one in evidence.troubles if one.row.site not in explained]
    # their causes name the selectors
    named_there = {(one.row.site, one.row.callback) for one in troubles if one.kind == FIELDS}
    for kind, group in groupby(troubles, key=lambda one: one.kind):
        found = [one for one in group if kind != SELECTORS or one.row.key[:2] not in named_there]
        if kind != FEWER_ITEMS and found:
            yield _of_troubles(kind, found, causes)
    fewer = [one for one in troubles if one.kind == FEWER_ITEMS]
    items = [one for one in evidence.earlier.items if one[0] not in explained]
    if fewer or items:
        yield _fewer_items(fewer, items, causes)


def _of_troubles(kind: str, found: Sequence[Trouble], causes: Causes) -> Finding:
    site, callback, *_ = found[0].row
    advice = KINDS[kind].advice
    if isinstance(advice, str) and advice:
        cause = Cause("", advice)
    else:
        cause = causes.of(site, causes.evidence.figures.get(site) or causes.total, callback)
    why = "" if kind == SELECTORS and "TPS_" not in cause.why else cause.why
    sites = tuple(dict.fromkeys(one.row.site for one in found))
    text = _named_troubles(found) + why
    return Finding(kind, text, cause.advice, cause.paste, len(sites), len(found), sites[:MOST_NAMED])


def _fewer_items(found: Sequence[Trouble], fewer: Sequence[tuple[str, int, int]], causes: Causes) -> Finding:
    earlier = causes.evidence.earlier
    parts = [
        f"{site} gave less than half of the {counted(items, 'item')} of crawl {crawl}"
        for site, crawl, items in fewer
    ]
    sites = tuple(dict.fromkeys([*(site for site, *_ in fewer), *(one.row.site for one in found)]))
    figures = causes.evidence.figures.get(sites[0])
    if figures is None and earlier.new:
        new, items = earlier.new
        cause = Cause(
            f", and was not seen in this one; {new} is new and gave {counted(items, 'item')}",
            "If that is the same site under another name, all is well: name both in settings and allowed_domains.",
        )
    else:
        cause = causes.of(sites[0], figures or causes.total)
    text = (named(parts) or _named_troubles(found)) + cause.why
    count = len(parts) + len(found)
    return Finding(FEWER_ITEMS, text, cause.advice, cause.paste, len(sites), count, sites[:MOST_NAMED])


def _named_troubles(found: Sequence[Trouble]) -> str:
    """Return the first troubles with their sites; texts shared by several names or sites appear once."""
    names: dict[tuple[str, str], dict[str, None]] = {}
    for one in found:
        names.setdefault((one.rest, one.row.site), {})[one.name] = None
    sites: dict[str, list[str]] = {}
    for (rest, site), same in names.items():
        sites.setdefault(named([*same], noun="more field") + rest, []).append(site)
    shown = [f"on {named(where)}, {what}" for what, where in [*sites.items()][:MOST_NAMED]]
    more = len(sites) - len(shown)
    return "; ".join(shown) + (f"; and {more:,} more" if more else "")
