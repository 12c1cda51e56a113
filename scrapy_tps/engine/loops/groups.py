"""Record groups, doubts about them, and their headings."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeAlias

    from scrapy_tps.engine import arrays
    from scrapy_tps.engine.loops import columns
    from scrapy_tps.engine.strategies.auto.thresholds import Groups

    #: Rank (the best is the smallest), start, end, items, weight and score of a group.
    Ranked: TypeAlias = tuple[float, int, int, int, float, float]


class GroupSearch:
    """Finds the record groups of a page; see :func:`scrapy_tps.engine.strategies.auto.record_lists.record_groups`.

    :param alive: a byte for each node, 0 if it counts as absent.
    :param doubtful: a byte for each node, 1 inside parts with cues; `main` to `main_end` hold the main content.
    :param least_weight: groups of at least this weight are protected.
    """

    def __init__(
        self,
        page: columns.Columns,
        alive: bytearray,
        doubtful: bytearray,
        main: int,
        main_end: int,
        least_weight: float,
        limits: Groups,
    ) -> None:
        self.page, self.alive, self.doubtful = page, alive, doubtful
        self.main, self.main_end = main, main_end
        self.least_weight, self.suspect = least_weight, limits.suspect
        self.least_nodes, self.min_symbols, self.rich = limits.least_nodes, limits.min_symbols, limits.rich
        self.similar, self.related = limits.similar, limits.related
        self.related_symbols = limits.related_symbols
        self.pair_similar, self.pair_symbols = limits.pair_similar, limits.pair_symbols
        self.pair_weight, self.pair_score = limits.pair_weight, limits.pair_score
        self.median_weight, self.weight_per_character = limits.median_weight, limits.weight_per_character
        self.sets: arrays.TagSets | None = None  # most pages have parts that may hold records, but not all
        # for each tag path, the place of its first child in the list, from 1 on; for each of these, the first and the
        # last child, and how many have enough weight; for each child, the next one of its tag path
        size, tags = self.page.size, self.page.tag_count
        make = self.page.arrays
        self.following, self.run = make.numbers(size, False), make.numbers(size, False)
        self.place, self.listed = make.numbers(tags), make.numbers(tags, False)
        self.last, self.rich_children = make.numbers(tags, False), make.numbers(tags, False)
        self.first: Ranked | None = None
        self.protected: list[Ranked] = []

    def groups(self) -> tuple[Ranked | None, list[Ranked]]:
        """Return (rank, start, end, items, weight, score) of the best group, and of all that are protected."""
        page = self.page
        end, weights, alive, least_nodes = page.end, page.weight_before, self.alive, self.least_nodes
        least = 1.9 * self.median_weight  # weight of two items, with more tolerance than rounding needs
        above = 0
        while above < page.size:
            stop = end[above]
            if stop - above < least_nodes or weights[stop] - weights[above] < least:
                above = stop  # inner parts have even less
                continue
            if alive[above] and end[above + 1] < stop:
                self._children(above)
            above += 1
        return self.first, self.protected

    def _children(self, above: int) -> None:
        """Look for groups among the children of a node: by tag path."""
        page = self.page
        end, tags, weights, is_text, alive = page.end, page.tags, page.weight_before, page.is_text, self.alive
        place, following = self.place.values, self.following.values
        listed, last, rich = self.listed.values, self.last.values, self.rich_children.values
        median = self.median_weight
        count = 0
        child, stop = above + 1, end[above]
        while child < stop:
            after = end[child]
            if alive[child] and not is_text[child]:
                which = place[tags[child]] - 1
                if which < 0:
                    which = count
                    listed[which] = child
                    rich[which] = 0
                    count += 1
                    place[tags[child]] = count
                else:
                    following[last[which]] = child
                last[which] = child
                if weights[after] - weights[child] >= median:
                    rich[which] += 1
            child = after
        for which in range(count):
            child = listed[which]
            place[tags[child]] = 0
            # half of a group's items have the median weight; both items of a pair have more
            if last[which] != child and rich[which] > 1:
                self._runs(child, last[which])

    def _runs(self, child: int, last: int) -> None:
        """Cut siblings of one tag path between unrelated neighbours."""
        page, sets = self.page, self.sets
        if sets is None:
            sets = self.sets = page.arrays.tag_sets(page.parent, page.tags, page.size, self.alive)
        following, run = self.following.values, self.run.values
        run[0] = child
        count, similar = 1, 0
        while child != last:
            before = child
            child = following[child]
            common, both = sets.common(before, child), sets.both(before, child)
            if common >= self.similar * both:
                similar += 1
            elif not (
                common >= self.related * both and common >= self.related_symbols
            ) and not page.of_one_class(before, child):
                self._add(count, similar)
                count = similar = 0
            run[count] = child
            count += 1
        self._add(count, similar)

    def _add(self, count: int, similar: int) -> None:
        """Add a run of so many siblings, some of them similar to the previous one, if it is a group."""
        page, sets, run = self.page, self.sets, self.run.values
        end, weights, texts = page.end, page.weight_before, page.text_before
        if sets is None or count < 2 or similar < (2 if count > 2 else 1):
            return
        median_weight, pair_weight = self.median_weight, self.pair_weight
        total = chars = 0.0
        poor = poor_of_pair = 0
        for number in range(count):
            item = run[number]
            stop = end[item]
            weight = weights[stop] - weights[item]
            total += weight
            chars += texts[stop] - texts[item]
            poor += weight < median_weight
            poor_of_pair += weight < pair_weight
        if total < self.weight_per_character * chars:
            return
        if count == 2:
            both = sets.both(run[0], run[1])
            if (
                both < self.pair_symbols
                or sets.common(run[0], run[1]) < self.pair_similar * both
                or poor_of_pair
                or not page.of_one_class(run[0], run[1])
            ):
                return
        elif poor > count // 2:  # the item in the middle is one of them
            return
        symbols = sets.in_all(self.run, count)
        if symbols < self.min_symbols:
            return
        score = total * min(symbols, self.rich)
        if count == 2:
            score *= self.pair_score
        self._rank(run[0], end[run[count - 1]], count, total, score)

    def _rank(self, start: int, stop: int, count: int, total: float, score: float) -> None:
        """Compare a group with the best one so far, and list it if it is to be protected."""
        doubtful = self.doubtful[start] != 0
        rank = -score
        if doubtful and self.doubtful[stop - 1]:
            rank *= self.suspect
        if not self.main <= start < self.main_end:
            rank *= self.suspect
        ranked = rank, start, stop, count, total, score
        if self.first is None or ranked < self.first:
            self.first = ranked
        if total >= self.least_weight and not doubtful:
            self.protected.append(ranked)


def suspects(
    page: columns.Columns, soft: int, main: int, first_heading: int, largest_share: float
) -> bytearray:
    """Return a byte for each node, 1 inside parts with cues that hold neither main element nor heading."""
    end, cues, cued, weights = page.end, page.cues, page.cued, page.weight_before
    found = bytearray(page.size)
    largest = largest_share * weights[page.size]
    room = page.arrays.numbers(page.cued_count)
    mains = room.values
    count = 0
    for number in range(page.cued_count):
        index = cued[number]
        if cues[index] & main:
            mains[count] = index
            count += 1
    after = place = 0
    for number in range(page.cued_count):
        index = cued[number]
        if index >= after and cues[index] & soft:
            stop = end[index]
            while place < count and mains[place] < index:
                place += 1
            if (
                weights[stop] - weights[index] <= largest
                and not index <= first_heading < stop
                and not (place < count and mains[place] < stop)
            ):
                page.arrays.fill(found, index, stop, 1)
                after = stop
    return found


def record_titles(
    page: columns.Columns,
    start: int,
    whole: int,
    subheading: int,
    facts: int,
    longest: float,
    first_heading: int,
) -> list[tuple[int, int]]:
    """Return (start, end) of headings next to the ancestors of a group's start, and of a short line right above it,
    which has no cues except these of facts.

    :param whole: the start, or the table whose header row is above it: the line is above that.
    """
    parent, end, cues, texts, alive = page.parent, page.end, page.cues, page.text_before, page.alive
    is_text, in_link = page.is_text, page.in_link
    found: list[tuple[int, int]] = []
    titled = False
    inner, above = start, parent[start]
    while above >= 0:
        child, title = above + 1, -1
        while child < inner:
            stop = end[child]
            if cues[child] & subheading:
                found.append((child, stop))
            if alive[child] and texts[stop] > texts[child]:
                title = child
            child = stop
        if title >= 0 and not titled and inner <= whole:
            titled = True
            stop = end[title]
            if texts[stop] - texts[title] <= longest and not cues[title] & ~facts and first_heading < 0:
                count = 0
                for node in range(title, stop):
                    count += is_text[node] + 2 * in_link[node]
                if count == 1:
                    found.append((title, stop))
        inner, above = above, parent[above]
    return found
