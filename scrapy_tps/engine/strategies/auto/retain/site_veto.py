"""What is new on the site stays where rules took it that don't look at what it is, or where much of it is new."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from itertools import compress
from typing import TYPE_CHECKING, Final, NamedTuple

from scrapy_tps.engine.hints.reading import CONTROL
from scrapy_tps.engine.loops import staying
from scrapy_tps.engine.native import compiled, over_columns
from scrapy_tps.engine.strategies.auto.decisions import Retained

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.engine.site import Judgement, SiteTexts
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.site_thresholds import SiteVeto

#: Those that are about what is new on every page, or on none.
_EXEMPT: Final = frozenset({"comments", "repeated", "copy", "template"})

_fill: Final = compiled(staying.fill)
_new_parts: Final = over_columns(staying.new_parts)
_silent_parts: Final = over_columns(staying.silent_parts)
_texts_taken: Final = over_columns(staying.texts_taken)


class _Part(NamedTuple):
    """A part that a rule took and that has something new.

    :ivar pool: what parts with the same tag path have in common, odd if they went by position.
    :ivar removal: the number of the removal.
    :ivar low, high: its texts, by their numbers.
    :ivar size, new, unlinked: characters that no earlier removal took, those of them that are new, and those outside
        of links besides.
    """

    pool: int
    removal: int
    start: int
    stop: int
    low: int
    high: int
    size: int
    new: int
    unlinked: int


def site_veto(page: Page, limits: SiteVeto) -> list[Retained]:
    """Retain parts of what was removed, see :class:`~scrapy_tps.engine.strategies.auto.site_thresholds.SiteVeto`.

    Parts with the same tag path are weighed together: what stands in every record is as much as all of it.
    """
    site = page.site
    if site is None or not site.pages or not page.removed:
        return []
    texts = site.texts_of(None if limits.silent else page.alive)
    if 1 not in texts.new:
        return []
    return sorted(_Veto(page, site, texts, limits).vetoed())


def new_records(page: Page, limits: SiteVeto) -> list[Retained]:
    """Retain the record groups with enough that is new, whole: some of the records may be on other pages as well."""
    site = page.site
    if site is None or not site.pages:
        return []
    found = []
    texts = site.texts_of()
    for start, end, items in page.records:
        low, high = bisect_left(texts.places, start), bisect_left(texts.places, end)
        lengths = texts.lengths[low:high]
        share = sum(compress(lengths, texts.new[low:high])) / max(1, sum(lengths))
        if share >= limits.new:
            reason = f"{items} records, {share:.0%} of their text is new on this site"
            root = start
            while root < end:
                found.append(Retained(root, reason, "site_veto"))
                root = page.end[root]
    return found


class _Veto:
    def __init__(self, page: Page, site: Judgement, texts: SiteTexts, limits: SiteVeto) -> None:
        self.page, self.site, self.texts, self.limits = page, site, texts, limits
        # what a form offers to choose from differs from page to page and is no content
        self.parts, self.owners = _new_parts(
            page.measured,
            (texts.places, texts.lengths, texts.new),
            page.removed,
            page.retained,
            (page.by_position, _EXEMPT),
            CONTROL,
            min(limits.position_new, limits.new, limits.kept_new),
        )

    def vetoed(self) -> Iterator[Retained]:
        """What comes back."""
        if self.limits.silent:
            yield from self._silent()
        if not self.parts:
            return
        pools: dict[int, list[_Part]] = defaultdict(list)
        for found in map(_Part._make, self.parts):
            pools[found.pool].append(found)
        back: dict[int, list[tuple[_Part, str]]] = defaultdict(list)  # by the number of the removal
        for pool, parts in pools.items():
            size, new = sum(part.size for part in parts), sum(part.new for part in parts)
            share = new / size if size else 0.0
            if (
                share >= self.limits.position_new
                if pool & 1
                else share >= self.limits.new and self._is_much(parts, new, share)
            ):
                reason = f"{share:.0%} of its text is new on this site"
            elif share >= self.limits.kept_new and self._kept(parts) >= self.limits.kept:
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

    def _silent(self) -> Iterator[Retained]:
        """The whole parts of what went by position that say nothing: pictures, above all."""
        page = self.page
        found = _silent_parts(page.measured, self.texts.places, page.removed, page.retained, page.by_position)
        for place in found:
            yield Retained(place, "has no text that other pages of this site could have", "site_veto")

    def _is_much(self, parts: list[_Part], new: int, share: float) -> bool:
        limits, is_share = self.limits, self.site.is_share_of_new
        if is_share(new, limits.most):
            return True
        unlinked = sum(part.unlinked for part in parts)
        if share < limits.named_new or unlinked < limits.named_characters:
            return False
        return len(parts) >= limits.fields or is_share(unlinked, limits.named_share)

    def _kept(self, parts: list[_Part]) -> float:
        """How much of what is at the same tag paths the other pages kept; 0 where they have few of these."""
        page, owners = self.page.measured, self.owners
        texts = [
            text for part in parts for text in _texts_taken(page, owners, part.removal, part.low, part.high)
        ]
        size, known, kept = self.texts.amounts_kept(texts)
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
