"""Thresholds: those that rules share, and how the size ratio changes all of them.

``TPS_SIZE_RATIO`` gives a page *slack*: 1 at the strategy's own ratio, less down to 0 at a ratio of 1, more at a lower
one (5 at 0, where the strategy's own is 0.8). It multiplies the limits on removals (`scaled`), and divides the amounts
that a rule requires before it removes anything (`needed`); other fields do not change. Each rule's own thresholds are
next to it. Shares refer to the weight of the page's text unless a field says otherwise; docs/explanation/auto.md has
the measurements.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cache, lru_cache
from typing import Any, Final, TypeVar

T = TypeVar("T", bound="Thresholds")

#: The least slack, which avoids division by 0.
_LEAST: Final = 1e-6


def scaled(most: float) -> Any:
    """Define a limit on removals: it grows with the slack."""
    return field(default=most, metadata={"power": 1})


def needed(least: float) -> Any:
    """Define an amount that is required for removals: it falls as the slack grows."""
    return field(default=least, metadata={"power": -1})


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The thresholds of one rule; this base class has none."""

    def scaled(self: T, slack: float) -> T:
        """Return these thresholds with this slack; whole numbers stay whole."""
        found: T = _scaled(self, max(slack, _LEAST))
        return found


@lru_cache(maxsize=1000)
def _scaled(limits: T, slack: float) -> T:
    kind: Any = type(limits)
    changes: dict[str, Any] = {}
    for name, power in powers(kind).items():
        value = getattr(limits, name)
        changes[name] = round(value * slack**power) if isinstance(value, int) else value * slack**power
    for one in fields(limits):
        if isinstance(one.default, Thresholds):
            changes[one.name] = getattr(limits, one.name).scaled(slack)
    return replace(limits, **changes) if changes else limits


@cache
def powers(kind: Any) -> dict[str, int]:
    """Return the thresholds that the slack changes: 1 if it multiplies them, -1 if it divides them."""
    return {one.name: one.metadata["power"] for one in fields(kind) if "power" in one.metadata}


#: Pages with less prose, in characters, have too little for a decision.
ENOUGH_PROSE: Final = 500

#: Parts with at most this weight per character are lists of short links.
LINKS_WEIGHT: Final = 0.4

#: Records dominate the page if their group holds this share of it.
DOMINANCE: Final = 0.3

#: A part is at the page's edge if at most this share of the text is before or after it.
EDGE: Final = 0.03

#: The fewest texts of a record: entries of menus and filters have one, or two with a number after it.
FIELDS: Final = 3

#: Shorter lists of options may be sizes or colours of a product, or nations, or dates.
FEW_OPTIONS: Final = 30

#: The fewest prices of a list of products.
PRICES: Final = 3


@dataclass(frozen=True, slots=True)
class TextWeight(Thresholds):
    """Weight of a character: with it, 12 products outweigh a menu of hundreds of links.

    If the published search counts nodes, it keeps all records on 67.6 % of the Testbed's pages; with these weights, on
    77.9 %.
    """

    short: int = 15  # texts of fewer characters are short …
    medium: int = 30  # … or of medium length
    prose: int = 60  # from so many characters on, texts outside links are prose
    short_text: float = 0.6
    short_link: float = 0.1
    medium_link: float = 0.35
    long_link: float = 0.6

    def of(self, characters: int, link: int) -> float:
        """Return the weight of a text of so many characters, 1 if it is in a link."""
        if not link:
            return characters * self.short_text if characters < self.short else float(characters)
        if characters < self.short:
            return characters * self.short_link
        return characters * (self.medium_link if characters < self.medium else self.long_link)


TEXT_WEIGHT: Final = TextWeight()


# those that loops read as well


