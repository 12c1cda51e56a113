"""The pages of a crawl's sites that methods remember: bounded in sites, pages and bytes, in this process alone."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from scrapy_tps.literature.digest import Digest

M = TypeVar("M")

#: Sites of which pages are remembered.
SITES: Final = 20
#: Pages that a method remembers of a site.
PAGES: Final = 16
#: Bytes that the pages of all sites take together; those of the site that was asked for last stay in any case.
BYTES: Final = 128 * 1024 * 1024


@dataclass(slots=True)
class SiteMemory:
    """The pages that a method remembers of one site: those with the smallest keys, whatever the order of the crawl.

    :ivar pages: how many at most.
    """

    pages: int = PAGES
    _held: dict[int, Digest] = field(default_factory=dict)
    _model: tuple[frozenset[int], Any] | None = field(default=None, repr=False)
    _lock: Any = field(default_factory=Lock, repr=False)

    def learn(self, page: Digest) -> None:
        """Remember a page, if it is one of those that are."""
        with self._lock:
            for key in [key for key, held in self._held.items() if held.is_same(page)]:
                del self._held[key]
            self._held[page.key] = page
            if len(self._held) > self.pages:
                del self._held[max(self._held)]

    def others(self, page: Digest) -> list[Digest]:
        """The remembered pages but for this one, in the order of their keys."""
        with self._lock:
            return [held for _, held in sorted(self._held.items()) if not held.is_same(page)]

    def model(self, build: Callable[[list[Digest]], M], others: list[Digest]) -> M:
        """The model of these pages; worked out once for them."""
        keys = frozenset(held.key for held in others)
        known = self._model
        if known is None or known[0] != keys:
            known = self._model = keys, build(others)
        return known[1]

    def bytes(self) -> int:
        """Memory that the remembered pages take, in bytes; models are made of them again."""
        with self._lock:
            return sum(page.bytes() for page in self._held.values())


class SitePages:
    """The memory of methods for one site.

    :param learns: whether they remember more pages.
    """

    def __init__(self, *, learns: bool = True) -> None:
        self.learns = learns
        self._memories: dict[Hashable, SiteMemory] = {}

    def of(self, method: Hashable) -> SiteMemory:
        """The memory of a method; methods with the same parameters share it."""
        return self._memories.setdefault(method, SiteMemory())

    def bytes(self) -> int:
        """Memory that the remembered pages take, in bytes."""
        return sum(memory.bytes() for memory in list(self._memories.values()))


class CrawlPages:
    """The memory of methods for the sites of a crawl. Evicts the least recently used site.

    :param sites: how many sites at most.
    :param most_bytes: how many bytes their pages may take together.
    """

    def __init__(self, sites: int = SITES, most_bytes: int = BYTES) -> None:
        self._most_sites, self._most_bytes = sites, most_bytes
        self._sites: OrderedDict[str, SitePages] = OrderedDict()

    def of(self, site: str) -> SitePages:
        """The memory of a site."""
        pages = self._sites.setdefault(site, SitePages())
        self._sites.move_to_end(site)
        while len(self._sites) > 1 and self._is_full():
            self._sites.popitem(last=False)
        return pages

    def _is_full(self) -> bool:
        if len(self._sites) > self._most_sites:
            return True
        return sum(pages.bytes() for pages in self._sites.values()) > self._most_bytes
