"""CSS selectors of the columns of a region, each tried out on its records."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from lxml import etree
from parsel.csstranslator import HTMLTranslator

from scrapy_tps.records.steps import path_of, steps_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_tps.records.model import Column, DataRecord, DataRegion

#: Records that the selectors of a column are tried on to choose one, and those that the chosen one is counted on.
_TRIED: Final = 25
_COUNTED: Final = 1000
_LEVELS: Final = 3  # elements above a cell that may be named to tell it from others
_PATHS: Final = 3  # ways down to the cells of a column that are tried, the most frequent first

_translator = HTMLTranslator()

#: How the results of a selector make the value: the first, all of them joined, or all of them as a list.
Reading = Literal["first", "joined", "list"]


@dataclass(frozen=True, slots=True)
class ColumnSelector:
    """A selector of a column, below its record.

    :ivar css: with ``::text`` or ``::attr()``.
    :ivar reading: what of its results the value is: ``first`` (``get()``), ``joined`` (``getall()``, joined by
        spaces), or ``list`` (``getall()``: a list inside the record).
    :ivar right: records whose value it gives; ``wrong``: records where it gives something that the column does not
        hold; ``filled``: records that have a value.
    """

    css: str
    reading: Reading
    right: int
    wrong: int
    filled: int


def column_selectors(region: DataRegion) -> dict[str, ColumnSelector]:
    """Return a selector for each column that one reaches, no two columns with the same.

    It has given the values of the column in more records than it has given others in.
    """
    records = region.records
    tried, counted = records[:_TRIED], records[:_COUNTED]
    compiled: dict[str, etree.XPath | None] = {}
    found: dict[str, ColumnSelector] = {}
    used: set[str] = set()

    def filled(place: int) -> int:
        return sum(record.fields[place] is not None for record in counted)

    # the columns that most records have choose first
    for place in sorted(range(len(region.columns)), key=lambda place: -filled(place)):
        column = region.columns[place]
        # a column of few records may have no cell in the first ones
        sample = tried if any(record.elements[place] is not None for record in tried) else counted
        best: tuple[int, int, str, Reading] | None = None
        for css, reading in _candidates(sample, place, column):
            if css in used:
                continue
            right, wrong = _count(css, reading, sample, place, compiled)
            if right > wrong and (best is None or (right - wrong, right) > best[:2]):
                best = (right - wrong, right, css, reading)
                if not wrong and right == sum(record.fields[place] is not None for record in sample):
                    break
        if best is None:
            continue
        _, _, css, reading = best
        right, wrong = _count(css, reading, counted, place, compiled)
        if right > wrong:
            found[column.name] = ColumnSelector(css, reading, right, wrong, filled(place))
            used.add(css)
    return {column.name: found[column.name] for column in region.columns if column.name in found}


def _candidates(records: Sequence[DataRecord], place: int, column: Column) -> Iterator[tuple[str, Reading]]:
    there = [
        (record.nodes[0], record.elements[place]) for record in records if record.elements[place] is not None
    ]
    is_list = column.attribute is None and any(_is_list(record, place) for record in records)
    for selector in dict.fromkeys(_elements(there)):
        if column.attribute is not None:
            yield f"{selector}::attr({column.attribute})", "first"
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


def _elements(pairs: Sequence[tuple[Any, Any]]) -> Iterator[str]:
    """Selectors for the elements of a column, each given with its record: short and general ones first."""
    if not pairs:
        return
    groups = [pairs]
    built = Counter((element.tag, element.get("class")) for _, element in pairs)
    if len(built) > 1:  # what most of them have
        most = built.most_common(1)[0][0]
        groups.append([pair for pair in pairs if (pair[1].tag, pair[1].get("class")) == most])
    for group in groups:
        steps = steps_of([element for _, element in group])
        if all(element is not top for top, element in group):
            yield from steps
            above = group
            for level in range(_LEVELS):
                above = [(top, element.getparent()) for top, element in above]
                if any(element is None or element is top for top, element in above):
                    break
                relation = " > " if not level else " "
                for outer in steps_of([element for _, element in above]):
                    yield from (f"{outer}{relation}{inner}" for inner in steps)
            yield from (f":scope > {step}" for step in steps)
    paths = Counter(path_of(top, element) for top, element in pairs)
    for path, _ in paths.most_common(_PATHS):
        if path:
            yield path
        if path is not None:
            yield f":scope > {path}" if path else ":scope"


def _count(
    css: str,
    reading: Reading,
    records: Sequence[DataRecord],
    place: int,
    compiled: dict[str, etree.XPath | None],
) -> tuple[int, int]:
    """In how many records a selector gives the value, and in how many something else."""
    if css not in compiled:
        compiled[css] = _compiled(css)
    select = compiled[css]
    if select is None:
        return 0, 0
    right = wrong = 0
    for record in records:
        found: Any = select(record.nodes[0])
        given = _bare((found[0] if found else "") if reading == "first" else "".join(found), reading)
        if given:
            holds = given == _bare(record.fields[place] or "", reading)
            right += holds
            wrong += not holds
    return right, wrong


def _bare(text: str, reading: Reading) -> str:
    """A text without its white space; of a list also without the commas that join it."""
    return "".join((text.replace(",", " ") if reading == "list" else text).split())


def _compiled(css: str) -> etree.XPath | None:
    try:
        return etree.XPath(
            _translator.css_to_xpath(css)
        )  # from the record itself down, as `record.css()` does
    except (etree.XPathError, SyntaxError, ValueError):  # odd names: no selector of them
        return None
