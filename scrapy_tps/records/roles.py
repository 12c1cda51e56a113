"""What columns are to a reader: title, address, picture, price, date, rating,
description."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy_tps.records.names import is_rating
from scrapy_tps.records.record_page import NO_TARGETS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from scrapy_tps.records.cells import ColumnDraft

#: The least share of the records that have a role's column, and the least share of its values that differ.
USUAL: Final = 0.6
_DISTINCT: Final = 0.5
_FEW_LETTERS: Final = 2  # titles have more
#: The mean number of characters of a description.
_PROSE: Final = 40
#: Parts of names of titles, and elements of these.
TITLES: Final = ("title", "name", "head", "subject")
_STRESSED: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "b", "strong", "dt", "th"})


def give_roles(drafts: Sequence[ColumnDraft]) -> None:
    """Set the role of the columns that have one, one column each.

    The title is the first text, in a link whose target differs between records if there is one; the address is that of
    its link.
    """
    usual = [draft for draft in drafts if len(draft.values) >= USUAL * len(draft.cells)]
    distinct = list(filter(_is_distinct, usual))
    links = [draft for draft in distinct if draft.attribute == "href" and _leads(draft)]
    texts = [draft for draft in (usual if links else distinct) if draft.attribute is None]
    title = _title(texts, links)
    shown = [draft for draft in texts if draft.type == "url"]  # equal to the link, which is no column then
    _give("title", title)
    _give("url", _address(links or shown, title))
    _give("image", next((draft for draft in distinct if draft.attribute == "src"), None))
    _give_to_others([draft for draft in drafts if draft.attribute is None and draft.role is None])


def _give(role: str, draft: ColumnDraft | None) -> None:
    if draft is not None:
        draft.role = role


def _give_to_others(others: Sequence[ColumnDraft]) -> None:
    """Set the roles of texts by their form: price, date, rating, description."""
    for role in ("price", "date"):
        _give(role, next((draft for draft in others if draft.type == role), None))
    _give("rating", next((draft for draft in others if is_rating(draft.values)), None))
    rest = [draft for draft in others if draft.role is None and _is_distinct(draft)]
    # of several of one length, the last
    longest = max(reversed(rest), key=_mean_length, default=None)
    if longest is not None and _mean_length(longest) >= _PROSE:
        longest.role = "description"


def _title(texts: Sequence[ColumnDraft], links: Sequence[ColumnDraft]) -> ColumnDraft | None:
    """Return the column of titles, None if no text can be one; the full texts rather than those cut for the eye."""
    linked = _places(links)
    suiting = [draft for draft in texts if draft.type == "text" and _has_letters(draft)]

    def points(draft: ColumnDraft) -> tuple[bool, int]:
        in_link = any(tag == "a" for tag, _ in draft.path) or _is_at(draft, linked)
        stressed = any(tag in _STRESSED for tag, _ in draft.path)
        named = any(word in draft.names[0] for word in TITLES)
        return _is_distinct(draft), 2 * in_link + stressed + named

    first = max(suiting, key=points, default=None)
    if first is None:
        return None
    best = points(first)
    alike = [draft for draft in suiting if draft is not first and points(draft) == best]
    return next((draft for draft in alike if _begins(first, draft)), first)


def _begins(short: ColumnDraft, full: ColumnDraft) -> bool:
    """Whether the values of one column begin those of another one in most records: the same text, cut for the eye."""
    both = [
        (one.value, other.value) for one, other in zip(short.cells, full.cells, strict=True) if one and other
    ]
    return 2 * sum(value.startswith(cut.rstrip(".…")) for cut, value in both) > len(full.cells)


def _address(links: Sequence[ColumnDraft], title: ColumnDraft | None) -> ColumnDraft | None:
    """Return the column of the links that hold the titles, otherwise the first with different targets."""
    of_title = _places([title] if title else [])
    return next((draft for draft in links if _is_at(draft, of_title)), links[0] if links else None)


def _places(drafts: Iterable[ColumnDraft]) -> set[int]:
    return {cell.place for draft in drafts for cell in draft.cells if cell is not None}


def _is_at(draft: ColumnDraft, places: Collection[int]) -> bool:
    """Whether most cells are at some places."""
    there = [cell for cell in draft.cells if cell is not None]
    return 2 * sum(cell.place in places for cell in there) > len(there)


def _is_distinct(draft: ColumnDraft) -> bool:
    return len(set(draft.values)) >= _DISTINCT * len(draft.values)


def _leads(draft: ColumnDraft) -> bool:
    """Whether most links lead to a page."""
    return 2 * sum(value.startswith(NO_TARGETS) for value in draft.values) < len(draft.values)


def _has_letters(draft: ColumnDraft) -> bool:
    """Whether most values have more than a few letters."""
    telling = sum(sum(map(str.isalpha, value)) > _FEW_LETTERS for value in draft.values)
    return 2 * telling > len(draft.values)


def _mean_length(draft: ColumnDraft) -> float:
    return sum(map(len, draft.values)) / len(draft.cells)
