"""Title block and introduction: what stands below headings and beside records without a link in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import CONTROL, FORM
from scrapy_tps.engine.strategies.auto.marks import HEADINGS
from scrapy_tps.engine.strategies.auto.queries import any_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import BelowHeading

#: Elements of running text.
_TEXT: Final = frozenset({"p", "pre", "blockquote", "ul", "ol", "dl"})


def below_heading(page: Page, limits: BelowHeading) -> list[tuple[int, int]]:
    """Protect claim, message and byline below the first heading, and text without links around the best records.

    That is running text beside them, and lines between a heading and them.
    """
    found = list(_around_records(page, limits.line))
    heading = page.first_heading
    if heading >= 0:
        end = page.end[page.parent[heading]]
        if page.share(heading, end) <= limits.share:
            found.append((heading, end))
    return found


def _around_records(page: Page, line: float) -> Iterator[tuple[int, int]]:
    best, end, text_before = page.best, page.end, page.text_before
    if best is None:
        return
    controls = page.all_with(CONTROL | FORM)
    headings = page.all_with(HEADINGS)
    inner = best.start
    while (above := page.parent[inner]) >= 0:
        for child in page.children(above):
            after = end[child]
            prose = inner == best.start and page.sequence.tag_of(child) in _TEXT
            if (
                (prose or (child < inner and any_in(headings, above, after)))
                and (characters := text_before[after] - text_before[child]) > 0
                and (prose or characters <= line)
                and 1 not in page.in_link[child:after]
                and not any_in(controls, child, after)
            ):
                yield child, after
        inner = above
