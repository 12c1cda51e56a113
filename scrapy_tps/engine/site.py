"""What the other pages of a site say about a page: which of its texts are new there, and which stand on all of them.

Models of sites are above the engine (:mod:`scrapy_tps.sites`); the engine asks one of them about a page, lets the rules
of :mod:`scrapy_tps.engine.strategies.auto.on_site` read the answer, and hands out what the page teaches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

T = TypeVar("T")

#: What a model may do: nothing, …
OFF: Final = "off"
#: … keep what is new on the site, …
VETO: Final = "veto"
#: … or also remove what stands on every page.
FULL: Final = "full"

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence


class Judges(Protocol):
    """What is known of a site, as far as it judges pages."""

    def judge(self, sequence: TagPathSequence, address: str, template_pages: int | None = None) -> Judgement:
        """Compare a page with those that are known: :meth:`scrapy_tps.sites.model.Known.judge`."""
        ...


class KnownSite(Judges, Protocol):
    """What is known of a site, as :func:`scrapy_tps.prune` asks it; asking changes nothing.

    :ivar read_only: whether strategies with a memory of their own (those that have ``on_site``) may not learn.
    """

    read_only: bool

    def memory(self, strategy: Any, make: Callable[[], T]) -> T:
        """What such a strategy remembers of the site: :meth:`scrapy_tps.sites.model.Known.memory`."""
        ...


def remembers(strategy: Any) -> bool:
    """Whether a strategy needs other pages of the site, of which it has a memory of its own (``least_pages``).

    It has that whatever ``TPS_SITE`` says, which is about our models: without it such a strategy could do nothing.
    """
    return getattr(strategy, "least_pages", 0) > 0


@dataclass(slots=True)
class Judgement:
    """What the other pages of its site say about a page.

    :ivar pages: other pages of the site that are known; with 0 nothing else is said.
    :ivar alike: those of them that are made like this one.
    :ivar removes: whether what stands on all pages that are made alike may go.
    :ivar full: whether rules may take more than on a single page (``TPS_SITE=full``).
    :ivar digest: what tells this state of the model from others; hexadecimal.
    :ivar places: the text nodes with letters or digits, ascending; the columns below have an entry for each.
    :ivar lengths: the visible characters of each text.
    :ivar new: 1 where no other page of the site has the text.
    :ivar repeated: 1 where each of the pages that are made alike has the text at the same tag path.
    :ivar kept: says of one of these texts how much of what is at its tag path the other pages kept, 0 to 1; -1 where
        none of them has the path.
    :ivar part: says the same about what is left of the page after pruning.
    :ivar reference: makes of the nodes that stayed (a byte for each) what the page teaches.
    """

    pages: int
    alike: int
    removes: bool
    digest: str
    places: Sequence[int] = ()
    lengths: Sequence[int] = ()
    new: bytes | bytearray = b""
    repeated: bytes | bytearray = b""
    kept: Callable[[int], float] = lambda _: -1.0
    full: bool = False
    part: Callable[[TagPathSequence], Judgement] | None = None
    reference: Callable[[bytes | bytearray], Any] | None = None
