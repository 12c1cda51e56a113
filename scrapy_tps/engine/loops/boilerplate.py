"""Parts with cues of boilerplate: certain or softer ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_tps.engine.loops import columns
    from scrapy_tps.engine.strategies.auto.thresholds import CertainBoilerplate, MarkedParts, OwnParts


class Boilerplate:
    """Finds certain boilerplate, first from the top, then from the bottom of a page.

    From the bottom, dialogs below the first heading go, regardless of their prose: scripts put them at the end.

    :param bits: sets of cues: certain, soft, at the top, at the bottom; landmarks, consent, main, headings, dialogs,
        hidden, footers, and notices without other cues.
    :param least: the least remaining weight of the page.
    :param enough_prose: on a page with more prose, prose differs from boilerplate.
    :param reason_of: returns the reason of a removal, given its cues and whether it is at the page's edge.
    """

    def __init__(
        self,
        page: columns.Columns,
        bits: tuple[int, ...],
        limits: CertainBoilerplate,
        least: float,
        enough_prose: float,
        reason_of: Callable[[int, bool], str],
    ) -> None:
        self.reason_of = reason_of
        self.reasons: dict[int, str] = {}
        self.sure, self.soft, self.top, self.bottom, self.landmark, self.consent = bits[:6]
        self.main, self.heading, self.dialog, self.hidden, self.footer, self.notice = bits[6:]
        self.page, self.least = page, least
        count = self.page.cued_count
        self.most_sure, self.most_edge, self.most_consent = limits.sure, limits.edge, limits.consent
        self.most_notice, self.most_prose = limits.notice, limits.prose
        self.most_dialog_prose, self.edge_repeats = limits.dialog_prose, limits.edge_repeats
        self.edge_width = limits.edge_width
        self.top_starts, self.bottom_starts = limits.top_starts, limits.bottom_starts
        self.alive = bytearray(self.page.alive)
        self.first_heading = -1
        self.total = self.left = self.page.weight_before[self.page.size]
        self.all_prose = self.page.prose_before[self.page.size]
        self.enough_prose = self.all_prose > enough_prose
        self.removals: list[tuple[int, int, str, str]] = []
        self.doubtful: list[int] = []
        self.mains, self.headings = self.page.all_with(self.main), self.page.all_with(self.heading)
        # for each node with cues, by the number of its tag and cues: how often its tag has its soft cues, and the prose
        # of all outermost nodes of its tag and certain cues
        self.soft_pair, self.times = self.page.pairs(self.soft, 0), self.page.arrays.numbers(count)
        self.sure_pair, self.together = self.page.pairs(self.sure, 0), self.page.arrays.amounts(count)

    def run(self) -> tuple[list[tuple[int, int, str, str]], list[int]]:
        """Return the removals (start, end, rule, reason), and the first nodes of doubtful ones."""
        self._count()
        self._from_top()
        self._from_bottom()
        return self.removals, self.doubtful

    def _count(self) -> None:
        page = self.page
        end, cued, proses = page.end, page.cued, page.prose_before
        soft_pair, sure_pair = self.soft_pair.values, self.sure_pair.values
        times, together = self.times.values, self.together.values
        after = 0
        for number in range(page.cued_count):
            index = cued[number]
            if soft_pair[number] >= 0:
                times[soft_pair[number]] += 1
            if sure_pair[number] >= 0 and index >= after:
                after = end[index]
                together[sure_pair[number]] += proses[after] - proses[index]

    def _from_top(self) -> None:
        page = self.page
        end, cues, cued, texts = page.end, page.cues, page.cued, page.text_before
        all_text = texts[page.size]
        near = self.edge_width * all_text
        inside_main = after = 0
        taken = 0.0
        for number in range(page.cued_count):
            index = cued[number]
            if index < after:
                continue
            cue = cues[index]
            before = texts[index] - taken
            stop = end[index]
            if cue & self.main and stop > inside_main:
                inside_main = stop
            if cue & (self.sure | self.top):
                main = page.any_in(self.mains, index, stop)
                if cue & self.sure and (cue & (self.sure & ~self.landmark) or not main):
                    cap = self.most_edge if cue & self.landmark else self.most_sure
                    if cue & self.consent:
                        cap = self.most_consent
                    if self._take(number, cue & self.sure, min(cap, 1.0), False):
                        after = stop
                        taken += texts[stop] - texts[index]
                        continue
                if (
                    cue & self.top
                    and before <= near
                    and not main
                    and not inside_main > index
                    and texts[index] <= self.top_starts * all_text
                    and not page.any_in(self.headings, index, stop)
                    and self._take(number, cue & self.soft, self.most_edge, True)
                ):
                    after = stop
                    taken += texts[stop] - texts[index]
                    continue
            if cue & self.heading and self.first_heading < 0:
                self.first_heading = index

    def _from_bottom(self) -> None:
        page = self.page
        end, cues, cued, texts = page.end, page.cues, page.cued, page.text_before
        size, count, alive = page.size, page.cued_count, self.alive
        near = self.edge_width * texts[size]
        closing = []  # numbers that sort by the last end first, then the outermost
        for number in range(count):
            index = cued[number]
            wanted = self.bottom | self.dialog if 0 <= self.first_heading < index else self.bottom
            if cues[index] & wanted and alive[index]:
                closing.append((size - end[index]) * (count + 1) + number)
        closing.sort()
        behind = 0
        reached = done = size
        for key in closing:
            number = key % (count + 1)
            index = cued[number]
            stop = end[index]
            if stop > done:
                continue
            if reached > stop:
                behind += page.characters_in(stop, reached, alive)
                reached = stop
            if behind > near:
                break
            cue, cap = cues[index] & self.soft, self.most_edge
            if cues[index] & self.dialog and 0 <= self.first_heading < index:
                cue, cap = self.dialog, self.most_sure
            if (
                not page.any_in(self.mains, index, stop)
                and not index <= self.first_heading < stop
                and texts[index] > self.bottom_starts * texts[size]
                and self._take(number, cue, cap, True)
            ):
                done = index
                reached = min(reached, index)

    def _take(self, number: int, cue: int, cap: float, at_edge: bool) -> bool:
        page = self.page
        index = page.cued[number]
        end = page.end[index]
        weight = page.weight_before[end] - page.weight_before[index]
        if at_edge and not cue & ~self.notice:
            cap = min(cap, self.most_notice)
        if weight > cap * self.total or self.left - weight < self.least:
            return False
        doubtful = False
        if self.enough_prose and not cue & self.consent:
            prose = page.prose_before[end] - page.prose_before[index]
            if at_edge:
                if not cue & (self.footer | self.dialog) and prose > self.most_prose * self.all_prose:
                    return False
            else:
                together = self.together.values[self.sure_pair.values[number]]
                if cue & self.hidden:
                    doubtful = together > self.most_prose * self.all_prose
                elif cue & self.dialog and (
                    together > self.most_prose * self.all_prose
                    or prose > self.most_dialog_prose * self.all_prose
                ):
                    return False
        if (
            at_edge
            and not cue & self.dialog
            and self.times.values[self.soft_pair.values[number]] > self.edge_repeats
        ):
            return False
        page.arrays.fill(self.alive, index, end, 0)
        key = 2 * cue + at_edge
        if key not in self.reasons:
            self.reasons[key] = self.reason_of(cue, at_edge)
        self.removals.append((index, end, "edge" if at_edge else "boilerplate", self.reasons[key]))
        if doubtful:
            self.doubtful.append(index)
        self.left -= weight
        return True


def marked_parts(
    page: columns.Columns,
    bits: tuple[int, ...],
    limits: MarkedParts,
    rich: float,
    poor: float,
    first_heading: int,
    zone_start: int,
    zone_end: int,
    enough_prose: bool,
) -> list[tuple[int, int, int, float]]:
    """Return (index, end, cue, weight) of each part with softer cues that may be removed.

    :param bits: sets of cues: all that count; content, headers, footers, buttons, parts with expected prose, repeated
        parts, main, menus, dialogs; the number of bits by which weak cues are shifted.
    :param rich, poor: the largest shares of parts with more text than links, and of others.
    """
    marked, of_content, header, footer, button, prose_expected, repeated, main, menu, dialog, weak = bits
    edge, edge_width, footer_starts = limits.edge, limits.edge_width, limits.footer_starts
    text_weight, protected_share, titled = limits.text_weight, limits.protected, limits.titled
    most_prose, rare, repeats = limits.prose, limits.frequency, limits.repeats
    parent, end, cues, cued = page.parent, page.end, page.cues, page.cued
    weights, texts = page.weight_before, page.text_before
    proses, protections = page.prose_before, page.protection_before
    size, count = page.size, page.cued_count
    alive, protected = page.alive, page.protected
    all_text, all_protected = texts[size], protections[size] or 1.0
    pair_room, time_room = page.pairs(marked, weak), page.arrays.numbers(count)
    beside_room = page.arrays.amounts(count)
    pairs, times, beside = pair_room.values, time_room.values, beside_room.values
    mains = page.all_with(main)
    for number in range(count):
        index = cued[number]
        pair = pairs[number]
        if pair >= 0 and alive[index]:
            times[pair] += 1
            above = parent[index]
            if above >= 0 and (cues[index] | cues[index] >> weak) & menu:
                beside[pair] += texts[end[above]] - texts[above] - texts[end[index]] + texts[index]
    found: list[tuple[int, int, int, float]] = []
    after = refused = 0
    for number in range(count):
        index = cued[number]
        pair = pairs[number]
        if pair < 0 or index < after or not alive[index] or protected[index]:
            continue
        cue = (cues[index] | cues[index] >> weak) & marked
        if cue & header and (texts[index] > edge_width * all_text or page.around(index, main) > 0):
            cue &= ~header  # it heads a record or a section
        if (cue & dialog and index < refused) or (  # a part of a dialog that is content
            cue & menu and times[pair] > rare and beside[pair] >= titled * times[pair]
        ):
            continue
        if not cue or (zone_start < index < zone_end and not cue & ~of_content):
            continue
        stop = end[index]
        weight, text = weights[stop] - weights[index], texts[stop] - texts[index]
        most = rich if text != 0.0 and weight > text_weight * text else poor
        if (
            cue & footer
            and all_text - texts[stop] <= edge_width * all_text
            and texts[index] > footer_starts * all_text
        ):
            most = max(most, edge)
        share = 1.0
        if cue & button:
            share = limits.button_prose * most_prose
        elif not cue & prose_expected and enough_prose:
            share = most_prose
        if (
            weight <= most * weights[size]
            and proses[stop] - proses[index] <= share * proses[size]
            and times[pair] <= (repeats if cue & repeated else rare)
            and not index <= first_heading < stop
            and protections[stop] - protections[index] < protected_share * all_protected
            and not page.any_in(mains, index, stop)
        ):
            after = stop
            found.append((index, stop, cue, weight))
        elif cue & dialog:
            refused = stop
    return found


def holding(page: columns.Columns, outer: int, inner: int) -> list[int]:
    """Return the nodes with one of the cues `outer` that are or hold one with one of the cues `inner`."""
    end, cues, cued = page.end, page.cues, page.cued
    found: list[int] = []
    nearest = page.size
    for number in range(page.cued_count - 1, -1, -1):
        index = cued[number]
        if cues[index] & inner:
            nearest = index
        if cues[index] & outer and nearest < end[index]:
            found.append(index)
    found.reverse()
    return found


def saying(page: columns.Columns, wanted: int, most: float, linked: float) -> list[int]:
    """Return the outermost parts with one of these cues and at most so many characters, if they have text, at most this
    share of it in links."""
    end, cues, cued, texts = page.end, page.cues, page.cued, page.text_before
    found: list[int] = []
    after = 0
    for number in range(page.cued_count):
        index = cued[number]
        if index < after or not cues[index] & wanted:
            continue
        text = texts[end[index]] - texts[index]
        if text > most:
            continue
        after = end[index]
        if text > 0 and page.characters_in(index, after, page.link_mask) <= linked * text:
            found.append(index)
    return found


def own_parts(
    page: columns.Columns, bits: tuple[int, ...], limits: OwnParts, places: tuple[Any, ...]
) -> list[tuple[int, int, int]]:
    """Return (index, cues, 0) of parts that are content by their structure: the cues that mislead.

    :param bits: sets of cues: all that count; parts that consist of links; those of them that may consist of controls;
        sidebars if there is no article or main, else none; other cues of these; headers and footers; parts
        that show pictures and times; lists of topics; buttons; main.
    :param places: buttons, articles, controls, pictures that are not icons, pictures and times, links.
    """
    read, of_links, of_controls, sidebar, aside, frame, of_pictures, of_topics, button, main = bits
    buttons, articles, controls, figures, shown, links = places
    article_column, in_link = page.arrays.column(articles), page.in_link
    starts = page.arrays.integers(article_column)
    pictures = [place for place in shown if not in_link[place]]
    least_text, least_line, most_linked = limits.text, limits.line, limits.linked
    most_topics, least_topic = limits.topics, limits.topic
    end, cues, cued, texts = page.end, page.cues, page.cued, page.text_before
    linked_room, measured = page.arrays.numbers(0), False
    linked_before = linked_room.values
    found: list[tuple[int, int, int]] = []
    next_article = in_article = in_content = 0  # the ends of the open articles and main elements
    for number in range(page.cued_count):
        index = cued[number]
        cue, after = cues[index], end[index]
        while next_article < len(articles) and starts[next_article] < index:
            in_article = max(in_article, end[starts[next_article]])
            next_article += 1
        off = 0
        if cue & read:
            text = texts[after] - texts[index]
            if cue & button and text >= least_line and page.any_in(buttons, index, index + 1):
                off = button
            content = index < in_article or index < in_content
            if content or cue & sidebar:
                if not measured:
                    linked_room, measured = page.characters_in_links(), True
                    linked_before = linked_room.values
                linked = linked_before[after] - linked_before[index] if text else 0
                if text >= least_text and linked <= most_linked * text:
                    off |= of_links if content else sidebar | aside
                    if cue & (of_controls | sidebar) and page.any_in(controls, index, after):
                        off &= ~(of_controls | sidebar)
                if content and 2 * linked <= text:
                    if index < in_article:
                        off |= frame
                    if cue & of_pictures and page.any_in(pictures, index, after):
                        off |= of_pictures
                    if cue & button and page.any_in(figures, index, after):
                        off |= button
                elif content:
                    count = page.arrays.first_from(links, after) - page.arrays.first_from(links, index)
                    if count <= most_topics and linked < least_topic * count:
                        off |= of_topics if index < in_article else of_topics & (of_links | frame)
                off &= cue
        if off:
            found.append((index, off, 0))
        if cue & main:
            in_content = max(in_content, after)
    return found
