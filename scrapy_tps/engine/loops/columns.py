"""The columns of a page under a strategy, with one entry per node, and sums of the texts that no rule has removed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, MutableSequence, Sequence

    from scrapy_tps.engine import arrays as plain


class Columns:
    """The columns of a page: numbers and masks of nodes.

    Attributes whose names end in `column` or `sums` are for Python code, those without are the same memory for the
    loops. Python code may write to `alive` and `protected`, and calls :meth:`measure` afterwards; nothing may be
    replaced or resized.

    :param numbers: parents, ends, symbols, tag paths and text lengths of the nodes: columns of `arrays`.
    :param counts: the numbers of tag paths and of symbols.
    :param cues: 64-bit numbers.
    :param masks: a byte for each node, 1 inside links, and 1 for texts.
    :param weights: the lengths of short and medium texts and of prose, in characters; the weights of a character in
        short texts, and in short, medium and long links.
    :param read_stem: returns the stem of a node's class, None without one.

    :ivar walk: the native walk that the columns were made from, or None.
    :ivar weight_sums, text_sums, prose_sums, protection_sums: weight, characters, characters of prose, and protected
        weight of the living nodes before each node.
    """

    def __init__(
        self,
        arrays: plain.Arrays,
        numbers: tuple[MutableSequence[int], ...],
        counts: tuple[int, int],
        cues: MutableSequence[int],
        masks: tuple[bytearray, bytearray],
        weights: tuple[Any, ...],
        read_stem: Callable[[int], object],
    ) -> None:
        self.arrays, self.read_stem = arrays, read_stem
        self.walk: Any = None
        self.parent_column, self.end_column, self.symbol_column, self.tag_column, self.length_column = numbers
        self.tag_count, self.symbol_count = counts
        self.cue_column = cues
        self.link_mask, self.text_mask = masks
        self.size = len(cues)
        for column in (*numbers, *masks):
            if len(column) != self.size:
                raise ValueError("a column has a number for each node")
        self.parent = self.arrays.integers(self.parent_column)
        self.end = self.arrays.integers(self.end_column)
        self.symbols = self.arrays.integers(self.symbol_column)
        self.tags = self.arrays.integers(self.tag_column)
        self.text_length = self.arrays.integers(self.length_column)
        self.cues = self.arrays.longs(self.cue_column)
        self.in_link, self.is_text = self.link_mask, self.text_mask
        self.short, self.medium, self.prose = weights[:3]
        self.short_text, self.short_link, self.medium_link, self.long_link = weights[3:]
        self.stems: dict[object, int] = {None: 1}  # 0 means not yet known
        self.stem_of = self.arrays.numbers(self.symbol_count)
        self.alive, self.protected = bytearray(b"\x01") * self.size, bytearray(self.size)
        self.weight_sums = self.arrays.room(self.size + 1, "d")
        self.text_sums = self.arrays.room(self.size + 1, "d")
        self.prose_sums = self.arrays.room(self.size + 1, "d")
        self.protection_sums = self.arrays.room(self.size + 1, "d")
        self.weight_before = self.arrays.reals(self.weight_sums)
        self.text_before = self.arrays.reals(self.text_sums)
        self.prose_before = self.arrays.reals(self.prose_sums)
        self.protection_before = self.arrays.reals(self.protection_sums)
        self.cued_column = self.arrays.room(self.size, "i")
        self.cued = self.arrays.integers(self.cued_column)  # the first `cued_count` of them
        self.count_cued()
        self.measure(0)

    def count_cued(self) -> None:
        """List the nodes with cues again."""
        cues, cued, count = self.cues, self.cued, 0
        for index in range(self.size):
            if cues[index]:
                cued[count] = index
                count += 1
        self.cued_count = count

    def correct(self, corrections: Sequence[Sequence[int]]) -> None:
        """Take off and add cues: (node, off, on) each."""
        cues, column, more = self.cues, self.cue_column, False
        for node, off, on in corrections:
            self.check(node, node + 1)
            more = more or (on != 0 and cues[node] == 0)
            column[node] = cues[node] & ~off | on
        if more:
            self.count_cued()

    def measure(self, first: int) -> None:
        """Compute the sums of living nodes again, from a node on."""
        alive, protected, in_link, lengths = self.alive, self.protected, self.in_link, self.text_length
        weights, texts = self.weight_before, self.text_before
        proses, protections = self.prose_before, self.protection_before
        if len(self.alive) != self.size or len(self.protected) != self.size:
            raise ValueError("a mask has been resized")
        weight, text, prose, protection = weights[first], texts[first], proses[first], protections[first]
        for index in range(first, self.size):
            chars = lengths[index]
            if chars and alive[index]:
                if in_link[index]:
                    if chars < self.short:
                        one = chars * self.short_link
                    else:
                        one = chars * (self.medium_link if chars < self.medium else self.long_link)
                else:
                    one = chars * self.short_text if chars < self.short else chars
                    if chars >= self.prose:
                        prose += chars
                weight += one
                text += chars
                if protected[index]:
                    protection += one
            weights[index + 1] = weight
            texts[index + 1] = text
            proses[index + 1] = prose
            protections[index + 1] = protection

    def write(self, mask: bytearray, parts: Sequence[Sequence[Any]], byte: int) -> None:
        """Write a byte for all nodes of parts that start with (start, end) into a mask of the page, and measure."""
        first = self.size
        for part in parts:
            start, end = part[0], part[1]
            self.arrays.fill(mask, start, end, byte)
            if start < first:
                first = start
        self.measure(first)

    def share(self, start: int, end: int) -> float:
        """Return the share of the living weight in nodes [start, end)."""
        self.check(start, end)
        weights = self.weight_before
        total = weights[self.size]
        return (weights[end] - weights[start]) / total if total else 0.0

    def characters_in(self, start: int, end: int, mask: bytes | bytearray) -> int:
        """Return the characters of the nodes in [start, end) whose byte in a mask of the page is 1."""
        self.check(start, end)
        if len(mask) != self.size:
            raise ValueError("a mask has a byte for each node")
        lengths, wanted, found = self.text_length, mask, 0
        for index in range(start, end):
            if wanted[index]:
                found += lengths[index]
        return found

    def characters_linked(self, start: int, end: int) -> int:
        """Return the living characters in links in nodes [start, end)."""
        self.check(start, end)
        lengths, in_link, alive, found = self.text_length, self.in_link, self.alive, 0
        for index in range(start, end):
            if in_link[index] and alive[index]:
                found += lengths[index]
        return found

    def length_of(self, start: int, end: int) -> int:
        """Return the characters of the nodes in [start, end), alive or not."""
        self.check(start, end)
        lengths, found = self.text_length, 0
        for index in range(start, end):
            found += lengths[index]
        return found

    def texts_in(self, start: int, end: int, longest: int) -> list[int]:
        """Return the visible texts of at most so many characters among nodes [start, end), alive or not."""
        self.check(start, end)
        lengths = self.text_length
        return [index for index in range(start, end) if 0 < lengths[index] <= longest]

    def children(self, node: int) -> list[int]:
        """Return the child nodes of a node."""
        self.check(node, node + 1)
        end, found, child = self.end, [], node + 1
        while child < end[node]:
            found.append(child)
            child = end[child]
        return found

    def first_with(self, wanted: int) -> int:
        """Return the first living node with one of these cues, or -1."""
        cues, cued, alive = self.cues, self.cued, self.alive
        for number in range(self.cued_count):
            index = cued[number]
            if cues[index] & wanted and alive[index]:
                return index
        return -1

    def all_with(self, wanted: int) -> list[int]:
        """Return the nodes with one of these cues, in document order."""
        cues, cued, found = self.cues, self.cued, []
        for number in range(self.cued_count):
            index = cued[number]
            if cues[index] & wanted:
                found.append(index)
        return found

    def outermost_with(self, wanted: int) -> list[int]:
        """Return those of them that are in no other one."""
        end, cues, cued, found, after = self.end, self.cues, self.cued, [], 0
        for number in range(self.cued_count):
            index = cued[number]
            if cues[index] & wanted and index >= after:
                found.append(index)
                after = end[index]
        return found

    def any_in(self, places: Sequence[int], start: int, end: int) -> bool:
        """Whether one of these ascending nodes is in [start, end)."""
        return self.arrays.first_from(places, start) < self.arrays.first_from(places, end)

    def between(self, places: MutableSequence[int], start: int, end: int) -> MutableSequence[int]:
        """Return those of these ascending nodes that are in [start, end)."""
        low, high = self.arrays.first_from(places, start), self.arrays.first_from(places, end)
        return places[low:high]

    def around(self, node: int, wanted: int) -> int:
        """Return a node or the nearest one above it with one of these cues, below the body, or 0."""
        self.check(node, node + 1)
        parent, cues = self.parent, self.cues
        while node > 0 and not cues[node] & wanted:
            node = parent[node]
        return node

    def characters_in_links(self) -> plain.Numbers:
        """Return the living characters in links before each node."""
        found, lengths, in_link = self.arrays.numbers(self.size, False), self.text_length, self.in_link
        values, alive = found.values, self.alive
        values[0] = 0
        for index in range(self.size):
            values[index + 1] = values[index] + (lengths[index] if in_link[index] and alive[index] else 0)
        return found

    def are_similar(self, one: int, other: int, most_nodes: int, least_tags: int, least: float) -> bool:
        """Whether two parts, neither larger than so many nodes, share this part of their tag paths (modulo 128).

        Parts with fewer tag paths are not similar to any.
        """
        one_end, other_end = self.end[one], self.end[other]
        if one_end - one > most_nodes or other_end - other > most_nodes:
            return False
        return self.arrays.are_similar(self.tags, one, one_end, other, other_end, least_tags, least)

    def of_one_class(self, one: int, other: int) -> bool:
        """Whether two nodes have classes with the same stem."""
        number = self._stem_number(one)
        return number != 1 and number == self._stem_number(other)

    def _stem_number(self, index: int) -> int:
        """Return a number for the stem of a node's class, 1 without a class."""
        numbers, symbol = self.stem_of.values, self.symbols[index]
        if not numbers[symbol]:
            stem = self.read_stem(index)
            numbers[symbol] = self.stems.setdefault(stem, len(self.stems) + 1)
        return numbers[symbol]

    def removed_with(self, removed: list[Any], wanted: int) -> list[Any]:
        """Return those of some removals, tuples that begin with a node, that start with one of these cues."""
        cues, found = self.cues, []
        for part in removed:
            start = part[0]
            if 0 <= start < self.size and cues[start] & wanted:  # an empty one may be at the end
                found.append(part)
        return found

    def is_removed_with(self, node: int, wanted: int, weak: int) -> bool:
        """Whether the removal around a node has one of these cues, weak ones shifted by so many bits."""
        self.check(node, node + 1)
        parent, cues, alive = self.parent, self.cues, self.alive
        while node > 0 and not alive[node]:
            if (cues[node] | cues[node] >> weak) & wanted:
                return True
            node = parent[node]
        return False

    def spans(
        self, removed: list[Any], retained: list[Any], records: list[Any], pages: list[Any]
    ) -> MutableSequence[int]:
        """Return start, end and owner of runs of nodes, one after the other.

        An owner is the number of the first removal, from 1 on; -1 means records; -2, -3 and so on mean the first,
        second … of the `pages`. `retained` parts have no owner; these and `pages` are tuples that begin with the root.
        Runs without an owner are omitted.
        """
        owners, end = self.arrays.numbers(self.size), self.end
        for number, part in enumerate(removed, 1):
            self._own(owners, part[0], part[1], number)
        owner = owners.values
        for part in retained:
            start = part[0]
            self.check(start, start + 1)
            for index in range(start, end[start]):
                owner[index] = 0
        for part in records:
            self._own(owners, part[0], part[1], -1)
        for number, part in enumerate(pages, 2):
            start = part[0]
            self.check(start, start + 1)
            self._own(owners, start, end[start], -number)
        parts = len(removed) + len(retained) + len(records) + len(pages)
        found = self.arrays.room(3 * (2 * parts + 1), "i")  # each part has two borders at most
        runs, count, low = self.arrays.integers(found), 0, 0
        while low < self.size:
            high, number = low + 1, owner[low]
            while high < self.size and owner[high] == number:
                high += 1
            if number:
                runs[count], runs[count + 1], runs[count + 2] = low, high, number
                count += 3
            low = high
        return found[:count]

    def _own(self, owners: plain.Numbers, start: int, end: int, number: int) -> None:
        """Write a number to the nodes of this part that have none."""
        self.check(start, end)
        owner = owners.values
        for index in range(start, end):
            if not owner[index]:
                owner[index] = number

    def check(self, start: int, end: int) -> None:
        """Raise ``IndexError`` unless this is a span of the page."""
        if not 0 <= start <= end <= self.size:
            raise IndexError("no such nodes in the sequence")

    def tally(self) -> Tally:
        return Tally(self)

    def pairs(self, wanted: int, weak: int) -> plain.Numbers:
        return self.arrays.pairs(self.cued, self.cued_count, self.cues, self.tags, wanted, weak)


