"""CSS selectors of the records of a region and their columns, to paste into a spider."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Final, Literal

from lxml import etree
from parsel.csstranslator import HTMLTranslator

from scrapy_tps.records.next_page import base_url, value_address

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_tps.records.regions import Column, DataRecord, DataRegion


#: Names that need no escaping in CSS; selectors do not use others.
PLAIN_NAME: Final = re.compile(r"^-?[A-Za-z_][\w-]*$")
#: Attributes with names that sites keep longer than the looks of a page.
NAMING: Final = ("itemprop", "data-testid", "data-test", "data-qa", "property", "rel", "name")
_LEVELS_DOWN: Final = 8
#: A class with a number of two or more digits may be the number of a record, unless elements share it.
_NUMBERED: Final = re.compile(r"\d\d")


def steps_of(elements: list[Any], *, identifiers: bool = False) -> list[str]:
    """Return selectors of elements: by shared names and classes, by tag; the last one is a plain tag.

    :param identifiers: whether the identifier of a single element may be used: that of a list distinguishes it from
        others, those of its records and their parts differ in each.
    """
    tags = {element.tag for element in elements}
    tag = tags.pop() if len(tags) == 1 else "*"
    steps = []
    identifier = elements[0].get("id")
    if identifiers and len(elements) == 1 and identifier and PLAIN_NAME.match(identifier):
        steps.append(f"{tag}#{identifier}")
    for attribute in NAMING:
        values = {element.get(attribute) for element in elements}
        value = values.pop() if len(values) == 1 else None
        if value and PLAIN_NAME.match(value):
            steps.append(f'{tag if tag != "*" else ""}[{attribute}="{value}"]')
    steps += [f"{tag if tag != '*' else ''}.{name}" for name in shared_classes(elements)]
    steps.append(tag)
    return steps


def shared_classes(elements: list[Any]) -> list[str]:
    """Return the class names that all of the elements have, in the order of the first."""
    names = [dict.fromkeys((element.get("class") or "").split()) for element in elements]
    shared = set.intersection(*map(set, names))
    alone = len(elements) == 1
    return [
        name
        for name in names[0]
        if name in shared and PLAIN_NAME.match(name) and not (alone and _NUMBERED.search(name))
    ]


def path_of(top: Any, element: Any) -> str | None:
    """Return the steps from one element down to another, empty if they are the same; None if it is too deep."""
    steps: list[str] = []
    while element is not top:
        parent = element.getparent()
        if parent is None or len(steps) > _LEVELS_DOWN:
            return None
        same = [child for child in parent if child.tag == element.tag]
        steps.append(
            f"{element.tag}:nth-of-type({same.index(element) + 1})" if len(same) > 1 else element.tag
        )
        element = parent
    return " > ".join(reversed(steps))


#: The number of records, the first ones, on which the selectors of a column are tried.
COUNTED: Final = 200
_LEVELS_ABOVE_CELL: Final = 3  # elements above a cell that may be named to distinguish it from others
_PATHS: Final = 3  # ways down to the cells of a column that are tried, the most frequent first

_translator = HTMLTranslator()
#: A child that is the nth of its tag, as the translator writes it.
_NTH_CHILD: Final = re.compile(r"/([\w-]+)\[count\(preceding-sibling::\1\) = (\d+)\]")

#: The ways to make a value from the results of a selector: the first, all joined, or all as a list.
Reading = Literal["first", "joined", "list"]


@dataclass(frozen=True, slots=True)
class ColumnSelector:
    """A selector of a column, below its record, or below a sibling of that.

    :ivar css: with ``::text`` or ``::attr()``.
    :ivar reading: how its results make the value: ``first`` (``get()``), ``joined`` (``getall()``, joined by spaces),
        or ``list`` (``getall()``: a list inside the record).
    :ivar right: number of records, of the first `COUNTED`, whose value it selects; ``wrong``: in which it selects
        another value than the column's; ``filled``: that have a value.
    :ivar sibling: 0 for the record's first element, 1 for the one after it, and so on.
    """

    css: str
    reading: Reading
    right: int
    wrong: int
    filled: int
    sibling: int = 0

    @property
    def code(self) -> str:
        """The expression for its results, where ``record`` is the record's first element."""
        behind = f".xpath('following-sibling::*[{self.sibling}]')" if self.sibling else ""
        return f"record{behind}.css({self.css!r})"


