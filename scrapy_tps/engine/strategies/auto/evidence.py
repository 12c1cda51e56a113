"""Why each rule is there, and what it is worth.

Figures are points lost without the rule, on half A of the recorded scrapers and on the labelled sets:
``python -m benchmarks.ablation`` measures them, ``python -m benchmarks.evidence`` writes them here.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

REASONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "headed-sections": "sections of documentation about menus or cookies are no menus",
        "own-parts": "what stands in an article is judged by what it is made of, not by its name",
        "promotion-lists": "a large list under headings is content, whatever it is called",
        "like-siblings": "marks that only some of many like siblings carry say what a record is about",
        "recurring-names": "a class that recurs with different texts names records: galleries with overlays",
        "revealed": "answers, tabs and fields that a click shows are content",
        "shown-parts": "what is shown on wide screens, or beside a shown twin, is not hidden",
        "sure-furniture": "a giant menu would distort every share",
        "first-heading": "what the page is about starts there: other rules ask for it",
        "closing-dialogs": "dialogs at the end of a page lie over it",
        "record-groups": "records stay",
        "record-titles": "a short line right above the records is their title",
        "doubtful-masks": "streamed pages would lose their content",
        "masks-in-records": "hidden parts of records are their values",
        "text-menus": "parts called menus that consist of texts are none",
        "first-price": "the price of what a page is about stands in a form or a column",
        "record-forms": "results to choose from stand in a form",
        "marked": "most of what class names call noise is noise",
        "outside-main": "banners, columns and footers of pages with a main element",
        "comments": "replies of threads are records: `aggressive` alone",
        "comments-below-text": "comments below a long text are about it, not of it",
        "link-lists": "lists of links whose markup occurs nowhere else",
        "code": "nobody writes menus in preformatted text",
        "article-surroundings": "teasers below a text, unless markup says that they are about it",
        "beside-records": "running text and further lists of the same make beside the records are content",
        "below-heading": "claim, message and byline below the heading",
        "record-surroundings": "small parts beside the list; on labelled pages it took dates, facts and pictures",
        "split": "the smaller side; on labelled pages it took one side or the other of what a scraper reads",
        "long-link-lists": "long ones have never been what a scraper read",
        "lost-main": "an index of a few links, a short page beside a long menu",
        "beside-text": "author and specifications stand there: `aggressive` alone",
        "repeated-fields": "a selector may name the copy: `aggressive` alone",
        "copies": "a selector may name the copy: `aggressive` alone",
        "landmarks": "a promise: first headings, breadcrumbs and pagination",
        "pagination": "a crawl follows page numbers",
        "titles": "the title of a page without an `h1`",
        "bylines": "who wrote it, and when",
        "next-links": "lists without page numbers have nothing else to be followed by",
        "nothing-left": "a page of nothing but links would be empty",
    }
)
WORTH: Final[Mapping[str, str]] = MappingProxyType(
    {
        # made by benchmarks/evidence.py
        # end
    }
)
