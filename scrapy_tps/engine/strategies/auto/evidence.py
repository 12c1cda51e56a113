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
        "closing-teasers": "cards of linked pictures behind nearly all that a page says, prices aside",
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
        "labelled": "who wrote it and when, and what else markup labels, is what is scraped",
        "next-links": "lists without page numbers have nothing else to be followed by",
        "nothing-left": "a page of nothing but links would be empty",
    }
)
WORTH: Final[Mapping[str, str]] = MappingProxyType(
    {
        # made by benchmarks/evidence.py
        "headed-sections": "nothing above .1 (8 pages)",
        "own-parts": "no data equal + 8.3, cut − 1.5; courts equal + 2.2; news equal + 4.6 (1,395 pages)",
        "promotion-lists": "nothing above .1 (6 pages)",
        "like-siblings": "paper noise − .2; no data cut − .2; news equal + .8 (99 pages)",
        "recurring-names": "paper noise − .6; meetings cut + .1 (53 pages)",
        "revealed": "nothing above .1 (13 pages)",
        "shown-parts": "no data cut − .3 (156 pages)",
        "sure-furniture": "testbed noise + 4.4; paper records + 4.2, noise + 3.8; no data cut + 3.7 (2,977 pages)",
        "first-heading": "WCXB F1 + .9; no data cut + 5.5, equal + 2.1; news cut + 1.5 (1,939 pages)",
        "closing-dialogs": "WCXB F1 + .2 (53 pages)",
        "record-groups": "testbed records + 2.2, noise + 1.6; vints noise + 21.3; paper records + 2.5 (1,641 pages)",
        "record-titles": "nothing above .1 (36 pages)",
        "doubtful-masks": "testbed noise − .4; paper noise − 2.6; WCXB recall + .1 (19 pages)",
        "masks-in-records": "paper records + 14.5; no data cut − .8; courts equal + 3.3, cut − 2.0 (870 pages)",
        "text-menus": "paper noise − .3 (23 pages)",
        "first-price": "nothing above .1 (23 pages)",
        "record-forms": "paper noise − 1.5 (3 pages)",
        "marked": "testbed noise + 6.9; paper noise + 6.7; news cut + 7.7; meetings cut + 5.8 (2,933 pages)",
        "outside-main": "paper noise + 4.8; no data cut + .7; news cut + 1.2; meetings cut + .9 (2,030 pages)",
        "comments-below-text": "WCXB F1 + .5; no data cut + 5.5; news cut + .4 (713 pages)",
        "link-lists": "vints noise + 1.1 (34 pages)",
        "long-link-lists": "paper noise + .3; news cut + .4 (45 pages)",
        "code": "vints noise − .1 (1 page)",
        "article-surroundings": "WCXB F1 + .3; no data cut + .5; news cut + 1.3, equal − .8 (518 pages)",
        "closing-teasers": "no data cut + .7; news cut + 1.1 (189 pages)",
        "beside-records": "vints noise − .2 (6 pages)",
        "record-surroundings": "vints noise + 13.0 (49 pages)",
        "split": "vints noise + 7.2; courts equal − 1.1, cut + .3 (65 pages)",
        "lost-main": "no data cut − .1; news cut − .2 (11 pages)",
        "landmarks": "paper noise − .5; no data cut − .5, equal + .3; meetings cut − .9 (1,188 pages)",
        "pagination": "vints noise − .6; paper noise − .1 (57 pages)",
        "titles": "nothing above .1 (21 pages)",
        "labelled": "paper noise − .2; no data equal + 1.0; news cut − .3 (341 pages)",
        "next-links": "vints noise − .1 (144 pages)",
        "nothing-left": "nothing above .1 (4 pages)",
        "comments": "WCXB recall − .1, F1 + .1 (99 pages)",
        "below-heading": "news equal + 9.1 (88 pages)",
        "beside-text": "vints noise + 1.1; no data cut + 1.4; news cut + 1.6; meetings cut + 1.0 (417 pages)",
        "repeated-fields": "testbed noise + 1.1; meetings cut + .1 (45 pages)",
        "copies": "WCXB F1 + .2; no data cut + .1 (106 pages)",
        # end
    }
)
