"""Parts of a page: lists of links, surroundings of records, small sides of uneven splits, parts that always stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.loops import columns
    from scrapy_tps.engine.strategies.auto.thresholds import LinkLists, OwnParts, SplitSides


def link_lists(
    page: columns.Columns, limits: LinkLists, links: Sequence[int], whole: set[int], plain: bytearray
) -> list[tuple[int, int, int]]:
    """Return (index, end, links) of lists of short links whose markup occurs nowhere else, except in other such lists
    if all of them together hold little.

    :param links: all links of the page, in document order.
    :param whole: elements that are removed only with what is around them.
    :param plain: a byte for each symbol, 1 for elements that may occur elsewhere if the list is at the page's end, or
        has twice as many links; then texts may, too, half as often as links, with the same classes around them.
    """
    tags, is_text, symbols, size = page.tags, page.is_text, page.symbols, page.size
    alive, weights, texts = page.alive, page.weight_before, page.text_before
    found: list[tuple[int, int, int]] = []
    lists = _short_link_lists(page, limits, links, whole)
    if not lists:
        return found
    rest, together, after = bytearray(page.alive), 0.0, 0
    alike: dict[int, int] = {}  # links of all lists, by the symbol of the first one of each
    for index, stop, count in lists:
        if index >= after:
            page.arrays.fill(rest, index, stop, 0)
            together += weights[stop] - weights[index]
            after = stop
            link = symbols[_first_of(page.in_link, index)]
            alike[link] = alike.get(link, 0) + count
    others = together <= limits.together * weights[size]
    rest = rest if others else page.alive
    tally, total_room = page.tally(), page.arrays.numbers(page.symbol_count)
    seen, first, last, total = tally.count.values, tally.first.values, tally.last.values, total_room.values
    tally.take(0, size, rest, 0)
    for place in range(size):
        total[symbols[place]] += rest[place]
    budget, after = limits.visits_per_node * size, 0
    for index, stop, count in lists:
        if index < after:
            continue
        place, fields, own, several = index, 0, 0, count
        if others:
            own, several = count, max(count, alike.get(symbols[_first_of(page.in_link, index)], 0))
        few = (several < 2 * limits.links) & (texts[size] - texts[stop] > limits.edge * texts[size])
        while place < stop:
            tag = tags[place]
            if (
                alive[place]
                and seen[tag]
                and not index <= first[tag] <= last[tag] < stop
                and (
                    few
                    or (
                        not plain[symbols[place]]
                        and (not is_text[place] or 2 * (total[symbols[place]] + own) > 3 * count)
                    )
                )
            ):
                break
            fields += is_text[place]
            place += 1
        budget -= place - index + 1
        if place == stop and fields < limits.fields * count:
            found.append((index, stop, count))
            after = stop
        elif budget < 0:
            break
    return found


def _first_of(mask: bytes | bytearray, place: int) -> int:
    """Return the first node of a mask, which exists, from a place on."""
    while not mask[place]:
        place += 1
    return place


def _short_link_lists(
    page: columns.Columns, limits: LinkLists, links: Sequence[int], whole: set[int]
) -> list[tuple[int, int, int]]:
    """Return (index, end, links) of unprotected parts of short links, also of those in others."""
    least_nodes, least_links = limits.least_nodes, limits.links
    characters, linked_share = limits.characters, limits.link_text
    end, alive, protected, in_link, size = page.end, page.alive, page.protected, page.in_link, page.size
    weights, texts, protections = page.weight_before, page.text_before, page.protection_before
    most = limits.share * weights[size]
    found: list[tuple[int, int, int]] = []
    counts, living = page.arrays.numbers(size), 0
    before = counts.values  # the living links before each node
    link_column = page.arrays.column(links)
    places = page.arrays.integers(link_column)
    for number in range(len(links)):
        index = places[number]
        before[index + 1] = alive[index]
        living += alive[index]
    if living < least_links:
        return found
    for index in range(size):
        before[index + 1] += before[index]
    linked_room, measured = page.arrays.numbers(0), False
    linked = linked_room.values
    index = 1
    while index < size:
        stop = end[index]
        count = before[stop] - before[index]
        if stop - index < least_nodes or count < least_links or (alive[index] and index in whole):
            index = stop  # inner parts have even fewer nodes and links
            continue
        text = texts[stop] - texts[index]
        if (
            alive[index]
            and not in_link[index]
            and not protected[index]
            and text < characters * count
            and weights[stop] - weights[index] <= most
            and protections[stop] == protections[index]
        ):
            if not measured:
                linked_room, measured = page.characters_in_links(), True
                linked = linked_room.values
            is_last = texts[size] - texts[stop] <= limits.edge * texts[size]
            if linked[stop] - linked[index] >= (limits.last_text if is_last else linked_share) * text:
                found.append((index, stop, count))
        index += 1
    return found


def linked_menus(
    page: columns.Columns,
    menu: int,
    links: Sequence[int],
    least_nodes: int,
    limits: OwnParts,
    value_of: Any,
) -> list[tuple[int, int, int]]:
    """Return (index, first, last) of menus of at least two short links, with the range of these links, if the first one
    leads to a part of the page.

    :param links: all links of the page, in document order; `last` is excluded.
    :param value_of: returns an attribute of an element.
    """
    most_links, label = limits.topics, limits.label
    end, cues, cued, texts = page.end, page.cues, page.cued, page.text_before
    link_column, count = page.arrays.column(links), len(links)
    places = page.arrays.integers(link_column)
    found: list[tuple[int, int, int]] = []
    first, asked, leads = 0, -1, False  # nested menus begin with the same link
    for number in range(page.cued_count):
        index = cued[number]
        stop = end[index]
        if not cues[index] & menu or stop - index < least_nodes:  # most are entries
            continue
        while first < count and places[first] < index:
            first += 1
        last = first
        while last < count and places[last] < stop and last - first <= most_links:
            last += 1
        if 2 <= last - first <= most_links and texts[stop] - texts[index] <= label * (last - first):
            if first != asked:
                asked, href = first, value_of(places[first], "href") or ""
                leads = href.startswith("#") and len(href) > 1
            if leads:
                found.append((index, first, last))
    return found


def holds_records(
    page: columns.Columns, part: int, least: int, fields: int, ignored: Sequence[int], linked: bool
) -> bool:
    """Whether a part holds so many siblings of one tag path, with so many texts and, if wanted, a link each.

    :param ignored: elements whose texts do not count.
    """
    parent, end, tags, in_link, stop = page.parent, page.end, page.tags, page.in_link, page.end[part]
    text_room, link_room = page.arrays.numbers(stop - part), page.arrays.numbers(stop - part)
    texts, links = text_room.values, link_room.values
    counted = page.text_mask[part:stop]
    for node in ignored:
        page.arrays.fill(counted, node - part, end[node] - part, 0)
    times: dict[int, int] = {}  # by parent and tag path
    for node in range(stop - 1, part, -1):
        place, above = node - part, parent[node] - part
        texts[place] += counted[place]
        links[place] += in_link[node]
        texts[above] += texts[place]
        links[above] += links[place]
        if texts[place] >= fields and (links[place] or not linked):
            key = above * page.tag_count + tags[node]
            times[key] = times.get(key, 0) + 1
            if times[key] >= least:
                return True
    return least < 1


def small_siblings(
    page: columns.Columns,
    inner: int,
    behind: int,
    before: int,
    share: float,
    links_share: float,
    links_weight: float,
) -> list[tuple[int, int]]:
    """Return (node, small part next to it) for a node and those around it: parts after `behind` or up to `before`."""
    parent, end, alive = page.parent, page.end, page.alive
    weights, texts = page.weight_before, page.text_before
    total = weights[page.size]
    found: list[tuple[int, int]] = []
    above = parent[inner]
    while above >= 0:
        child, stop = above + 1, end[above]
        while child < stop:
            after = end[child]
            weight, text = weights[after] - weights[child], texts[after] - texts[child]
            if (
                child != inner
                and alive[child]
                and text != 0.0
                and (child > behind or after <= before)
                and weight <= (share if weight > links_weight * text else links_share) * total
            ):
                found.append((inner, child))
            child = after
        inner, above = above, parent[above]
    return found


def text_core(page: columns.Columns, share: float, dominance: float, least_prose: float) -> int:
    """Return the smallest part with this share of the page's prose, if it has this share of its weight, or 0."""
    end, proses, weights, is_text = page.end, page.prose_before, page.weight_before, page.is_text
    needed = share * proses[page.size]
    core, child = 0, 1
    if proses[page.size] < least_prose:
        return 0
    while child < end[core]:
        stop = end[child]
        if not is_text[child] and proses[stop] - proses[child] >= needed:
            core = child
            child += 1
        else:
            child = stop
    return core if weights[end[core]] - weights[core] >= dominance * weights[page.size] else 0


