"""Site furniture: what tag, role, hidden state and names mark, removed only with evidence from the sequence."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import lru_cache
from itertools import compress
from typing import TYPE_CHECKING, Final

from scrapy_tps.hints import (
    ASIDE,
    BUTTON,
    COMMENTS,
    CONSENT,
    CONTROL,
    DIALOG,
    FILTER,
    FOOTER,
    FORM,
    HEADER,
    HEADING,
    HIDDEN,
    LANDMARK,
    MAIN,
    MENU,
    NAVIGATION,
    PROMOTION,
    RELATED,
    SIDEBAR,
    SOCIAL,
    WEAK,
)
from scrapy_tps.native import extension
from scrapy_tps.strategies.anchors import unmark_sections
from scrapy_tps.strategies.dialogs import mute_closing_dialogs
from scrapy_tps.strategies.menus import unmark_texts
from scrapy_tps.strategies.notices import settle_hints
from scrapy_tps.strategies.prices import first_price, unmark_around
from scrapy_tps.strategies.promotions import unmark_lists
from scrapy_tps.strategies.protection import SOFT, any_in, protect_records
from scrapy_tps.strategies.recordlists import holds_records
from scrapy_tps.strategies.streams import streamed_into

if TYPE_CHECKING:
    from scrapy_tps.strategies.groups import Group
    from scrapy_tps.strategies.limits import Limits
    from scrapy_tps.strategies.workspace import Workspace

#: Hints that are furniture wherever they stand.
SURE: Final = NAVIGATION | CONTROL | DIALOG | HIDDEN | LANDMARK | CONSENT
_MARKED: Final = SOFT | DIALOG | CONSENT
_TOP: Final = HEADER | MENU | PROMOTION
_BOTTOM: Final = FOOTER | SOCIAL | PROMOTION
#: At the edges, what is nothing but this is small.
_NOTICE: Final = PROMOTION | SOCIAL
#: Marked parts in which prose is no reason to stay.
_PROSE_EXPECTED: Final = FOOTER | LANDMARK | SIDEBAR | ASIDE | RELATED | CONSENT | MENU
#: What may occur as often as it likes outside of records.
_REPEATED: Final = MENU | BUTTON | DIALOG
_REPEATS: Final = 99
#: On a page of one thing, with its reviews or without, what surrounds its heading with this share of the page is
#: about it, and forms, buttons and headers in there belong to it (the options of a product, the teaser of an article).
_ZONE: Final = 0.15
_OF_CONTENT: Final = FORM | BUTTON | HEADER
#: A part is at the page's edge when no more than this share of the text is before or behind it.
_EDGE: Final = 0.03
#: Consent dialogs go up to this share.
_CONSENT_SHARE: Final = 0.95
#: What heads a page starts in this first part of its text, what ends it after the second.
_TOP_STARTS: Final = 0.8
_BOTTOM_STARTS: Final = 0.05
#: The same for footers that are found among the other marked parts.
_FOOTER_STARTS: Final = 0.1
#: Parts at the edge whose markup occurs more often are no edge.
_EDGE_REPEATS: Final = 2
#: Parts with more worth per character are more text than links.
_TEXT_WORTH: Final = 0.6
#: Share of the prose limit that holds for buttons.
_BUTTON_PROSE: Final = 0.3
#: A form around so many records is one to choose from them, or from which page of them to go on.
_LISTED: Final = 5
#: Parts with this share of what is protected stay.
_PROTECTED: Final = 0.5
#: Between the first heading and a `main` element this share of the page is what belongs to the heading.
_TITLE: Final = 0.05
#: Pages with less prose, in characters, have too little to tell anything by.
_ENOUGH_PROSE: Final = 500
#: At least this much worth is left.
_LEAST_WORTH: Final = 100.0
_WORDS: Final = (
    (NAVIGATION, "navigation"),
    (CONTROL, "controls"),
    (DIALOG, "a dialog"),
    (HIDDEN, "hidden"),
    (LANDMARK, "the site's banner or footer"),
    (CONSENT, "a consent notice"),
    (FOOTER, "a footer"),
    (HEADER, "a header"),
    (ASIDE, "an aside"),
    (FORM, "a form"),
    (BUTTON, "a button or not meant for reading"),
    (MENU, "a menu"),
    (SIDEBAR, "a sidebar"),
    (FILTER, "filters"),
    (RELATED, "related content"),
    (SOCIAL, "social media, sign-up or sign-in"),
    (PROMOTION, "a promotion or notice"),
    (COMMENTS, "comments"),
)


_CORE: Final = extension("_furniture")
#: What `_CORE` gets of the above.
_SURE_BITS: Final = (
    SURE,
    SOFT,
    _TOP,
    _BOTTOM,
    LANDMARK,
    CONSENT,
    MAIN,
    HEADING,
    DIALOG,
    HIDDEN,
    FOOTER,
    _NOTICE,
)
_MARKED_BITS: Final = (_MARKED, _OF_CONTENT, FOOTER, BUTTON, _PROSE_EXPECTED, _REPEATED, MAIN, MENU, WEAK)


@lru_cache(maxsize=1000)
def in_words(hint: int) -> str:
    """The words for a node's hints."""
    return " and ".join(words for bit, words in _WORDS if hint & bit)


