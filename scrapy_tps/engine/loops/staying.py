"""What stays in any case, what would be left, and what stands on all pages of a site; parts of masks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from scrapy_tps.engine.loops.view import View
    from scrapy_tps.engine.site import SiteTexts
    from scrapy_tps.engine.strategies.auto.site_thresholds import Template


def kept_always(page: View, wanted: int, most_nodes: int, most_chars: int) -> list[int]:
    """Return the parts with one of these hints, of fewer nodes and of so many characters at most."""
    end, hints, hinted, lengths = page.end, page.hints, page.hinted, page.text_length
    found: list[int] = []
    for number in range(page.hinted_count):
        index = hinted[number]
        if hints[index] & wanted and end[index] - index < most_nodes:
            chars = 0
            for node in range(index, end[index]):
                chars += lengths[node]
            if chars <= most_chars:
                found.append(index)
    return found


def has_text_beside(page: View, kept: list[int]) -> bool:
    """Return whether any text is alive outside of these parts, or the page has none."""
    end, lengths = page.end, page.text_length
    left = bytearray(page.alive)
    for root in kept:
        page.fill(left, root, end[root], 0)
    some = False
    for index in range(page.size):
        if lengths[index]:
            if left[index]:
                return True
            some = True
    return not some


def fill(mask: bytearray, parts: Sequence[Sequence[Any]], byte: int) -> None:
    """Write a byte for all nodes of parts that start with (start, end)."""
    # few nodes are written one by one, more as slices: of a bytearray, as of anything else one would be made first
    few = 16
    unit = bytearray(b"\x01" if byte else b"\x00")
    for part in parts:
        start, end = part[0], part[1]
        if end - start > few:
            mask[start:end] = unit * (end - start)
        else:
            for node in range(start, end):
                mask[node] = byte


def new_parts(
    page: View,
    texts: tuple[Sequence[int], Sequence[int], bytes | bytearray],
    removed: Sequence[Sequence[Any]],
    retained: Sequence[Sequence[Any]],
    rules: tuple[Collection[str], Collection[str]],
    muted: int,
    least: float,
) -> tuple[list[tuple[int, int, int, int, int, int, int, int, int]], Any]:
    """Return the whole parts of removals of which enough may be new, and for each text the removal that takes it.

    Of each part: its pool, which are those with the same tag path, odd where they went by position; the number of its
    removal; start and end; the first and, excluded, the last of its texts; characters that no earlier removal takes and
    that do not stay, those of them that are new, and those outside of links besides.

    Of each text: the number of the first removal that has it, from 1 on; 0 without one, -1 where it stays.

    :param texts: their places, ascending, their lengths, and 1 where one is new.
    :param retained: the parts that stay, by their roots.
    :param rules: those that go by position; those whose removals do not matter.
    :param muted: nor do those that start with one of these hints.
    :param least: pools of which a smaller share is new do not matter.
    """
    place_room, length_room = page.numbers_of(texts[0]), page.numbers_of(texts[1])
    places, lengths, new = place_room.values, length_room.values, bytearray(texts[2])
    by_position, exempt = rules
    end, hints, symbols, in_link, count = page.end, page.hints, page.symbols, page.in_link, len(new)
    owner_room = page.numbers(count)
    size_room, fresh_room = page.numbers(2 * page.symbol_count), page.numbers(2 * page.symbol_count)
    owners, size_of, fresh_of = owner_room.values, size_room.values, fresh_room.values
    found: list[tuple[int, int, int, int, int, int, int, int, int]] = []
    for part in retained:
        root = part[0]
        for text in range(_first_at(places, count, root), _first_at(places, count, end[root])):
            owners[text] = -1
    for number in range(len(removed)):
        node, stop, rule = removed[number][0], removed[number][1], removed[number][2]
        first, last = _first_at(places, count, node), _first_at(places, count, stop)
        low = first
        if node >= stop or hints[node] & muted or rule in exempt:
            low = last
        odd = 1 if rule in by_position else 0
        while node < stop and low < last:
            after = end[node]
            if after > stop:  # it goes on after what was removed
                node += 1
                continue
            while low < last and places[low] < node:
                low += 1
            high = low
            size = fresh = unlinked = some = own = 0
            while high < last and places[high] < after:
                some |= new[high]
                if not owners[high]:
                    own = 1
                    length = lengths[high]
                    size += length
                    if new[high]:
                        fresh += length
                        if not in_link[places[high]]:
                            unlinked += length
                high += 1
            if some and own:
                pool = 2 * symbols[node] + odd
                size_of[pool] += size
                fresh_of[pool] += fresh
                found.append((pool, number, node, after, low, high, size, fresh, unlinked))
            node, low = after, high
        for text in range(first, last):
            if not owners[text]:
                owners[text] = number + 1
    found = [part for part in found if fresh_of[part[0]] >= least * size_of[part[0]]]
    return found, owner_room


def silent_parts(
    page: View,
    texts: Sequence[int],
    removed: Sequence[Sequence[Any]],
    retained: Sequence[Sequence[Any]],
    rules: Collection[str],
) -> list[int]:
    """Return the whole parts of removals that have no text, stay in no case and went with no earlier removal.

    :param texts: the places of texts, ascending.
    :param retained: the parts that stay, by their roots.
    :param rules: those whose removals matter.
    """
    place_room = page.numbers_of(texts)
    places, count = place_room.values, len(texts)
    end = page.end
    taken = bytearray(page.size)
    found: list[int] = []
    noted = 0
    for part in retained:
        root = part[0]
        page.fill(taken, root, end[root], 1)
    for number in range(len(removed)):
        if removed[number][2] not in rules:
            continue
        while noted < number:
            node, stop = removed[noted][0], removed[noted][1]
            if node < stop:
                page.fill(taken, node, stop, 1)
            noted += 1
        node, stop = removed[number][0], removed[number][1]
        text = _first_at(places, count, node)
        while node < stop:
            after = end[node]
            if after > stop:  # it goes on after what was removed
                node += 1
                continue
            while text < count and places[text] < node:
                text += 1
            if (text == count or places[text] >= after) and not taken[node]:
                found.append(node)
            node = after
    return found


def texts_taken(page: View, owners: Any, number: int, low: int, high: int) -> list[int]:  # noqa: ARG001 (tells whose numbers they are)
    """Return the texts in [low, high) that a removal is the first to take: see :func:`new_parts`."""
    return [text for text in range(low, high) if owners.values[text] == number + 1]


def repeated_parts(
    page: View,
    texts: SiteTexts,
    records: list[tuple[int, int, int]],
    first_heading: int,
    limits: Template,
) -> tuple[list[tuple[int, int, int]], int]:
    """Return (start, end, characters) of the largest parts of which nearly all text is on all pages made alike.

    None of a page with hardly any text of its own. And return the characters that are alive.

    :param texts: what those pages say of the page's texts.
    :param records: start, end and number of items of each record group: those with something new stay.
    """
    least, share, least_new = limits.characters, limits.repeated, limits.new
    end, alive, size, count = page.end, page.alive, page.size, len(texts.places)
    new, repeated = bytearray(texts.new), bytearray(texts.repeated)
    place_room, length_room = page.numbers_of(texts.places), page.numbers_of(texts.lengths)
    places, lengths = place_room.values, length_room.values
    # before each text: characters, those that are new, those that are alive, and of these those that are repeated
    all_room, new_room = page.numbers(count), page.numbers(count)
    living_room, repeated_room = page.numbers(count), page.numbers(count)
    all_before, new_before = all_room.values, new_room.values
    living_before, repeated_before = living_room.values, repeated_room.values
    found: list[tuple[int, int, int]] = []
    for text in range(count):
        length = lengths[text]
        all_before[text + 1] = all_before[text] + length
        new_before[text + 1] = new_before[text] + (length if new[text] else 0)
        if not alive[places[text]]:
            length = 0
        living_before[text + 1] = living_before[text] + length
        repeated_before[text + 1] = repeated_before[text] + (length if repeated[text] else 0)
    if repeated_before[count] < least or new_before[count] < least_new * all_before[count]:
        return found, living_before[count]
    inside = bytearray(size)
    for start, stop, _ in records:
        low, high = _first_at(places, count, start), _first_at(places, count, stop)
        if new_before[high] - new_before[low] >= least_new * (all_before[high] - all_before[low]):
            page.fill(inside, start, stop, 1)
    inside_room = page.sums_of(inside)
    inside_before = inside_room.values
    node, low = 1, 0
    while node < size:
        while low < count and places[low] < node:  # on to the next text that may go
            low += 1
        stop = end[node]
        high = _first_at(places, count, stop)
        here = repeated_before[high] - repeated_before[low]
        if here < least:
            node = stop
            continue
        length = living_before[high] - living_before[low]
        if (
            alive[node]
            and here >= share * length
            and not node <= first_heading < stop
            and inside_before[stop] == inside_before[node]
        ):
            found.append((node, stop, length))
            node = stop
        else:
            node += 1
    return found, living_before[count]


def _first_at(places: Any, count: int, node: int) -> int:
    """The first of so many ascending places that is not before a node."""
    low = 0
    while low < count:
        middle = (low + count) >> 1
        if places[middle] < node:
            low = middle + 1
        else:
            count = middle
    return low