def standing_links(page: columns.Columns, links: Sequence[int], least: int, around: float) -> list[int]:
    """Return the living links of so many characters, with at most this share of them outside links in the element
    around."""
    parent, end, alive, lengths, in_link = page.parent, page.end, page.alive, page.text_length, page.in_link
    room = page.arrays.numbers(page.size, False)
    before = room.values
    before[0] = 0
    for index in range(page.size):
        before[index + 1] = before[index] + (0 if in_link[index] else lengths[index])
    found: list[int] = []
    link_column = page.arrays.column(links)
    places = page.arrays.integers(link_column)
    for number in range(len(links)):
        link = places[number]
        if not alive[link]:
            continue
        above, size = parent[link], page.length_of(link, end[link])
        if size >= least and before[end[above]] - before[above] <= around * size:
            found.append(link)
    return found


def leading_links(
    page: columns.Columns, links: Sequence[int], value_of: Any, site: str, is_on_site: Any
) -> list[int]:
    """Return the living links that may lead to another page of a site: references lead to other sites, or within the
    page.

    :param value_of: returns an attribute of an element.
    :param site: how most addresses on the site that name a host begin.
    :param is_on_site: whether an address that may name a host is on the site.
    """
    found: list[int] = []
    for link in links:
        if not page.alive[link]:
            continue
        address = (value_of(link, "href") or "").strip()
        # most addresses have no host
        if (
            address
            and not address.startswith("#")
            and ("//" not in address[:8] or address.startswith(site) or is_on_site(address))
        ):
            found.append(link)
    return found