@lru_cache(maxsize=1000)
def _marked_as(hint: int) -> str:
    return f"marked as {in_words(hint)}"


@lru_cache(maxsize=1000)
def _rule_and_reason(hint: int, at_edge: bool) -> tuple[str, str]:
    reason = _marked_as(hint)
    return ("edge", f"{reason} at the page's edge") if at_edge else ("furniture", reason)


def clear_furniture(page: Workspace, limits: Limits) -> Group | None:
    """Remove what is marked; protect the records. Returns the best record group that is protected."""
    unmark_sections(page)
    unmark_lists(page)
    settle_hints(page, limits)
    sure = _mute_sure(page, limits)
    page.measure()
    if closing := mute_closing_dialogs(page, limits):
        sure += closing
        page.measure()
    best = protect_records(page, limits)
    dominated = best is not None and best.worth >= limits.dominance * page.worths[-1]
    _settle(page, sure, dominated=dominated)
    page.measure()
    unmark_texts(page)
    _remove_marked(page, limits, best)
    page.measure()
    _keep_main(page, limits)
    return best


def _settle(page: Workspace, sure: list[tuple[int, int, bool, bool]], *, dominated: bool) -> None:
    """Put back what is protected, and what is doubtful unless records dominate; the rest has been removed."""
    if page.columns is not None:
        page.removed += _CORE.settle(page.columns, sure, dominated, _rule_and_reason)
        return
    end, protected = page.end, page.protected
    for index, hint, at_edge, doubtful in sure:
        if protected[index] or (doubtful and not dominated):
            page.alive[index : end[index]] = b"\x01" * (end[index] - index)
        else:
            page.removed.append((index, end[index], *_rule_and_reason(hint, at_edge)))


def _mute_sure(page: Workspace, limits: Limits) -> list[tuple[int, int, bool, bool]]:
    """Take out sure furniture before anything is compared: a giant menu would distort every share.

    Returns (index, hints, whether at the page's edge, whether doubtful) of each part; finds the first heading.
    """
    least = max(_LEAST_WORTH, limits.rest * page.worths[-1])
    if page.columns is None:
        return _Muting(page, limits, least).run()
    shares = (
        limits.sure,
        limits.edge,
        limits.prose,
        limits.dialog_prose,
        _EDGE,
        _CONSENT_SHARE,
        _TOP_STARTS,
        _BOTTOM_STARTS,
        _EDGE_REPEATS,
        limits.notice,
    )
    page.first_heading, found = _CORE.Muting(page.columns, _SURE_BITS, shares).run(least, _ENOUGH_PROSE)
    return found  # type: ignore[no-any-return]