@dataclass(frozen=True, slots=True)
class OwnParts(Thresholds):
    # parts with so many characters, at most this share of them in links, are not a menu, sidebar or filter
    text: int = 40
    linked: float = 0.35
    line: int = 20  # buttons with so many characters are titles
    # so many links of so many characters on average are the topics of an article
    topics: int = 15
    topic: int = 20
    # labels of tabs have at most so many characters on average: longer ones are a table of contents
    label: int = 24


@dataclass(frozen=True, slots=True)
class CertainBoilerplate(Thresholds):
    # parts with cues from tag or role (navigation, dialogs, controls, hidden parts) are removed up to this share; more
    # is the page
    sure: float = scaled(0.7)
    edge: float = scaled(0.9)  # header and footer at the page's edges
    consent: float = 0.95  # notices of consent
    # announcements, promotions, sign-ups at the edges (the topics of a board, called announcements, were the page)
    notice: float = scaled(0.2)
    rest: float = 0.02  # so much of the page must be left …
    least_weight: float = 100.0  # … and so much weight
    prose: float = scaled(0.3)  # hidden parts and dialogs with more of the prose stay …
    dialog_prose: float = scaled(0.1)  # … and so do visible dialogs
    edge_width: float = scaled(EDGE)  # share of the text before or after a part at the page's edge
    top_starts: float = 0.8  # the head of a page starts in this first part of its text …
    bottom_starts: float = 0.05  # … and its end after this one
    edge_repeats: int = 2  # parts whose markup occurs more often are not edges


@dataclass(frozen=True, slots=True)
class Groups(Thresholds):
    # two siblings are similar if they share this part of their tag paths (Jaccard index over the alphabet of tags,
    # which ignores per-record classes)
    similar: float = 0.5
    # less similar siblings before and after still belong to the records (a first item with a picture, a sponsored one)
    # if they have so many tag paths in common
    related: float = 0.3
    related_symbols: int = 3
    # two items make a group only if they are this similar, of the same class and of some size
    pair_similar: float = 0.7
    pair_symbols: int = 8
    pair_weight: float = 40.0
    pair_score: float = 0.5  # a pair's score counts this much of a longer group's
    # the least median weight of the items, number of distinct tag paths in them, and weight per character
    median_weight: float = 20.0
    min_symbols: int = 4
    weight_per_character: float = 0.45
    rich: int = 20  # more distinct tag paths do not raise the score
    least_nodes: int = 10  # elements with fewer nodes in them hold no records
    # weight of groups inside parts with cues, or outside `main`, when the best one is chosen
    suspect: float = 0.25


@dataclass(frozen=True, slots=True)
class LinkLists(Thresholds):
    share: float = scaled(0.1)
    together: float = scaled(0.0)  # lists of at most this share in all may have the same markup
    links: int = needed(3)
    # this part of the text is in links, with at most so many characters on average
    link_text: float = 0.8
    characters: float = scaled(30.0)
    rest: float = needed(0.4)  # a footer has this part of its text in links
    fields: int = FIELDS  # with so many texts per link, however short, it is a list of records
    edge: float = scaled(EDGE)  # with less of the text behind it, a list is at the page's end …
    last_text: float = 0.7  # … and this part of its text is in links
    # elements that may occur elsewhere there, or if there are twice as many links: where `div` elements or tables are
    # the layout, the paths of tags in any part are the same, except for those of texts with their classes
    plain: frozenset[str] = frozenset()
    least_nodes: int = 6  # parts of fewer nodes hold no list
    # symbols visited per node of the page before the search stops: nested candidates are compared again
    visits_per_node: int = 8


@dataclass(frozen=True, slots=True)
class RecordSurroundings(Thresholds):
    share: float = scaled(0.06)
    links_share: float = scaled(0.15)
    links_weight: float = LINKS_WEIGHT
    total: float = scaled(0.35)  # all of them together
    # parts that hold more of the prose stay
    prose: float = scaled(0.02)
    dominance: float = needed(DOMINANCE)


