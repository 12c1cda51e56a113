"""Prices, which no menu and no advertisement is taken for: lists of products, and the price of what a page is about.

Shops put the price of a product, its options and its stock into the form that orders it, or into a column called
sidebar. What is marked so is furniture on most pages, but the first price below the heading is what many spiders
are written for.
"""

from __future__ import annotations

import re
from itertools import compress, islice
from typing import TYPE_CHECKING, Final, cast

from scrapy_tps.hints import ASIDE, BUTTON, FILTER, FORM, HEADER, PROMOTION, RELATED, SIDEBAR, SOCIAL, WEAK

if TYPE_CHECKING:
    from collections.abc import Iterable, MutableSequence, Sequence

    from scrapy_tps.strategies.workspace import Workspace

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
    living = compress(range(start, stop), page.alive[start:stop])
    return len(list(islice((1 for index in living if page.chars[index] and names_price(page, index)), most)))


def first_price(page: Workspace, going: Iterable[tuple[int, int, int, float]], was_alive: bytes) -> int:
    """The first price below the first heading, where it goes with one of these marked parts, or -1.

    :param going: (index, end, hints, worth) of the parts, in document order.
    :param was_alive: what was alive before they went.
    """
    heading = page.first_heading
    for index, stop, hint, _ in going:
        if index <= heading or not hint & _OFFERING or hint & _OTHER:
            continue
        for text in compress(range(index, stop), was_alive[index:stop]):
            if page.chars[text] and names_price(page, text):
                start = max(heading, 0)
                before = compress(range(start, index), page.alive[start:index])
                stays = any(page.chars[other] and names_price(page, other) for other in before)
                return -1 if stays else text
    return -1


def unmark_around(page: Workspace, price: int) -> None:
    """Take the hints that make them go from the parts around a price, below the first heading."""
    hints: MutableSequence[int] = cast("MutableSequence[int]", page.hints)
    parent: Sequence[int] = page.parent
    part = parent[price]
    while part > page.first_heading and part > 0:
        hints[part] &= ~(_OFFERING | _OFFERING << WEAK)
        part = parent[part]
