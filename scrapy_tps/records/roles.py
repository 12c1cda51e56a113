"""What columns are to a reader: title, address, picture, price, date, rating,
description."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.records.names import is_rating
from scrapy_tps.records.record_page import NO_TARGETS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from scrapy_tps.records.cells import Cell
    from scrapy_tps.records.regions import Column

    Cells = Sequence[Cell | None]

#: The least share of the records that have a role's column, and the least share of its values that differ.
USUAL: Final = 0.6
_DISTINCT: Final = 0.5
_FEW_LETTERS: Final = 2  # titles have more
#: The mean number of characters of a description.
_PROSE: Final = 40
#: Parts of names of titles, and elements of these.
TITLES: Final = ("title", "name", "head", "subject")
_STRESSED: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "b", "strong", "dt", "th"})


def give_roles(columns: Sequence[Column], filled: Sequence[Cells]) -> None:
    """Set the role of the columns that have one, one column each.

    The title is the first text, in a link whose target differs between records if there is one; the address is that of
    its link.

    :param filled: the cells of each column.
    """
    usual = [place for place, cells in enumerate(filled) if len(_values(cells)) >= USUAL * len(cells)]
    distinct = [place for place in usual if _is_distinct(filled[place])]
    links = [place for place in distinct if columns[place].attribute == "href" and _leads(filled[place])]
    texts = [place for place in (usual if links else distinct) if columns[place].attribute is None]
    title = _title(columns, filled, texts, links)
    shown = [
        place for place in texts if columns[place].type == "url"
    ]  # equal to the link, which is no column then
    _give(columns, "title", title)
    _give(columns, "url", _address(filled, links or shown, title))
    _give(columns, "image", next((place for place in distinct if columns[place].attribute == "src"), None))
    _give_to_others(columns, filled)


def _give(columns: Sequence[Column], role: str, place: int | None) -> None:
    if place is not None:
        columns[place].role = role


def _give_to_others(columns: Sequence[Column], filled: Sequence[Cells]) -> None:
    """Set the roles of texts by their form: price, date, rating, description."""
    others = [
        place for place, column in enumerate(columns) if column.attribute is None and column.role is None
    ]
    for role in ("price", "date"):
        _give(columns, role, next((place for place in others if columns[place].type == role), None))
    _give(columns, "rating", next((place for place in others if is_rating(_values(filled[place]))), None))
    rest = [place for place in others if columns[place].role is None and _is_distinct(filled[place])]
    length, longest = max([(_mean_length(filled[place]), place) for place in rest], default=(0.0, 0))
    if length >= _PROSE:
        columns[longest].role = "description"


def _title(
    columns: Sequence[Column], filled: Sequence[Cells], texts: list[int], links: list[int]
) -> int | None:
    """Return the column of titles, None if no text can be one; the full texts rather than those cut for the eye."""
    linked = {cell.place for place in links for cell in filled[place] if cell is not None}
    suiting = [place for place in texts if columns[place].type == "text" and _has_letters(filled[place])]

    def points(place: int) -> tuple[bool, int, int]:
        column = columns[place]
        in_link = any(tag == "a" for tag, _ in column.path) or _share_in(filled[place], linked)
        stressed = any(tag in _STRESSED for tag, _ in column.path)
        named = any(word in column.name for word in TITLES)
        return _is_distinct(filled[place]), 2 * in_link + stressed + named, -place

    first = max(suiting, key=points, default=None)
    if first is None:
        return None
    alike = [place for place in suiting if points(place)[:2] == points(first)[:2]]
    return next((place for place in alike if place != first and _begins(filled[first], filled[place])), first)


def _begins(short: Cells, full: Cells) -> bool:
    """Whether the values of one column begin those of another one in most records: the same text, cut for the eye."""
    both = [(one.value, other.value) for one, other in zip(short, full, strict=True) if one and other]
    return 2 * sum(value.startswith(cut.rstrip(".…")) for cut, value in both) > len(full)


def _address(filled: Sequence[Cells], links: list[int], title: int | None) -> int | None:
    """Return the column of the links that hold the titles, otherwise the first with different targets."""
    if title is not None:
        of_title = {cell.place for cell in filled[title] if cell is not None}
        best = max(links, key=lambda place: (_share_in(filled[place], of_title), -place), default=None)
        if best is not None and _share_in(filled[best], of_title):
            return best
    return links[0] if links else None


def _share_in(cells: Cells, places: Collection[int]) -> bool:
    """Whether most cells are at some places."""
    there = [cell for cell in cells if cell is not None]
    return 2 * sum(cell.place in places for cell in there) > len(there)


def _is_distinct(cells: Cells) -> bool:
    values = _values(cells)
    return len(set(values)) >= _DISTINCT * len(values)


def _leads(cells: Cells) -> bool:
    """Whether most links lead to a page."""
    values = _values(cells)
    return 2 * sum(value.startswith(NO_TARGETS) for value in values) < len(values)


def _values(cells: Cells) -> list[str]:
    return [cell.value for cell in cells if cell is not None]


def _has_letters(cells: Cells) -> bool:
    """Whether most values have more than a few letters."""
    values = _values(cells)
    return 2 * sum(sum(map(str.isalpha, value)) > _FEW_LETTERS for value in values) > len(values)


def _mean_length(cells: Cells) -> float:
    values = _values(cells)
    return sum(map(len, values)) / len(cells) if values else 0.0
