"""What the other pages of a site say about a page: which of its texts are new there, and which stand on all of them.

Models of sites are above the engine (:mod:`scrapy_tps.sites`); the engine asks one of them about a page, lets the rules
of :mod:`scrapy_tps.engine.strategies.auto.on_site` read the answer, and hands out what the page teaches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

T = TypeVar("T")

#: What a model may do: nothing, …
OFF: Final = "off"
#: … keep what is new on the site, …
VETO: Final = "veto"
#: … or also remove what stands on every page.
FULL: Final = "full"

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable

    from scrapy_tps.engine.sequence.columns import TagPathSequence


class Judges(Protocol):
    """What is known of a site, as far as it judges pages."""

    def judge(self, sequence: TagPathSequence, address: str, template_pages: int | None = None) -> Judgement:
        """Compare a page with those that are known: :meth:`scrapy_tps.sites.known.Known.judge`."""
        ...


class KnownSite(Judges, Protocol):
    """What is known of a site, as :func:`scrapy_tps.prune` asks it; asking changes nothing.

    :ivar read_only: whether strategies with a memory of their own (those that have ``on_site``) may not learn.
    """

    read_only: bool

    def memory(self, strategy: Any, make: Callable[[], T]) -> T:
        """What such a strategy remembers of the site: :meth:`scrapy_tps.sites.known.Known.memory`."""
        ...


def remembers(strategy: Any) -> bool:
    """Whether a strategy needs other pages of the site, of which it has a memory of its own (``least_pages``).

    It has that whatever ``TPS_SITE`` says, which is about our models: without it such a strategy could do nothing.
    """
    return getattr(strategy, "least_pages", 0) > 0


class SiteTexts(Protocol):
    """What the other pages of its site say about texts of a page.

    :ivar places: the text nodes with letters or digits, ascending; the columns below have an entry for each.
    :ivar before: for each node and the end of the page, the number of these texts before it.
    :ivar lengths: the visible characters of each text.
    :ivar new: 1 where no other page of the site has the text.
    :ivar new_length: the visible characters of those.
    :ivar repeated: 1 where each of the pages that are made alike has the text at the same tag path; empty where nothing
        is said of that.
    """

    @property
    def places(self) -> array[int]: ...
    @property
    def before(self) -> array[int]: ...
    @property
    def lengths(self) -> array[int]: ...
    @property
    def new(self) -> bytes | bytearray: ...
    @property
    def new_length(self) -> int: ...
    @property
    def repeated(self) -> bytes | bytearray: ...

    def amounts_kept(self, wanted: list[int]) -> tuple[int, int, float]:
        """How much the other pages kept at the tag paths of some texts.

        :param wanted: the texts, by their numbers.
        :return: their characters; those of texts whose tag path another page has; of these, each counted as the part
            of the text there that stayed on other pages.
        """
        ...


class Judgement(Protocol):
    """What the other pages of its site say about a page. Texts are read when they are asked for: before the cut.

    :ivar pages: other pages of the site that are known; with 0 nothing else is said.
    :ivar alike: those of them that are made like this one.
    :ivar removes: whether what stands on all pages that are made alike may go.
    :ivar full: whether rules may take more than on a single page (``TPS_SITE=full``).
    :ivar digest: what tells this state of the model from others; hexadecimal.
    :ivar teaches: whether the page is one of those that the model would remember.
    """

    pages: int
    alike: int
    removes: bool
    full: bool
    digest: str
    teaches: bool

    @property
    def all_new(self) -> int:
        """The visible characters of the page that are new on the site."""
        ...

    def is_share_of_new(self, amount: int, share: float) -> bool:
        """Whether so many characters are at least this share of what is new; asked often, it costs less."""
        ...

    def texts_of(self, stays: bytes | bytearray | None = None) -> SiteTexts:
        """What they say about the texts of the page, or, which costs less, at least of those that do not stay.

        :param stays: a byte for each node, 1 where it stays.
        """
        ...

    def part(self, sequence: TagPathSequence) -> Judgement:
        """What they say about what is left of the page after pruning; may be asked long after."""
        ...

    def lesson(self, stayed: bytes | bytearray) -> Any:
        """What the page teaches.

        :param stayed: a byte for each node, 1 where it stays whatever is known of the site.
        """
        ...
