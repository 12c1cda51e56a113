"""Record groups (runs of similar neighbouring siblings), their headings, and their surroundings.

Headings next to the ancestors of the best group are its headings, and so are a short line right above it, and the
labels above it in its table. A part around the heading and a list of pages is the page's main part. Before the heading
and behind the list, lists of short links are menus, filters and other searches.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.cues.reading import COMMENTS, CONTROL, FACTS, FORM, HEADING, MAIN, SUBHEADING, WRITER
from scrapy_tps.engine.loops import groups
from scrapy_tps.engine.loops import parts as loops
from scrapy_tps.engine.native import compiled
from scrapy_tps.engine.sequence.declarations import declared_article
from scrapy_tps.engine.sequence.region_search import Split
from scrapy_tps.engine.strategies.auto.decisions import RecordGroup, Records, Removals
from scrapy_tps.engine.strategies.auto.queries import (
    ALWAYS,
    HEADINGS,
    SOFT,
    WITHIN_LINES,
    characters_of,
    within,
)
from scrapy_tps.engine.strategies.auto.thresholds import (
    ENOUGH_PROSE,
    LINKS_WEIGHT,
    Groups,
    RecordSurroundings,
    SplitSides,
    Thresholds,
    needed,
    scaled,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page


@dataclass(frozen=True, slots=True)
class RecordGroups(Thresholds):
    # groups of at least this share are protected, in addition to the best one
    protected: float = scaled(0.05)
    # groups inside parts with cues are protected only with this share; larger parts with cues cast no doubt
    suspect_share: float = 0.3
    suspect_part: float = 0.6
    main: float = 0.3  # a `main` element of more than this share casts doubt on parts outside
    title: float = 80  # characters of a line without links right above the records: their title
    groups: Groups = field(default=Groups())


@dataclass(frozen=True, slots=True)
class BelowHeading(Thresholds):
    share: float = 0.1  # the largest share of a title block: a part with the first heading
    line: float = 200  # the most characters of a line above the records


@dataclass(frozen=True, slots=True)
class AroundList(RecordSurroundings):
    # the part of list and heading is the main part if it has more than this share
    whole: float = needed(0.5)
    outside_prose: float = scaled(0.2)  # links stay if there is more prose outside the list
    links: int = needed(3)
    # this share of the characters is in links, which have at most so many on average: longer ones are titles
    linked: float = needed(0.5)
    characters: float = scaled(24.0)


_Search: Final = compiled(groups.GroupSearch)

_suspects: Final = compiled(groups.suspects)

_record_titles: Final = compiled(groups.record_titles)

#: Elements that label facts.
_FACTS: Final = frozenset({"th", "dt"})


def record_groups(page: Page, limits: RecordGroups) -> Records | tuple[()]:
    """Protect the best record group and every other that matters; a certain best group may be the page's subject.

    Its headings are protected as well, and the labels above the first record in its table.
    """
    total = page.weight_before[-1]
    if not total:
        return ()
    suspect = _suspects(page.columns, SOFT & ~FORM, MAIN, page.first_heading, limits.suspect_part)
    main, end = page.first_with(MAIN), page.end
    if main < 0 or page.share(main, end[main]) <= limits.main:
        main = 0  # no `main` element, or a small one
    first, protected = _Search(
        page.columns, page.alive, suspect, main, end[main], limits.protected * total, limits.groups
    ).groups()
    if first is None:
        return ()
    best = RecordGroup(*first[1:])
    doubtful = suspect[best.start]
    if first not in protected and (not doubtful or best.weight >= limits.suspect_share * total):
        protected.append(first)
    if not protected:
        return ()
    found = [ranked[1:] for ranked in sorted(protected)]
    if doubtful:
        return Records(found, None, [])
    whole = best.start
    labels: Sequence[int] = ()
    if page.sequence.tag_of(whole) == "tr":
        table = page.parent[whole]
        if page.sequence.tag_of(table) != "table":  # a group of rows
            table = page.parent[table]
        labels = within(page, _FACTS, table, whole)
        whole = table if labels else whole
    titles = _record_titles(
        page.columns, best.start, whole, SUBHEADING, FACTS, limits.title, page.first_heading
    )
    titles += [(cell, end[cell]) for cell in labels]
    return Records(found, best, titles)


#: Elements of running text.
_TEXT: Final = frozenset({"p", "pre", "blockquote", "ul", "ol", "dl"})


def below_heading(page: Page, limits: BelowHeading) -> list[tuple[int, int]]:
    """Protect claim, message and byline below the first heading, and text without links around the best records.

    That is running text next to them, and lines between a heading and the records.
    """
    found = list(_around_records(page, limits.line))
    heading = page.first_heading
    if heading >= 0:
        end = page.end[page.parent[heading]]
        if page.share(heading, end) <= limits.share:
            found.append((heading, end))
    return found


def _around_records(page: Page, line: float) -> Iterator[tuple[int, int]]:
    best, end, text_before = page.best, page.end, page.text_before
    if best is None:
        return
    controls = page.all_with(CONTROL | FORM)
    headings = page.all_with(HEADINGS)
    inner = best.start
    while (above := page.parent[inner]) >= 0:
        for child in page.children(above):
            after = end[child]
            prose = inner == best.start and page.sequence.tag_of(child) in _TEXT
            if (
                (prose or (child < inner and page.any_in(headings, above, after)))
                and (characters := text_before[after] - text_before[child]) > 0
                and (prose or characters <= line)
                and 1 not in page.in_link[child:after]
                and not page.any_in(controls, child, after)
            ):
                yield child, after
        inner = above


_siblings: Final = compiled(loops.small_siblings)

#: Cues of parts that are about the list.
_STAYING: Final = ALWAYS | FACTS | WRITER


def record_surroundings(page: Page, limits: RecordSurroundings) -> list[Removal]:
    """Remove small parts at a distance from the best record group if that is most of the page.

    The siblings of the records and all parts with prose, protected records or the first heading stay. The tag path
    sequence alone decides here. It cleans old pages without semantic markup.
    """
    total = page.weight_before[-1]
    best = page.dominating(limits.dominance)
    if best is None:
        return []
    most_prose = limits.prose * max(page.prose_before[-1], ENOUGH_PROSE)
    heading, subject = page.first_heading, _subject(page, best)
    barred: list[Sequence[int]] = []
    weights, proses, protections = page.weight_before, page.prose_before, page.protection_before
    shares = limits.share, limits.links_share, limits.links_weight
    found = [
        (child, after)
        for _, child in _siblings(page.columns, page.parent[best.start], -1, -1, *shares)
        if protections[after := page.end[child]] == protections[child]
        and proses[after] - proses[child] <= most_prose
        and not child <= heading < after
        and not (
            child > subject
            and (within(page, _FACTS, child, after) or _is_said_above(page, child, after, barred))
        )
    ]
    if sum(weights[after] - weights[child] for child, after in found) > limits.total * total:
        return []
    reason = f"away from the {best.items} records that make up most of the page"
    return [(start, after, "surroundings", reason) for start, after in sorted(found)]


def around_list(page: Page, limits: AroundList) -> list[Removal]:
    """Remove what is outside the part of a list of pages and its heading, if that part holds most of the page, and
    lists of short links before the heading and behind the list.

    Other records and facts stay. Links between the heading and the list may divide its subject.
    """
    best = page.dominating(limits.dominance)
    if best is None:
        return []
    heading, end, proses = page.first_heading, page.end, page.prose_before
    whole = page.parent[heading] if 0 <= heading < best.start else 0
    while end[whole] < best.end:
        whole = page.parent[whole]
    found: list[int] = []
    if whole and page.share(whole, end[whole]) > limits.whole:
        beside = _siblings(page.columns, whole, whole, whole, 1.0, 1.0, LINKS_WEIGHT)
        found = [part for _, part in beside]
    if proses[-1] - (proses[best.end] - proses[best.start]) <= limits.outside_prose * page.weight_before[-1]:
        shares = limits.share, limits.links_share, limits.links_weight
        found += [
            part
            for _, part in _siblings(page.columns, page.parent[best.start], best.start, heading, *shares)
            if _is_list_of_short_links(page, part, limits)
        ]
    going = {
        part
        for part in found
        if page.protection_before[end[part]] == page.protection_before[part]
        and not page.cues[part] & _STAYING
        and page.sequence.tag_of(part) not in WITHIN_LINES
        and not within(page, _FACTS, part, end[part])
    }
    # topics of an article may be behind its comments, or behind teasers
    if not going or _pages_named(page, best) < best.items or declared_article(page.sequence)[0]:
        return []
    reason = f"away from the list of {best.items} records and its heading"
    promoted = _with_classes_of(page, best.start, going)
    return [(part, end[part], "surroundings", reason) for part in sorted(going - promoted)]


def _is_list_of_short_links(page: Page, part: int, limits: AroundList) -> bool:
    links = len(page.between(page.links, part, page.end[part]))
    if links < limits.links:
        return False
    linked = page.columns.characters_linked(part, page.end[part])
    return limits.linked * characters_of(page, part) <= linked <= limits.characters * links


def _pages_named(page: Page, group: RecordGroup) -> int:
    """Return the number of pages that links with text lead to; those of a gallery have pictures alone."""
    links = page.between(page.links, group.start, group.end)
    titles = [link for link in links if page.length_of(link, page.end[link])]
    addresses = page.sequence.values_of(titles, "href")
    return len({address.partition("#")[0] for address in addresses if address} - {""})


def _with_classes_of(page: Page, record: int, parts: set[int]) -> set[int]:
    """Return the parts with an element that has the tag and the classes of a record, if it has classes."""
    classes, tags = page.classes(record), frozenset({page.sequence.tag_of(record)})
    return {
        part
        for part in parts
        if classes and any(page.classes(one) == classes for one in within(page, tags, part, page.end[part]))
    }


def _subject(page: Page, records: RecordGroup) -> int:
    """Return the first heading; on a page without one, the part of comments and of what is right above them."""
    if page.first_heading >= 0 or page.first_with(HEADING) >= 0 or not _are_comments(page, records):
        return page.first_heading if page.first_heading >= 0 else page.size
    part, texts = records.start, page.text_before
    while part > 0 and texts[part] == texts[records.start]:
        part = page.parent[part]
    return part


def _are_comments(page: Page, records: RecordGroup) -> bool:
    """Whether records are called comments, or most have no link, and most of their text is prose."""
    prose = page.prose_before[records.end] - page.prose_before[records.start]
    links = len(page.between(page.links, records.start, records.end))
    named = page.around(records.start, COMMENTS) > 0
    return named or (2 * links < records.items and 2 * prose > records.weight)


def _is_said_above(page: Page, start: int, stop: int, barred: list[Sequence[int]]) -> bool:
    """Whether nodes [start, stop) are text without controls between the subject and the records: facts about it, of
    which the records are comments or members. They have no links if these are members. What they do not hold is found
    when first asked for."""
    best = page.best
    if best is None or stop > best.start:
        return False
    if not barred:
        barred += [page.all_with(CONTROL | FORM), *([] if _are_comments(page, best) else [page.links])]
    return not any(page.any_in(places, start, stop) for places in barred)


#: A border inside a headline does not separate parts of a page.
_HEADLINES: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})

_EMPHASIS: Final = frozenset({"b", "strong", "em", "i", "u"})

_Sides: Final = compiled(loops.Sides)


def split_sides(page: Page, limits: SplitSides) -> Removals | tuple[()]:
    """Remove small sides of uneven splits with little prose, but no parts of a headline."""
    found = _Sides(page.columns, page.first_heading, page.size_ratio, limits).splits()
    subject = _subject(page, page.best) if page.best and found else page.size
    barred: list[Sequence[int]] = []
    splits: list[Split] = []
    removals: list[Removal] = []
    for low, border, high, threshold, left, right, parts in found:
        side = "before" if left <= right else "after"
        reason = f"the smaller part {side} a border where the tag paths change, without records"
        removals += [
            (*run, "split", reason)
            for start, stop in parts
            if page.sequence.tag_of(page.parent[start]) not in _HEADLINES
            and not _is_emphasis(page, start, stop)
            for run in _not_said_above(page, subject, start, stop, barred)
        ]
        splits.append(Split(low, border, high, threshold, int(left), int(right), left > right))
    return Removals(removals, splits=splits) if splits else ()


def _not_said_above(
    page: Page, subject: int, start: int, stop: int, barred: list[Sequence[int]]
) -> Iterator[tuple[int, int]]:
    """Yield the runs of siblings among nodes [start, stop) without those that are said above the records; texts and
    elements within lines are one with their neighbours."""
    if page.best is None or not subject < start < page.best.start:
        yield start, stop
        return
    if _is_said_above(page, start, stop, barred):
        return
    run = part = start
    while part < stop:
        after = page.end[part]
        is_line = page.is_text[part] or page.sequence.tag_of(part) in WITHIN_LINES
        if not is_line and page.length_of(part, after) and _is_said_above(page, part, after, barred):
            if run < part:
                yield run, part
            run = after
        part = after
    if run < stop:
        yield run, stop


def _is_emphasis(page: Page, start: int, stop: int) -> bool:
    """Whether nodes [start, stop) are emphasis within a line: a number in bold before a title."""
    stressed = False
    while start < stop:
        tag = page.sequence.tag_of(start)
        if tag not in WITHIN_LINES and tag != "br":
            return False
        stressed = stressed or tag in _EMPHASIS
        start = page.end[start]
    return stressed
