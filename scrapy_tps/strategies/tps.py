"""``tps``: tag path sequences alone, no HTML semantics, for old or unusual markup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from scrapy_tps.hints import READ
from scrapy_tps.strategies.limits import Limits
from scrapy_tps.strategies.lists import remove_link_lists
from scrapy_tps.strategies.protection import protect_records
from scrapy_tps.strategies.splits import split_both_sides
from scrapy_tps.strategies.surroundings import remove_surroundings
from scrapy_tps.strategies.workspace import Workspace

if TYPE_CHECKING:
    from scrapy_tps.sequence import TagPathSequence
    from scrapy_tps.settings import PageSettings
    from scrapy_tps.strategies import Selection

LIMITS: Final = Limits()


@dataclass(frozen=True, slots=True)
class TpsStrategy:
    """The published idea, repaired: several regions, both sides searched, sizes by worth, records protected.

    Roles, class names and elements such as ``nav`` mean nothing here; only the first heading, breadcrumbs
    and pagination stay in any case.

    :ivar reads: the attributes that it asks for, besides ``class`` and ``style``.
    :ivar size_ratio: 0.80, as in ``auto``.
    """

    size_ratio: float = 0.80
    reads: ClassVar[frozenset[str]] = READ

    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:  # noqa: ARG002
        page = Workspace(sequence, semantics=False)
        limits = LIMITS.scaled((1.0 - size_ratio) / (1.0 - self.size_ratio))
        best = protect_records(page, limits)
        page.measure_protection()
        remove_link_lists(page, limits)
        page.measure()
        remove_surroundings(page, best, limits)
        return page.selection(split_both_sides(page, size_ratio))
