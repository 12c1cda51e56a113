"""Two crawls side by side, site by site."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from scrapy_tps.report.causes import Finding, named
from scrapy_tps.report.site_columns import COLUMNS, row
from scrapy_tps.report.summary import ORDER
from scrapy_tps.stats.figures import counted
from scrapy_tps.stats.site_warnings import FEWER_ITEMS
from scrapy_tps.terminal import align

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scrapy_tps.report.causes import Causes
    from scrapy_tps.report.summary import Summary
    from scrapy_tps.stats.figures import SiteFigures

    #: A site, and its figures in both crawls; None where a crawl did not see it.
    Pair: TypeAlias = tuple[str, SiteFigures | None, SiteFigures | None]

#: Items a page that fall by a larger share are a finding. A choice: ten percent.
ITEMS_FELL: Final = 0.1
#: Sites that the finding names.
_MOST_NAMED: Final = 3
#: The columns of the table.
_SHOWN: Final = ("pages", "reduction", "items", "pages_without_output")


def side_by_side(
    first: Iterable[tuple[str, SiteFigures]], second: Iterable[tuple[str, SiteFigures]]
) -> list[Pair]:
    """Line up the sites of two crawls, those that lost most items first."""
    before, after = dict(first), dict(second)
    pairs = [(site, before.get(site), after.get(site)) for site in before.keys() | after.keys()]
    return sorted(pairs, key=lambda pair: (_items(pair[2]) - _items(pair[1]), pair[0]))


def _items(figures: SiteFigures | None) -> int:
    return figures["items"] if figures else 0


def with_fewer_items(summary: Summary, pairs: Sequence[Pair], causes: Causes) -> Summary:
    """Add the sites that give clearly fewer items a page in the second crawl, unless the summary says so of them.

    :param causes: of the second crawl.
    """
    fell = [
        (site, f"{site} ({rates[0]:.2f} → {rates[1]:.2f})", second)
        for site, first, second in pairs
        if first and second and first["pages"] and second["pages"]
        if (rates := (first["items"] / first["pages"], second["items"] / second["pages"]))[1]
        < (1 - ITEMS_FELL) * rates[0]
    ]
    if not fell or any(one.kind == FEWER_ITEMS for one in summary.findings):
        return summary
    sites = tuple(site for site, *_ in fell[:_MOST_NAMED])
    why, advice, paste = causes.of(sites[0], fell[0][2])
    shown = named([text for _, text, _ in fell[:_MOST_NAMED]], len(fell))
    text = f"fewer items a page in the second crawl: {shown}{why}"
    found = Finding(FEWER_ITEMS, text, advice, paste, len(fell), len(fell), sites)
    findings = sorted((*summary.findings, found), key=lambda one: ORDER.index(one.kind))
    return replace(summary, findings=tuple(findings))


def comparison_text(
    titles: tuple[str, str], pairs: Sequence[Pair], summary: Summary, limit: int | None = None
) -> str:
    """The comparison for people: the summary, then a table whose cells have the first crawl's figure and the second's.

    :param limit: at most so many sites.
    """
    columns = [COLUMNS[name] for name in _SHOWN]
    lines = align(
        ["site", *(column.header for column in columns)],
        (
            [
                site,
                *(
                    " -> ".join(column.text(column.value(one)) if one else "-" for one in both)
                    for column in columns
                ),
            ]
            for site, *both in pairs[:limit]
        ),
    )
    if limit is not None and len(pairs) > limit:
        lines.append(f"… and {counted(len(pairs) - limit, 'more site')}")
    head = [*summary.lines(), "", f"first:  {titles[0]}", f"second: {titles[1]}", ""]
    return "\n".join([*head, *lines]) + "\n"


def comparison_json(
    about: tuple[Mapping[str, Any], Mapping[str, Any]], pairs: Sequence[Pair], summary: Summary
) -> str:
    """The comparison as one JSON object: the summary, the two crawls and a list ``sites``."""
    sites = [
        {"site": site, "first": first and row(site, first), "second": second and row(site, second)}
        for site, first, second in pairs
    ]
    content = {"summary": summary.to_dict(), "first": about[0], "second": about[1], "sites": sites}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
