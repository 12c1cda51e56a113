"""Template: what every page of the site that is made like this one says at the same place, as often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.loops import novelty
from scrapy_tps.engine.native import over_view

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.engine.site import SiteTexts
    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.site_thresholds import Template

_repeated_parts: Final = over_view(novelty.repeated_parts)
#: So many levels down, parts beside data are looked for: each level is read once more.
_LEVELS: Final = 8
#: What lists and tables are made of.
_ROWS: Final = frozenset({"dd", "dt", "li", "td", "th", "tr"})


def template(page: Page, limits: Template) -> list[Removal]:
    """Remove the largest parts of which nearly all text is on all pages made alike, outside of records.

    What markup calls data stays, and so do rows of lists and tables with anything new in another row. Nothing goes from
    a page with hardly any text of its own (the same list under another address), nor where most of what is left would.
    """
    site = page.site
    if site is None or not site.removes or not site.full:
        return []
    texts = site.texts_of()
    if 1 not in texts.repeated:
        return []
    parts, living = _repeated_parts(page, texts, page.records, page.first_heading, limits)
    if not parts:
        return []
    is_text, names_data = page.is_text, page.sequence.names_data
    found: list[tuple[int, int, int]] = []
    for part in parts:
        if is_text[part[0]] or not names_data(part[0]):
            found.append(part)
        else:
            found += _beside_data(page, texts, part[0], limits)
    found = list(_no_rows_beside_news(page, texts, found))
    if sum(text for _, _, text in found) > limits.most * living:
        return []
    reason = f"on all {site.alike} other pages of this site that are made like this one"
    return [(start, stop, "template", reason) for start, stop, _ in found]


def _no_rows_beside_news(
    page: Page, site: SiteTexts, found: list[tuple[int, int, int]]
) -> Iterator[tuple[int, int, int]]:
    """Yield the parts that are no row of a list or table of which another row has something new.

    They are fields of one thing: its maker may be the same on all pages that are known, and is not on the next.
    """
    tag_of, parents, before = page.sequence.tag_of, page.parent, site.before
    with_news: dict[int, bool] = {}
    for part in found:
        if tag_of(part[0]) in _ROWS:
            holder = parents[part[0]]
            if holder not in with_news:
                with_news[holder] = site.new.find(1, before[holder], before[page.end[holder]]) >= 0
            if with_news[holder]:
                continue
        yield part


def _beside_data(page: Page, site: SiteTexts, part: int, limits: Template) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, characters) of the largest parts of a part with data that have none, and may go alone."""
    places, before, lengths, alive = site.places, site.before, site.lengths, page.alive
    inside = [(part, 0)]
    while inside:
        holder, level = inside.pop()
        for child in page.children(holder):
            stop = page.end[child]
            texts = range(before[child], before[stop])
            living = [text for text in texts if alive[places[text]]]
            repeated = sum(lengths[text] for text in living if site.repeated[text])
            if repeated < limits.characters:
                continue
            if not page.is_text[child] and page.sequence.names_data(child):
                if level < _LEVELS:
                    inside.append((child, level + 1))
                continue
            size = sum(lengths[text] for text in living)
            if alive[child] and repeated >= limits.repeated * size:
                yield child, stop, size