def column_selectors(region: DataRegion, sibling: int = 0) -> dict[str, ColumnSelector]:
    """Return a selector for each column that a selector can reach, each with a different one, in any order.

    It selects the value of the column in more records than it selects another value.
    """
    records = region.records[:COUNTED]
    selections = _Selections(records)
    having = Counter(place for one in records for place, value in enumerate(one.fields) if value is not None)
    found: dict[str, ColumnSelector] = {}
    used: set[str] = set()
    # the columns of most records choose first
    for place in sorted(range(len(region.columns)), key=lambda place: -having[place]):
        filled = having[place]
        best: ColumnSelector | None = None
        for css, reading in _candidates(records, place, region.columns[place]):
            if css in used:
                continue
            right, wrong = selections.count(css, reading, place)
            if right > wrong and (
                best is None or (right - wrong, right) > (best.right - best.wrong, best.right)
            ):
                best = ColumnSelector(css, reading, right, wrong, filled, sibling)
                if not wrong and right == filled:
                    break
        if best is not None:
            found[region.columns[place].key] = best
            used.add(best.css)
    return found


class _Selections:
    """The values of columns, and those that selectors select, in some records, without white space; empty for none.

    Each selector runs once, for all columns.
    """

    def __init__(self, records: Sequence[DataRecord]) -> None:
        self._records = records
        tree = records[0].nodes[0].getroottree()
        self._base = base_url(tree.getroot(), tree.docinfo.URL or "")
        self._results: dict[str, list[list[str]]] = {}
        self._selected: dict[tuple[str, Reading], list[str]] = {}
        self._wanted: dict[tuple[int, Reading], list[str]] = {}

    def count(self, css: str, reading: Reading, place: int) -> tuple[int, int]:
        """Return in how many records a selector selects the value of a column, and in how many another one."""
        if (css, reading) not in self._selected:
            texts = [found[:1] if reading == "first" else found for found in self._results_of(css)]
            self._selected[css, reading] = [_bare("".join(found), reading) for found in texts]
        if (place, reading) not in self._wanted:
            fields = [record.fields[place] or "" for record in self._records]
            self._wanted[place, reading] = [_bare(field, reading) for field in fields]
        selected = self._selected[css, reading]
        pairs = zip(selected, self._wanted[place, reading], strict=True)
        right = sum(one == wanted != "" for one, wanted in pairs)
        return right, len(selected) - selected.count("") - right

    def _results_of(self, css: str) -> list[list[str]]:
        if css not in self._results:
            select = compiled_css(css)
            found = [select(record.nodes[0]) if select else [] for record in self._records]
            if "::attr(" in css:
                found = [[value_address(self._base, one) for one in results] for results in found]
            self._results[css] = found
        return self._results[css]


def _candidates(records: Sequence[DataRecord], place: int, column: Column) -> Iterator[tuple[str, Reading]]:
    there = [
        (record.nodes[0], record.elements[place]) for record in records if record.elements[place] is not None
    ]
    is_list = column.attribute is None and any(_is_list(record, place) for record in records)
    for selector in dict.fromkeys((*named_selectors(there), *placed_selectors(there))):
        if column.attribute is not None:
            yield f"{selector}::attr({column.attribute})", "first"
            yield f"{selector}::attr({column.attribute})", "joined"
            if column.attribute == "src":
                yield f"{selector}::attr(data-src)", "first"
        elif is_list:
            yield f"{selector}::text", "list"
            yield f"{selector} ::text", "list"
        else:
            yield f"{selector}::text", "first"
            yield f"{selector} ::text", "joined"
            yield f"{selector} ::text", "first"
            yield f"{selector}::text", "joined"