class Sides:
    """Finds uneven splits of a page with a small side that may be removed; see the rule `split_sides`."""

    def __init__(
        self, page: columns.Columns, first_heading: int, size_ratio: float, limits: SplitSides
    ) -> None:
        self.page, self.first_heading, self.size_ratio = page, first_heading, size_ratio
        self.most_prose, self.least_nodes = limits.prose, limits.least_nodes
        self.budget = limits.visits_per_node * self.page.size
        self.alive = bytearray(self.page.alive)
        self.tally = self.page.tally()
        self.threshold = 0

    def splits(self) -> list[tuple[int, int, int, int, float, float, list[tuple[int, int]]]]:
        """Return (low, border, high, threshold, left, right, parts) of each split, with the parts of its small side."""
        page = self.page
        weights, protections, proses = page.weight_before, page.protection_before, page.prose_before
        found = []
        waiting = [1, page.size]
        while waiting and self.budget > 0:
            high = waiting.pop()
            low = waiting.pop()
            border = self._first_border(low, high)
            if border < 0:
                continue
            left, right = weights[border] - weights[low], weights[high] - weights[border]
            start, stop = (low, border) if left <= right else (border, high)
            if (
                protections[stop] != protections[start]
                or proses[stop] - proses[start] > self.most_prose
                or start <= self.first_heading < stop
            ):
                waiting += [low, border, border, high]
                continue
            found.append((low, border, high, self.threshold, left, right, self._take(start, stop)))
            waiting += [border, high] if left <= right else [low, border]
        return found

    def _take(self, start: int, stop: int) -> list[tuple[int, int]]:
        """Remove the nodes [start, stop), except those that reach beyond: these are ancestors of nodes that stay."""
        page, end, alive = self.page, self.page.end, self.alive
        parts = []
        index = begin = start
        while index < stop:
            if end[index] > stop:
                if begin < index:
                    parts.append((begin, index))
                index += 1
                begin = index
            else:
                index = end[index]
        if begin < stop:
            parts.append((begin, stop))
        for begin, index in parts:
            page.arrays.fill(alive, begin, index, 0)
        return parts

    def _first_border(self, low: int, high: int) -> int:
        """Return the border of the first uneven split, or -1; record its threshold and the visits.

        Tag paths with a frequency above the threshold are intervals from their first to their last place; the page can
        be split at the ends of the merged intervals. Thresholds rise from 0, so the first pass includes all tag paths.
        """
        tally = self.tally
        places = tally.take(low, high, self.alive, self.least_nodes)
        if not places:
            return -1
        active, size = tally.active.values, tally.size
        self.budget -= places + size
        self.threshold = 0
        border = self._border(low, high, size)
        if border >= 0:  # two out of five cases, which need no frequencies
            return border
        count = tally.count.values
        while True:
            least = 0
            for number in range(size):
                if least == 0 or count[active[number]] < least:
                    least = count[active[number]]
            self.threshold = least
            kept = 0
            for number in range(size):
                tag = active[number]
                if count[tag] > least:
                    active[kept] = tag
                    kept += 1
            size = kept
            self.budget -= size
            if size < 2:
                return -1
            border = self._border(low, high, size)
            if border >= 0:
                return border

    def _border(self, low: int, high: int, size: int) -> int:
        """Return the border with uneven sides that the first so many active tag paths allow, or -1."""
        weights, tally = self.page.weight_before, self.tally
        first, last, active = tally.first.values, tally.last.values, tally.active.values
        before = weights[low]
        whole = weights[high] - before
        smallest = (1.0 - self.size_ratio) / 2.0 * whole
        reach = last[active[0]]
        for number in range(size):
            tag = active[number]
            if first[tag] > reach:
                left = weights[reach + 1] - before
                if left <= smallest or whole - left <= smallest:
                    return reach + 1
            if last[tag] > reach:
                reach = last[tag]
        return -1


def kept_always(page: columns.Columns, wanted: int, most_nodes: int, most_chars: int) -> list[int]:
    """Return the parts with one of these cues, with fewer nodes and at most so many characters."""
    end, cues, cued = page.end, page.cues, page.cued
    found: list[int] = []
    for number in range(page.cued_count):
        index = cued[number]
        if (
            cues[index] & wanted
            and end[index] - index < most_nodes
            and page.length_of(index, end[index]) <= most_chars
        ):
            found.append(index)
    return found


def has_text_beside(page: columns.Columns, kept: list[Any]) -> bool:
    """Return whether any text is alive outside of these parts (root, …), or the page has none."""
    end, lengths = page.end, page.text_length
    left = bytearray(page.alive)
    for part in kept:
        root = part[0]
        page.arrays.fill(left, root, end[root], 0)
    some = False
    for index in range(page.size):
        if lengths[index]:
            if left[index]:
                return True
            some = True
    return not some
