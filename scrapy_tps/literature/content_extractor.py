"""ContentExtractor (Debnath, Mitra, Pal & Giles 2005): a block that stands on other pages as well is no content."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import ceil, sqrt
from typing import TYPE_CHECKING, ClassVar, Final

from scrapy_tps.literature.base import SiteMethod, noise_of_texts
from scrapy_tps.literature.terms import number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.literature.digest import Digest

#: What starts a block, the widest first: those that the survey names, and what pages are built with since.
BLOCK_TAGS: Final = (
    *("table", "tr", "p", "hr", "ul"),
    *(
        "div",
        "section",
        "article",
        "header",
        "footer",
        "nav",
        "aside",
        "main",
        "form",
        "ol",
        "dl",
        "li",
        "td",
    ),
    *("h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre"),
)
#: Elements that are features of a block, besides its terms.
FEATURE_TAGS: Final = frozenset(
    {"img", "a", "form", "input", "object", "applet", "video", "iframe", "li", "td"}
)
_MOST_COMPARED: Final = 64


def blocks(page: Digest, tags: Iterable[str] = BLOCK_TAGS) -> list[int]:
    """The block of each node, by the node that starts it: the innermost element around it with one of these tags.

    That is what is left of the blocks of the first tags when they have been split at those that follow.
    """
    starts = frozenset(tags)
    found = [0]
    for node in range(1, len(page)):
        found.append(node if page.tags[node] in starts else found[page.parent[node]])
    return found


def features(page: Digest, block_of: Sequence[int]) -> dict[int, frozenset[int]]:
    """The features of each block: its terms, and which kinds of elements it has."""
    found: dict[int, set[int]] = {}
    for node, block in enumerate(block_of):
        held = found.setdefault(block, set())
        tag = page.tags[node]
        if tag in FEATURE_TAGS:
            held.add(number(f"<{tag}>"))
        elif tag == "#text":
            held.update(page.terms_of(node, node + 1))
    return {block: frozenset(held) for block, held in found.items() if held}


class StoredBlocks:
    """The different blocks of some pages, and on how many pages each stands.

    :param similarity: cosine of binary feature vectors from which two blocks are the same.
    """

    def __init__(self, pages: Iterable[Digest], similarity: float) -> None:
        self._similarity = similarity
        stands: Counter[frozenset[int]] = Counter()
        for page in pages:
            stands.update(set(features(page, blocks(page)).values()))
        self._stands = stands
        self._frequency = Counter(feature for held in stands for feature in held)
        self._with: dict[int, list[frozenset[int]]] = {}
        for held in stands:
            for feature in self._rarest(held):
                self._with.setdefault(feature, []).append(held)

    def document_frequency(self, held: frozenset[int]) -> int:
        """The most pages that one block of these features stands on: 1 / (this + 1) is its IBDF."""
        found = self._stands.get(held, 0)
        for other in self._candidates(held):
            common = len(held & other)
            if self._stands[other] > found and common >= self._similarity * sqrt(len(held) * len(other)):
                found = self._stands[other]
        return found

    def _candidates(self, held: frozenset[int]) -> Iterator[frozenset[int]]:
        seen: set[frozenset[int]] = set()
        for feature in self._rarest(held):
            for other in self._with.get(feature, ()):
                if other not in seen:
                    if len(seen) == _MOST_COMPARED:
                        return
                    seen.add(other)
                    yield other

    def _rarest(self, held: frozenset[int]) -> list[int]:
        """The rarest features: two blocks that are the same have one of these in common.

        A block with n features shares at least similarity² · n of them with any that is the same.
        """
        needed = ceil(self._similarity**2 * len(held))
        frequency = self._frequency
        return sorted(held, key=lambda feature: (frequency[feature], feature))[: len(held) - needed + 1]


@dataclass(frozen=True, slots=True)
class ContentExtractor(SiteMethod[StoredBlocks]):
    """Blocks by tags; those whose inverse block document frequency is below a threshold go.

    :ivar similarity: 0.90, cosine of binary feature vectors from which two blocks are the same.
    :ivar threshold: content has at least this IBDF, which is 1 / (1 + other pages with the block); above 1/2, a block
        on any other page is no content, as the survey has it.
    """

    similarity: float = 0.90
    threshold: float = 0.51
    name: ClassVar[str] = "content-extractor"
    reason: ClassVar[str] = "the same block stands on other pages of the site"
    sees: ClassVar[str] = "other pages with the same block"
    least_pages: ClassVar[int] = 1

    def build(self, others: Sequence[Digest]) -> StoredBlocks:
        return StoredBlocks(others, self.similarity)

    def noise(self, sequence: TagPathSequence, page: Digest, model: StoredBlocks) -> bytearray:
        gone = bytearray(len(sequence))
        for node, pages in enumerate(self.seen(page, model)):
            gone[node] = 1 / (1 + pages) < self.threshold
        return noise_of_texts(sequence, gone)

    def seen(self, page: Digest, model: StoredBlocks) -> list[float]:
        block_of = blocks(page)
        found = {block: model.document_frequency(held) for block, held in features(page, block_of).items()}
        return [found.get(block, 0) for block in block_of]
