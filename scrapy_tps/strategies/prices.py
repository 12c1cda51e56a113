"""Prices, which no menu and no advertisement is taken for: lists of products, and the price of what a page is about.

Shops put the price of a product, its options and its stock into the form that orders it, or into a column called
sidebar. What is marked so is furniture on most pages, but the first price below the heading is what many spiders
are written for.
"""

from __future__ import annotations

import re
from itertools import compress, islice
from operator import mul
from typing import TYPE_CHECKING, Final, cast

from scrapy_tps.hints import ASIDE, BUTTON, FILTER, FORM, HEADER, PROMOTION, RELATED, SIDEBAR, SOCIAL, WEAK
from scrapy_tps.native import extension

if TYPE_CHECKING:
    from collections.abc import Iterable, MutableSequence, Sequence

    from scrapy_tps.strategies.workspace import Workspace

_CORE: Final = extension("_pagenumbers")
#: A price: digits beside a currency sign, or a number with two decimals that is no part of a date or an address. Of
#: six groups of digits at most: rows of numbers would take quadratic time.
_SIGN: Final = (
    "[$\u00a2-\u00a5\u058f\u060b\u09f2\u09f3\u0e3f\u17db\u20a0-\u20c0\ufdfc\uff04\uffe0\uffe1\uffe5\uffe6]"
)
_PRICE: Final = re.compile(
    rf"{_SIGN}\s?\d|\d\s?{_SIGN}|(?<![\d.,:/-])\d{{1,3}}(?:[.,\s]?\d{{3}}){{0,5}}[.,]\d{{2}}(?![\d.,:/-])"
)
#: So many prices make a list of products.
LEAST_PRICES: Final = 3
#: Marks of parts that may hold what is for sale on a page …
_OFFERING: Final = FORM | SIDEBAR | ASIDE | BUTTON | PROMOTION | SOCIAL | HEADER
#: … unless they are marked as these besides: other products, and prices to choose from.
_OTHER: Final = RELATED | FILTER


def names_price(page: Workspace, text: int) -> bool:
    """Whether a text node names a price."""
    return _PRICE.search(page.sequence.text_of(text)) is not None


def count_prices(page: Workspace, start: int, stop: int, most: int | None = None) -> int:
    """How many of the texts that are alive among nodes [start, stop) name a price; no more than `most` are counted."""
    named = (text for text in _texts(page, start, stop, page.alive) if names_price(page, text))
    return len(list(islice(named, most)))


def first_price(page: Workspace, going: Iterable[tuple[int, int, int, float]], was_alive: bytes) -> int:
    """The first price below the first heading, where it goes with one of these marked parts, or -1.

    :param going: (index, end, hints, worth) of the parts, in document order.
    :param was_alive: what was alive before they went.
    """
    heading = page.first_heading
    for index, stop, hint, _ in going:
        if index <= heading or not hint & _OFFERING or hint & _OTHER:
            continue
        for text in _texts(page, index, stop, was_alive):
            if names_price(page, text):
                before = _texts(page, max(heading, 0), index, page.alive)
                return -1 if any(names_price(page, other) for other in before) else text
    return -1


def _texts(page: Workspace, start: int, stop: int, mask: bytes | bytearray) -> Iterable[int]:
    """The texts among nodes [start, stop) whose byte is 1; natively without those that have no digit."""
    if page.columns is not None:
        return _CORE.texts_with_digits(page.columns, start, stop, mask)  # type: ignore[no-any-return]
    return compress(range(start, stop), map(mul, page.chars[start:stop], mask[start:stop]))


def unmark_around(page: Workspace, price: int) -> None:
    """Take the hints that make them go from the parts around a price, below the first heading."""
    hints: MutableSequence[int] = cast("MutableSequence[int]", page.hints)
    parent: Sequence[int] = page.parent
    part = parent[price]
    while part > page.first_heading and part > 0:
        hints[part] &= ~(_OFFERING | _OFFERING << WEAK)
        part = parent[part]
