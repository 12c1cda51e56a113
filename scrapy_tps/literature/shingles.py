"""Templates by shingles: words in runs that stand on other pages of the site as well are template."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from scrapy_tps.literature.base import SiteMethod, noise_of_texts
from scrapy_tps.literature.fingerprints import windows

if TYPE_CHECKING:
    from array import array
    from collections.abc import Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.literature.digest import Digest


def text_terms(page: Digest) -> tuple[array[int], list[int]]:
    """The words of a page's texts in their order, and the text node of each."""
    found = page.terms[:0]
    nodes: list[int] = []
    for node, tag in enumerate(page.tags):
        if tag == "#text":
            held = page.terms_of(node, node + 1)
            found += held
            nodes += [node] * len(held)
    return found, nodes


@dataclass(frozen=True, slots=True)
class Shingles(SiteMethod["Counter[int]"]):
    """Shingles without pagelets: a text goes where all of its words stand in shared runs of words.

    The template method that Yi, Liu & Li compare with cuts pages into pagelets first
    (:class:`~scrapy_tps.literature.pagelets.Pagelets`); this asks what its shingles find by themselves.

    :ivar width: words of a shingle: 10, as in Broder's.
    :ivar pages: other pages that must have it: 1, as a template is what at least two pages share.
    """

    width: int = 10
    pages: int = 1
    name: ClassVar[str] = "shingles"
    reason: ClassVar[str] = "other pages of the site have the same runs of words"
    sees: ClassVar[str] = "share of the words in runs of other pages"

    def build(self, others: Sequence[Digest]) -> Counter[int]:
        return Counter(
            shingle for page in others for shingle in set(windows(text_terms(page)[0], self.width).tolist())
        )

    def noise(self, sequence: TagPathSequence, page: Digest, model: Counter[int]) -> bytearray:
        shares = self.seen(page, model)
        texts = bytearray(share == 1 for share in shares) + bytearray(len(sequence) - len(shares))
        return noise_of_texts(sequence, texts)

    def seen(self, page: Digest, model: Counter[int]) -> list[float]:
        found = [0.0] * len(page)
        terms, nodes = text_terms(page)
        if not nodes:
            return found
        shared = np.array(
            [model.get(shingle, 0) >= self.pages for shingle in windows(terms, self.width).tolist()],
            dtype=np.int64,
        )
        # words at the ends of runs are in fewer windows: one that is shared is enough
        covered = np.convolve(shared, np.ones(min(self.width, len(terms)), dtype=np.int64)) > 0
        for place, node in enumerate(nodes):
            found[node] += bool(covered[place])
        for node, words in Counter(nodes).items():
            found[node] /= words
        return found
