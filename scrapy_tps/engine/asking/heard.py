"""Which queries a page was asked, and how many of them found something."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Different queries of a page that are told apart; a spider's code has tens, but may make them up as it goes.
MOST_QUERIES: Final = 1000

#: Removed parts that are noted of a query.
MOST_PLACES: Final = 5

#: What further ones are counted under.
OTHER_QUERIES: Final = "(other queries)"


@dataclass(slots=True)
class Heard:
    """How often a query was asked on a page: of the page, and of its parts.

    :ivar asked: times in all; those not counted below found nothing at all.
    :ivar found: times it found something on the page that the spider got.
    :ivar original: times it found something on the page as downloaded only.
    :ivar partly: times of `found` that the answer came from the page as downloaded none the less, because the pruned
        page had a part of it.
    :ivar left: times of `found` that the page as downloaded has more, which was left out: another list.
    :ivar places: where the removed parts stood that answers came from, and their rules; the first
        :data:`MOST_PLACES`.
    """

    asked: int = 0
    found: int = 0
    original: int = 0
    partly: int = 0
    left: int = 0
    places: dict[str, str | None] = field(default_factory=dict)

    @property
    def nothing(self) -> int:
        """Times it found nothing, neither on the page that the spider got nor on the page as downloaded."""
        return self.asked - self.found - self.original

    def note_place(self, xpath: str | None, rule: str | None) -> None:
        """Note where a removed part stood that an answer came from."""
        if xpath is not None and len(self.places) < MOST_PLACES:
            self.places.setdefault(xpath, rule)

    def __str__(self) -> str:
        """What it found where, in words."""
        words = []
        if self.found > self.partly + self.left:
            words.append(f"found{_times(self.found - self.partly - self.left, self.asked)}")
        if self.left:
            words.append(
                f"found{_times(self.left, self.asked)}, while the original has more in another list, which was left out"
            )
        if self.partly:
            words.append(f"found in part{_times(self.partly, self.asked)}, and given from the original")
        if self.original:
            words.append(
                f"found on the original only{_times(self.original, self.asked)}, and given from there"
            )
        if self.nothing:
            words.append(f"found nothing{_times(self.nothing, self.asked)}")
        if self.places:
            where = (xpath + (f" (rule {rule})" if rule else "") for xpath, rule in self.places.items())
            words.append(f"removed: {', '.join(where)}")
        return "; ".join(words)


def _times(number: int, among: int) -> str:
    return "" if among == 1 else f" {number:,} of {among:,} times"


class HeardQueries(dict[str, Heard]):
    """The queries of one page by their XPath, in the order in which they were first asked.

    ``queries[xpath]`` is what to count in, whether the query was asked before or not: it is asked some hundred times a
    page, so that counting must cost next to nothing.

    :ivar written: the CSS selectors that XPaths were made of.
    """

    __slots__ = ("written",)

    def __init__(self) -> None:
        super().__init__()
        self.written: dict[str, str] = {}

    def __missing__(self, xpath: str) -> Heard:
        if len(self) >= MOST_QUERIES:
            xpath = OTHER_QUERIES
        return self.setdefault(xpath, Heard())

    def as_written(self) -> Iterator[tuple[str, Heard]]:
        """Each query as it was written (CSS or XPath), and how often it was asked."""
        written = self.written
        return ((written.get(xpath, xpath), heard) for xpath, heard in self.items())

    def note_css(self, xpath: str, css: str) -> None:
        """Note the CSS selector that an XPath was made of."""
        if len(self.written) < MOST_QUERIES:
            self.written.setdefault(xpath, css)
