"""Sets of cues that several rules use, and their names in the account."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from scrapy_tps.engine.cues.reading import (
    ASIDE,
    BREADCRUMB,
    BUTTON,
    COMMENTS,
    CONSENT,
    CONTROL,
    DIALOG,
    FILTER,
    FOOTER,
    FORM,
    HEADER,
    HEADING,
    HIDDEN,
    LANDMARK,
    MENU,
    NAVIGATION,
    PAGER,
    PROMOTION,
    RELATED,
    SIDEBAR,
    SOCIAL,
    SUBHEADING,
)
from scrapy_tps.engine.sequence.columns import TEXT

#: Cues of boilerplate at any place.
SURE: Final = NAVIGATION | CONTROL | DIALOG | HIDDEN | LANDMARK | CONSENT
#: Cues that need more evidence: position at the page's edge, or a small share and rare markup.
SOFT: Final = FOOTER | HEADER | ASIDE | FORM | BUTTON | MENU | SIDEBAR | FILTER | RELATED | SOCIAL | PROMOTION
#: Cues of parts that hide or frame all their content.
COVERING: Final = DIALOG | CONSENT | HIDDEN
#: Cues of parts that stay regardless of the part around them.
ALWAYS: Final = HEADING | BREADCRUMB | PAGER
HEADINGS: Final = HEADING | SUBHEADING
#: Classes for the display of a part (Tailwind): a shown part may have one, while a hidden part has ``hidden``.
DISPLAYS: Final = frozenset(
    {"block", "flex", "grid", "inline", "inline-block", "inline-flex", "table", "contents"}
)
#: Elements within a line of text, or of one line, are not parts of a page.
WITHIN_LINES: Final = frozenset(
    {
        TEXT,
        *[
            "a",
            "abbr",
            "b",
            "code",
            "em",
            "font",
            "i",
            "label",
            "pre",
            "q",
            "s",
            "small",
            "span",
            "strong",
            "sub",
            "sup",
            "u",
        ],
    }
)
_WORDS: Final = (
    (NAVIGATION, "navigation"),
    (CONTROL, "controls"),
    (DIALOG, "a dialog"),
    (HIDDEN, "hidden"),
    (LANDMARK, "the site's banner or footer"),
    (CONSENT, "a consent notice"),
    (FOOTER, "a footer"),
    (HEADER, "a header"),
    (ASIDE, "an aside"),
    (FORM, "a form"),
    (BUTTON, "a button or not for reading"),
    (MENU, "a menu"),
    (SIDEBAR, "a sidebar"),
    (FILTER, "filters"),
    (RELATED, "related content"),
    (SOCIAL, "social media, sign-up or sign-in"),
    (PROMOTION, "a promotion or notice"),
    (COMMENTS, "comments"),
)


@lru_cache(maxsize=1000)
def marked_as(cue: int) -> str:
    """Return the reason of a removal, in words, for a node's cues."""
    return f"marked as {' and '.join(words for bit, words in _WORDS if cue & bit)}"
