"""What is new on the site stays where rules took it that don't look at what it is, or where much of it is new."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from functools import cached_property
from itertools import compress
from operator import mul
from typing import TYPE_CHECKING, Final, NamedTuple

from scrapy_tps.engine.hints.reading import CONTROL
from scrapy_tps.engine.loops import staying
from scrapy_tps.engine.native import compiled
from scrapy_tps.engine.strategies.auto.decisions import Retained

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.engine.site import Judgement
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.site_thresholds import SiteVeto

#: Those that are about what is new on every page, or on none.
_EXEMPT: Final = frozenset({"comments", "repeated", "copy", "template"})

_fill: Final = compiled(staying.fill)
_holding: Final = compiled(staying.holding)


class _Part(NamedTuple):
    """A part that a rule took, and its texts, by their numbers, that no earlier one took.

    :ivar removal: the number of the removal.
    """

    start: int
    stop: int
    texts: list[int]
    removal: int


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

    @cached_property
    def all_new(self) -> int:
        """The new characters of the page."""
        return sum(compress(self.lengths, self.site.new))

    def vetoed(self) -> Iterator[Retained]:
        """What comes back."""
        taken = self._retained()
        pools: dict[tuple[bool, int], list[_Part]] = defaultdict(list)
        page, silent = self.page, self.limits.silent
        removed, hints, symbols = page.removed, page.hints, page.symbols
        holding = set(_holding(removed, list(compress(self.site.places, self.site.new))))
        noted = 0  # so many removals are in `taken`
        for number, (start, end, rule, _) in enumerate(removed):
            by_position = rule in page.by_position
            if not (number in holding or (by_position and silent)):
                continue
            _fill(taken, removed[noted:number], 1)
            noted = number
            if by_position and silent:
                for place in self._without_text(start, end, taken):
                    yield Retained(place, "has no text that other pages of this site could have", "site_veto")
            # what a form offers to choose from differs from page to page and is no content
            if number in holding and rule not in _EXEMPT and not hints[start] & CONTROL:
                for found in self._parts(start, end, number, taken):
                    pools[by_position, symbols[found.start]].append(found)
        back: dict[int, list[tuple[_Part, str]]] = defaultdict(list)  # by the number of the removal
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
                back[part.removal].append((part, reason))
        yield from self._whole(back)

    def _retained(self) -> bytearray:
        """A byte for each node, 1 where other rules let it stay."""
        mask, ends = bytearray(self.page.size), self.page.end
        _fill(mask, [(part.root, ends[part.root]) for part in self.page.retained], 1)
        return mask

    def _parts(self, start: int, end: int, number: int, taken: bytearray) -> Iterator[_Part]:
        """The whole parts of a removal that have something new, with the texts of their own."""
        ends, places, new = self.page.end, self.site.places, self.site.new
        node, low = start, bisect_left(places, start)
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
                    yield _Part(node, stop, texts, number)
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
        return self._new_in(texts) / size if size else 0.0

    def _new_in(self, texts: list[int]) -> int:
        new = self.site.new
        return sum(self.lengths[text] for text in texts if new[text])

    def _is_much(self, texts: list[int], share: float, parts: int) -> bool:
        limits, in_link, places = self.limits, self.page.in_link, self.site.places
        if self._new_in(texts) >= limits.most * self.all_new:
            return True
        if share < limits.named_new:
            return False
        unlinked = self._new_in([text for text in texts if not in_link[places[text]]])
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

    def _whole(self, back: dict[int, list[tuple[_Part, str]]]) -> Iterator[Retained]:
        """What comes back of parts: the largest parts of them of which nothing was taken before."""
        taken = self._retained() if back else bytearray()
        noted = 0
        for number in sorted(back):
            _fill(taken, self.page.removed[noted:number], 1)
            noted = number
            for part, reason in back[number]:
                for root in self._untaken(part, taken):
                    yield Retained(root, reason, "site_veto")

    def _untaken(self, part: _Part, taken: bytearray) -> Iterator[int]:
        ends = self.page.end
        node = part.start
        while node < part.stop:
            stop = ends[node]
            if taken.find(1, node, stop) < 0:
                yield node
                node = stop
            else:
                node = node + 1 if taken.find(0, node, stop) >= 0 else stop
