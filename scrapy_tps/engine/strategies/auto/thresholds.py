"""How much each rule may take, and what it goes by: every threshold of the tables, grouped by rule.

Shares are of the worth of the page's text unless a field says otherwise; docs/explanation/auto.md has the measurements
behind them. ``TPS_SIZE_RATIO`` moves the fields made by `scaled` and `needed`; no other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from scrapy_tps.engine.strategies.auto.scaling import Thresholds, needed, scaled

#: Pages with less prose, in characters, have too little to tell anything by.
ENOUGH_PROSE: Final = 500
#: Parts worth no more than this per character are lists of short links.
LINKS_WORTH: Final = 0.4
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
class TextWorth(Thresholds):
    """Worth of a character: what makes 12 products outweigh a menu of hundreds of links.

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


TEXT_WORTH: Final = TextWorth()


# correct: what hints are taken back


@dataclass(frozen=True, slots=True)
class RelatedHeadings(Thresholds):
    heading: int = 80  # characters of a heading at most …
    nodes: int = 20  # … and nodes
    most: int = 20  # so many such headings are looked at: each may have all other headings counted
    links: int = 3  # so many links make a list …
    linked: float = 0.5  # … with this part of its characters in them
    # so many times its own characters are said before it, outside of links (2: recipes cut - .2): what such a heading
    # leads to on a page of little else is what the page is about
    before: float = 1.0


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
class PromotionLists(Thresholds):
    share: float = 0.1  # parts of more than this share of the page …
    headings: int = 3  # … with so many headings are lists


@dataclass(frozen=True, slots=True)
class LikeSiblings(Thresholds):
    # so many siblings of one tag path can be a list; larger parts are not compared: a board has its announcements in a
    # part beside that with a page of topics (some 2,000 nodes), and without a bound hostile pages take long
    siblings: int = 3
    most_nodes: int = 5000
    least_tags: int = 3  # with fewer tag paths inside, everything is alike
    # alike are siblings that share this part of their tag paths, as in record groups; hidden ones this part …
    alike: float = 0.5
    alike_hidden: float = 0.8
    same_classes: float = 0.5  # … and this part of the other's classes


@dataclass(frozen=True, slots=True)
class Recurrence(Thresholds):
    least: int = 3  # so many parts of one tag path recur
    # so much of the first of them differs in text: what says the same each time is no record's own ("Quick view")
    different: float = 0.5
    compared: int = 16
    largest: float = 0.75  # the largest of them holds at most this share of their text
    # a part of a record has so many texts at most ("menu-title", on the card of a restaurant)
    few_texts: int = 2


@dataclass(frozen=True, slots=True)
class ShownSiblings(Thresholds):
    # a hidden part is made like a shown sibling when it shares this part of its other classes
    same_classes: float = 0.8


@dataclass(frozen=True, slots=True)
class Revealed(Recurrence):
    least_nodes: int = 20  # fields of records have fewer nodes, lists more
    alike: float = 0.5  # lists share this part of their tag paths; larger ones are not compared
    most_nodes: int = 5000
    shown: ShownSiblings = ShownSiblings()


# mask: what is taken out before anything is compared


@dataclass(frozen=True, slots=True)
class SureBoilerplate(Thresholds):
    # what tag or role marks (navigation, dialogs, controls, hidden parts) goes up to this share: more is the page
    sure: float = scaled(0.7)
    edge: float = scaled(0.9)  # header and footer at the page's edges
    consent: float = 0.95  # notices of consent
    # announcements, promotions, sign-ups there (the topics of a board, called announcements, were the page)
    notice: float = scaled(0.2)
    rest: float = 0.02  # so much of the page must be left …
    least_worth: float = 100.0  # … and so much worth
    prose: float = scaled(0.3)  # hidden parts and dialogs that hold more of the prose stay …
    dialog_prose: float = scaled(0.1)  # … and dialogs that are not hidden
    edge_width: float = scaled(EDGE)  # share of the text before or behind what is at the page's edge
    top_starts: float = 0.8  # what heads a page starts in this first part of its text …
    bottom_starts: float = 0.05  # … and what ends it after this one
    edge_repeats: int = 2  # parts whose markup occurs more often are no edge


# protect: what nothing may take


@dataclass(frozen=True, slots=True)
class ClosingDialogs(Thresholds):
    share: float = scaled(0.7)
    behind: float = scaled(EDGE)  # of the text stands behind it at most; 1 % and 6 % give the same figures
    least_worth: float = 100.0