class _Muting:
    def __init__(self, page: Workspace, limits: Limits, least: float) -> None:
        self.page, self.limits, self.least = page, limits, least
        self.worths, self.proses = page.worths, page.proses
        self.total = self.left = page.worths[-1]
        self.found: list[tuple[int, int, bool, bool]] = []
        hints, tags, end, proses = page.hints, page.tags, page.end, page.proses
        self.enough_prose = proses[-1] > _ENOUGH_PROSE
        self.frequency = Counter([(tags[index], hints[index] & SOFT) for index in page.all_with(SOFT)])
        self.together: defaultdict[tuple[int, int], float] = defaultdict(float)
        if self.enough_prose:  # else nobody asks
            after = 0
            for index in page.hinted:
                hint = hints[index] & SURE
                if hint and index >= after:
                    after = end[index]
                    self.together[tags[index], hint] += proses[after] - proses[index]
        self.mains = page.all_with(MAIN)
        self.headings = page.all_with(HEADING)

    def run(self) -> list[tuple[int, int, bool, bool]]:
        self._from_top()
        self._from_bottom()
        return self.found

    def _from_top(self) -> None:
        page, limits = self.page, self.limits
        hints, end, texts = page.hints, page.end, page.texts
        near = _EDGE * texts[-1]
        mains = self.mains
        inside_main = after = 0
        taken = 0.0
        for index in page.hinted:
            if index < after:
                continue
            hint = hints[index]
            before = texts[index] - taken
            if hint & MAIN and end[index] > inside_main:
                inside_main = end[index]
            if hint & (SURE | _TOP):
                stop = end[index]
                main = bool(mains) and any_in(mains, index, stop)
                if hint & SURE and (hint & (SURE & ~LANDMARK) or not main):
                    cap = (
                        _CONSENT_SHARE if hint & CONSENT else limits.edge if hint & LANDMARK else limits.sure
                    )
                    if self._take(index, hint & SURE, min(cap, 1.0), at_edge=False):
                        after = stop
                        taken += texts[stop] - texts[index]
                        continue
                if (
                    hint & _TOP
                    and before <= near
                    and not main
                    and not inside_main > index
                    and texts[index] <= _TOP_STARTS * texts[-1]
                    and not any_in(self.headings, index, stop)
                    and self._take(index, hint & SOFT, limits.edge, at_edge=True)
                ):
                    after = stop
                    taken += texts[stop] - texts[index]
                    continue
            if hint & HEADING and page.first_heading < 0:
                page.first_heading = index

    def _from_bottom(self) -> None:
        page = self.page
        hints, end, chars, alive, texts = page.hints, page.end, page.chars, page.alive, page.texts
        closing = [index for index in page.hinted if hints[index] & _BOTTOM and alive[index]]
        closing.sort(key=lambda index: (-end[index], index))
        near = _EDGE * texts[-1]
        behind, reached, done = 0, page.size, page.size
        for index in closing:
            stop = end[index]
            if stop > done:
                continue
            if reached > stop:
                behind += sum(compress(chars[stop:reached], alive[stop:reached]))
                reached = stop
            if behind > near:
                break
            if (
                not any_in(self.mains, index, stop)
                and not index <= page.first_heading < stop
                and texts[index] > _BOTTOM_STARTS * texts[-1]
                and self._take(index, hints[index] & SOFT, self.limits.edge, at_edge=True)
            ):
                done = index
                reached = min(reached, index)

    def _take(self, index: int, hint: int, cap: float, *, at_edge: bool) -> bool:
        page, limits = self.page, self.limits
        end = page.end[index]
        worth = self.worths[end] - self.worths[index]
        if at_edge and not hint & ~_NOTICE:
            cap = min(cap, limits.notice)
        if worth > cap * self.total or self.left - worth < self.least:
            return False
        prose, all_prose = self.proses[end] - self.proses[index], self.proses[-1]
        doubtful = False
        if self.enough_prose and not hint & CONSENT:
            together = self.together[page.tags[index], hint] if not at_edge else prose
            doubtful = bool(hint & HIDDEN) and together > limits.prose * all_prose
            if hint & DIALOG and not hint & HIDDEN and together > limits.prose * all_prose:
                return False
            if hint & DIALOG and not hint & HIDDEN and prose > limits.dialog_prose * all_prose:
                return False
            if at_edge and not hint & (FOOTER | LANDMARK) and prose > limits.prose * all_prose:
                return False
        if at_edge and self.frequency[page.tags[index], hint] > _EDGE_REPEATS:
            return False
        page.alive[index:end] = bytes(end - index)
        self.found.append((index, hint, at_edge, doubtful))
        self.left -= worth
        return True


def _heading_zone(page: Workspace) -> tuple[int, int]:
    """The smallest part around the first heading that holds a good deal of the page."""
    if page.first_heading < 0:
        return 0, 0
    zone = page.parent[page.first_heading]
    while zone > 0 and page.share(zone, page.end[zone]) < _ZONE:
        zone = page.parent[zone]
    return zone, page.end[zone]


def _remove_marked(page: Workspace, limits: Limits, best: Group | None) -> None:
    total = page.worths[-1]
    if not total:
        return
    anchored = best is not None and best.worth >= limits.anchor * total
    rich = limits.anchored if anchored else limits.marked
    poor = limits.anchored_links if anchored else limits.marked_links
    dominated = best is not None and best.worth >= limits.dominance * total
    zone = _heading_zone(page)
    if dominated and best is not None and zone[0] <= best.start < zone[1]:
        zone = (0, 0)  # it is the list that the heading leads to, and no thing above its reviews
    was_alive = bytes(page.alive)
    found = _marked_parts(page, limits, rich, poor, zone)
    # of pages of many items only what is around the heading of one thing is searched
    searched = [part for part in found if zone[0] < part[0] < zone[1]] if dominated else found
    price = first_price(page, searched, was_alive)
    forms = [
        index
        for index, _, hint, _ in found
        if hint == FORM and holds_records(page, index, _LISTED, linked=True)
    ]
    if price >= 0 or forms:
        page.alive[:] = was_alive
        if price >= 0:
            unmark_around(page, price)
        for form in forms:
            page.hints[form] &= ~(FORM | FORM << WEAK)  # type: ignore[index]
        found = _marked_parts(page, limits, rich, poor, zone)
    page.removed += [
        (index, stop, "marked", f"{_marked_as(hint)}; {worth / total:.0%} of the page")
        for index, stop, hint, worth in found
    ]


