"""What other pages of a site say about parts of a page: those that have it all, and those where it is new."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import TypeAlias

    from scrapy_tps.engine.loops import view
    from scrapy_tps.engine.site import Judgement, SiteTexts
    from scrapy_tps.engine.strategies.auto.site_thresholds import SiteVeto, Template

    _Part: TypeAlias = tuple[int, int, int, int, int, int, int, int, int]

#: Why a part comes back: much of it is new, it stays on other pages, or it says nothing.
NEW: Final = 0
STAYS_ELSEWHERE: Final = 1
SILENT: Final = 2


def repeated_parts(
    page: view.View,
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
    before_room = page.numbers_of(texts.before)
    before = before_room.values
    # before each text: characters, those that are new, those that are alive, and of these those that are repeated
    all_room, new_room = page.numbers(count), page.numbers(count)
    living_room, repeated_room = page.numbers(count), page.numbers(count)
    all_before, new_before = all_room.values, new_room.values
    living_before, repeated_before = living_room.values, repeated_room.values
    found: list[tuple[int, int, int]] = []
    for text in range(count):
        length = lengths[text]
        all_before[text + 1] = all_before[text] + length
        new_before[text + 1] = new_before[text] + length * new[text]
        length = length * alive[places[text]]
        living_before[text + 1] = living_before[text] + length
        repeated_before[text + 1] = repeated_before[text] + length * repeated[text]
    if repeated_before[count] < least or new_before[count] < least_new * all_before[count]:
        return found, living_before[count]
    inside = bytearray(size)
    for start, stop, _ in records:
        low, high = before[start], before[stop]
        if new_before[high] - new_before[low] >= least_new * (all_before[high] - all_before[low]):
            page.fill(inside, start, stop, 1)
    inside_room = page.sums_of(inside)
    inside_before = inside_room.values
    node = 1
    while node < size:
        stop = end[node]
        low, high = before[node], before[stop]
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


def vetoed(
    page: view.View,
    site: Judgement,
    texts: SiteTexts,
    removed: Sequence[Sequence[Any]],
    retained: Sequence[Sequence[Any]],
    rules: tuple[Collection[str], Collection[str]],
    muted: int,
    limits: SiteVeto,
) -> list[tuple[int, int, float]]:
    """Return the roots of what comes back of removals, why, and how much of it is new.

    Parts with the same tag path are weighed together: what stands in every record is as much as all of it.

    :param retained: the parts that stay, by their roots.
    :param rules: those that go by position; those whose removals do not matter.
    :param muted: nor do those that start with one of these hints.
    """
    found: list[tuple[int, int, float]] = []
    if limits.silent:
        found += [
            (root, SILENT, 0.0) for root in _silent_parts(page, texts.before, removed, retained, rules[0])
        ]
    least = min(limits.position_new, limits.new, limits.kept_new)
    parts, owners = _new_parts(page, texts, removed, retained, rules, muted, least)
    if not parts:
        return found
    pools: dict[int, list[_Part]] = {}
    for part in parts:
        pools.setdefault(part[0], []).append(part)
    back: dict[int, list[tuple[_Part, int, float]]] = {}  # by the number of the removal
    for pool, alike in pools.items():
        size = new = unlinked = 0
        for _, _, _, _, _, _, own_size, own_new, own_unlinked in alike:
            size += own_size
            new += own_new
            unlinked += own_unlinked
        share = new / size if size else 0.0
        if pool & 1:
            enough = share >= limits.position_new
        else:
            enough = share >= limits.new and _is_much(site, len(alike), new, unlinked, share, limits)
        if enough:
            why = NEW
        elif share >= limits.kept_new and _kept(texts, owners, alike, limits.known) >= limits.kept:
            why = STAYS_ELSEWHERE
        else:
            continue
        for part in alike:
            back.setdefault(part[1], []).append((part, why, share))
    if back:
        _whole(page, removed, retained, back, found)
    return found


def _is_much(site: Judgement, parts: int, new: int, unlinked: int, share: float, limits: SiteVeto) -> bool:
    """Whether parts hold much of what is new on the page, or enough outside of links."""
    if site.is_share_of_new(new, limits.most):
        return True
    if share < limits.named_new or unlinked < limits.named_characters:
        return False
    return parts >= limits.fields or site.is_share_of_new(unlinked, limits.named_share)


def _kept(texts: SiteTexts, owners: view.Numbers, parts: list[_Part], least: float) -> float:
    """How much of what is at the same tag paths the other pages kept; 0 where they have few of these."""
    values = owners.values
    wanted: list[int] = []
    for part in parts:
        _, number, _, _, low, high, _, _, _ = part
        owner = number + 1
        wanted += [text for text in range(low, high) if values[text] == owner]
    size, known, kept = texts.amounts_kept(wanted)
    return kept / known if known >= least * size > 0 else 0.0


def _whole(
    page: view.View,
    removed: Sequence[Sequence[Any]],
    retained: Sequence[Sequence[Any]],
    back: dict[int, list[tuple[_Part, int, float]]],
    found: list[tuple[int, int, float]],
) -> None:
    """Add what comes back of parts: the largest parts of them of which nothing was taken before."""
    end = page.end
    taken = bytearray(page.size)
    noted = 0
    for kept in retained:
        root = kept[0]
        page.fill(taken, root, end[root], 1)
    for number in sorted(back):
        while noted < number:
            first, last = removed[noted][0], removed[noted][1]
            if first < last:
                page.fill(taken, first, last, 1)
            noted += 1
        for part, why, share in back[number]:
            _, _, node, stop, _, _, _, _, _ = part
            while node < stop:
                after = end[node]
                some = _count(taken, node, after)
                if not some:
                    found.append((node, why, share))
                    node = after
                else:
                    node = node + 1 if some < after - node else after


def _count(mask: bytearray, low: int, high: int) -> int:
    """The nodes in [low, high) whose byte is 1."""
    some = 0
    for node in range(low, high):
        some += mask[node]
    return some


def _new_parts(
    page: view.View,
    texts: SiteTexts,
    removed: Sequence[Sequence[Any]],
    retained: Sequence[Sequence[Any]],
    rules: tuple[Collection[str], Collection[str]],
    muted: int,
    least: float,
) -> tuple[list[_Part], view.Numbers]:
    """Return the whole parts of removals of which enough may be new, and for each text the removal that takes it.

    Of each part: its pool, which are those with the same tag path, odd where they went by position; the number of its
    removal; start and end; the first and, excluded, the last of its texts; characters that no earlier removal takes and
    that do not stay, those of them that are new, and those outside of links besides.

    Of each text: the number of the first removal that has it, from 1 on; 0 without one, -1 where it stays.

    :param retained: the parts that stay, by their roots.
    :param rules: those that go by position; those whose removals do not matter.
    :param muted: nor do those that start with one of these hints.
    :param least: pools of which a smaller share is new do not matter.
    """
    place_room, length_room = page.numbers_of(texts.places), page.numbers_of(texts.lengths)
    places, lengths, new = place_room.values, length_room.values, bytearray(texts.new)
    before_room = page.numbers_of(texts.before)
    before = before_room.values
    by_position, exempt = rules
    end, hints, symbols, in_link, count = page.end, page.hints, page.symbols, page.in_link, len(new)
    owner_room = page.numbers(count)
    size_room, fresh_room = page.numbers(2 * page.symbol_count), page.numbers(2 * page.symbol_count)
    owners, size_of, fresh_of = owner_room.values, size_room.values, fresh_room.values
    found: list[_Part] = []
    for part in retained:
        root = part[0]
        for text in range(before[root], before[end[root]]):
            owners[text] = -1
    odd = skipped = 0
    known = None  # the rule before: most removals are of the same one
    for number in range(len(removed)):
        node, stop, rule = removed[number][0], removed[number][1], removed[number][2]
        if rule is not known:
            known, skipped, odd = rule, rule in exempt, rule in by_position
        first, last = before[node], before[stop]
        low = last if skipped or node >= stop or hints[node] & muted else first
        while node < stop and low < last:
            after = end[node]
            if after > stop:  # it goes on after what was removed
                node += 1
                continue
            low, high = before[node], before[after]
            size = fresh = unlinked = some = own = 0
            for text in range(low, high):
                some |= new[text]
                if not owners[text]:
                    own = 1
                    length = lengths[text]
                    size += length
                    if new[text]:
                        fresh += length
                        if not in_link[places[text]]:
                            unlinked += length
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


def _silent_parts(
    page: view.View,
    texts_before: Sequence[int],
    removed: Sequence[Sequence[Any]],
    retained: Sequence[Sequence[Any]],
    rules: Collection[str],
) -> list[int]:
    """Return the whole parts of removals that have no text, stay in no case and went with no earlier removal.

    :param texts_before: for each node and the end of the page, the number of texts before it.
    :param retained: the parts that stay, by their roots.
    :param rules: those whose removals matter.
    """
    before_room = page.numbers_of(texts_before)
    before = before_room.values
    end = page.end
    taken = None  # most pages have none that might come back
    found: list[int] = []
    noted = 0
    matters = 0
    known = None  # the rule before
    for number in range(len(removed)):
        rule = removed[number][2]
        if rule is not known:
            known, matters = rule, rule in rules
        if not matters:
            continue
        node, stop = removed[number][0], removed[number][1]
        while node < stop:
            after = end[node]
            if after > stop:  # it goes on after what was removed
                node += 1
                continue
            if before[node] == before[after]:
                if taken is None:
                    taken = bytearray(page.size)
                    for part in retained:
                        root = part[0]
                        page.fill(taken, root, end[root], 1)
                while noted < number:
                    first, last = removed[noted][0], removed[noted][1]
                    if first < last:
                        page.fill(taken, first, last, 1)
                    noted += 1
                if not taken[node]:
                    found.append(node)
            node = after
    return found
