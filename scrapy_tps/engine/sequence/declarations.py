"""What a page says that it is about, in JSON-LD, microdata and ``og:type``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from scrapy_tps.engine.sequence.columns import TagPathSequence

_WORD: Final = re.compile(r"\w+")
#: The ends of types of articles: ``NewsArticle``.
_ARTICLES: Final = ("Article", "BlogPosting", "Report")
#: Types of what an article may be about, or list.
_SUBJECTS: Final = frozenset(
    {
        "Book",
        "Course",
        "Dataset",
        "ItemList",
        "Movie",
        "Product",
        "ProductGroup",
        "SoftwareApplication",
        "TVSeries",
        "VideoGame",
    }
)
#: Types of pages that are about records or facts.
_OTHERS: Final = frozenset(
    {
        "CollectionPage",
        "DiscussionForumPosting",
        "Event",
        "JobPosting",
        "LiveBlogPosting",
        "QAPage",
        "RealEstateListing",
        "Recipe",
        "SearchResultsPage",
    }
)


def declared_article(sequence: TagPathSequence, text: int = 0) -> str:
    """Return how the page says that it is one article: ``"data"``, ``"beside"`` if its data also name what the article
    may be about, ``"article"`` by its ``og:type`` or the only ``article`` element alone, or an empty text, also if it
    says that it is something else.

    :param text: the part that such an element must hold; 0 if none is asked for.
    """
    _, kind, in_head = sequence.head_values()
    # a page's state may be hundreds of kilobytes, and names types of its own
    types = _WORD.findall(" ".join([*in_head, *sequence.linked_types()]))
    named = {*types, *_WORD.findall(" ".join(set(sequence.labels("itemtype"))))}
    if not _OTHERS.isdisjoint(named):
        return ""
    articles = sum(word.endswith(_ARTICLES) for word in types)
    has_text = sequence.labels("itemprop").count("articleBody") == 1
    if not _SUBJECTS.isdisjoint(named):
        return "beside" if articles == 1 or has_text else ""
    if articles or has_text:
        return "data"
    elements = sequence.find({"article"})
    holds = len(elements) == 1 and elements[0] <= text < sequence.stop(elements[0])
    return "article" if holds or kind.strip().lower() == "article" else ""