# protect: what nothing may take


@dataclass(frozen=True, slots=True)
class Groups(Thresholds):
    # two siblings are alike when they share this part of their tag paths (Jaccard index over the alphabet of tags,
    # which per-record classes can't tell apart)
    alike: float = 0.5
    # siblings before and after that are less alike still belong to the records (a first item with a picture, a
    # sponsored one) when they have so many tag paths in common
    related: float = 0.3
    related_symbols: int = 3
    # two items make a group only when they are this much alike, of the same class and of some size
    pair_alike: float = 0.7
    pair_symbols: int = 8
    pair_worth: float = 40.0
    pair_score: float = 0.5  # what a pair's score counts of a longer group's
    # median worth of the items, distinct tag paths in them, and their worth per character, at least
    median_worth: float = 20.0
    min_symbols: int = 4
    worth_per_character: float = 0.45
    rich: int = 20  # markup beyond so many distinct tag paths makes a group no more of a group
    least_nodes: int = 10  # elements with fewer nodes in them hold no records


@dataclass(frozen=True, slots=True)
class RecordGroups(Thresholds):
    guarded: float = scaled(0.05)  # groups of at least this share are protected, besides the best one
    # weight of groups inside of marked parts, or outside of `main`, when the best one is chosen …
    suspect: float = 0.25
    # … and only with this share is such a group protected; marked parts of more of the page cast no doubt
    suspect_share: float = 0.3
    suspect_part: float = 0.6
    main: float = 0.3  # a `main` element of more than this share casts doubt on what is outside of it
    title: float = 80  # characters of a line without links right above the records: their title
    groups: Groups = Groups()


@dataclass(frozen=True, slots=True)
class BelowHeading(Thresholds):
    share: float = 0.1  # of a part with the first heading: its title block
    line: float = 200  # characters of a line above the records


# remove


@dataclass(frozen=True, slots=True)
class MarkedParts(Thresholds):
    # what softer hints mark goes up to this share where text outweighs links in it, and otherwise …
    share: float = scaled(0.35)
    links_share: float = scaled(0.7)
    # … and up to this one where record groups of so much of the page show the main content
    anchored: float = scaled(0.6)
    anchored_links: float = scaled(0.9)
    anchor: float = 0.15
    text_worth: float = 0.6  # parts with more worth per character are more text than links
    # footers: at the page's edge, after the first part of its text
    edge: float = scaled(0.9)
    edge_width: float = scaled(EDGE)
    footer_starts: float = 0.1
    # what only classes and ids mark stays with more of the prose; of buttons so much of this limit
    prose: float = scaled(0.1)
    button_prose: float = 0.3
    protected: float = scaled(0.5)  # parts with this share of what is protected stay
    # markup that occurs more often with the same hint belongs to records, but for menus, buttons, dialogs …
    frequency: int = scaled(5)
    repeats: int = 99
    # headers that recur more often head groups of records (one for large screens, one for small)
    headers: int = 2
    # … but menus beside so many characters on average are bars of tools below the titles of records
    titled: float = 30.0
    # on a page of one thing, what surrounds its heading with this share of the page is about it: forms, buttons and
    # headers in there belong to it (the options of a product, the teaser of an article)
    zone: float = 0.15


MARKED_PARTS: Final = MarkedParts()


@dataclass(frozen=True, slots=True)
class MarkedContent(Thresholds):
    parts: MarkedParts = MARKED_PARTS
    # a form around so many records is one to choose from them, or from which page of them to go on
    records: int = 3


@dataclass(frozen=True, slots=True)
class OutsideMain(Thresholds):
    # what is outside of a `main` element goes if it has less than this share, and at most this one of what is protected
    share: float = scaled(0.5)
    protected: float = scaled(0.3)
    # if at most this share lies between the first heading and `main`, it is kept with the heading
    title: float = 0.15


@dataclass(frozen=True, slots=True)
class CommentsBelowText(Thresholds):
    share: float = scaled(0.95)
    # below a text of so many characters: the openings of threads are shorter, and their replies are records
    text: int = needed(2000)


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
class MainText(Thresholds):
    # the text is the smallest part with this share of the prose; it must hold this share of the worth
    share: float = 0.7
    dominance: float = needed(0.5)


