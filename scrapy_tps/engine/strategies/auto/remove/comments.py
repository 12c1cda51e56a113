"""Comments below a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_tps.engine.hints.reading import COMMENTS
from scrapy_tps.engine.strategies.auto.thresholds import ENOUGH_PROSE

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.scaling import Thresholds
    from scrapy_tps.engine.strategies.auto.thresholds import CommentsBelowText


def comments_below_text(page: Page, limits: CommentsBelowText) -> list[Removal]:
    """Remove parts named comments below the first heading and a long text, unless they are protected records."""
    heading, prose_before, worth_before = page.first_heading, page.prose_before, page.worth_before
    if heading < 0 or prose_before[-1] < limits.text:
        return []
    found: list[Removal] = []
    after = 0
    for index in page.all_with(COMMENTS):
        if (
            index > heading
            and index >= after
            and page.alive[index]
            and not page.protected[index]
            and prose_before[index] - prose_before[heading] >= limits.text
        ):
            end = page.end[index]
            if worth_before[end] - worth_before[index] <= limits.share * worth_before[-1]:
                found.append((index, end, "comments", "comments below a long text"))
                after = end
    return found


def comments(page: Page, _: Thresholds) -> list[Removal]:
    """Remove comments below a text that has at least as much prose as they do."""
    all_prose = page.prose_before[-1]
    found: list[Removal] = []
    after = 0
    for index in page.all_with(COMMENTS):
        if page.alive[index] and index >= after and 0 <= page.first_heading < index:
            end = page.end[index]
            inside = page.prose_before[end] - page.prose_before[index]
            if all_prose - inside >= max(inside, ENOUGH_PROSE):
                found.append((index, end, "comments", "comments below a longer text"))
                after = end
    return found
