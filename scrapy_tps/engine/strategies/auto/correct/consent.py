"""Notices of consent: dialogs, banners and hidden parts that speak of it, or hold parts that do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import CONSENT, DIALOG, HEADING, HIDDEN, MAIN, PROMOTION, WEAK
from scrapy_tps.engine.strategies.auto.decisions import Correction
from scrapy_tps.engine.strategies.auto.queries import any_in

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import Consent

#: What is a consent notice when its names speak of consent anywhere.
_ASKING: Final = DIALOG | HIDDEN | PROMOTION


def consent(page: Page, limits: Consent) -> list[Correction]:
    """Mark what asks for consent: it goes however much prose it holds, as no other dialog does."""
    consents = page.all_with(CONSENT | CONSENT << WEAK)
    if not consents:
        return []
    known = page.all_with(MAIN | HEADING)
    found: list[Correction] = []
    for index in page.all_with(_ASKING):
        hint, end = page.hints[index], page.end[index]
        if hint >> WEAK & CONSENT or (
            hint & DIALOG
            and any_in(consents, index, end)
            and not any_in(known, index, end)
            and page.share(index, end) <= limits.share
        ):
            found.append(Correction(index, 0, CONSENT))
    return found
