"""Columns that are worth having, and what they are to a reader: title, address, picture, price, date, rating,
description."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.records.names import is_rating

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from scrapy_tps.records.cells import Cell
    from scrapy_tps.records.regions import Column

    Rows = Sequence[Sequence[Cell | None]]
    Values = tuple[str | None, ...]

#: The fewest records of which one text in all of them is no data.
_LEAST_RECORDS: Final = 3
#: The least share of the records that have a role's column, and the least share of its values that differ.
_MOST: Final = 0.6
_DISTINCT: Final = 0.5
#: The mean number of characters of a description.
_PROSE: Final = 40
#: Parts of names of titles, and elements of these.
TITLES: Final = ("title", "name", "head", "subject")
_STRESSED: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "b", "strong", "dt", "th"})


def tells_records_apart(values: Values) -> bool:
    """Whether a column tells records apart: it is neither one text in most of them nor signs alone."""
    there = [value for value in values if value is not None]
    if not any(any(map(str.isalnum, value)) for value in there):
        return False
    return len(values) < _LEAST_RECORDS or 2 * len(there) <= len(values) or len(set(there)) > 1


def give_roles(columns: Sequence[Column], rows: Rows) -> None:
    """Set the role of the columns that have one, one column each.

    The title is the first text, in a link whose target differs between records if there is one; the address is that of
    its link.
    """
    filled = [[row[place] for row in rows] for place in range(len(columns))]
    usual = [place for place, cells in enumerate(filled) if _is_usual(cells)]
    texts = [place for place in usual if columns[place].attribute is None]
    links = [place for place in usual if columns[place].attribute == "href"]
    title = _title(columns, filled, texts, links)
    if title is not None:
        columns[title].role = "title"
    address = _address(filled, links, title)
    if address is not None:
        columns[address].role = "url"
    pictures = [place for place in usual if columns[place].attribute == "src"]
    if pictures:
        columns[pictures[0]].role = "image"
    others = [
        place for place, column in enumerate(columns) if column.attribute is None and column.role is None
    ]
    for role in ("price", "date"):
        found = next((place for place in others if columns[place].type == role), None)
        if found is not None:
            columns[found].role = role
    rating = next((place for place in others if is_rating(_values(filled[place]))), None)
    if rating is not None:
        columns[rating].role = "rating"
    prose = [(_mean_length(filled[place]), place) for place in others if columns[place].role is None]
    length, longest = max(prose, default=(0.0, 0))
    if length >= _PROSE:
        columns[longest].role = "description"


def _title(
    columns: Sequence[Column], filled: Sequence[Sequence[Cell | None]], texts: list[int], links: list[int]
) -> int | None:
    """Return the column of titles, None if no text can be one."""
    linked = {cell.place for place in links for cell in filled[place] if cell is not None}
    suiting = [place for place in texts if columns[place].type == "text" and _letters(filled[place])]

    def points(place: int) -> tuple[int, int]:
        column = columns[place]
        in_link = any(tag == "a" for tag, _ in column.path) or _share_in(filled[place], linked)
        stressed = any(tag in _STRESSED for tag, _ in column.path)
        named = any(word in column.name for word in TITLES)
        return 2 * in_link + stressed + named, -place

    return max(suiting, key=points, default=None)


def _address(filled: Sequence[Sequence[Cell | None]], links: list[int], title: int | None) -> int | None:
    """Return the column of the links that hold the titles, otherwise the first with different targets."""
    if title is not None:
        of_title = {cell.place for cell in filled[title] if cell is not None}
        best = max(links, key=lambda place: (_share_in(filled[place], of_title), -place), default=None)
        if best is not None and _share_in(filled[best], of_title):
            return best
    return links[0] if links else None


def _share_in(cells: Sequence[Cell | None], places: Collection[int]) -> bool:
    """Whether most cells are at some places."""
    there = [cell for cell in cells if cell is not None]
    return 2 * sum(cell.place in places for cell in there) > len(there)


def _is_usual(cells: Sequence[Cell | None]) -> bool:
    values = _values(cells)
    return len(values) >= _MOST * len(cells) and len(set(values)) >= _DISTINCT * len(values)


def _values(cells: Sequence[Cell | None]) -> list[str]:
    return [cell.value for cell in cells if cell is not None]


def _letters(cells: Sequence[Cell | None]) -> bool:
    """Whether most values have words."""
    values = _values(cells)
    return 2 * sum(sum(map(str.isalpha, value)) > 2 for value in values) > len(values)


def _mean_length(cells: Sequence[Cell | None]) -> float:
    values = _values(cells)
    return sum(map(len, values)) / len(cells) if values else 0.0
