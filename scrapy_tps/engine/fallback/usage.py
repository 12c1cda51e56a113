"""The selectors used on a page, how many of them found something, and the answers of the page as downloaded."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

#: The number of different selectors counted per page; a spider's code has tens, but may generate them.
MOST_SELECTORS: Final = 1000

#: The number of removed parts recorded per selector.
MOST_PLACES: Final = 5

#: The name under which further selectors are counted.
OTHER_SELECTORS: Final = "(other selectors)"

#: Kinds of answers: nothing was left; a part of a list; another value or other elements than on the whole page. With
#: the last kind, the whole page has more, and the pruned page answers.
EMPTY, PARTIAL, OTHER, OMITTED = "empty", "partial", "other", "omitted"


@dataclass(slots=True)
class SelectorUse:
    """How often a selector was used on a page and its parts.

    :ivar used: the number of uses; those not counted below found nothing at all.
    :ivar found: uses that found something on the page that the spider got.
    :ivar original: uses that found something on the page as downloaded only.
    :ivar partly: uses in `found` whose answer still came from the page as downloaded, because the pruned page had only
        a part.
    :ivar omitted: uses in `found` for which the page as downloaded has more.
    :ivar taken: 1 if it found nothing, but would find something in the removed parts.
    :ivar absolute: uses below a part of the page that found several matches on the whole page (``row.xpath("//h3")``).
    :ivar of_page: uses on the page itself that found several matches.
    :ivar places: the places of the removed parts that answers came from, and their rules; the first
        :data:`MOST_PLACES`.
    """

    used: int = 0
    found: int = 0
    original: int = 0
    partly: int = 0
    omitted: int = 0
    taken: int = 0
    absolute: int = 0
    of_page: int = 0
    places: dict[str, str | None] = field(default_factory=dict)

    @property
    def nothing(self) -> int:
        """Uses that found nothing, neither on the page that the spider got nor on the page as downloaded."""
        return self.used - self.found - self.original

    def __str__(self) -> str:
        """Describe on which page it found something."""
        words = []
        if self.found > self.partly + self.omitted:
            words.append(f"found{_times(self.found - self.partly - self.omitted, self.used)}")
        if self.omitted:
            words.append(f"found{_times(self.omitted, self.used)}; the original has more")
        if self.partly:
            words.append(f"found in part{_times(self.partly, self.used)}, the original answers")
        if self.original:
            words.append(f"found on the original only{_times(self.original, self.used)}")
        if self.nothing:
            words.append(f"found nothing{_times(self.nothing, self.used)}")
        if self.places:
            where = (xpath + (f" (rule {rule})" if rule else "") for xpath, rule in self.places.items())
            words.append(f"removed: {', '.join(where)}")
        return "; ".join(words)


def _times(number: int, among: int) -> str:
    return "" if among == 1 else f" {number:,} of {among:,} times"


@dataclass(slots=True)
class Fallbacks:
    """The selectors of a page, and those that the page as downloaded answered.

    :ivar counts: the answers from there, by kind.
    :ivar looked: selectors that were also evaluated on the page as downloaded.
    :ivar omitted: selectors that would have found more there.
    :ivar lost: selectors that found nothing and could not be evaluated there: the removed parts were dropped,
        or the response was stored and read again.
    :ivar selectors: all selectors used on the page, as they were written (CSS or XPath), in the order of first use.
    :ivar tell: called with a selector and its counter after each answer from there.
    :ivar texts: reads of the page's text or bytes by the callback, past the selectors.
    :ivar on_text: called instead of counting such a read, with this object and the name of the module that reads;
        returns whether it gets the page as downloaded.
    :ivar trace: called with each use: the selector as written, as XPath, its context and its
        results, which are selectors.
    """

    counts: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    looked: int = 0
    omitted: int = 0
    lost: int = 0
    selectors: dict[str, SelectorUse] = field(default_factory=dict)
    tell: Callable[[str, SelectorUse], None] | None = None
    texts: int = 0
    on_text: Callable[[Fallbacks, str], bool] | None = None
    trace: Callable[[str, str, object, object], None] | None = None

    def __str__(self) -> str:
        """List each selector and where it found something, a line each, in the order of first use."""
        if not self.selectors:
            return "no selector was used on this page"
        width = max(map(len, self.selectors))
        return "\n".join(f"{selector:{width}}  {use}" for selector, use in self.selectors.items())

    def use_of(self, selector: str) -> SelectorUse:
        """Return the counter of a selector, new or not; beyond :data:`MOST_SELECTORS`, that of all others."""
        use = self.selectors.get(selector)
        if use is None:
            name = selector if len(self.selectors) < MOST_SELECTORS else OTHER_SELECTORS
            use = self.selectors.setdefault(name, SelectorUse())
        return use

    def read_text(self, module: str) -> bool:
        """Note that a module reads the page's text; return whether it gets that of the page as downloaded."""
        if self.on_text is not None:
            return self.on_text(self, module)
        self.texts += 1
        return False

    def figures(self) -> dict[str, int]:
        """Whole numbers by name, without zeros: the kinds of answers, ``omitted``, ``lost``."""
        counts = {**self.counts, "omitted": self.omitted, "lost": self.lost}
        return {name: count for name, count in counts.items() if count}
