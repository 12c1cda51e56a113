"""Two crawls side by side, site by site."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy_tps.report.causes import ASK_SHADOW, Finding, named, shadow_command
from scrapy_tps.report.columns import percent, whole
from scrapy_tps.report.tables import align
from scrapy_tps.report.verdict import MOST_NAMED, Verdict
from scrapy_tps.stats.doubts import FEWER_ITEMS
from scrapy_tps.stats.figures import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from scrapy_tps.stats.figures import SiteFigures

#: A mean reduction that moves by more is worth a note. A choice, not a measurement: five points.
REDUCTION_MOVED = 0.05

#: Items a page that fall by a larger share are worth a note. A choice, too.
ITEMS_FELL = 0.1

#: Finding: sites that gave items in the first crawl, and that the second did not see.
SITES_MISSING = "sites_missing"


@dataclass(frozen=True, slots=True)
class SiteChange:
    """One site in two crawls; None where the crawl did not see it or has nothing to say."""

    site: str
    pages: tuple[int | None, int | None]
    reduction: tuple[float | None, float | None]
    items_per_page: tuple[float | None, float | None]
    empty_share: tuple[float | None, float | None]
    """Share of the pages that gave no item."""

    @property
    def reduction_change(self) -> float | None:
        """By how much the mean reduction rose."""
        before, after = self.reduction
        return None if before is None or after is None else after - before

    @property
    def items_lost(self) -> float:
        """Share of the items a page that the second crawl misses; 0 when it has as many or more."""
        before, after = self.items_per_page
        return max(0.0, 1 - after / before) if before and after is not None else 0.0

    @property
    def notes(self) -> list[str]:
        """What stands out, in words."""
        if self.pages[1] is None:
            return ["only in the first"]
        if self.pages[0] is None:
            return ["only in the second"]
        notes = []
        if self.items_lost > ITEMS_FELL:
            notes.append(f"{percent(self.items_lost)} fewer items a page")
        change = self.reduction_change
        if change is not None and abs(change) > REDUCTION_MOVED:
            notes.append("removes more" if change > 0 else "removes less")
        return notes

    def to_dict(self) -> dict[str, Any]:
        """All of it by name, ready for JSON."""
        pairs = {
            "pages": self.pages,
            "reduction": self.reduction,
            "items_per_page": self.items_per_page,
            "pages_without_items": self.empty_share,
        }
        values: dict[str, Any] = {"site": self.site}
        for name, pair in pairs.items():
            for which, value in zip(("first", "second"), pair, strict=True):
                values[f"{name}_{which}"] = None if value is None else round(value, 4)
        return values | {"notes": self.notes}


def compare(
    first: Iterable[tuple[str, SiteFigures]], second: Iterable[tuple[str, SiteFigures]]
) -> list[SiteChange]:
    """Line up the sites of two crawls.

    Those that lost most items a page come first, then those whose reduction moved most.
    """
    before = {site: _measures(figures) for site, figures in first}
    after = {site: _measures(figures) for site, figures in second}
    nothing = (None, None, None, None)
    changes = [
        SiteChange(site, *zip(before.get(site, nothing), after.get(site, nothing), strict=True))  # type: ignore[arg-type]
        for site in before.keys() | after.keys()
    ]
    return sorted(changes, key=lambda one: (-one.items_lost, -abs(one.reduction_change or 0.0), one.site))


def _measures(figures: SiteFigures) -> tuple[int, float | None, float | None, float | None]:
    pages = figures.pages
    return (
        pages,
        figures.reduction.mean,
        figures.items / pages if pages else None,
        figures.empty_pages / pages if pages else None,
    )


def judge_comparison(changes: Sequence[SiteChange], spider: str | None = None) -> Verdict:
    """Return the verdict on the second crawl, compared with the first.

    :param spider: of the second crawl, for the command to paste.
    """
    fewer = [one for one in changes if one.items_lost > ITEMS_FELL]
    gone = [one for one in changes if one.pages[1] is None]
    missing = [one for one in gone if one.items_per_page[0]]
    findings = []
    if fewer:
        shown = [
            f"{one.site} ({_pair(one.items_per_page, lambda value: f'{value:.2f}')})"
            for one in fewer[:MOST_NAMED]
        ]
        give = f"{counted(len(fewer), 'site')} {'gives' if len(fewer) == 1 else 'give'}"
        text = f"{give} fewer items a page than before: {named(shown, len(fewer))}"
        findings.append(_found(FEWER_ITEMS, text, ASK_SHADOW, shadow_command(spider), fewer))
    if missing:
        sites = counted(len(missing), "site")
        text = f"{sites} that gave items in the first crawl were not seen in the second: {_names(missing)}"
        advice = (
            "If the second crawl was not meant to end earlier, links to these sites may have been removed. The shadow "
            "check finds such requests:"
        )
        findings.append(_found(SITES_MISSING, text, advice, shadow_command(spider), missing))
    notes = [
        f"The second crawl {note} on {counted(len(moved), 'site')}: {_names(moved)}."
        for note in ("removes more", "removes less")
        if (moved := [one for one in changes if note in one.notes])
    ]
    if new := [one for one in changes if one.pages[0] is None]:
        notes.append(f"Only the second crawl saw {counted(len(new), 'site')}: {_names(new)}.")
    if len(gone) > len(missing):
        others = [one for one in gone if not one.items_per_page[0]]
        notes.append(
            f"Only the first crawl saw {counted(len(others), 'site')} without items: {_names(others)}."
        )
    both = len(changes) - len(gone) - len(new)
    about = f"no site gives clearly fewer items a page than before, of {counted(both, 'site')} in both crawls"
    return Verdict(
        about=about if changes else "",
        findings=tuple(findings),
        notes=tuple(notes),
        wrong_sites=len(fewer) + len(missing),
    )


def _names(changes: Sequence[SiteChange]) -> str:
    return named([one.site for one in changes[:MOST_NAMED]], len(changes))


def _found(kind: str, text: str, advice: str, paste: str, changes: Sequence[SiteChange]) -> Finding:
    examples = tuple(one.site for one in changes[:MOST_NAMED])
    return Finding(kind, text, advice, paste, len(changes), len(changes), examples)


def comparison_text(
    titles: tuple[str, str], changes: Sequence[SiteChange], verdict: Verdict, limit: int | None = None
) -> str:
    """The comparison for people: the verdict, then a table whose cells have the first crawl's figure and the second's.

    :param limit: at most so many sites.
    """
    lines = align(
        ["site", "pages", "reduction", "items/page", "no item", "note"],
        (
            (
                one.site,
                _pair(one.pages, whole),
                _pair(one.reduction, percent),
                _pair(one.items_per_page, lambda value: f"{value:.2f}"),
                _pair(one.empty_share, percent),
                "; ".join(one.notes),
            )
            for one in changes[:limit]
        ),
    )
    if limit is not None and len(changes) > limit:
        lines.append(f"… and {counted(len(changes) - limit, 'more site')}")
    return (
        "\n".join([*verdict.lines(), "", f"first:  {titles[0]}", f"second: {titles[1]}", "", *lines]) + "\n"
    )


def _pair(values: tuple[Any, Any], text: Callable[[Any], str]) -> str:
    return " -> ".join("-" if value is None else text(value) for value in values)


def comparison_json(
    about: tuple[Mapping[str, Any], Mapping[str, Any]], changes: Sequence[SiteChange], verdict: Verdict
) -> str:
    """The comparison as one JSON object: the verdict, the two crawls and a list ``sites``."""
    content = {
        "verdict": verdict.to_dict(),
        "first": about[0],
        "second": about[1],
        "sites": [one.to_dict() for one in changes],
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def comparison_csv(changes: Sequence[SiteChange]) -> str:
    """The comparison as CSV with a head."""
    rows = [one.to_dict() | {"notes": "; ".join(one.notes)} for one in changes]
    buffer = io.StringIO()
    names = list(SiteChange("", *[(None, None)] * 4).to_dict())
    writer = csv.DictWriter(buffer, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()