@dataclass(frozen=True, slots=True)
class ArticleSurroundings(Thresholds):
    share: float = scaled(0.15)
    links_share: float = scaled(0.3)
    links_worth: float = LINKS_WORTH
    text: MainText = MainText()
    # introductions of a category, a team or an author are shorter, and what stands below them is the page's list; of
    # what the rule takes elsewhere, a twentieth stands beside such texts on WCXB and in the news, a sixth on recipes
    characters: int = needed(4000)
    linked: float = 0.2  # a text with a larger share of its characters inside of links is a list
    # no more than this share of the worth stands between the heading and the text: a text further down is a description
    # of, or a note on, what is above it
    distance: float = scaled(0.05)
    # parts beside the text that hold more of the prose stay; lists of teasers may hold excerpts
    prose: float = scaled(0.1)
    teaser_prose: float = scaled(0.35)
    # links of teasers have so many characters on average; references and symbols in a text have less
    title: int = 12
    # so many records of some texts each are no teasers (vacancies below a long text): of the 99 pages of WCXB where a
    # list of three or more such parts goes here, four have one of ten
    long_list: int = scaled(10)
    # parts of the same tag path are of the same make where they share this part of their classes, and one of them this
    # part of its tag paths with the other
    same_classes: float = 0.5
    same_tags: float = 0.6
    # so many short links are topics of the text
    topics: int = 15
    topic: int = 30


@dataclass(frozen=True, slots=True)
class ClosingTeasers(Thresholds):
    # of the characters outside of links stand in teasers and behind them at most
    behind: float = scaled(0.15)
    pictures: int = 3  # so many linked pictures
    linked: float = 0.6  # this part of their characters is in links
    most: float = 0.5  # of the characters outside of links below the heading


@dataclass(frozen=True, slots=True)
class BesideText(Thresholds):
    share: float = scaled(0.06)
    links_share: float = scaled(0.15)
    links_worth: float = LINKS_WORTH
    text: MainText = MainText()
    prose: float = scaled(0.05)  # parts that hold more of the prose stay


@dataclass(frozen=True, slots=True)
class RecordSurroundings(Thresholds):
    share: float = scaled(0.06)
    links_share: float = scaled(0.15)
    links_worth: float = LINKS_WORTH
    total: float = scaled(0.35)  # all of them together
    # parts that hold more of the prose stay
    prose: float = scaled(0.02)
    dominance: float = needed(DOMINANCE)
    landmarks: bool = True  # breadcrumbs and pagination go, too, and come back but for copies


@dataclass(frozen=True, slots=True)
class Choices(Thresholds):
    options: int = needed(FEW_OPTIONS)
    said: int = ENOUGH_PROSE  # a page that says less besides is about what there is to choose from


@dataclass(frozen=True, slots=True)
class SplitSides(Thresholds):
    # sides with more prose, in characters, stay: an article above its hundred comments is the smaller side of a split,
    # and nothing on the labelled pages that is no content holds so much
    prose: float = scaled(500.0)
    least_nodes: int = 20  # parts of fewer nodes are not split
    visits_per_node: int = 24  # visits of symbols allowed per node before the search stops with what it has


# veto


@dataclass(frozen=True, slots=True)
class Dominance(Thresholds):
    dominance: float = needed(DOMINANCE)


@dataclass(frozen=True, slots=True)
class MaskedContent(Dominance):
    few: int = needed(FEW_OPTIONS)
    share: float = 0.1  # of the page's text is in a list of values at most


@dataclass(frozen=True, slots=True)
class RecordPage(Dominance):
    # prose outside of the best group is no more than this share of the page
    outside_prose: float = scaled(0.2)


@dataclass(frozen=True, slots=True)
class Unlabelled(Thresholds):
    # of the kinds of elements (tag paths with classes) fewer than this share have a class: of search results of 2001
    # 95 % have less, and those of 2017 all have .34 and more
    classes: float = scaled(0.3)
    most: float = 0.5  # where more of them may have one, other names count for nothing


@dataclass(frozen=True, slots=True)
class CountedTables(Thresholds):
    # with more to put back none is: nobody counts so far, and each is looked for in all that went
    tables: int = 16


@dataclass(frozen=True, slots=True)
class Cues(Thresholds):
    related: RelatedHeadings = RelatedHeadings()
    parts: OwnParts = OwnParts()
    banners: PromotionLists = PromotionLists()
    siblings: LikeSiblings = LikeSiblings()
    revealed: Revealed = Revealed()


@dataclass(frozen=True, slots=True)
class OldListings(Thresholds):
    surroundings: RecordSurroundings = RecordSurroundings()
    sides: SplitSides = SplitSides()
