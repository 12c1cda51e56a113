"""Pages of one text: lists of other pages, comments and named parts next to it are not their subject.

A page may say of itself that it is an article (JSON-LD, ``og:type``, ``itemprop=articleBody``, the only ``article``
element). Then record groups outside its text are not its subject, although they are protected. Where a page says
nothing, only a long text that dominates the page is. A standing title tells a list of other pages: a link to another
page of the site, as long as a title, in an element whose text is all links. Behind an article, any link to another page
tells it that is not in a sentence. Not so if data also name a product or a list: the parts may be about these. Forms
behind an article go, and boxes about writers, also in it: :mod:`.labelled` retains their names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from scrapy_tps.engine.cues import reading
from scrapy_tps.engine.loops import parts
from scrapy_tps.engine.native import compiled
from scrapy_tps.engine.sequence.declarations import declared_article
from scrapy_tps.engine.strategies.auto.queries import (
    SOFT,
    WITHIN_LINES,
    characters_of,
    host_of,
    within,
)
from scrapy_tps.engine.strategies.auto.text_surroundings import MostlyAlike, are_priced, is_like
from scrapy_tps.engine.strategies.auto.thresholds import (
    ENOUGH_PROSE,
    LINKS_WEIGHT,
    needed,
    scaled,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page


@dataclass(frozen=True, slots=True)
class OtherPages(MostlyAlike):
    # the text is the smallest part with this share of the prose; it must hold this share of the weight, at most this
    # share of its characters in links, and so many characters if only `og:type` or an element says that the page is an
    # article, because some systems write it into each page
    share: float = 0.5
    dominance: float = needed(0.15)
    linked: float = 0.3
    typed: int = needed(2000)
    # … if the page does not say that it is an article, this share and so many characters, because introductions of a
    # category, a team or an author are shorter …
    long_dominance: float = needed(0.5)
    long: int = needed(4000)
    # … and at most this share between heading and text: a text further down is a note on the part above
    distance: float = scaled(0.05)
    # a page without a main heading is not about a text if its main records have this share
    recorded: float = 0.5
    # so many standing titles of so many characters make a list; this share of its characters is in links
    titles: int = 3
    title: int = 18
    around: float = 0.1  # text outside links in the element around a standing title, in lengths of the title
    teasers: float = 0.3
    inside: float = 0.6  # … in the text itself
    excerpt: float = scaled(300.0)  # … or there are so many characters of prose for each title
    introduction: float = scaled(1000.0)  # … and prose of so many characters before its first link is a text
    prose: float = scaled(0.3)  # parts with cues hold at most this share of the prose
    teaser: int = 12  # teasers have so many characters in each link; records and references have less
    # at most so many links of less than so many characters are topics of the text
    topics: int = 15
    labels: float = 0.33  # … if more than this share of the characters is in them: their label may be longer
    topic: int = 30
    # comments below a text of so many characters: opening posts of threads are shorter, and their replies are records
    commented: int = needed(2000)


_text_core: Final = compiled(parts.text_core)

_siblings: Final = compiled(parts.small_siblings)

_standing_links: Final = compiled(parts.standing_links)

_leading_links: Final = compiled(parts.leading_links)

_PICTURES: Final = frozenset({"img", "picture", "figure", "video"})

_FORMS: Final = frozenset({"form"})

#: Elements of tables and definition lists: specifications belong to the text's subject.
_FACTS: Final = frozenset({"th", "td", "dt", "dd"})

#: Elements that hold a part of the page.
_PARTS: Final = frozenset({"ul", "ol", "div", "section", "aside", "footer", "nav", "form", "article"})

#: Cues of parts that are not about the text.
_MARKED: Final = SOFT & ~(reading.HEADER | reading.BUTTON | reading.FILTER) | (
    reading.COMMENTS | reading.NAVIGATION | reading.DIALOG | reading.CONSENT
)


class _Text(NamedTuple):
    """The text that the page is about.

    :ivar core: its part.
    :ivar declared: how the page says that it is an article (:func:`~.declared_article`).
    :ivar address: that of the page.
    """

    core: int
    declared: str
    address: str


class _Links:
    """The living links of parts to other pages of the site.

    :ivar declared: whether the page says that it is an article.
    :ivar certain: whether its data name nothing else that it may be about.
    :ivar writers: the parts about a writer.
    """

    __slots__ = ("_host", "_known", "_page", "_site", "_standing", "certain", "declared", "writers")

    def __init__(self, page: Page, text: _Text, limits: OtherPages) -> None:
        _, declared, address = text
        self._page, self.declared = page, declared != ""
        self.certain = declared != "beside"
        self.writers = page.all_with(reading.WRITER)
        self._host, self._site = host_of(address), "/".join((*address.split("/", 3)[:3], ""))
        # those as long as a title, in elements of links alone, wherever they lead to
        self._standing = _standing_links(page.columns, page.links, limits.title, limits.around)
        self._known: dict[tuple[int, int], list[int]] = {}

    def _is_on_site(self, address: str) -> bool:
        return not self._host or host_of(address) in ("", self._host)

    def leading(self, start: int, stop: int) -> list[int]:
        """Return those among nodes [start, stop)."""
        found = self._known.get((start, stop))
        if found is None:
            page = self._page
            found = self._known[start, stop] = self._to_pages(page.between(page.links, start, stop))
        return found

    def titles(self, start: int, stop: int) -> list[int]:
        """Return those of them that are standing titles."""
        return self._to_pages(self._page.between(self._standing, start, stop))

    def stands(self, link: int) -> bool:
        """Whether a link is not a part of a sentence: the text next to it is no longer."""
        page = self._page
        above = page.parent[link]
        while page.sequence.tag_of(above) in WITHIN_LINES:
            above = page.parent[above]
        beside = sum(page.text_length[child] for child in page.children(above) if page.is_text[child])
        return beside <= page.length_of(link, page.end[link])

    def lead_away(self, leading: Sequence[int], linked: float, limits: OtherPages) -> bool:
        """Whether these links are about other subjects: behind an article one that is in no sentence, otherwise several
        as long as teasers."""
        if self.declared:
            return any(map(self.stands, leading))
        return len(leading) >= limits.titles and linked >= limits.teaser * len(leading)

    def _to_pages(self, links: Sequence[int]) -> list[int]:
        """Return the living ones of these."""
        if not links:
            return []
        page = self._page
        return _leading_links(page.columns, links, page.sequence.value_of, self._site, self._is_on_site)


def other_pages(page: Page, limits: OtherPages) -> list[Removal]:
    """Remove comments below a long text, and what is not about the text of an article next to it and in it."""
    if page.prose_before[-1] < ENOUGH_PROSE:
        return []
    is_commented = page.first_heading >= 0 and page.first_with(reading.COMMENTS) >= 0
    found = list(_comments(page, page.first_heading, limits)) if is_commented else []
    if page.first_heading < 0 and page.dominating(limits.recorded) is not None:
        return found
    core = _text_core(page.columns, limits.share, limits.dominance, ENOUGH_PROSE)
    text = _text_of(page, core, limits) if core > 0 else None
    return _beside_text(page, found, text, limits) if text else found


def _beside_text(page: Page, found: list[Removal], text: _Text, limits: OtherPages) -> list[Removal]:
    core, declared, _ = text
    beside = _siblings(page.columns, core, core, page.first_heading, 1.0, 1.0, LINKS_WEIGHT)
    if not beside and not declared:
        return found
    links = _Links(page, text, limits)
    if not declared and _is_list_of_records(page, core, links):
        return found
    around: dict[int, set[int]] = {}
    going = [
        part
        for inner, whole in beside
        for part in (page.children(whole) if _is_own_footer(page, whole) else (whole,))
        if page.alive[part]
        and page.sequence.tag_of(part) not in WITHIN_LINES
        and _is_about_others(page, part, core, links, limits)
        and (
            len(links.titles(part, page.end[part])) >= limits.titles
            or not is_like(page, part, inner, around, limits)
        )
        and not _holds_facts(page, part)
    ]
    reason = "next to the text that the page is about"
    found += [(part, page.end[part], "text", reason) for part in _without_notes(page, core, going, limits)]
    return found + list(_inside(page, core, links, limits)) if declared else found


def _comments(page: Page, heading: int, limits: OtherPages) -> Iterator[Removal]:
    """Yield the parts named comments below the first heading and a long text, unless they are protected records."""
    proses = page.prose_before
    if proses[-1] < limits.commented:
        return
    after = 0
    for index in page.all_with(reading.COMMENTS):
        end = page.end[index]
        if (
            index > max(heading, after - 1)
            and page.alive[index]
            and not page.protected[index]
            and proses[index] - proses[heading] >= limits.commented
        ):
            yield index, end, "comments", "comments below a long text"
            after = end


def _text_of(page: Page, text: int, limits: OtherPages) -> _Text | None:
    stop, heading, weights = page.end[text], max(page.first_heading, 0), page.weight_before
    characters = page.text_before[stop] - page.text_before[text]
    if heading >= stop or page.characters_in(text, stop, page.in_link) > limits.linked * characters:
        return None
    # asked last, because it takes as long as all of the above
    declared, address = declared_article(page.sequence, text)
    if declared:
        is_subject = declared != "article" or characters >= limits.typed
    else:
        is_subject = (
            characters >= limits.long
            and weights[stop] - weights[text] >= limits.long_dominance * weights[-1]
            and weights[text] - weights[heading] <= limits.distance * weights[-1]
        )
    return _Text(text, declared, address) if is_subject else None


def _is_list_of_records(page: Page, core: int, links: _Links) -> bool:
    """Whether the text is a list: its records have one link each."""
    best = page.best
    return (
        best is not None
        and core <= best.start < page.end[core]
        and len(links.leading(best.start, best.end)) >= best.items
    )


def _holds_facts(page: Page, part: int) -> bool:
    """Whether a part holds facts or prices. Asked last, because it may read all texts of the part."""
    return bool(within(page, _FACTS, part, page.end[part])) or are_priced(page, part)


def _is_own_footer(page: Page, part: int) -> bool:
    """Whether a part is the footer of the article: topics and notes in it are about the text."""
    return page.sequence.tag_of(part) == "footer" and not page.cues[part] & reading.FOOTER


def _is_about_others(page: Page, part: int, core: int, links: _Links, limits: OtherPages) -> bool:
    """Whether a part is a list of other pages, or behind the text: about its writer, a form, or with cues of noise."""
    end, cue = page.end[part], page.cues[part]
    text, linked = characters_of(page, part), page.columns.characters_linked(part, end)
    if linked > limits.labels * text and _are_topics(page, part, linked, limits):
        return part > core and cue & _MARKED != 0
    if part > core and cue & reading.COMMENTS:
        return True
    proses = page.prose_before
    prose = proses[end] - proses[part]
    if prose > limits.introduction:
        leading = links.leading(part, end)
        if leading and proses[leading[0]] - proses[part] > limits.introduction:
            return False
    titles = len(links.titles(part, end))
    if titles >= limits.titles and (
        linked >= limits.teasers * text or (part > core and prose <= limits.excerpt * titles)
    ):
        return True
    if part < core or prose > limits.prose * proses[-1]:
        return False
    leading = links.leading(part, end)
    if page.any_in(links.writers, part, end):
        return links.declared and not (
            len(leading) >= limits.titles and _are_topics(page, part, linked, limits)
        )
    if links.certain and links.lead_away(leading, linked, limits):
        return True
    if links.declared and within(page, _FORMS, part, end):
        return True
    pictures = within(page, _PICTURES, part, end)
    return cue & _MARKED != 0 and all(map(page.in_link.__getitem__, pictures))


def _are_topics(page: Page, part: int, linked: float, limits: OtherPages) -> bool:
    """Whether the links of a part are few and short, wherever they lead; those of teasers have pictures, too.

    :param linked: the characters in them.
    """
    count = len(page.between(page.links, part, page.end[part]))
    pictures = within(page, _PICTURES, part, page.end[part]) if count <= limits.topics else []
    return (
        count <= limits.topics
        and linked < limits.topic * count
        and sum(map(page.in_link.__getitem__, pictures)) < limits.titles
    )


def _without_notes(page: Page, core: int, parts: list[int], limits: OtherPages) -> list[int]:
    """Return the parts except notes and references: those with many ids that links in the text lead to."""
    if not parts:
        return parts
    links = page.sequence.links_with(page.columns, page.links, [(core, page.end[core])], (b"#",))
    hrefs = page.sequence.values_of(links, "href")
    names = {href[1:] for href in hrefs if href and href.startswith("#")} - {""}
    if len(names) < limits.titles:
        return parts

    def is_referred_to(part: int) -> bool:
        places = (place for place in range(part, page.end[part]) if not page.is_text[place])
        return sum(page.sequence.value_of(place, "id") in names for place in places) >= limits.titles

    return [part for part in parts if not is_referred_to(part)]


def _inside(page: Page, core: int, links: _Links, limits: OtherPages) -> Iterator[Removal]:
    """Yield boxes about writers in the text and behind it, and lists of standing titles in the text, with cues of noise
    or linked pictures."""
    whole, after, prose = (core, page.end[core]), 0, page.prose_before
    for box in page.between(links.writers, core, page.size):
        end = page.end[box]
        if (
            box >= after
            and page.alive[box]
            and 0 < prose[end] - prose[box] <= limits.prose * prose[-1]
            and not box <= page.first_heading < end
            and not _holds_facts(page, box)
        ):
            yield box, end, "text", "about the writer of an article"
            after = end
    after = 0
    titles = links.titles(*whole)
    if len(titles) < limits.titles:
        return
    leading = links.leading(*whole)
    known: dict[int, bool] = {}  # lists of many titles are around each of them
    for title in titles:
        if title < after:
            continue
        part, found = page.parent[title], 0
        while part > core:
            if part not in known:
                end = page.end[part]
                count = len(page.between(titles, part, end))
                most = count >= limits.titles and 2 * count >= len(page.between(leading, part, end))
                known[part] = most and _may_be_noise(page, part, limits)
            if known[part]:
                found = part
            elif found:
                break
            part = page.parent[part]
        if found:
            after = page.end[found]
            yield found, after, "text", "titles of other pages inside an article"


def _may_be_noise(page: Page, part: int, limits: OtherPages) -> bool:
    end = page.end[part]
    return (
        page.sequence.tag_of(part) in _PARTS
        and not part <= page.first_heading < end
        and page.columns.characters_linked(part, end) >= limits.inside * characters_of(page, part)
        and (
            page.cues[part] & _MARKED != 0
            or any(page.in_link[place] for place in within(page, _PICTURES, part, end))
        )
        and not _holds_facts(page, part)
    )
