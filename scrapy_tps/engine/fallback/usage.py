"""Which selectors a page was asked, how many of them found something, and what came from the page as downloaded."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Different queries of a page that are told apart; a spider's code has tens, but may make them up as it goes.
MOST_QUERIES: Final = 1000

#: Removed parts that are noted of a query.
MOST_PLACES: Final = 5

#: What further ones are counted under.
OTHER_QUERIES: Final = "(other queries)"

#: Answers that the account of a page lists; further ones are counted.
MOST_ANSWERS: Final = 100

#: Kinds of answers: nothing was left; a part of a list; another value, or other elements than on the whole page. Of
#: the last kind the whole page has more, in another list, and the answer is the pruned page's.
EMPTY, PARTIAL, OTHER, LEFT = "empty", "partial", "other", "left"


@dataclass(slots=True)
class SelectorUse:
    """How often a query was asked on a page: of the page, and of its parts.

    :ivar asked: times in all; those not counted below found nothing at all.
    :ivar found: times it found something on the page that the spider got.
    :ivar original: times it found something on the page as downloaded only.
    :ivar partly: times of `found` that the answer came from the page as downloaded none the less, because the pruned
        page had a part of it.
    :ivar left: times of `found` that the page as downloaded has more, which was left out: another list.
    :ivar taken: 1 where it found nothing, and was seen to have something in what the spider does not get.
    :ivar places: where the removed parts stood that answers came from, and their rules; the first
        :data:`MOST_PLACES`.
    """

    asked: int = 0
    found: int = 0
    original: int = 0
    partly: int = 0
    left: int = 0
    taken: int = 0
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
        """Say on which page it found something."""
        words = []
        if self.found > self.partly + self.left:
            words.append(f"found{_times(self.found - self.partly - self.left, self.asked)}")
        if self.left:
            words.append(f"found{_times(self.left, self.asked)}; the original has more in another list")
        if self.partly:
            words.append(f"found in part{_times(self.partly, self.asked)}, the original answers")
        if self.original:
            words.append(f"found on the original only{_times(self.original, self.asked)}")
        if self.nothing:
            words.append(f"found nothing{_times(self.nothing, self.asked)}")
        if self.places:
            where = (xpath + (f" (rule {rule})" if rule else "") for xpath, rule in self.places.items())
            words.append(f"removed: {', '.join(where)}")
        return "; ".join(words)


def _times(number: int, among: int) -> str:
    return "" if among == 1 else f" {number:,} of {among:,} times"


class SelectorUses(dict[str, SelectorUse]):
    """The queries of one page by their XPath, in the order in which they were first asked.

    ``queries[xpath]`` is what to count in, whether the query was asked before or not: it is asked some hundred times a
    page, so that counting must cost next to nothing.

    :ivar written: the CSS selectors that XPaths were made of.
    """

    __slots__ = ("written",)

    def __init__(self) -> None:
        super().__init__()
        self.written: dict[str, str] = {}

    def __missing__(self, xpath: str) -> SelectorUse:
        if len(self) >= MOST_QUERIES:
            xpath = OTHER_QUERIES
        return self.setdefault(xpath, SelectorUse())

    def as_written(self) -> Iterator[tuple[str, SelectorUse]]:
        """Each query as it was written (CSS or XPath), and how often it was asked."""
        written = self.written
        return ((written.get(xpath, xpath), heard) for xpath, heard in self.items())

    def note_css(self, xpath: str, css: str) -> None:
        """Note the CSS selector that an XPath was made of."""
        if len(self.written) < MOST_QUERIES:
            self.written.setdefault(xpath, css)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that came from the page as downloaded.

    :ivar query: the XPath or CSS selector.
    :ivar kind: ``empty``: the pruned page had nothing; ``partial``: it had a part of a list; ``other``: it had another
        value or other elements, because positions count on the whole page.
    :ivar found: results on the pruned page; `given`: those that were given.
    :ivar xpath: where, on the page as downloaded, the removed part was in which the first of them stands; None where
        that is not known. `rule`: of the region that it was in.
    """

    query: str
    kind: str
    found: int
    given: int
    xpath: str | None
    rule: str | None


@dataclass(slots=True)
class Fallbacks:
    """The selectors of a page that the page as downloaded answered.

    :ivar answers: the first :data:`MOST_ANSWERS` answers from there.
    :ivar counts: all of them, by kind.
    :ivar looked: selectors that were evaluated on the page as downloaded as well.
    :ivar left: selectors that found more there, which was left out: another list.
    :ivar lost: selectors that found nothing and could not be evaluated there: the removed parts were dropped
        (``TPS_KEEP_ORIGINAL``), or the response was stored and read again.
    :ivar queries: all queries on the page, and how many of them found something.
    :ivar tell: called with each answer from there.
    """

    answers: list[Answer] = field(default_factory=list)
    counts: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    looked: int = 0
    left: int = 0
    lost: int = 0
    queries: SelectorUses = field(default_factory=SelectorUses)
    tell: Callable[[Answer], None] | None = None

    def __str__(self) -> str:
        """List each query and where it found something, a line each, in the order of first use."""
        if not self.queries:
            return "no selector was used on this page"
        lines = [(query, str(heard)) for query, heard in self.queries.as_written()]
        width = max(len(query) for query, _ in lines)
        return "\n".join(f"{query:{width}}  {what}" for query, what in lines)

    def figures(self) -> dict[str, int]:
        """Whole numbers by name, without zeros: the kinds of answers, ``left``, ``lost``."""
        counts = {**self.counts, "left": self.left, "lost": self.lost}
        return {name: count for name, count in counts.items() if count}

    @property
    def given(self) -> int:
        """All answers from the page as downloaded."""
        return sum(self.counts.values())
