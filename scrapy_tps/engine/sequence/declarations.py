"""What a page says that it is about, in JSON-LD, microdata and ``og:type``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from scrapy_tps.engine.sequence.columns import TagPathSequence

_WORD: Final = re.compile(r"\w+")
#: The end of a type of articles: ``NewsArticle``.
_ARTICLE: Final = re.compile(r"(?:Article|BlogPosting|Report)\b")
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


def declared_article(sequence: TagPathSequence, text: int = 0) -> tuple[str, str]:
    """Return how the page says that it is one article: ``"data"``, ``"beside"`` if its data also name what the article
    may be about, ``"article"`` by its ``og:type`` or the only ``article`` element alone, or an empty text, also if it
    says that it is something else; and its address.

    :param text: the part that such an element must hold; 0 if none is asked for.
    """
    address, kind, types = sequence.head_values()
    # a page's state may be hundreds of kilobytes, and names types of its own
    types += sequence.linked_types()
    named = set(_WORD.findall(" ".join({*types, *sequence.labels("itemtype")})))
    if not _OTHERS.isdisjoint(named):
        return "", address
    has_text = sequence.labels("itemprop").count("articleBody") == 1
    if not _SUBJECTS.isdisjoint(named):
        is_one = has_text or len(_ARTICLE.findall(" ".join(types))) == 1
        return "beside" if is_one else "", address
    if has_text or _ARTICLE.search(" ".join(set(types))):
        return "data", address
    elements = sequence.find({"article"})
    holds = len(elements) == 1 and elements[0] <= text < sequence.stop(elements[0])
    return "article" if holds or kind.strip().lower() == "article" else "", address
