"""What is new on the site stays where rules took it that don't look at what it is, or where much of it is new."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from operator import mul
from typing import TYPE_CHECKING, Final, NamedTuple

from scrapy_tps.engine.hints.reading import CONTROL
from scrapy_tps.engine.strategies.auto.decisions import Retained

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.engine.site import Judgement
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.site_thresholds import SiteVeto

#: Those that are about what is new on every page, or on none.
_EXEMPT: Final = frozenset({"comments", "repeated", "copy", "template"})


class _Part(NamedTuple):
    """A part that a rule took, and its texts, by their numbers, that no earlier one took."""

    start: int
    stop: int
    texts: list[int]


def site_veto(page: Page, limits: SiteVeto) -> list[Retained]:
    """Retain parts of what was removed, see :class:`~scrapy_tps.engine.strategies.auto.site_thresholds.SiteVeto`.

    Parts with the same tag path are weighed together: what stands in every record is as much as all of it.
    """
    site = page.site
    if site is None or not site.pages or 1 not in site.new:
        return []
    return sorted(_Veto(page, site, limits).vetoed())


def new_records(page: Page, limits: SiteVeto) -> list[Retained]:
    """Retain the record groups with enough that is new, whole: some of the records may be on other pages as well."""
    site = page.site
    if site is None or not site.pages:
        return []
    found = []
    for start, end, items in page.records:
        texts = range(bisect_left(site.places, start), bisect_left(site.places, end))
        lengths = site.lengths[texts.start : texts.stop]
        share = sum(map(mul, lengths, site.new[texts.start : texts.stop])) / max(1, sum(lengths))
        if share >= limits.new:
            reason = f"{items} records, {share:.0%} of their text is new on this site"
            root = start
            while root < end:
                found.append(Retained(root, reason, "site_veto"))
                root = page.end[root]
    return found


class _Veto:
    def __init__(self, page: Page, site: Judgement, limits: SiteVeto) -> None:
        self.page, self.site, self.limits = page, site, limits
        self.lengths = site.lengths
        self.new = list(map(mul, site.lengths, site.new))
        self.all_new = sum(self.new)

    def vetoed(self) -> Iterator[Retained]:
        """What comes back."""
        taken = self._retained()
        pools: dict[tuple[bool, int], list[_Part]] = defaultdict(list)
        whole: dict[int, list[int]] = {}
        hints, symbols = self.page.hints, self.page.symbols
        for start, end, rule, _ in self.page.removed:
            by_position = rule in self.page.by_position
            if by_position and self.limits.silent:
                for silent in self._without_text(start, end, taken):
                    yield Retained(
                        silent, "has no text that other pages of this site could have", "site_veto"
                    )
            # what a form offers to choose from differs from page to page and is no content
            if rule not in _EXEMPT and start < end and not hints[start] & CONTROL:
                for part in self._parts(start, end, taken):
                    pools[by_position, symbols[part.start]].append(part)
                    whole[part.start] = list(self._untaken(part, taken))
            taken[start:end] = b"\x01" * (end - start)
        for (by_position, _), parts in pools.items():
            texts = [text for part in parts for text in part.texts]
            share = self._share(texts)
            if (
                share >= self.limits.position_new
                if by_position
                else share >= self.limits.new and self._is_much(texts, share, len(parts))
            ):
                reason = f"{share:.0%} of its text is new on this site"
            elif share >= self.limits.kept_new and self._kept(texts) >= self.limits.kept:
                reason = "stays on other pages of this site"
            else:
                continue
            for part in parts:
                for root in whole[part.start]:
                    yield Retained(root, reason, "site_veto")

    def _retained(self) -> bytearray:
        """A byte for each node, 1 where other rules let it stay."""
        mask = bytearray(self.page.size)
        for part in self.page.retained:
            stop = self.page.end[part.root]
            mask[part.root : stop] = b"\x01" * (stop - part.root)
        return mask

    def _parts(self, start: int, end: int, taken: bytearray) -> Iterator[_Part]:
        """The whole parts of a removal that have something new, with the texts of their own."""
        ends, places, new = self.page.end, self.site.places, self.site.new
        node, low = start, bisect_left(places, start)
        if new.find(1, low, bisect_left(places, end, low)) < 0:
            return
        while node < end:
            stop = ends[node]
            if stop > end:  # goes on after what was removed
                node += 1
                continue
            low = bisect_left(places, node, low)
            high = bisect_left(places, stop, low)
            if new.find(1, low, high) >= 0:
                texts = [text for text in range(low, high) if not taken[places[text]]]
                if texts:
                    yield _Part(node, stop, texts)
            node = stop

    def _without_text(self, start: int, end: int, taken: bytearray) -> Iterator[int]:
        """The whole parts of a removal that say nothing: pictures, above all."""
        ends, places = self.page.end, self.site.places
        node = start
        while node < end:
            stop = ends[node]
            if stop > end:
                node += 1
                continue
            if bisect_left(places, node) == bisect_left(places, stop) and not taken[node]:
                yield node
            node = stop

    def _share(self, texts: list[int]) -> float:
        size = sum(self.lengths[text] for text in texts)
        return sum(self.new[text] for text in texts) / size if size else 0.0

    def _is_much(self, texts: list[int], share: float, parts: int) -> bool:
        limits, in_link, places = self.limits, self.page.in_link, self.site.places
        if sum(self.new[text] for text in texts) >= limits.most * self.all_new:
            return True
        if share < limits.named_new:
            return False
        unlinked = sum(self.new[text] for text in texts if not in_link[places[text]])
        least = 0.0 if parts >= limits.fields else limits.named_share * self.all_new
        return bool(unlinked >= max(limits.named_characters, least))

    def _kept(self, texts: list[int]) -> float:
        """How much of what is at the same tag paths the other pages kept; 0 where they have few of these."""
        kept = known = size = 0.0
        of = self.site.kept
        for text in texts:
            size += self.lengths[text]
            share = of(text)
            if share >= 0:
                known += self.lengths[text]
                kept += share * self.lengths[text]
        return kept / known if known >= self.limits.known * size > 0 else 0.0

    def _untaken(self, part: _Part, taken: bytearray) -> Iterator[int]:
        """The largest parts of a part of which nothing was taken before."""
        ends = self.page.end
        node = part.start
        while node < part.stop:
            stop = ends[node]
            if taken.find(1, node, stop) < 0:
                yield node
                node = stop
            else:
                node = node + 1 if taken.find(0, node, stop) >= 0 else stop
