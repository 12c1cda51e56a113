"""What is new on the site stays where rules took it that don't look at what it is, or where much of it is new."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import CONTROL
from scrapy_tps.engine.loops import novelty
from scrapy_tps.engine.native import over_view
from scrapy_tps.engine.strategies.auto.decisions import Retained

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.site_thresholds import SiteVeto

#: Those that are about what is new on every page, or on none.
_EXEMPT: Final = frozenset({"comments", "repeated", "copy", "template"})

_vetoed: Final = over_view(novelty.vetoed)


def site_veto(page: Page, limits: SiteVeto) -> list[Retained]:
    """Retain parts of what was removed, see :class:`~scrapy_tps.engine.strategies.auto.site_thresholds.SiteVeto`."""
    site = page.site
    if site is None or not site.pages or not page.removed:
        return []
    texts = site.texts_of(None if limits.silent else page.alive)
    if 1 not in texts.new:
        return []
    # what a form offers to choose from differs from page to page and is no content
    rules = page.by_position, _EXEMPT
    found = _vetoed(page, site, texts, page.removed, page.retained, rules, CONTROL, limits)
    return sorted(Retained(root, _reason(why, share), "site_veto") for root, why, share in found)


def _reason(why: int, share: float) -> str:
    if why == novelty.NEW:
        return f"{share:.0%} of its text is new on this site"
    if why == novelty.SILENT:
        return "has no text that other pages of this site could have"
    return "stays on other pages of this site"


def new_records(page: Page, limits: SiteVeto) -> list[Retained]:
    """Retain the record groups with enough that is new, whole: some of the records may be on other pages as well."""
    site = page.site
    if site is None or not site.pages:
        return []
    found = []
    texts = site.texts_of()
    for start, end, items in page.records:
        low, high = texts.before[start], texts.before[end]
        lengths = texts.lengths[low:high]
        share = sum(compress(lengths, texts.new[low:high])) / max(1, sum(lengths))
        if share >= limits.new:
            reason = f"{items} records, {share:.0%} of their text is new on this site"
            root = start
            while root < end:
                found.append(Retained(root, reason, "site_veto"))
                root = page.end[root]
    return found