def _marked_parts(
    page: Workspace, limits: Limits, rich: float, poor: float, zone: tuple[int, int]
) -> list[tuple[int, int, int, float]]:
    """Take out what softer hints mark; returns (index, end, hint, worth) of each part."""
    if page.columns is None:
        return _take_marked(page, limits, rich, poor, zone)
    caps = (
        rich,
        poor,
        limits.edge,
        limits.marked_prose,
        _BUTTON_PROSE * limits.marked_prose,
        _TEXT_WORTH,
        _EDGE,
        _FOOTER_STARTS,
        _PROTECTED,
        limits.frequency,
        _REPEATS,
        limits.titled,
    )
    return _CORE.take_marked(  # type: ignore[no-any-return]
        page.columns, _MARKED_BITS, caps, page.first_heading, zone, page.proses[-1] > _ENOUGH_PROSE
    )


def _take_marked(
    page: Workspace, limits: Limits, rich: float, poor: float, zone: tuple[int, int]
) -> list[tuple[int, int, int, float]]:
    end, tags, alive, protected = page.end, page.tags, page.alive, page.protected
    worths, texts, proses, protections = page.worths, page.texts, page.proses, page.protections
    total, all_prose, all_protected = worths[-1], proses[-1], protections[-1] or 1.0
    found: list[tuple[int, int, int, float]] = []
    hints = page.hints
    marks = {
        index: mark
        for index in page.hinted
        if alive[index] and (mark := (hints[index] | hints[index] >> WEAK) & _MARKED)
    }
    frequency = Counter([(tags[index], mark) for index, mark in marks.items()])
    beside: defaultdict[tuple[int, int], float] = defaultdict(float)
    for index, mark in marks.items():
        if mark & MENU:
            above = page.parent[index]
            beside[tags[index], mark] += texts[end[above]] - texts[above] - texts[end[index]] + texts[index]
    mains = page.all_with(MAIN)
    for index, hint in marks.items():
        if not alive[index] or protected[index]:
            continue
        times = frequency[tags[index], hint]
        if hint & MENU and times > limits.frequency and beside[tags[index], hint] >= limits.titled * times:
            continue
        stop = end[index]
        if zone[0] < index < zone[1] and not hint & ~_OF_CONTENT:
            continue
        worth, text, prose = (
            worths[stop] - worths[index],
            texts[stop] - texts[index],
            proses[stop] - proses[index],
        )
        cap = rich if text and worth > _TEXT_WORTH * text else poor
        if (
            hint & FOOTER
            and texts[-1] - texts[stop] <= _EDGE * texts[-1]
            and texts[index] > _FOOTER_STARTS * texts[-1]
        ):
            cap = max(cap, limits.edge)
        prose_cap = 1.0
        if hint & BUTTON:
            prose_cap = _BUTTON_PROSE * limits.marked_prose
        elif not hint & _PROSE_EXPECTED and all_prose > _ENOUGH_PROSE:
            prose_cap = limits.marked_prose
        if (
            worth <= cap * total
            and prose <= prose_cap * all_prose
            and times <= (_REPEATS if hint & _REPEATED else limits.frequency)
            and not index <= page.first_heading < stop
            and protections[stop] - protections[index] < _PROTECTED * all_protected
            and not any_in(mains, index, stop)
        ):
            alive[index:stop] = bytes(stop - index)
            found.append((index, stop, hint, worth))
    return found


def _keep_main(page: Workspace, limits: Limits) -> None:
    """Remove what surrounds a ``main`` element that holds most of the page and of its records.

    Claim, byline and date between the first heading and it stay with the heading, and so does what is streamed
    into it.
    """
    main = page.first_with(MAIN)
    if main < 0:
        return
    end, protections = page.end[main], page.protections
    if page.share(main, end) > limits.main and (
        protections[end] - protections[main] > 0.7 * protections[-1] or not protections[-1]
    ):
        reason = "outside of the main element, which holds most of the page"
        heading = page.first_heading
        titled = 0 <= heading < main and page.share(heading, main) <= _TITLE
        if titled:
            page.remove(1, heading, "main", reason)
        start = main if titled else 1
        for stays in sorted({main, *streamed_into(page, main, end)}):
            if stays >= start:
                page.remove(start, stays, "main", reason)
                start = page.end[stays]
        page.remove(start, page.size, "main", reason)
        page.measure()
