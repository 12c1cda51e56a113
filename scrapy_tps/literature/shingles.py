"""Templates by shingles (Broder et al. 1997): fingerprints of texts that small changes do not affect.

`Shingles` finds words in runs that other pages of the site have, `Pagelets` finds parts with the same shingle
(Bar-Yossef & Rajagopalan 2002, the baseline of Yi, Liu & Li 2003).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from scrapy_tps.literature.base import SiteMethod

if TYPE_CHECKING:
    from array import array
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_tps.literature.memory import Digest


_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
#: Odd numbers, one for each of the eight permutations of a pagelet's fingerprint.
_PERMUTATIONS: Final = np.array(
    [(2 * number + 1) * 0xD1B54A32D192ED03 % 2**64 | 1 for number in range(8)], dtype=np.uint64
)
_SHIFT: Final = np.uint64(29)


def windows(terms: Sequence[int], width: int) -> NDArray[np.uint64]:
    """Return a number for each run of `width` terms; if there are fewer terms, one number for all."""
    numbers = np.array(terms, dtype=np.uint64)
    if not len(numbers):
        return numbers
    width = min(width, len(numbers))
    total = np.zeros(len(numbers) - width + 1, dtype=np.uint64)
    for place in range(width):
        total = _mixed(total + numbers[place : place + len(total)] + np.uint64(place))
    return total


def sketch(terms: Sequence[int], width: int) -> tuple[int, ...]:
    """Return the shingle of a text: its smallest window under each of eight permutations; empty without terms."""
    found = windows(terms, width)
    if not len(found):
        return ()
    return tuple(int(smallest) for smallest in _mixed(found[None, :] * _PERMUTATIONS[:, None]).min(axis=1))


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    mixed: NDArray[np.uint64] = (numbers ^ (numbers >> _SHIFT)) * _MULTIPLIER
    return mixed


def pagelets(page: Digest, links: int) -> list[int]:
    """Return the pagelets of a page: the outermost elements none of whose children holds so many links.

    If the page has fewer links, it is the only pagelet.
    """
    held = [0, *accumulate(tag == "a" for tag in page.tags)]
    full = [held[page.end[node]] - held[node] >= links for node in range(len(page))]
    splits = [False] * len(page)  # whether a child holds so many
    for node in range(1, len(page)):
        if full[node]:
            splits[page.parent[node]] = True
    found = []
    node = 0
    while node < len(page):
        if splits[node] or (page.tags[node] == "#text" and node):
            node += 1  # texts next to pagelets are not in any
        else:
            found.append(node)
            node = page.end[node]
    return found


@dataclass(frozen=True, slots=True)
class Pagelets(SiteMethod["Counter[tuple[int, ...]]"]):
    """Local template detection: removes pagelets with the same shingle on at least two pages of the site.

    :ivar links: links in a child that split an element into its children: 3; the number with the best results in
        Bar-Yossef & Rajagopalan is also the one of Yi, Liu & Li.
    :ivar width: words of a window of the shingle: 10.
    """

    links: int = 3
    width: int = 10
    name: ClassVar[str] = "pagelets"
    reason: ClassVar[str] = "another page of the site has the same pagelet"

    def build(self, others: Sequence[Digest]) -> Counter[tuple[int, ...]]:
        return Counter(shingle for page in others for shingle in set(self._shingles(page).values()))

    def gone(self, page: Digest, model: Counter[tuple[int, ...]]) -> list[bool]:
        return [pages > 0 for pages in self.shared(page, model)]

    def shared(self, page: Digest, model: Counter[tuple[int, ...]]) -> list[int]:
        """Return for each node the number of other pages with its pagelet."""
        found = [0] * len(page)
        for pagelet, shingle in self._shingles(page).items():
            found[pagelet : page.end[pagelet]] = [model[shingle]] * (page.end[pagelet] - pagelet)
        return found

    def _shingles(self, page: Digest) -> dict[int, tuple[int, ...]]:
        """Return the shingle of each pagelet that has words."""
        shingles = {}
        for pagelet in pagelets(page, self.links):
            terms = [term for _, found in page.texts(pagelet, page.end[pagelet]) for term in found]
            if terms:
                shingles[pagelet] = sketch(terms, self.width)
        return shingles


def text_terms(page: Digest) -> tuple[array[int], list[int]]:
    """Return the words of a page's texts in order, and the text node of each."""
    found = page.terms[:0]
    nodes: list[int] = []
    for node, held in page.texts():
        found += held
        nodes += [node] * len(held)
    return found, nodes


@dataclass(frozen=True, slots=True)
class Shingles(SiteMethod["frozenset[int]"]):
    """Shingles without pagelets: removes a text if all of its words are in shared runs of words.

    The template method that Yi, Liu & Li compare with cuts pages into pagelets first
    (:class:`~scrapy_tps.literature.shingles.Pagelets`); this one shows the effect of shingles alone.

    :ivar width: words of a shingle: 10, as in Broder's.
    """

    width: int = 10
    name: ClassVar[str] = "shingles"
    reason: ClassVar[str] = "other pages of the site have the same runs of words"

    def build(self, others: Sequence[Digest]) -> frozenset[int]:
        return frozenset(
            shingle for page in others for shingle in windows(text_terms(page)[0], self.width).tolist()
        )

    def gone(self, page: Digest, model: frozenset[int]) -> list[bool]:
        return [share == 1 for share in self.covered(page, model)]

    def covered(self, page: Digest, model: frozenset[int]) -> list[float]:
        """Return for each text the share of its words in runs of other pages."""
        found = [0.0] * len(page)
        terms, nodes = text_terms(page)
        if not nodes:
            return found
        shared = np.array([shingle in model for shingle in windows(terms, self.width).tolist()])
        # words at the ends of runs are in fewer windows, so one shared window is enough
        covered = np.convolve(shared, np.ones(min(self.width, len(terms)), dtype=np.int64)) > 0
        for place, node in enumerate(nodes):
            found[node] += bool(covered[place])
        for node, words in Counter(nodes).items():
            found[node] /= words
        return found
