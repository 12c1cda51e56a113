"""The figures of one site: counts by name, which add up.

Everything has the same name here, in the file, in Redis and in Scrapy's stats. A count is a whole number, so that the
counts of several intervals, processes or crawls add up to the same result in any order (floats would not). Nothing
imports Scrapy.

``docs/reference/stats.md`` explains each name; some have additional details:

* ``reduction/{bar}``, ``reduction_millionths``: DOM reductions of measured pages, as a histogram, and their sum.
* ``whole_pages``, ``whole_items``, ``pruned_pages``, ``pruned_items``: pages passed to a callback, and its items for
  them before pipelines drop any.
* ``sparse/{title}``: pages that yielded neither a request nor an item that is as full as others, except those with the
  title of the site's first page that did.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Generic, TypeVar
from urllib.parse import urlsplit

import tldextract

from scrapy_tps.engine.outcomes import EXCLUDED, PRUNED
from scrapy_tps.stats.coverage import Uses

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scrapy_tps.engine.pruned_page import Pruning

#: Bars of the histogram of DOM reductions, five percentage points each.
BARS: Final = 20

#: The most names of one group (``alarms/…``) of a site. Outcomes and alarms come from code, not from pages, so real
#: crawls stay far below; the limit bounds memory if names come from pages, or are generated.
MAX_NAMES: Final = 32

#: The name for counts beyond :data:`MAX_NAMES`.
OTHER: Final = "other"

_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class SiteWarning:
    """One reason why a site looks wrong.

    :ivar kind: a name of :data:`scrapy_tps.report.findings.TABLE`, for programs.
    :ivar text: the reason in words, without the site.
    :ivar count: the number of affected pages, items and requests, or alarms.
    """

    kind: str
    text: str
    count: int


class SiteFigures(dict[str, int]):
    """The counts of one site by name (or the sum of many sites); a missing name counts 0."""

    __slots__ = ("further", "uses")

    def __init__(self, *counts: Mapping[str, int] | Iterable[tuple[str, int]], **more: int) -> None:
        super().__init__(*counts, **more)
        self.uses = Uses()
        """The spider's selectors and the fields of its items. The store has them in a separate table: see
        :meth:`scrapy_tps.stats.store.FiguresStore.uses`."""
        self.further: Sequence[SiteWarning] = ()
        """Further reasons why these look wrong: told by who reports, not kept."""

    def __missing__(self, name: str) -> int:
        return 0

    def add(self, counts: Mapping[str, int]) -> None:
        """Add counts by name; zeros are ignored. At most :data:`MAX_NAMES` of each group are distinguished."""
        get = self.get
        for name, number in counts.items():
            if not number:
                continue
            known = get(name)
            if known is None:
                name = self._bounded(name)  # noqa: PLW2901
                known = get(name, 0)
            self[name] = known + number

    def merge(self, other: SiteFigures) -> None:
        """Add the figures of `other`, which must be of later pages for :attr:`uses`."""
        self.add(other)
        self.uses.merge(other.uses)

    def _bounded(self, name: str) -> str:
        if len(self) < MAX_NAMES:  # the usual case
            return name
        group = name[: name.find("/") + 1]
        if sum(one[: one.find("/") + 1] == group for one in self) < MAX_NAMES:
            return name
        return group + OTHER

    def group(self, name: str) -> dict[str, int]:
        """Return the counts of a group (``alarms``), by the rest of their names."""
        start = f"{name}/"
        return {
            one.removeprefix(start): self[one] for one in sorted(one for one in self if one.startswith(start))
        }

    @property
    def pruned(self) -> int:
        """Pages from which something was removed."""
        return self[f"outcome/{PRUNED}"]

    @property
    def not_pruned(self) -> dict[str, int]:
        """Pages that were not pruned, by reason."""
        return {outcome: pages for outcome, pages in self.group("outcome").items() if outcome != PRUNED}

    @property
    def measured(self) -> int:
        """Pages whose nodes were counted: all except excluded, empty and oversized pages."""
        return sum(self.group("strategy").values())

    @property
    def mean_reduction(self) -> float | None:
        """Mean DOM reduction of the measured pages, exact to half a millionth; None without any."""
        measured = self.measured
        return self["reduction_millionths"] / _MILLION / measured if measured else None

    @property
    def bars(self) -> list[int]:
        """The number of measured pages in each bar of the histogram; the last has 95 to 100 %, both included."""
        return [self[f"reduction/{bar}"] for bar in range(BARS)]

    @property
    def text_reduction(self) -> float | None:
        """Share of the visible characters that were removed, over all measured pages; None without any."""
        return 1 - self["chars/after"] / self["chars/before"] if self["chars/before"] else None

    @property
    def seconds(self) -> float:
        """Processor time spent on the pages."""
        return self["microseconds"] / _MILLION


def page_counts(pruning: Pruning, microseconds: int) -> dict[str, int]:
    """Return the counts of a page, pruned or not, with the processor time used."""
    outcome = pruning.outcome
    counts = {"pages": 1, "microseconds": microseconds, f"outcome/{outcome}": 1}
    if pruning.excluded_by:
        counts[f"excluded/{pruning.excluded_by.partition('[')[0]}"] = 1
    if outcome == EXCLUDED or not pruning.raw_nodes:
        return counts
    removed = max(pruning.raw_nodes - pruning.kept_nodes, 0)
    counts[f"strategy/{pruning.strategy}"] = 1
    counts["nodes/before"] = pruning.raw_nodes
    counts["nodes/after"] = pruning.kept_nodes
    counts["chars/before"] = pruning.raw_chars
    counts["chars/after"] = pruning.kept_chars
    counts[f"reduction/{min(removed * BARS // pruning.raw_nodes, BARS - 1)}"] = 1
    counts["reduction_millionths"] = round(removed * _MILLION / pruning.raw_nodes)
    return counts


def merged(figures: Iterable[SiteFigures]) -> SiteFigures:
    """Return the sum of `figures`."""
    total = SiteFigures()
    for one in figures:
        total.merge(one)
    return total


def counted(number: int, noun: str) -> str:
    """Return the number with its noun, in the plural unless it is 1."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


