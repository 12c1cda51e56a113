"""Thresholds: those that rules share, and how the size ratio moves all of them.

``TPS_SIZE_RATIO`` gives a page *slack*: 1 at the strategy's own ratio, less down to 0 at a ratio of 1, more at a lower
one (5 at 0, where the strategy's own is 0.8). It multiplies what a rule may take (`scaled`), and divides what there has
to be before a rule takes anything (`needed`); no other field moves. Each rule's own stand beside it. Shares are of the
weight of the page's text unless a field says otherwise; docs/explanation/auto.md has the measurements.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cache, lru_cache
from typing import Any, Final, TypeVar

T = TypeVar("T", bound="Thresholds")

#: A ratio next to 1 takes no more away, and no threshold is divided by 0.
_LEAST: Final = 1e-6


def scaled(most: float) -> Any:
    """A threshold of what may go: it grows with the slack."""
    return field(default=most, metadata={"power": 1})


def needed(least: float) -> Any:
    """A threshold of what there has to be for anything to go: it falls as the slack grows."""
    return field(default=least, metadata={"power": -1})


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Those of one rule; none by themselves."""

    def scaled(self: T, slack: float) -> T:
        """These thresholds with this slack; whole numbers stay whole."""
        return self if slack == 1.0 else _scaled(self, max(slack, _LEAST))


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
    """The thresholds that the slack moves: 1 if it multiplies them, -1 if it divides them."""
    return {one.name: one.metadata["power"] for one in fields(kind) if "power" in one.metadata}


#: Pages with less prose, in characters, have too little to tell anything by.
ENOUGH_PROSE: Final = 500

#: Parts that weigh no more than this per character are lists of short links.
LINKS_WEIGHT: Final = 0.4

#: Records dominate the page where their group holds this share of it.
DOMINANCE: Final = 0.3

#: At the page's edge is what has no more than this share of the text before or behind it.
EDGE: Final = 0.03

#: A record has so many texts at least: entries of menus and filters have one, or two with the number behind it.
FIELDS: Final = 3

#: Shorter lists to choose from may be the sizes or colours that a product comes in, or nations, or dates.
FEW_OPTIONS: Final = 30

#: So many prices make a list of products.
PRICES: Final = 3


@dataclass(frozen=True, slots=True)
class TextWeight(Thresholds):
    """Weight of a character: what makes 12 products outweigh a menu of hundreds of links.

    Counting nodes instead, the published search keeps all records on 67.6 % of the Testbed's pages, with these
    weights on 77.9 %.
    """

    short: int = 15  # texts of fewer characters are short …
    medium: int = 30  # … or of medium length
    prose: int = 60  # from so many characters on, texts outside of links are prose
    short_text: float = 0.6
    short_link: float = 0.1
    medium_link: float = 0.35
    long_link: float = 0.6


TEXT_WEIGHT: Final = TextWeight()


# those that loops read as well


@dataclass(frozen=True, slots=True)
class OwnParts(Thresholds):
    # parts with so many characters, no more than this share of them in links, are no menu, sidebar or filter
    text: int = 40
    linked: float = 0.35
    line: int = 20  # buttons that say so many characters are titles
    # so many links of so many characters on average are the topics of an article
    topics: int = 15
    topic: int = 20
    # labels of tabs have so many characters on average at most: longer ones are a table of contents
    label: int = 24


@dataclass(frozen=True, slots=True)
class SureBoilerplate(Thresholds):
    # what tag or role marks (navigation, dialogs, controls, hidden parts) goes up to this share: more is the page
    sure: float = scaled(0.7)
    edge: float = scaled(0.9)  # header and footer at the page's edges
    consent: float = 0.95  # notices of consent
    # announcements, promotions, sign-ups there (the topics of a board, called announcements, were the page)
    notice: float = scaled(0.2)
    rest: float = 0.02  # so much of the page must be left …
    least_weight: float = 100.0  # … and so much weight
    prose: float = scaled(0.3)  # hidden parts and dialogs that hold more of the prose stay …
    dialog_prose: float = scaled(0.1)  # … and dialogs that are not hidden
    edge_width: float = scaled(EDGE)  # share of the text before or behind what is at the page's edge
    top_starts: float = 0.8  # what heads a page starts in this first part of its text …
    bottom_starts: float = 0.05  # … and what ends it after this one
    edge_repeats: int = 2  # parts whose markup occurs more often are no edge


@dataclass(frozen=True, slots=True)
class Groups(Thresholds):
    # two siblings are similar when they share this part of their tag paths (Jaccard index over the alphabet of tags,
    # which per-record classes can't tell apart)
    similar: float = 0.5
    # siblings before and after that are less similar still belong to the records (a first item with a picture, a
    # sponsored one) when they have so many tag paths in common
    related: float = 0.3
    related_symbols: int = 3
    # two items make a group only when they are this similar, of the same class and of some size
    pair_similar: float = 0.7
    pair_symbols: int = 8
    pair_weight: float = 40.0
    pair_score: float = 0.5  # what a pair's score counts of a longer group's
    # median weight of the items, distinct tag paths in them, and their weight per character, at least
    median_weight: float = 20.0
    min_symbols: int = 4
    weight_per_character: float = 0.45
    rich: int = 20  # markup beyond so many distinct tag paths makes a group no more of a group
    least_nodes: int = 10  # elements with fewer nodes in them hold no records


@dataclass(frozen=True, slots=True)
class LinkLists(Thresholds):
    share: float = scaled(0.1)
    links: int = needed(3)
    # this part of the text is in links, of so many characters at most on average
    link_text: float = 0.8
    characters: float = scaled(30.0)
    fields: int = FIELDS  # with so many texts for each link, however short, it is a list of records
    # with so many pictures for each link it is a list of cards: a picture, a title and "more" that lead to the same
    # page; not where nothing is labelled: there it is a menu of pictures (vints noise - .7)
    pictures: float = 2.0
    panels: bool = True  # a panel of links beside one of text stays; names tell panels
    least_nodes: int = 6  # parts of fewer nodes hold no list
    # symbols looked at per node of the page before the search stops: nested candidates are compared again
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
    landmarks: bool = True  # breadcrumbs and pagination go, too, and come back but for copies


@dataclass(frozen=True, slots=True)
class SplitSides(Thresholds):
    # sides with more prose, in characters, stay: an article above its hundred comments is the smaller side of a split,
    # and nothing on the labelled pages that is no content holds so much
    prose: float = scaled(500.0)
    least_nodes: int = 20  # parts of fewer nodes are not split
    visits_per_node: int = 24  # visits of symbols allowed per node before the search stops with what it has