def _is_list(record: DataRecord, place: int) -> bool:
    """Whether a cell is the joined text of a list inside the record."""
    element = record.elements[place]
    return any(element is not None and inner.records[0].nodes[:1] == [element] for inner in record.sublists)


def named_selectors(pairs: Sequence[tuple[Any, Any]]) -> Iterator[str]:
    """Yield selectors of elements by names and tags, each given with its record: short and general ones first."""
    if not pairs:
        return
    groups = [pairs]
    built = Counter((element.tag, element.get("class")) for _, element in pairs)
    if len(built) > 1:  # classes that most of them have
        most = built.most_common(1)[0][0]
        groups.append([pair for pair in pairs if (pair[1].tag, pair[1].get("class")) == most])
    for group in groups:
        steps = steps_of([element for _, element in group])
        if all(element is not top for top, element in group):
            yield from steps
            yield from _below(group, steps)
            yield from (f":scope > {step}" for step in steps)


def placed_selectors(pairs: Sequence[tuple[Any, Any]]) -> Iterator[str]:
    """Yield the ways down from records to their elements, the most frequent first."""
    paths = Counter(path_of(top, element) for top, element in pairs)
    for path, _ in paths.most_common(_PATHS):
        if path:
            yield path
        if path is not None:
            yield f":scope > {path}" if path else ":scope"


def _below(pairs: Sequence[tuple[Any, Any]], steps: Sequence[str]) -> Iterator[str]:
    """Selectors of steps below what is above the elements, within their records."""
    above = pairs
    for level in range(_LEVELS_ABOVE_CELL):
        above = [(top, element.getparent()) for top, element in above]
        if any(element is None or element is top for top, element in above):
            return
        relation = " > " if not level else " "
        for outer in steps_of([element for _, element in above]):
            yield from (f"{outer}{relation}{inner}" for inner in steps)


def _bare(text: str, reading: Reading) -> str:
    """Return a text without its white space; for a list, also without the commas that join it."""
    return "".join((text.replace(",", " ") if reading == "list" else text).split())


def compiled_css(css: str, prefix: str = "descendant-or-self::") -> Any:
    """Return a selector as an XPath, by default from an element itself down, as ``record.css()`` does; None if it can't
    be one."""
    try:
        return etree.XPath(xpath_of_css(css, prefix))
    except (etree.XPathError, SyntaxError, ValueError):  # odd names cannot be selected
        return None


def xpath_of_css(css: str, prefix: str) -> str:
    """Return a selector as XPath; raise ``ValueError`` or ``SyntaxError`` if it can't be one."""
    xpath = _translator.css_to_xpath(css, prefix=prefix)
    # libxml2 counts all siblings of each child, which is quadratic, but stops at a position
    return _NTH_CHILD.sub(lambda step: f"/{step[1]}[{int(step[2]) + 1}]", xpath)


_LEVELS: Final = 8  # ancestors that may be named to distinguish a list from others, levels inside records
_MOST_INSIDE: Final = 500  # elements of a record that may distinguish it from others


@dataclass(frozen=True, slots=True)
class RegionSelectors:
    """CSS selectors of a region.

    :ivar record: selects the first elements of records; None if no selector can.
    :ivar exact: whether it selects exactly these on the page on which they were found.
    :ivar columns: column name to selector below a record; a column that no selector can reach is not in it.
    """

    record: str | None
    exact: bool
    columns: dict[str, ColumnSelector]


