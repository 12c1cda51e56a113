"""Which queries a page was asked, and how many of them found something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Different queries of a page that are told apart; a spider's code has tens, but may make them up as it goes.
MOST_QUERIES: Final = 1000

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
    """

    asked: int = 0
    found: int = 0
    original: int = 0
    partly: int = 0

    @property
    def nothing(self) -> int:
        """Times it found nothing, neither on the page that the spider got nor on the page as downloaded."""
        return self.asked - self.found - self.original


class HeardQueries:
    """The queries of one page, in the order in which they were first asked."""

    __slots__ = ("_heard", "_written")

    def __init__(self) -> None:
        self._heard: dict[str, Heard] = {}
        self._written: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._heard)

    def __iter__(self) -> Iterator[tuple[str, Heard]]:
        """Each query as it was written (CSS or XPath), and how often it was asked."""
        written = self._written
        return ((written.get(xpath, xpath), heard) for xpath, heard in self._heard.items())

    def is_written(self, xpath: str, css: str) -> None:
        """Note the CSS selector that an XPath was made of."""
        if xpath not in self._written and len(self._written) < MOST_QUERIES:
            self._written[xpath] = css

    def note(self, xpath: str, *, found: bool, original: bool = False) -> None:
        """Count a query.

        :param found: whether it found something on the page that the spider got.
        :param original: whether the answer came from the page as downloaded.
        """
        heard = self._heard.get(xpath)
        if heard is None:
            if len(self._heard) >= MOST_QUERIES:
                xpath = OTHER_QUERIES
            heard = self._heard.setdefault(xpath, Heard())
        heard.asked += 1
        if found:
            heard.found += 1
            heard.partly += original
        elif original:
            heard.original += 1

    def written(self, xpath: str) -> str:
        """The query as it was written: the CSS selector that an XPath was made of, or the XPath itself."""
        return self._written.get(xpath, xpath)
