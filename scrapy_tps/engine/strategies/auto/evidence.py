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
        "related-headings": "a part that its heading calls related content is, whatever its class",
        "headed-sections": "sections of documentation about menus or cookies are none",
        "own-parts": "what stands in an article is judged by what it is made of",
        "own-banners": "what only says something, or is a list, promotes nothing; main parts have headers of their own",
        "like-siblings": "marks of some of many like siblings say what a record is about",
        "recurring-names": "a class that recurs with different texts names records",
        "revealed": "answers, tabs and fields that a click shows are content; so is what wide screens show",
        "sure-furniture": "a giant menu would distort every share",
        "first-heading": "what the page is about starts there",
        "closing-dialogs": "dialogs at the end of a page lie over it",
        "record-groups": "records stay, and the headings and the short line right above them",
        "masks-with-content": "hidden parts of records are their values; streamed pages would lose their content",
        "text-menus": "parts called menus that consist of texts are none",
        "marked-content": "prices and results to choose from stand in forms and columns",
        "marked": "most of what class names call noise is noise",
        "outside-main": "banners, columns and footers of pages with a main element",
        "comments": "comments below a longer text; replies of threads are records",
        "comments-below-text": "comments below a long text are about it, not of it",
        "link-lists": "lists of links whose markup occurs nowhere else; of labelled pages only long ones",
        "code": "nobody writes menus in preformatted text",
        "article-surroundings": "teasers below a text, unless markup says that they are about it",
        "closing-teasers": "cards of linked pictures behind nearly all that a page says, prices aside",
        "beside-records": "running text and like lists beside the records are content",
        "below-heading": "claim, message and byline below the heading",
        "record-surroundings": "small parts beside the list; on labelled pages those are dates, facts, pictures",
        "split": "the smaller side; on labelled pages a scraper reads both",
        "counted-tables": "where nothing has a class, scrapers count tables",
        "lost-main": "an index of a few links, a short page beside a long menu",
        "beside-text": "small parts beside the text; author and specifications stand there",
        "choices": "what a search can be set to is a control, wherever it stands",
        "resources": "style sheets and what else browsers load are as little to spiders in the body as in the head",
        "landmarks": "a promise: first headings, breadcrumbs and pagination",
        "pagination": "a crawl follows page numbers",
        "titles": "the title of a page without an `h1`",
        "labelled": "author, date and what else markup labels is what is scraped",
        "counts": "a spider works out from the number of results how many pages there are",
        "next-links": "where there are no page numbers, a crawl follows these",
        "nothing-left": "a page of nothing but links would be empty",
    }
)
WORTH: Final[Mapping[str, str]] = MappingProxyType(
    {
        # made by benchmarks/evidence.py
        "related-headings": "no data cut + .8; news cut + .4",
        "headed-sections": "8 pages",
        "own-parts": "no data equal + 6.9; news equal + 4.6",
        "own-banners": "44 pages",
        "like-siblings": "paper noise − .2; news equal + .8",
        "recurring-names": "paper noise − .6; meetings cut + .1",
        "revealed": "no data cut − .4",
        "sure-furniture": "testbed noise + 4.4; paper records + 4.2",
        "first-heading": "no data cut + 5.6; news cut + 1.1",
        "closing-dialogs": "WCXB F1 + .2",
        "record-groups": "vints noise + 20.9; paper records + 2.5",
        "masks-with-content": "paper records + 14.5, noise − 2.8",
        "text-menus": "paper noise − .3",
        "marked-content": "paper noise − 1.5",
        "marked": "testbed noise + 6.9; news cut + 8.1",
        "outside-main": "paper noise + 4.8; news cut + 1.3",
        "comments-below-text": "WCXB F1 + .5; no data cut + 5.6",
        "link-lists": "vints noise + 1.1; news cut + .3",
        "code": "vints noise − .1",
        "article-surroundings": "news cut + .9, equal − .8",
        "beside-records": "vints noise − .2",
        "record-surroundings": "vints noise + 13.0",
        "split": "vints noise + 7.2; courts cut + .4",
        "lost-main": "news cut − .2",
        "counted-tables": "courts equal + 1.1",
        "choices": "courts cut + .9; meetings cut + .2",
        "resources": "355 pages",
        "landmarks": "no data cut − .5; meetings cut − .9",
        "pagination": "vints noise − .6; courts cut − .3",
        "titles": "22 pages",
        "labelled": "no data equal + 1.0; news cut − .3",
        "counts": "vints noise − .4",
        "next-links": "vints noise − .1",
        "nothing-left": "4 pages",
        "comments": "34 pages",
        "closing-teasers": "no data cut + .3; meetings cut + .5",
        "below-heading": "news equal + 9.1",
        "beside-text": "vints noise + 1.1; news cut + 1.6",
        # end
    }
)
