"""What each rule is worth, in a line: F1, recall and noise in points, as measured when it was made.

``python -m benchmarks.ablation`` measures all of them anew; docs/auto.md has what was tried besides.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

EVIDENCE: Final = MappingProxyType(
    {
        "headed-sections": "documentation F1 + .04, recall + .07",
        "own-parts": "recipes without JSON-LD 87 to 96 % equal, news 88 to 92 %; cut − 1.4, − 1.1; WCXB F1 − .2",
        "promotion-lists": "service F1 + .33, recall + .5",
        "like-siblings": "posts of a category, pinned topics and items shown later went on pages of the open web",
        "recurring-names": "galleries with titles in overlays lost all records; one product + 3 recall",
        "revealed": "two pages + 24 and + 18 recall, one collection + 46",
        "shown-parts": "two collections lose the categories behind 'show all' without it",
        "sure-furniture": "a giant menu would distort every share; most of the noise of modern pages",
        "first-heading": "what the page is about starts there: other rules ask for it",
        "closing-dialogs": "article F1 + .14, service + .5, product + .8, listing + .5, collection + .4",
        "record-groups": "no record lost on testbed, vints and paper",
        "record-titles": "the project's own pages: must-stay snippets 94.9 to 98.0 %",
        "doubtful-masks": "streamed pages lose their content without it",
        "masks-in-records": "hidden parts inside of records went: values kept 92 to 99.9 %",
        "text-menus": "parts called menus that consist of texts",
        "first-price": "product recall + .2; collection F1 − .19 by one page",
        "record-forms": "results in a form, to choose from them; one page of the paper's set",
        "marked": "most of the noise in class names",
        "outside-main": "banners, columns and footers of pages with a main element",
        "comments": "article F1 + .6, forum + 1.7; replies of threads are records: aggressive alone",
        "comments-below-text": "below 2,000 characters of prose comments are no records",
        "link-lists": "vints noise + 1.1; on labelled pages it took equipment of recipes and topics of news",
        "code": "Node.js API 98.6 to 99.9 % of the main content, with the two rules below",
        "article-surroundings": "article F1 + .6; guarded: topics and pictures of 7 of 132 news pages stay",
        "closing-teasers": "recipes without JSON-LD cut + 1.1, news + 1.0, article F1 + .1; service recall − .3",
        "beside-records": "documentation of six projects: 1 to 2 points of the main content; vints noise − 2",
        "below-heading": "claim, message and byline below the heading",
        "record-surroundings": "vints noise 39.6 to 53.3; on labelled pages it took dates, facts and pictures",
        "split": "vints noise + 7; on labelled pages it took one side or the other of what a scraper reads",
        "long-link-lists": "news cut + .4, paper noise + .3; no scraper lost anything",
        "lost-main": "an index of a few links, a short page beside a long menu",
        "beside-text": "article F1 + .4; author and specifications stand there: aggressive alone",
        "repeated-fields": "testbed noise + 1.0, no record lost; a selector may name the copy: aggressive alone",
        "copies": "collection and listing F1 + .4, product + .7; a selector may name the copy: aggressive alone",
        "landmarks": "a promise: first headings, breadcrumbs and pagination; of equal ones one: forum F1 + .14",
        "pagination": "rows of page numbers went on 61 of 1,819 labelled pages",
        "titles": "titles of WCXB 97.4 to 98.0 %",
        "labelled": "authors of WCXB 82.3 to 96.9 %, dates 28 to 32 of 32",
        "next-links": "lists without page numbers have nothing else to be followed by",
        "nothing-left": "a list of links below the heading and nothing else",
    }
)
