"""Markup cues of a page's parts: tag, role, hidden state, tokens of ``class`` and ``id``.

Cues never decide alone: the strategies remove a part with cues only with evidence from the sequence. Each node's cues
are the bits of one number, so all later steps work on columns of numbers.
"""

from __future__ import annotations

import re
import sys
from itertools import chain, compress, pairwise
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine import native
from scrapy_tps.engine.bounded_cache import remembered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence

NAVIGATION: Final = 1 << 0
CONTROL: Final = 1 << 1
DIALOG: Final = 1 << 2
HIDDEN: Final = 1 << 3
LANDMARK: Final = 1 << 4
CONSENT: Final = 1 << 5
FOOTER: Final = 1 << 6
HEADER: Final = 1 << 7
ASIDE: Final = 1 << 8
FORM: Final = 1 << 9
BUTTON: Final = 1 << 10
MENU: Final = 1 << 11
SIDEBAR: Final = 1 << 12
FILTER: Final = 1 << 13
RELATED: Final = 1 << 14
SOCIAL: Final = 1 << 15
PROMOTION: Final = 1 << 16
BREADCRUMB: Final = 1 << 17
PAGER: Final = 1 << 18
HEADING: Final = 1 << 19
MAIN: Final = 1 << 20
COMMENTS: Final = 1 << 21
SUBHEADING: Final = 1 << 22
#: Parts that React streams; hidden until a script moves them to their place.
STREAMED: Final = 1 << 23


def word_table(text: str) -> tuple[str, ...]:
    """Return the words of a table."""
    return tuple(text.split())


#: Cues of a token that does not name its subject at its end are shifted by this many bits.
WEAK: Final = 24


def strong_or_weak(cues: int) -> int:
    """Return cues together with the weak forms of them."""
    return cues | cues << WEAK


#: Classes that name facts: authors and dates. Elements of any kind have these cues; they are no signs of boilerplate.
WRITER: Final = 1 << 48
DATE: Final = 1 << 49
FACTS: Final = WRITER | DATE

#: Words at the end of a class or id token, and their meaning. Evidence from 665 pages (every second one) of the WCXB
#: development set with some labelled text: 86 to 100 % of the characters in elements with these words are not main
#: content (mean over domains), and each word occurs on at least 10 domains.
WORDS: Final[dict[str, int]] = {
    word: cue
    for cue, words in {
        MENU: "nav navbar navigation navgroup subnav topnav topbar menu menus submenu megamenu mega dropdown"
        " offcanvas hamburger burger toolbar",
        FOOTER: "footer foot colophon copyright legal disclaimer",
        HEADER: "header masthead",
        SIDEBAR: "sidebar sidepanel sidenav rail widgets textwidget",
        CONSENT: "cookie cookies consent gdpr onetrust cookiebot iubenda didomi usercentrics cmplz cky osano"
        " truste trustarc termly borlabs cookiefirst cookieyes cookielaw cookielawinfo cookieconsent",
        DIALOG: "modal popup overlay lightbox dialog tooltip drawer popover toast flyout",
        FILTER: "filter filters facet facets refine refinement refinements",
        RELATED: "related recommended recommendations recommendation similar trending sells upsell upsells",
        SOCIAL: "social share sharing newsletter subscribe subscription signup follow login signin account"
        " respond commentform",
        PROMOTION: "promo promotion promos sponsored sponsor advert advertisement advertisements adsense"
        " banner banners skip skiplink announcement announcements notices notification cta language country",
        FORM: "cart",
        BREADCRUMB: "breadcrumb breadcrumbs crumbs crumb",
        PAGER: "pagination pager paginator paging",
        COMMENTS: "comments discussion replies reviews",
        ASIDE: "fixed",
    }.items()
    for word in words.split()
}

