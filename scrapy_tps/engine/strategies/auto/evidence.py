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
        "cues": "a name means what it says by where the part stands, and by what it is made of",
        "sure-furniture": "a giant menu would distort every share",
        "first-heading": "what the page is about starts there",
        "closing-dialogs": "dialogs at the end of a page lie over it",
        "record-groups": "records stay, and the headings and the short line right above them",
        "masks-with-content": "hidden parts of records are their values; streamed pages would lose their content",
        "marked-content": "prices and results to choose from stand in forms and columns",
        "marked": "most of what class names call noise is noise",
        "outside-main": "banners, columns and footers of pages with a main element",
        "comments": "comments below a longer text; replies of threads are records",
        "comments-below-text": "comments below a long text are about it, not of it",
        "link-lists": "lists of links whose markup occurs nowhere else; of labelled pages only long ones",
        "article-surroundings": "teasers below a text, unless markup says that they are about it",
        "closing-teasers": "cards of linked pictures behind nearly all that a page says, prices aside",
        "below-heading": "claim and byline below the heading, lines above the records",
        "old-listings": "where nothing has a name: small parts away from the list, the smaller sides of splits",
        "counted-tables": "where nothing has a class, scrapers count tables",
        "beside-text": "small parts beside the text; author and specifications stand there",
        "choices": "what a search can be set to is a control, wherever it stands",
        "promises": "headings, breadcrumbs, pagination, labelled facts and counts of results are what spiders read",
        "nothing-left": "a page of nothing but links would be empty",
    }
)
WORTH: Final[Mapping[str, str]] = MappingProxyType(
    {
        # made by benchmarks/evidence.py
        "sure-furniture": "testbed noise + 4.4; paper records + 4.2",
        "first-heading": "no data cut + 5.6; news cut + 1.1",
        "closing-dialogs": "WCXB F1 + .2",
        "record-groups": "vints noise + 20.9; paper records + 2.5",
        "masks-with-content": "paper records + 14.5, noise − 2.8",
        "marked-content": "paper noise − 1.5",
        "marked": "testbed noise + 6.9; news cut + 8.1",
        "outside-main": "paper noise + 4.8; news cut + 1.3",
        "comments-below-text": "WCXB F1 + .5; no data cut + 5.6",
        "link-lists": "vints noise + 1.1; news cut + .3",
        "article-surroundings": "news cut + .9, equal − .8",
        "counted-tables": "courts equal + 1.1",
        "choices": "courts cut + .9; meetings cut + .2",
        "nothing-left": "4 pages",
        "comments": "34 pages",
        "closing-teasers": "no data cut + .3; meetings cut + .5",
        "below-heading": "news equal + 9.1",
        "beside-text": "vints noise + 1.1; news cut + 1.6",
        # end
    }
)
