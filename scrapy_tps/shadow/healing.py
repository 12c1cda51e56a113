"""What healing keeps on sites until the crawl ends, and what the processes of a job tell each other of it.

Nothing imports Scrapy.
"""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.selectors import compile_selector
from scrapy_tps.sharing.knowledge import Row, Topic

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_tps.sharing.knowledge import Knowledge

#: Sites that are remembered.
MOST_SITES: Final = 10_000

#: Kind of the rows: a selector, under its digest.
KIND: Final = "healed"

#: Selectors of a site that the processes of a job share. A process heals a site eight times at most, and mostly by
#: one selector.
MOST_SHARED: Final = 50


class HealedSites:
    """Selectors of what stays on the pages of sites from now on, as ``TPS_KEEP`` has it.

    Of very many sites the first ones are forgotten.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def of(self, site: str) -> tuple[str, ...]:
        """The selectors of a site."""
        return self._kept.get(site, ())

    def keep(self, site: str, selectors: Iterable[str]) -> None:
        """Add selectors to those of a site."""
        self._kept[site] = tuple(dict.fromkeys((*self._kept.get(site, ()), *selectors)))
        if len(self._kept) > MOST_SITES:
            self._kept.popitem(last=False)


class SharedHealedSites(HealedSites):
    """Healed sites that are told to the other processes of a job, with those that these tell."""

    def __init__(self, knowledge: Knowledge) -> None:
        super().__init__()
        self._knowledge = knowledge
        knowledge.keep(KIND, MOST_SHARED)

    def of(self, site: str) -> tuple[str, ...]:
        """The selectors of a site; ask for what others find out about it."""
        for row in self._knowledge.news(KIND):
            super().keep(row.topic.site, _read(row.blob))
        self._knowledge.watch(site, KIND)
        return super().of(site)

    def keep(self, site: str, selectors: Iterable[str]) -> None:
        """Add selectors to those of a site, and share them."""
        selectors = tuple(selectors)
        super().keep(site, selectors)
        for selector in selectors:
            text = selector.encode()
            self._knowledge.tell(Row(Topic(site, KIND), blake2b(text, digest_size=16).digest(), text))


def _read(blob: bytes) -> tuple[str, ...]:
    """A row's selector; none where another program has written it."""
    try:
        selector = blob.decode()
        compile_selector(selector)
    except ValueError:
        return ()
    return (selector,)
