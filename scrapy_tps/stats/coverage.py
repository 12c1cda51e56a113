"""Coverage: how often the spider's selectors found something, and how often the fields of its items were filled, site
by site and callback by callback.

Nothing imports Scrapy.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy_tps.engine.fallback.usage import SelectorUse

#: The most distinct selectors and fields of one site, over all callbacks; a spider has tens, but may generate them.
MOST_QUERIES: Final = 200

#: The name under which further ones are counted.
OTHER_SELECTORS: Final = "(other selectors)"

#: The most characters of a selector, and of the name of a callback, that are kept.
LONGEST: Final = 200


@dataclass(slots=True)
class QueryFigures:
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
    with ``TPS_ASK`` off. A few pages are examined."""
    pages: int = 0
    """Pages on which it was used; for items, pages that yielded items, or neither items nor requests."""
    found_pages: int = 0
    """Pages on which it found something, pruned or as downloaded."""
    dry: int = 0
    """The number of last consecutive pages on which it found nothing."""
    last_found: int = 0
    """Time of the last match, in seconds since 1970 (UTC); 0 means never."""
    sketch: int = 0
    """A sketch of the values of a field: see :func:`scrapy_tps.stats.fields.distinct`."""

    def add_page(self, counts: SelectorUse, now: int) -> None:
        """Count one page."""
        found, original = counts.found, counts.original
        self.asked += counts.used
        self.found += found
        self.pages += 1
        if original or counts.partly:
            self.original += original
            self.partly += counts.partly
        if found or original:
            self.found_pages += 1
            self.dry, self.last_found = 0, now
        else:
            self.taken += counts.taken
            self.dry += 1

    def merge(self, later: QueryFigures) -> None:
        """Add the figures of later pages."""
        self.asked += later.asked
        self.found += later.found
        self.original += later.original
        self.partly += later.partly
        self.taken += later.taken
        self.sketch |= later.sketch
        self.pages += later.pages
        self.found_pages += later.found_pages
        self.dry = later.dry if later.found_pages else self.dry + later.dry
        self.last_found = max(self.last_found, later.last_found)

    @property
    def numbers(self) -> tuple[int, ...]:
        """All of them, in the order of :data:`NUMBERS`."""
        return _numbers(self)

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
NUMBERS: Final = tuple(one.name for one in fields(QueryFigures))
_numbers: Final = attrgetter(*NUMBERS)


class Asker(NamedTuple):
    """A selector and the callback that uses it, or a field and the callback that yields it.

    `item` is the class of the items, and empty for a selector. `query` is the path of the field (``offer.price``), and
    empty for the items themselves.
    """

    callback: str
    query: str
    item: str = ""


class Queries(dict[Asker, QueryFigures]):
    """The selectors and fields of one site, in bounded memory."""

    __slots__ = ()

    def merge(self, later: Queries) -> None:
        """Add the figures of later pages."""
        for asker, figures in later.items():
            self.of(asker).merge(figures)

    def add_pages(self, counts: Iterable[tuple[Asker, SelectorUse]], now: int) -> None:
        """Count the selectors of a page; `now` in seconds since 1970 (UTC)."""
        for asker, count in counts:
            self.of(asker).add_page(count, now)

    def add_fields(self, counts: Iterable[tuple[Asker, int, int, int]], now: int) -> None:
        """Count the items of a page: for each field, the items, those in which it is filled, and its sketch."""
        known = self.get
        for asker, items, filled, sketch in counts:
            figures = known(asker) or self.of(asker)
            figures.asked += items
            figures.pages += 1
            if filled:
                figures.found += filled
                figures.sketch |= sketch
                figures.found_pages += 1
                figures.dry, figures.last_found = 0, now
            else:
                figures.dry += 1

    def rows(self, site: str) -> Iterator[QueryRow]:
        """Yield the rows of a site."""
        for asker, figures in self.items():
            yield QueryRow(site, asker.callback, asker.query, figures, asker.item)

    def of(self, asker: Asker) -> QueryFigures:
        """Return the figures of a selector or field, to be added to; those of all others if there are too many."""
        figures = self.get(asker)
        if figures is None:
            if len(self) >= MOST_QUERIES:
                asker = Asker("", OTHER_SELECTORS)
            figures = self.setdefault(asker, QueryFigures())
        return figures


class QueryRow(NamedTuple):
    """A selector of a site, or a field of its items (see :class:`Asker`), with its figures."""

    site: str
    callback: str
    query: str
    figures: QueryFigures
    item: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Its site, callback, class and name."""
        return self.site, self.callback, self.item, self.query

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
def asker_of(callback: str, query: str, item: str = "") -> Asker:
    """Return it with texts that can be kept."""
    return Asker(kept_text(callback), kept_text(query), kept_text(item))


def kept_text(text: Any) -> str:
    """Return a name that files and servers can hold: without lone surrogates, at most :data:`LONGEST` characters."""
    text = str(text).encode("utf-8", "replace").decode()  # a key of a dict may be anything
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 61]}…{text[-60:]}"


def merged_queries(rows: Iterable[QueryRow]) -> list[QueryRow]:
    """Add up the rows of each selector, those of earlier pages first, and sort the selectors as in lists."""
    found: dict[tuple[str, ...], QueryRow] = {}
    for row in rows:
        known = found.setdefault(row.key, row)
        if known is not row:
            known.figures.merge(row.figures)
    return sorted(found.values(), key=QueryRow.order)
