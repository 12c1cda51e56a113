"""What belongs to the records of a page: text around them, parts that hold items like theirs, sections like theirs.

Where records dominate a page, the rules that go by position alone take the rest for noise. On pages of documentation
the "records" are sections or entries of a list, and the rest are introductions and the lists of the sections after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.hints.reading import CONTROL, FORM, SUBHEADING
from scrapy_tps.engine.loops import beside_records as loops
from scrapy_tps.engine.native import over_columns
from scrapy_tps.engine.strategies.auto.queries import any_in

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import BesideRecords

_texts_beside: Final = over_columns(loops.texts_beside)
_Beside: Final = over_columns(loops.Beside)
_LISTS: Final = frozenset({"ul", "ol", "dl"})
#: Elements of running text.
_TEXT: Final = frozenset({"p", "pre", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6"})


def beside_records(page: Page, limits: BesideRecords) -> list[tuple[int, int]]:
    """Protect text around the records, parts that hold items like theirs, sections like theirs.

    Text is prose and lists without links among their siblings, the headings that bars above them start with, and
    lines without links between the first heading and them. Items are like the records where their paths of tags *and*
    classes are the same, and, without a class, their symbols. Sections are parts of the same make as the one that
    holds the records, below a heading like that of it: the records of a page of sections (the lectures of a course,
    the papers of an author) are the longest of its lists. A list of short links is none.
    """
    best, end = page.best, page.end
    if best is None or page.parent[best.start] < 0:
        return []
    found = _lines_below_heading(page, best.start, limits.line)
    view, near = page.measured, limits.near
    tag_of = page.sequence.tag_of
    found += [
        child
        for child, prose, rich in _texts_beside(view, page.parent[best.start], limits.list_worth)
        if (prose and tag_of(child) in _TEXT) or (rich and tag_of(child) in _LISTS)
    ]
    found += _Beside(view, best.start, best.end, SUBHEADING, near, limits).parts()
    return [(child, end[child]) for child in found]


def _lines_below_heading(page: Page, records: int, longest: float) -> list[int]:
    """Short parts without links and controls between the part with the first heading and that with the records."""
    heading, parent, end, text_before = page.first_heading, page.parent, page.end, page.text_before
    if not 0 <= heading < records:
        return []
    while not records < end[parent[heading]]:
        heading = parent[heading]
    controls = page.all_with(CONTROL | FORM)
    return [
        child
        for child in page.children(parent[heading])
        if heading < child
        and end[child] <= records
        and 0 < text_before[end[child]] - text_before[child] <= longest
        and 1 not in page.in_link[child : end[child]]
        and not any_in(controls, child, end[child])
    ]
