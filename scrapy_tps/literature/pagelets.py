"""Template detection by pagelets (Bar-Yossef & Rajagopalan 2002), the baseline of Yi, Liu & Li (2003)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar

from scrapy_tps.literature.base import SiteMethod, noise_of_texts
from scrapy_tps.literature.fingerprints import sketch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.literature.digest import Digest


def pagelets(page: Digest, links: int) -> list[int]:
    """The pagelets of a page: the elements none of whose children holds so many links, and that are in no pagelet.

    The page itself where it holds fewer.
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
            node += 1  # texts beside pagelets are in none
        else:
            found.append(node)
            node = page.end[node]
    return found


@dataclass(frozen=True, slots=True)
class Pagelets(SiteMethod["Counter[tuple[int, ...]]"]):
    """Local template detection: pagelets with the same shingle on at least two pages of the site go.

    :ivar links: links in a child that split an element into its children: 3; the number with the best results in
        Bar-Yossef & Rajagopalan is also the one of Yi, Liu & Li.
    :ivar width: words of a window of the shingle: 10.
    """

    links: int = 3
    width: int = 10
    name: ClassVar[str] = "pagelets"
    reason: ClassVar[str] = "another page of the site has the same pagelet"
    sees: ClassVar[str] = "other pages with the same pagelet"

    def build(self, others: Sequence[Digest]) -> Counter[tuple[int, ...]]:
        return Counter(shingle for page in others for shingle in set(self._shingles(page).values()))

    def noise(self, sequence: TagPathSequence, page: Digest, model: Counter[tuple[int, ...]]) -> bytearray:
        texts = bytearray(len(sequence))
        for pagelet, shingle in self._shingles(page).items():
            if shingle in model:
                end = sequence.end[pagelet]
                texts[pagelet:end] = b"\x01" * (end - pagelet)
        return noise_of_texts(sequence, texts)

    def seen(self, page: Digest, model: Counter[tuple[int, ...]]) -> list[float]:
        found = [0.0] * len(page)
        for pagelet, shingle in self._shingles(page).items():
            found[pagelet : page.end[pagelet]] = [model[shingle]] * (page.end[pagelet] - pagelet)
        return found

    def _shingles(self, page: Digest) -> dict[int, tuple[int, ...]]:
        """The shingle of each pagelet that has words."""
        found = {}
        for pagelet in pagelets(page, self.links):
            terms = [
                term
                for node in range(pagelet, page.end[pagelet])
                if page.tags[node] == "#text"
                for term in page.terms_of(node, node + 1)
            ]
            if terms:
                found[pagelet] = sketch(terms, self.width)
        return found