@dataclass(frozen=True, slots=True)
class SplitSides(Thresholds):
    # sides with more prose, in characters, stay: an article above its hundred comments is the smaller side of a split,
    # and no noise on the labelled pages holds so much
    prose: float = scaled(500.0)
    least_nodes: int = 20  # parts of fewer nodes are not split
    visits_per_node: int = (
        24  # visits of symbols allowed per node before the search stops with its current result
    )


@dataclass(frozen=True, slots=True)
class MarkedParts(Thresholds):
    # parts with softer cues are removed up to this share if text outweighs links in them, otherwise …
    share: float = scaled(0.35)
    links_share: float = scaled(0.7)
    # … and up to this one if record groups of so much of the page show the main content
    anchored: float = scaled(0.6)
    anchored_links: float = scaled(0.9)
    anchor: float = 0.15
    text_weight: float = 0.6  # parts with more weight per character have more text than links
    # footers: at the page's edge, after the first part of its text
    edge: float = scaled(0.9)
    edge_width: float = scaled(EDGE)
    footer_starts: float = 0.1
    # parts with cues from classes and ids alone stay with more of the prose; for buttons, so much of this limit
    prose: float = scaled(0.1)
    button_prose: float = 0.3
    protected: float = scaled(0.5)  # parts with this share of what is protected stay
    # markup that occurs more often with the same cue belongs to records, except menus, buttons, dialogs …
    frequency: int = scaled(5)
    repeats: int = 99
    # … but menus next to so many characters on average are tool bars below the titles of records
    titled: float = 30.0
    # on a page about one thing, the part around its heading with this share of the page is about it: forms, buttons and
    # headers in it belong to it (the options of a product, the teaser of an article)
    zone: float = 0.15


@dataclass(frozen=True, slots=True)
class LikeSiblings(Thresholds):
    # so many siblings of one tag path can be a list; larger parts are not compared: the announcements of a board are
    # next to a page of topics (some 2,000 nodes), and without a limit hostile pages take long
    siblings: int = 3
    most_nodes: int = 5000
    least_tags: int = 3  # with fewer tag paths inside, everything is similar
    # siblings are similar if they share this part of their tag paths, as in record groups; for hidden ones, this part …
    similar: float = 0.5
    similar_hidden: float = 0.8
    same_classes: float = 0.5  # … and this part of the other's classes


@dataclass(frozen=True, slots=True)
class Revealed(Thresholds):
    least: int = 3  # so many parts of one tag path recur
    # this share of the first of them differs in text: repeated text does not belong to a record ("Quick view")
    different: float = 0.5
    compared: int = 16
    # a part of a record has at most so many texts ("menu-title", on the card of a restaurant)
    few_texts: int = 2
    least_nodes: int = 20  # fields of records have fewer nodes, lists more
    similar: float = 0.5  # lists share this part of their tag paths; larger ones are not compared
    most_nodes: int = 5000
    # a hidden part is similar to a shown sibling if it shares this part of its other classes
    shown_classes: float = 0.8
    most_twin: int = 100  # hidden texts next to what stands for them have at most so many nodes
    near: int = 32  # so many shown siblings before it and behind are compared, because there may be thousands


@dataclass(frozen=True, slots=True)
class Misnamed(Thresholds):
    notice: int = 400  # a notice without controls has at most so many characters
    # so many parts of one tag path are records if this part of them is similar to the first one, by this part of their
    # tag paths, and differs in text from it
    records: int = FIELDS
    alike: float = 0.5
    similar: float = 0.6
    most_nodes: int = 2000  # larger parts are not compared
    line: int = (
        20  # records have so many characters on average, at most this share of them in links, or a link each
    )
    linked: float = 0.35
    notes: int = 2  # so many links of a part lead back to the text
    # so many characters of prose are text; at most this share of a sidebar's text is in links
    sentences: int = 60
    sidebar_linked: float = 0.05
    beside: int = 100  # text next to a part of it has so many characters
    outline: float = 0.9  # a part with more of the page's text is the whole page
    levels: int = 8  # elements between a cell and a header or footer in it