#: The site for figures that can neither be written nor kept individually.
OTHER_SITES: Final = "(other sites)"


_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Recent(OrderedDict[_Key, _Value], Generic[_Key, _Value]):
    """A dict in bounded memory, the least recently used entry first.

    :param most: entries that it holds, 1 or more.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def recall(self, key: _Key) -> _Value | None:
        """Return an entry, now the most recently used; None where there is none."""
        value = self.get(key)
        if value is not None:
            self.move_to_end(key)
        return value

    def remember(self, key: _Key, value: _Value) -> _Value:
        """Store an entry as the most recently used, and return it; evict the oldest if there are too many."""
        self[key] = value
        self.move_to_end(key)
        if len(self) > self.most:
            self.popitem(last=False)
        return value


class SiteBuffer(Recent[str, SiteFigures]):
    """Figures by site, of which none is lost: those of sites without room are added up."""

    def of(self, site: str) -> SiteFigures:
        """Return the figures of a site, to be added to. If there is no room, the least recently used sites are
        folded."""
        figures = self.recall(site)
        if figures is None:
            if self.full:
                self.fold()
            figures = self[site] = SiteFigures()
        return figures

    @property
    def full(self) -> bool:
        """Whether there is no room for another site."""
        return len(self) >= self.most

    def fold(self) -> None:
        """Make room: add up the least recently used sites under :data:`OTHER_SITES`."""
        other = self.pop(OTHER_SITES, None) or SiteFigures()
        while len(self) > max(self.most - 2, 0):
            _, figures = self.popitem(last=False)
            other.merge(figures)
        self[OTHER_SITES] = other


#: The site of a URL that cannot be read.
UNKNOWN_SITE = "(unknown)"

#: The longest host name in DNS (RFC 1035, section 2.3.4): longer ones are invalid, and would cost memory.
MAX_HOST = 253

#: The number of hosts whose registered domain is cached: the lookup takes several times as long as the rest.
_REMEMBERED = 4096

SiteOf = Callable[[str], str]


@lru_cache(maxsize=256)  # a page asks four times
def host_site(url: str) -> str:
    """Return the host name of `url` in lower case, without port and leading ``www.``.

    A URL without a host gives its scheme (``data:``), a broken one :data:`UNKNOWN_SITE`.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return UNKNOWN_SITE
    if not host:
        return f"{parts.scheme}:" if parts.scheme else UNKNOWN_SITE
    host = host.rstrip(".")
    if not host or len(host) > MAX_HOST or not host.isprintable():
        return UNKNOWN_SITE
    bare = host.removeprefix("www.")
    return bare if "." in bare else host


def site_function(kind: str) -> SiteOf:
    """Return the function from URL to site for ``host`` or ``registered_domain``.

    Registered domains come from the public suffix list that is bundled with tldextract: no network, no cache
    file. Hosts without a registered domain (``localhost``, IP addresses) stay as they are.
    """
    if kind == "host":
        return host_site
    extract = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)

    @lru_cache(maxsize=_REMEMBERED)
    def registered(host: str) -> str:
        parts = extract(host)
        return f"{parts.domain}.{parts.suffix}" if parts.domain and parts.suffix else host

    return lambda url: registered(host_site(url))
