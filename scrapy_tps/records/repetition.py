"""What the other pages of a site repeat of a page's lists and records."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import accumulate
from operator import mul
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self

    from scrapy_tps.engine.site import Judgement
    from scrapy_tps.records.across import Span
    from scrapy_tps.records.page import RecordPage

#: Fewer visible characters are a label ("Details"), which says nothing of what it belongs to.
CHARACTERS: Final = 20
#: A page with less text that is new on the site is the same page under another address.
OWN: Final = 0.1
#: Where the pages differ though the texts do not.
_TARGETS: Final = ("href", "src", "data-src")


class Repetition:
    """Says which lists and records stand, with all of their texts, on every page that is made like this one.

    Single records of a list that has new ones are not dropped: of 42 such records on the Testbed 33 were results that a
    site showed for every search.

    :ivar reason: why a list is dropped, in words.
    """

    def __init__(self, judgement: Judgement) -> None:
        texts = judgement.texts_of()
        self._places = texts.places
        self._text = [0, *accumulate(texts.lengths)]
        self._repeated = [0, *accumulate(map(mul, texts.lengths, texts.repeated))]
        self._pages = judgement.alike
        self.reason = f"on all {judgement.alike} other pages of this site that are made like this one"

    @classmethod
    def of(cls, judgement: Judgement) -> Self | None:
        """What a judgement says of repetition; None where nothing may go because of it."""
        if not judgement.removes:
            return None
        texts = judgement.texts_of()
        if 1 not in texts.repeated:
            return None
        return cls(judgement) if judgement.all_new >= OWN * sum(texts.lengths) else None

    def of_list(self, page: RecordPage, spans: Sequence[Span]) -> bool:
        """Whether all records of a list are repeated, and no two of them are told apart by links or images alone."""
        text = repeated = 0
        for start, end in spans:
            own, same = self._characters(start, end)
            if not own or same < own:
                return False
            text, repeated = text + own, repeated + same
        return repeated >= CHARACTERS and not _told_apart_by_targets(page, spans)

    def of_records(self, page: RecordPage, pieces: Sequence[Sequence[Span]]) -> list[int]:
        """For each record, in pieces, the number of pages that repeat it; 0 also where another has the same texts."""
        repeated = []
        for parts in pieces:
            counts = [self._characters(start, end) for start, end in parts]
            text = sum(own for own, _ in counts)
            repeated.append(text >= CHARACTERS and sum(same for _, same in counts) == text)
        if True not in repeated:
            return [0] * len(pieces)
        texts = [tuple(text for start, end in parts for text in page.strings(start, end)) for parts in pieces]
        times = Counter(texts)
        return [
            self._pages if said and times[own] == 1 else 0 for said, own in zip(repeated, texts, strict=True)
        ]

    def _characters(self, start: int, end: int) -> tuple[int, int]:
        """The visible characters of a span's texts, and of those that are repeated."""
        low = bisect_left(self._places, start)
        high = bisect_left(self._places, end, low)
        return self._text[high] - self._text[low], self._repeated[high] - self._repeated[low]


def _told_apart_by_targets(page: RecordPage, spans: Sequence[Span]) -> bool:
    """Whether records with the same texts have other links or images: models do not know whether those are new."""
    known: dict[tuple[str, ...], tuple[str, ...]] = {}
    for start, end in spans:
        targets = tuple(
            value
            for node in range(start, end)
            if page.is_element(node)
            for name in _TARGETS
            if (value := page.nodes[node].get(name))
        )
        if known.setdefault(tuple(page.strings(start, end)), targets) != targets:
            return True
    return False