def region_selectors(region: DataRegion) -> RegionSelectors:
    """Return selectors for a region of a page that is still in memory.

    The shortest selector that selects exactly the records is chosen; if there is none, the one that selects all of them
    and the fewest others. Record selectors start with the nearest ancestor that has an ``id`` or a class of its own.
    """
    if not region.records or not all(_are_neighbours(record.nodes) for record in region.records):
        return RegionSelectors(None, False, {})
    first = [record.nodes[0] for record in region.records]
    record, exact = record_selector(first)
    columns: dict[str, ColumnSelector] = {}
    for sibling in range(max(len(one.nodes) for one in region.records)):
        columns = column_selectors(_part(region, sibling), sibling) | columns
    in_order = {column.key: columns[column.key] for column in region.columns if column.key in columns}
    return RegionSelectors(record, exact, in_order)


def _are_neighbours(nodes: Sequence[Any]) -> bool:
    return bool(nodes) and all(
        next(one.itersiblings(etree.Element), None) is other for one, other in pairwise(nodes)
    )


def _part(region: DataRegion, sibling: int) -> DataRegion:
    """Return the records with only one of their elements, and what is in it."""
    if all(len(record.nodes) == 1 for record in region.records):
        return region
    records = []
    for record in region.records:
        if len(record.nodes) <= sibling:
            continue
        top = record.nodes[sibling]
        inside = [
            element is not None and (element is top or top in element.iterancestors())
            for element in record.elements
        ]
        fields = [value if is_in else None for value, is_in in zip(record.fields, inside, strict=True)]
        elements = [one if is_in else None for one, is_in in zip(record.elements, inside, strict=True)]
        records.append(replace(record, nodes=[top], fields=fields, elements=elements))
    return replace(region, records=records)


def record_selector(nodes: list[Any]) -> tuple[str | None, bool]:
    """Return the first selector of exactly some elements, otherwise that of the fewest others, and whether it is exact.

    Others that lack something which all of the elements hold are excluded by it.
    """
    wanted = set(nodes)
    root = nodes[0].getroottree()
    best: str | None = None
    others: set[Any] = set()
    for selector in record_candidates(nodes):
        select = compiled_css(selector, "//")
        found = set(select(root)) if select else set()
        if found == wanted:
            return selector, True
        if found >= wanted and (best is None or len(found - wanted) < len(others)):
            best, others = selector, found - wanted
    paths = set.intersection(*map(ways_inside, nodes)).difference(*map(ways_inside, others)) if best else ()
    path = min(paths, key=lambda path: (len(path), path), default=None)
    having = f"{best}:has({path})"
    if path is not None and compiled_css(having) is not None:  # cssselect 1.2 knows only ways of one step
        return having, True
    return best, False


def ways_inside(top: Any) -> set[str]:
    """Return the ways from an element down to those inside it, by tags."""
    found: dict[Any, str] = {top: ""}
    for element in islice(top.iterdescendants(etree.Element), _MOST_INSIDE):
        above = found.get(element.getparent())
        if above is not None and PLAIN_NAME.match(element.tag) and above.count(">") < _LEVELS:
            found[element] = f"{above} > {element.tag}".lstrip()
    del found[top]
    return set(found.values())


def record_candidates(nodes: list[Any]) -> Iterator[str]:
    """Yield selectors of records, those that start nearest first."""
    *own, tag = steps_of(nodes)
    if tag == "*":
        own.clear()
    elif len(own) > 1:
        own.append(tag + "".join(step.removeprefix(tag) for step in own))
    yield from own
    own.append(tag)
    parents = list(dict.fromkeys(node.getparent() for node in nodes))
    path = ""
    for _ in range(_LEVELS):
        if any(parent is None or not isinstance(parent.tag, str) for parent in parents):
            return
        steps = steps_of(parents, identifiers=True)
        for step in steps:
            for one in own:
                yield f"{step} > {path}{one}"
        path = f"{steps[-1]} > {path}"
        parents = list(dict.fromkeys(parent.getparent() for parent in parents))
    for one in own:
        yield f"{path}{one}"