class Tally:
    """The tag paths of the living nodes in a part of a page.

    :ivar first, last, count: the first and the last place of each, and its frequency.
    :ivar active: the tag paths in order of appearance, `size` of them.
    """

    def __init__(self, page: Columns) -> None:
        self.page, self.size, self.listed_size = page, 0, 0
        room = self.page.tag_count
        self.first, self.last = self.page.arrays.numbers(room), self.page.arrays.numbers(room)
        self.active, self.listed = self.page.arrays.numbers(room), self.page.arrays.numbers(room)
        self.count = self.page.arrays.numbers(room)

    def take(self, low: int, high: int, alive: bytearray, least: int) -> int:
        """Count nodes [low, high) and return how many are alive, or 0 if fewer than `least`."""
        places = size = 0
        for place in range(low, high):
            places += alive[place]
        if places < least:
            return 0
        tags, first, last, count = self.page.tags, self.first.values, self.last.values, self.count.values
        active, listed = self.active.values, self.listed.values
        for place in range(self.listed_size):
            count[listed[place]] = 0
        for place in range(low, high):
            if alive[place]:
                tag = tags[place]
                if not count[tag]:
                    first[tag] = place
                    active[size] = listed[size] = tag
                    size += 1
                count[tag] += 1
                last[tag] = place
        self.size = self.listed_size = size
        return places


def clear(arrays: plain.Arrays, runs: MutableSequence[int], mask: bytearray) -> None:
    """Write 0 to the bytes of the removed nodes in runs, which :meth:`Columns.spans` returned."""
    run = arrays.integers(runs)
    for number in range(0, len(runs), 3):
        if run[number + 2] > 0:
            arrays.fill(mask, run[number], run[number + 1], 0)
