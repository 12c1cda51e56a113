"""Thresholds of the rules that say what stays, whatever holds it."""

from __future__ import annotations

from dataclasses import dataclass

from scrapy_tps.engine.strategies.auto.scaling import Thresholds


@dataclass(frozen=True, slots=True)
class Landmarks(Thresholds):
    # parts with more text, or as many nodes, are no breadcrumb or pagination, whatever their names say
    characters: int = 400
    nodes: int = 200


@dataclass(frozen=True, slots=True)
class Pagination(Thresholds):
    # texts of so many characters may be a number, with brackets around it; so many of them are looked at
    characters: int = 6
    read: int = 500
    # a number is in so many elements of so many nodes at most, without other words but what all of them say before it
    # (<li><a><span>Page</span> <span>2</span></a> |</li>)
    levels: int = 4
    unit_nodes: int = 12
    # characters of a link to the next page, in the languages that need most, and of a number with what it is of
    arrow: int = 20
    # larger parts are more than a row of numbers: of these the numbers stay, and what is between them
    row_nodes: int = 150
    row_characters: int = 300
    # steps of one, or of two around the page's own number, are at least this share of all where the row does not start
    # with the first pages: prices and sizes are numbers as well. Of many pages, few are linked after the first (2, 3,
    # 11, 51, 101)
    even: float = 0.5
    end: int = 40  # characters of a link in which its number and the word before are looked for, at its end
    digits: int = 5  # digits of a number


@dataclass(frozen=True, slots=True)
class NamedByTitle(Thresholds):
    characters: int = 8  # shorter headings are in a title by accident …
    share: float = 1 / 3  # … and shorter parts of the title are the site's name
    read: int = 50  # so many headings are read …
    nodes: int = 20  # … of so many nodes at most


@dataclass(frozen=True, slots=True)
class Labelled(Thresholds):
    # `rel="author"` (HTML Standard, section 4.6.7.2) is looked for in so many nodes below the heading; larger bylines
    # than this have no name of their own
    nodes: int = 300
    # a label is on so many characters at most, with a byline the date included (more is a portrait of the author), and
    # so many nodes
    line: int = 100
    line_nodes: int = 60
    by: int = 12  # characters before the name in a larger byline
    read: int = 200  # so many of each kind are looked at


@dataclass(frozen=True, slots=True)
class Counts(Thresholds):
    # a line of so many characters and nodes at most says how many there are; more such lines than `most`, and bars
    # with more numbers than `numbers`, are choices
    characters: int = 60
    nodes: int = 12
    most: int = 4
    numbers: int = 100


@dataclass(frozen=True, slots=True)
class NextLinks(Thresholds):
    most: int = 4  # pages with more of them have them in their menus or beside their records
    # characters of a link that says it, in the languages that need most ("Next: a title" is another article), and with
    # the white space in it, and of a label
    characters: int = 20
    read: int = 100
    # nodes of a link, and of what is around it alone, whose class may say it: so many levels up
    nodes: int = 12
    levels: int = 2


@dataclass(frozen=True, slots=True)
class Promises(Thresholds):
    landmarks: Landmarks = Landmarks()
    pagination: Pagination = Pagination()
    labelled: Labelled = Labelled()
    counts: Counts = Counts()
    next_links: NextLinks = NextLinks()
