"""Coverage: how often the spider's selectors found something, and how often the fields of its items were filled, site
by site and callback by callback.

Nothing imports Scrapy.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from scrapy_tps.engine.fallback.usage import OTHER_SELECTORS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from scrapy_tps.engine.fallback.usage import SelectorUse

#: The most distinct selectors and fields of one site, over all callbacks; a spider has tens, but may generate them.
MOST_USES: Final = 200

#: The name under which reads of a page's text are counted, past the selectors.
PAGE_TEXT: Final = "(text)"

#: The class of :class:`~scrapy_tps.spiders.RecordItem`: its fields are the columns of a page's list.
RECORD_ITEM: Final = "RecordItem"

#: The most characters of a selector, and of the name of a callback, that are kept.
LONGEST: Final = 200


@dataclass(slots=True)
class UseFigures:
    """The figures of one selector on the pages of a site that one callback parsed, or of one field of its items.

    All except `dry`, `last_found` and `sketch` are sums. The figures of some pages and of later ones add up with
    :meth:`merge`, in that order.
    """

    asked: int = 0
    """Number of uses, on pages and their parts; for a field, items of its class."""
    found: int = 0
    """Uses that found something on the page that the spider got; for a field, items in which it was not blank."""
    original: int = 0
    """Uses that found something on the page as downloaded only."""
    partly: int = 0
    """Uses in `found` whose answer came from the page as downloaded, because the pruned page had only a part."""
    taken: int = 0
    """Pages on which it found nothing, but would have in removed parts: those removed by ``TPS_DROP``, or by pruning
    with ``TPS_FALLBACK`` off. A few pages are examined."""
    pages: int = 0
    """Pages on which it was used; for items, pages that yielded items, or neither items nor requests."""
    found_pages: int = 0
    """Pages on which it found something, pruned or as downloaded."""
    chars: int = 0
    """Characters of the texts of a field, in the first item of each page."""
    digits: int = 0
    """Those of them that are digits."""
    dry: int = 0
    """The number of last consecutive pages on which it found nothing."""
    last_found: int = 0
    """Time of the last match, in seconds since 1970 (UTC); 0 means never."""
    sketch: int = 0
    """A sketch of the values of a field: see :func:`scrapy_tps.stats.fields.distinct`."""

    def merge(self, later: UseFigures) -> None:
        """Add the figures of later pages."""
        for name in _SUMS:
            setattr(self, name, getattr(self, name) + getattr(later, name))
        self.sketch |= later.sketch
        self.dry = later.dry if later.found_pages else self.dry + later.dry
        self.last_found = max(self.last_found, later.last_found)

    @property
    def numbers(self) -> tuple[int, ...]:
        """All of them, in the order of :data:`NUMBERS`."""
        return tuple(getattr(self, name) for name in NUMBERS)

    @property
    def nothing(self) -> int:
        """Uses that found nothing, neither on the page that the spider got nor on the page as downloaded."""
        return self.asked - self.found - self.original

    def finds_nothing_any_more(self, pages: int) -> bool:
        """Whether it used to find something, but no longer does.

        That is the case if it found something on at least `pages` pages, and has since found nothing on so many
        consecutive pages that, by its earlier rate, it would have found something on `pages` of them. A selector for a
        part of every tenth page must have found nothing on ten times as many pages as one for a part of every page.
        With 10, this happens by chance once in 20,000 (e to the power of -10) such runs.

        :param pages: ``TPS_SELECTOR_PAGES``; 0 means never.
        """
        before = self.pages - self.dry
        return (
            pages > 0
            and min(self.found_pages, self.dry) >= pages
            and self.dry * self.found_pages >= pages * before
        )


#: The figures of a selector by name, in the order of rows and of :data:`~scrapy_tps.sharing.scripts.ADD_FIGURES`.
NUMBERS: Final = tuple(one.name for one in fields(UseFigures))
_SUMS: Final = NUMBERS[: NUMBERS.index("dry")]


class UseKey(NamedTuple):
    """A selector and the callback that uses it, or a field and the callback that yields it.

    `item` is the class of the items, and empty for a selector. `name` is the selector or the path of the field
    (``offer.price``), and empty for the items themselves.
    """

    callback: str
    item: str
    name: str


#: The counts of a selector or field on a page: the first five of :class:`UseFigures`, the characters, the
#: digits, and the sketch.
PageUse: TypeAlias = tuple[UseKey, int, int, int, int, int, int, int, int]


def selector_use(key: UseKey, use: SelectorUse) -> PageUse:
    """Return the counts of a selector on a page."""
    return key, use.used, use.found, use.original, use.partly, use.taken, 0, 0, 0


class Uses(dict[UseKey, UseFigures]):
    """The selectors and fields of one site, in bounded memory."""

    __slots__ = ()

    def merge(self, later: Uses) -> None:
        """Add the figures of later pages."""
        for key, figures in later.items():
            self.of(key).merge(figures)

    def add_page(self, uses: Iterable[PageUse], now: int, unexpected: Collection[UseKey] = ()) -> None:
        """Count the selectors of a page, and the fields of its items.

        :param now: seconds since 1970 (UTC).
        :param unexpected: those that no page like this one had, so that they have not stopped.
        """
        known = self.get
        for key, asked, found, original, partly, taken, chars, digits, sketch in uses:
            figures = known(key) or self.of(key)
            figures.asked += asked
            figures.pages += 1
            if found or original:
                figures.found += found
                figures.original += original
                figures.partly += partly
                figures.chars += chars
                figures.digits += digits
                figures.sketch |= sketch
                figures.found_pages += 1
                figures.dry, figures.last_found = 0, now
            else:
                figures.taken += taken
                figures.dry += key not in unexpected

    def of(self, key: UseKey) -> UseFigures:
        """Return the figures of a selector or field, to be added to; those of all others if there are too many."""
        figures = self.get(key)
        if figures is None:
            if len(self) >= MOST_USES:
                key = UseKey("", "", OTHER_SELECTORS)
            figures = self.setdefault(key, UseFigures())
        return figures

    def rows(self, site: str) -> Iterator[UseRow]:
        """Yield the rows of a site."""
        return (UseRow(site, *key, figures) for key, figures in self.items())


class UseRow(NamedTuple):
    """A selector of a site, or a field of its items (see :class:`UseKey`), with its figures."""

    site: str
    callback: str
    item: str
    name: str
    figures: UseFigures

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Its site, callback, class and name."""
        return self.site, self.callback, self.item, self.name

    @property
    def is_field(self) -> bool:
        """Whether it is a field: neither a selector nor the items themselves."""
        return bool(self.item and self.name)

    @property
    def number(self) -> int:
        """The items that may have a field; else the pages of a selector, or of the items."""
        return self.figures.asked if self.is_field else self.figures.pages

    @property
    def found(self) -> int:
        """Those of them that have it."""
        return self.figures.found if self.is_field else self.figures.found_pages

    def order(self) -> tuple[Any, ...]:
        """Its place in lists: those first that have found nothing on the most pages since their last match."""
        figures = self.figures
        return (not figures.found_pages, -figures.dry, -figures.pages, *self.key)


def callback_name(request: Any) -> str:
    """Return the name under which the pages of a callback are counted."""
    callback = request.callback
    if callback is None:
        return "parse"
    name = str(getattr(callback, "__name__", type(callback).__name__))
    number = request.meta.get("rule")
    if name != "_callback" or not isinstance(number, int):
        return name
    # all rules of a CrawlSpider share one callback, which calls theirs
    rules = getattr(getattr(callback, "__self__", None), "rules", ())
    own = getattr(rules[number], "callback", None) if number < len(rules) else None
    return str(getattr(own, "__name__", own)) if own else f"{name}:{number}"


@lru_cache(maxsize=4096)
def use_key(callback: str, item: str, name: str) -> UseKey:
    """Return it with texts that can be kept."""
    return UseKey(kept_text(callback), kept_text(item), kept_text(name))


def kept_text(text: Any) -> str:
    """Return a name that files and servers can hold: without lone surrogates, at most :data:`LONGEST` characters."""
    text = str(text).encode("utf-8", "replace").decode()  # a key of a dict may be anything
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 61]}…{text[-60:]}"
