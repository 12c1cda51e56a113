"""InfoDiscoverer (Lin & Ho 2002): blocks whose words are spread over all pages of a site are redundant."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from lxml.html import defs

from scrapy_tps.literature import digest as digests
from scrapy_tps.literature.base import SiteMethod, noise_of_texts
from scrapy_tps.literature.style_tree import entropy
from scrapy_tps.literature.terms import stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.literature.digest import Digest

#: Blocks of the first phase: one is one table.
TABLE: Final = frozenset({"table"})
#: Blocks of the second phase, which cuts finer where a block is ambiguous.
FINER: Final = frozenset(
    defs.block_tags
    | {"section", "article", "header", "footer", "nav", "aside", "main", "li", "td", "th", "tr"}
)
_STEP: Final = 0.1


class FeatureEntropies:
    """The features of some pages, and how evenly each is spread over them and one more page.

    :param pages: the other pages.
    """

    def __init__(self, pages: Sequence[Digest]) -> None:
        self.pages = len(pages) + 1
        self._counts: dict[int, list[int]] = {}
        for page in pages:
            for term, count in term_frequencies(page).items():
                self._counts.setdefault(term, []).append(count)

    def of_page(self, page: Digest) -> dict[int, float]:
        """The entropy of each feature of a page, which is one of the cluster: 0 where no other has it, 1 at most."""
        return {
            term: entropy([*self._counts.get(term, ()), count], self.pages)
            for term, count in term_frequencies(page).items()
        }


def term_frequencies(page: Digest) -> Counter[int]:
    """How often each term is in the texts of a page."""
    counted: Counter[int] = Counter()
    for node, tag in enumerate(page.tags):
        if tag == "#text":
            counted.update(page.terms_of(node, node + 1))
    return counted


def tree_of_blocks(page: Digest, tags: Iterable[str]) -> list[int]:
    """The innermost block around each node, by the node that it starts with; the page itself is one."""
    starts = frozenset(tags)
    found = [0]
    for node in range(1, len(page)):
        found.append(node if page.tags[node] in starts else found[page.parent[node]])
    return found


def block_entropies(page: Digest, block_of: Sequence[int], entropies: dict[int, float]) -> dict[int, float]:
    """The mean entropy of the features of each block that has some."""
    features: dict[int, set[int]] = {}
    for node, block in enumerate(block_of):
        if page.tags[node] == "#text":
            features.setdefault(block, set()).update(page.terms_of(node, node + 1))
    return {
        block: sum(map(entropies.__getitem__, held)) / len(held) for block, held in features.items() if held
    }


def greedy_threshold(blocks: dict[int, tuple[float, int]], step: float = _STEP) -> float:
    """The first threshold from which on one more step adds no features, up to 1.

    :param blocks: the entropy of each block, and the number of its features.
    """
    steps = round(1 / step)
    included = [
        sum(size for mean, size in blocks.values() if mean <= number * step + 1e-9)
        for number in range(steps + 1)
    ]
    for number in range(1, steps):
        if included[number] and included[number] == included[number + 1]:
            return number * step
    return 1.0 - step


@dataclass(frozen=True, slots=True)
class InfoDiscoverer(SiteMethod[FeatureEntropies]):
    """Blocks by ``table``, refined where they are ambiguous; those with a higher entropy than the threshold go.

    A block is ambiguous when it holds features on both sides of the threshold: then it is cut at every block element
    in it. A page without tables is one block, ambiguous by itself. A threshold of 1 would remove nothing; where the
    search ends there, the step before is taken.

    :ivar threshold: None: found by the greedy search, in steps of 0.1, for each page.
    """

    threshold: float | None = None
    name: ClassVar[str] = "infodiscoverer"
    reason: ClassVar[str] = "the words of the block are spread over all pages of the site"
    sees: ClassVar[str] = "entropy of the block"

    def digest(self, sequence: TagPathSequence) -> Digest:
        return digests.digest(sequence, stems)

    def build(self, others: Sequence[Digest]) -> FeatureEntropies:
        return FeatureEntropies(others)

    def noise(self, sequence: TagPathSequence, page: Digest, model: FeatureEntropies) -> bytearray:
        means, limit = self._judged(page, model)
        texts = bytearray(len(sequence))
        for node, mean in enumerate(means):
            texts[node] = mean > limit
        return noise_of_texts(sequence, texts)

    def seen(self, page: Digest, model: FeatureEntropies) -> list[float]:
        return self._judged(page, model)[0]

    def _judged(self, page: Digest, model: FeatureEntropies) -> tuple[list[float], float]:
        """The mean entropy of the block of each node, and the threshold."""
        entropies = model.of_page(page)
        block_of = tree_of_blocks(page, TABLE)
        limit = self._limit(page, block_of, entropies)
        finer = tree_of_blocks(page, FINER | TABLE)
        ambiguous = self._ambiguous(page, block_of, entropies, limit)
        refined = [
            small if block in ambiguous else block for block, small in zip(block_of, finer, strict=True)
        ]
        limit = self._limit(page, refined, entropies)
        means = block_entropies(page, refined, entropies)
        return [means.get(block, 0.0) for block in refined], limit

    def _limit(self, page: Digest, block_of: Sequence[int], entropies: dict[int, float]) -> float:
        if self.threshold is not None:
            return self.threshold
        means = block_entropies(page, block_of, entropies)
        sizes = Counter(block_of[node] for node, tag in enumerate(page.tags) if tag == "#text")
        return greedy_threshold({block: (mean, sizes[block]) for block, mean in means.items()})

    @staticmethod
    def _ambiguous(
        page: Digest, block_of: Sequence[int], entropies: dict[int, float], limit: float
    ) -> set[int]:
        sides: dict[int, set[bool]] = {}
        for node, block in enumerate(block_of):
            if page.tags[node] == "#text":
                sides.setdefault(block, set()).update(
                    entropies[term] > limit for term in page.terms_of(node, node + 1)
                )
        return {block for block, held in sides.items() if len(held) == 2}