#: Words with the same meaning anywhere in a token (same evidence: 88 to 99 %).
_ANYWHERE: Final = frozenset({word for word, cue in WORDS.items() if cue == CONSENT}).union(
    word_table(
        "newsletter signup subscribe copyright related recommended similar social share sharing"
        " modal popup tooltip footer nav menu navigation navbar sidebar megamenu mega dropdown promo cta login"
    )
)
#: Words that name the box, not its content: a ``footer-wrapper`` is a footer.
_STRUCTURE: Final = frozenset(
    word_table(
        "wrapper wrap container inner outer area section block group list links link box bar panel row col column"
        " content body component module region root sdk holder placeholder desktop mobile item items notice html"
        " el elem div mod widget contents controls"
    )
)
#: Prefixes that make a token a statement about another part (``has-sidebar``, ``no-footer``).
_MODIFIERS: Final = frozenset(word_table("has with without no not is js show hide xs sm md lg xl"))
#: Words after which the rest of a token is ignored (``node-no-sidebar``, ``ingredientsAndBanners``).
_STATING: Final = frozenset(word_table("has with without no not and"))
_CONSENT_PREFIXES: Final = frozenset({"onetrust", "cookie", "cookies", "gdpr", "consent"})
#: Whole tokens. Foundation calls a menu next to the page ``off-canvas``, and the page ``off-canvas-content``.
_WHOLE: Final[dict[str, int]] = {
    **dict.fromkeys(("sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "hidden"), HIDDEN),
    **dict.fromkeys(("off-canvas", "offCanvas"), MENU),
}
#: Names of hidden parts that a click shows (tabs, accordions, "read more"): they hold content.
_REVEALED: Final = word_table("tab accord collaps more panel expand toggle slide carousel swiper")
_REVEALED_ROLE: Final = "tabpanel"
_IS_REVEALED: Final = re.compile("|".join(_REVEALED))
#: React streams parts of the page's content into hidden elements with these ids (the native twin relies on the colon).
_STREAMED: Final = re.compile(r"[SB]:[0-9a-f]+")
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
#: Declarations of a ``style`` attribute that hide an element.
_UNDISPLAYED: Final[dict[str, str]] = {"display": "none", "visibility": "hidden"}
_IS_UNDISPLAYED: Final = re.compile(
    "|".join(rf"{name}\s*:\s*{value}" for name, value in _UNDISPLAYED.items()), re.IGNORECASE
)

#: The number of tokens of `class` and `id` that are read per element.
TOKENS_READ: Final = 12
_TOKEN_LENGTH: Final = 60  # longer ones are generated

#: Words in class names of authors: ``post-author``, ``ArticleByLine_name``, not ``authority``.
#: The meaning is `(?<![A-Za-z])[Aa]uthor|(?<=[a-z])Author|[Bb]y-?[Ll]ine`; with the first letters in front, other text
#: is skipped a hundred times faster.
IS_WRITER: Final = re.compile(
    "[AaBb](?:(?<![Bb])(?:(?<![A-Za-z].)|(?<=[a-z]A))uthor|(?<=[Bb])y-?[Ll]ine)s?(?![a-z])", re.DOTALL
)
#: Class names of dates: those of hAtom and h-entry.
DATES: Final = frozenset({"published", "updated", "dt-published", "dt-updated"})
#: A class without any of these names no fact.
_OF_FACTS: Final = word_table("uthor yline y-line ublished updated")

#: Elements that can be a part of a page; ``class`` and ``id`` of others refer to single words.
_PARTS: Final = frozenset(
    word_table("div section ul ol aside nav header footer form dl td details fieldset li center dialog")
)
#: Signs that only names of custom elements contain (HTML Standard, section 4.13.3). Such names are read like class
#: tokens: ``<doc-sidebar>``, ``<app-footer>``.
_CUSTOM: Final = "-"
#: A list item or cell called header belongs to a table, not to the site.
_LIMITED: Final[dict[str, int]] = dict.fromkeys(
    ("li", "dl", "td", "details"), ~((HEADER | FOOTER) | (HEADER | FOOTER) << WEAK)
)
_BY_TAG: Final[dict[str, int]] = {
    "nav": NAVIGATION,
    "select": CONTROL,
    "textarea": CONTROL,
    "svg": CONTROL,
    "iframe": CONTROL,
    "datalist": CONTROL,
    "object": CONTROL,
    "canvas": CONTROL,
    "audio": CONTROL,
    "video": CONTROL,
    "dialog": DIALOG,
    "header": HEADER,
    "footer": FOOTER,
    "aside": ASIDE,
    "form": FORM,
    "button": BUTTON,
    "h1": HEADING,
    "main": MAIN,
    **dict.fromkeys(("h2", "h3", "h4", "h5", "h6"), SUBHEADING),
}
_BY_ROLE: Final[dict[str, int]] = {
    "navigation": NAVIGATION,
    "menu": NAVIGATION,
    "menubar": NAVIGATION,
    "dialog": DIALOG,
    "alertdialog": DIALOG,
    "banner": LANDMARK,
    "contentinfo": LANDMARK,
    "search": ASIDE,
    "form": FORM,
    "complementary": ASIDE,
    "main": MAIN,
}
_BY_ARIA_HIDDEN: Final[dict[str, int]] = {"true": BUTTON}
#: Words in the label of an element.
_BY_LABEL: Final[dict[str, int]] = {"breadcrumb": BREADCRUMB, "paginat": PAGER}
_BY_REL: Final[dict[str, int]] = {"next": PAGER, "prev": PAGER}
#: Elements whose ``rel`` counts.
_LINKING: Final = frozenset({"a", "link"})
#: Attributes with cues, in addition to ``class`` and ``style``.
READ: Final = frozenset(
    {
        "id",
        "role",
        "hidden",
        "aria-hidden",
        "aria-label",
        "rel",
        "itemprop",
        "itemref",
        "property",
        "datetime",
    }
)

#: Cues of the reader's place in the site, and cues that the same element has in addition, but should not.
_PLACE: Final = BREADCRUMB | PAGER
_BESIDE_PLACE: Final = NAVIGATION | MENU | PROMOTION
#: Signs that a part is not visible. Tabs show one part at a time: jQuery UI sets both of the other signs.
_UNSHOWN: Final = HIDDEN | BUTTON
_UNSETTLED: Final = _UNSHOWN | _PLACE


def cue_columns(sequence: TagPathSequence) -> tuple[Sequence[int], Sequence[int]]:
    """Return each node's cues, and the size of its text in characters, with East Asian wide ones counted twice."""
    if _READER is not None and isinstance(sequence, native.NativeSequence):
        return _READER.columns(sequence.native_walk)  # type: ignore[no-any-return]
    tags, classes = sequence.symbol_tag, sequence.symbol_class
    of_tag = {tag: _of_tag(tag) for tag in dict.fromkeys(tags)}
    raw = [of_tag[tag][0] for tag in tags]
    for symbol, names in zip(compress(range(len(tags)), classes), filter(None, classes), strict=True):
        _, mask = of_tag[tags[symbol]]
        raw[symbol] |= (mask and of_names(names) & mask) | of_facts(names)
    styles = sequence.symbol_style
    for symbol, style in zip(compress(range(len(tags)), styles), filter(None, styles), strict=True):
        if _IS_UNDISPLAYED.search(style):
            raw[symbol] |= HIDDEN
    settled = raw.copy()
    for symbol, cue in enumerate(raw):
        if cue & _UNSETTLED:
            settled[symbol] = _settle(cue, {}, classes[symbol])
    symbols = sequence.symbols
    cues = sequence.spread(settled)
    for index, found in sequence.attributes(READ):
        symbol = symbols[index]
        cue, tag = raw[symbol], tags[symbol]
        for name, value in found.items():
            if name == "id":
                cue |= (mask := of_tag[tag][1]) and of_names(value) & mask
            else:
                cue |= _of_attribute(tag, name, value)
        cues[index] = _settle(cue, found, classes[symbol]) if cue & _UNSETTLED else cue
    cues[0] = 0
    sizes = list(sequence.chars)
    for index, wide in sequence.wide.items():
        sizes[index] += wide
    return cues, sizes


def _of_tag(tag: str) -> tuple[int, int]:
    """Return the cues of a tag, and the mask of cues that ``class`` and ``id`` can give it."""
    if _CUSTOM in tag:
        return _BY_TAG.get(tag, 0) | of_names(tag), -1
    return _BY_TAG.get(tag, 0), _LIMITED.get(tag, -1) if tag in _PARTS else 0


def _settle(cue: int, found: dict[str, str], classes: str | None) -> int:
    identifier = found.get("id", "")
    if cue & HIDDEN and is_streamed(identifier):
        cue = cue & ~HIDDEN | STREAMED
    elif found.get("role") == _REVEALED_ROLE:
        cue &= ~_UNSHOWN
    elif cue & HIDDEN and _shown_later(identifier, classes):
        cue &= ~HIDDEN
    if cue & _PLACE:
        cue &= ~_BESIDE_PLACE
    return cue


def _of_attribute(tag: str, name: str, value: str) -> int:
    if name == "hidden":
        return HIDDEN
    value = value.strip().lower()
    if name == "role":
        return _BY_ROLE.get(value, 0)
    if name == "aria-hidden":
        return _BY_ARIA_HIDDEN.get(value, 0)
    cue = 0
    if name == "aria-label":
        for word, meaning in _BY_LABEL.items():
            if word in value:
                cue |= meaning
    elif name == "rel" and tag in _LINKING:
        for word in value.split():
            cue |= _BY_REL.get(word, 0)
    return cue


def _shown_later(identifier: str, classes: str | None) -> bool:
    return _IS_REVEALED.search(f"{classes or ''} {identifier}".lower()) is not None


def is_streamed(identifier: str) -> bool:
    """Whether this is the ``id`` of a part that React streams."""
    return _STREAMED.fullmatch(identifier) is not None


#: Names without any of these words have no cues; a word can be written in three ways (`_WORD`).
_TELLING: Final = frozenset(
    written
    for word in {*WORDS, *_ANYWHERE, *_CONSENT_PREFIXES, *chain.from_iterable(map(_WORD.findall, _WHOLE))}
    for written in (word, word.upper(), word.capitalize())
)
_STRONG: Final = (1 << WEAK) - 1


def _of_names(names: str) -> int:
    if _tells_nothing(_WORD.findall(names)):
        return 0  # two out of three names
    cue = 0
    for token in names.split(None, TOKENS_READ)[:TOKENS_READ]:
        cue |= _of_token(token)
    strong = cue & _STRONG
    return strong | (cue >> WEAK & ~strong) << WEAK


def _tells_nothing(written: list[str]) -> bool:
    return _TELLING.isdisjoint(written) and not any(
        (one + other).lower() in _ANYWHERE for one, other in pairwise(written)
    )


def _compounds(words: list[str]) -> list[str]:
    """Join neighbours that are a word which counts anywhere: ``side-bar``, ``popUp``."""
    found: list[str] = []
    joined = True
    for word in words:
        joined = not joined and found[-1] + word in _ANYWHERE
        if joined:
            found[-1] += word
        else:
            found.append(word)
    return found


@remembered
def _of_token(token: str) -> int:
    if ":" in token or len(token) > _TOKEN_LENGTH:
        return 0  # responsive variants, generated names
    if token in _WHOLE:
        return _WHOLE[token]
    written = _WORD.findall(token)
    if _tells_nothing(written):
        return 0
    words = [word.lower() for word in written]
    if words[0] in _MODIFIERS:
        return 0
    first = words[0]
    words = _compounds(words)
    weak = 0
    for word in words:
        if word in _STATING:
            return weak << WEAK
        if word in _ANYWHERE:
            weak |= WORDS[word]
    while len(words) > 1 and words[-1] in _STRUCTURE:
        words.pop()
    strong = WORDS.get(words[-1], CONSENT if len(words) > 1 and first in _CONSENT_PREFIXES else 0)
    return strong | weak << WEAK


@remembered
def of_facts(names: str) -> int:
    """Return the cues of a ``class`` attribute that names facts."""
    cue = WRITER if IS_WRITER.search(names) else 0
    return cue if DATES.isdisjoint(names.split()) else cue | DATE


_CORE: Final = native.extension("cues")
#: The native twin of this module, made from its tables; None without the core.
_READER: Final = _CORE and _CORE.Reader(sys.modules[__name__])
#: Returns the cues of a ``class`` or ``id`` attribute as an int, with weak ones shifted by ``WEAK`` bits.
of_names: Final = remembered(_of_names if _READER is None else _READER.names)


def linked_symbols(sequence: TagPathSequence) -> bytearray:
    """Return a byte for each symbol: 1 if it is an ``a`` element or inside one."""
    linked = bytearray(len(sequence.symbol_tag))
    parents = sequence.symbol_parent
    for symbol, tag in enumerate(sequence.symbol_tag):
        above = parents[symbol]
        if tag == "a" or (above >= 0 and linked[above]):
            linked[symbol] = 1
    return linked


def tag_symbols(sequence: TagPathSequence) -> list[int]:
    """Return each node's tag path without classes and styles, as a number: the alphabet of tags alone."""
    table: dict[tuple[int, str], int] = {}
    of_symbol: list[int] = []
    for above, tag in zip(sequence.symbol_parent, sequence.symbol_tag, strict=True):
        key = (of_symbol[above] if above >= 0 else -1, tag)
        of_symbol.append(table.setdefault(key, len(table)))
    return sequence.spread(of_symbol)
