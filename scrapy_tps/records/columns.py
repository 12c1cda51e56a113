"""The columns of a region: which of them are worth having, and what they are called.

Records are aligned one after the other to a growing list of columns, which starts as the record with the most cells, as
in the partial tree alignment of DEPTA (Zhai & Liu, WWW 2005). The cells of records are treated as strings, as in the
KDIR 2012 paper on nested lists (section 3, stage 3; there with a fixed centre star).

Aligned cells become columns in four steps: columns that tell nothing are omitted, rare columns of one name become one,
roles are given, and every column gets a name of its own.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import chain, count, islice
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.records.cells import ColumnDraft, type_of
from scrapy_tps.records.names import (
    LEVELS,
    column_label,
    header_names,
    is_rating,
    label_within,
    names_from_classes,
    names_from_tags,
    slug,
    spanned_cells,
)
from scrapy_tps.records.regions import Column
from scrapy_tps.records.roles import USUAL, give_roles

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_tps.records.cells import Cell, CellReader
    from scrapy_tps.records.record_page import RecordPage, Span

#: The most entries, including empty ones, in the table of a region.
MAX_CELLS: Final = 1_000_000
#: The number of cells from which a column gets its name.
_NAMED_BY: Final = 200
#: The fewest records of which one text in all of them is no data.
_LEAST_RECORDS: Final = 3
#: The least share of the records with one text that is no data.
_NEARLY_ALL: Final = 0.9
#: The most words of a text that is the name of the text after it.
_MOST_WORDS: Final = 3
#: Types whose columns are never joined: a price after another one is another price.
_SINGLE: Final = frozenset({"price", "date", "number"})


def table_of(
    page: RecordPage, reader: CellReader, spans: Sequence[Span], records: Sequence[Sequence[Cell]]
) -> tuple[list[Column], list[list[Cell | None]]]:
    """Return the columns of records, and for each column the cell of each record or None.

    Texts come first, then links and images.
    """
    drafts = _drafts(reader, align(records))
    naming = _Naming(page, spans, drafts)
    telling = _telling(drafts) or drafts
    places = {draft: place for place, draft in enumerate(drafts)}
    for draft in telling:
        draft.names = list(dict.fromkeys(naming.names(places[draft])))
    drafts = telling if naming.is_row else _joined(telling)
    give_roles(drafts)
    return _columns(drafts), [draft.cells for draft in drafts]


def align(records: Sequence[Sequence[Cell]]) -> list[list[Cell | None]]:
    """Return the columns of records, each with a cell for every record or None.

    Cells are in one column if they have the same key, and as many cells with it before them in their records. A new
    column stands behind that of the cell before.

    There are at most `MAX_CELLS` entries in total: if records have little in common, cells that would need more columns
    are omitted; those of the record with the most cells always have one.
    """
    columns: dict[tuple[int, int], list[Cell | None]] = {}
    behind: dict[tuple[int, int] | None, tuple[int, int] | None] = {None: None}
    most = MAX_CELLS // max(1, len(records))
    # the record with the most cells first; ties in document order
    for record in sorted(range(len(records)), key=lambda place: -len(records[place])):
        cells = records[record]
        room = most if columns else len(cells)
        before = None
        seen: Counter[int] = Counter()
        for cell in cells:
            key = cell.key, seen[cell.key]
            seen[cell.key] += 1
            if key not in columns:
                if len(columns) >= room:
                    continue
                columns[key] = [None] * len(records)
                behind[before], behind[key] = key, behind[before]
            columns[key][record] = cell
            before = key
    found = []
    following = behind[None]
    while following is not None:
        found.append(columns[following])
        following = behind[following]
    return found


def _drafts(reader: CellReader, aligned: list[list[Cell | None]]) -> list[ColumnDraft]:
    """Return a draft for each aligned column, texts first; columns that repeat an earlier one are omitted."""
    found: dict[tuple[str | None, ...], ColumnDraft] = {}
    keys = reader.keys
    described = [(keys[next(cell.key for cell in cells if cell)], cells) for cells in aligned]
    for (path, attribute), cells in sorted(described, key=lambda one: one[0][1] is not None):
        values = tuple([None if cell is None else cell.value for cell in cells])
        if values not in found:
            found[values] = ColumnDraft(cells, path, attribute, type_of(values, attribute))
    return list(found.values())


def _telling(drafts: list[ColumnDraft]) -> list[ColumnDraft]:
    """Return the columns that tell records apart.

    One text in nearly all records does not, nor does a label, which comes and goes with another column, one link or
    picture wherever there is one, nor signs.
    """
    filled = [tuple([cell is not None for cell in draft.cells]) for draft in drafts]
    different = [len(set(draft.values)) for draft in drafts]
    patterns = {pattern for pattern, values in zip(filled, different, strict=True) if values > 1}

    return [
        draft
        for draft, pattern, values in zip(drafts, filled, different, strict=True)
        if any(map(_says_something, draft.values))
        and (
            values > 1
            or draft.count == 1
            or len(pattern) < _LEAST_RECORDS
            or (
                draft.attribute is None
                and draft.count < _NEARLY_ALL * len(pattern)
                and (pattern not in patterns or not _is_label(draft))
            )
        )
    ]


def _is_label(draft: ColumnDraft) -> bool:
    """Whether one text is in at least half of the records, or ends with a colon."""
    first = draft.values[0]
    return 2 * draft.count >= len(draft.cells) or bool(column_label([first, first]))


def _says_something(value: str) -> bool:
    """Whether a text is more than punctuation: letters, digits, or pictures such as stars."""
    return any(character.isalnum() or unicodedata.category(character) == "So" for character in value)


def _joined(drafts: list[ColumnDraft]) -> list[ColumnDraft]:
    """Return the columns, with those of one name that belong together as one.

    These are columns of one type that no record has together, and the ones that few records have, after the first:
    the links in a text, further paragraphs. Their values are joined by spaces.
    """
    found: list[ColumnDraft] = []
    for draft in drafts:
        alike = [one for one in found if (one.names[0], one.attribute) == (draft.names[0], draft.attribute)]
        complete = next((one for one in alike if _complete(one, draft)), None)
        if complete is None:
            found.append(draft)
        else:
            found[found.index(complete)] = _union([complete, draft])
    same: dict[tuple[str, str | None], list[ColumnDraft]] = defaultdict(list)
    for draft in found:
        same[draft.names[0], draft.attribute].append(draft)
    joined = []
    for draft in found:
        alike = same[draft.names[0], draft.attribute]
        rare = [one for one in alike if one.type not in _SINGLE and one.count < USUAL * len(one.cells)]
        if draft not in rare or len(rare) == 1:
            joined.append(draft)
        elif draft is rare[0]:
            union = _union(rare)
            if len(rare) < len(alike):
                union.names.insert(0, f"more_{draft.names[0]}")
            joined.append(union)
    return joined


def _complete(one: ColumnDraft, other: ColumnDraft) -> bool:
    """Whether two columns of a type have no record in common."""
    return one.type == other.type and not any(
        a is not None and b is not None for a, b in zip(one.cells, other.cells, strict=True)
    )


def _union(drafts: list[ColumnDraft]) -> ColumnDraft:
    cells: list[Cell | None] = []
    for of_record in zip(*[draft.cells for draft in drafts], strict=True):
        there = [cell for cell in of_record if cell is not None]
        if len(there) > 1:
            cells.append(replace(there[0], value=" ".join([cell.value for cell in there])))
        else:
            cells.append(there[0] if there else None)
    first = drafts[0]
    union = ColumnDraft(cells, first.path, first.attribute, first.type, list(first.names))
    union.type = type_of(union.values, union.attribute)
    return union


def _columns(drafts: Sequence[ColumnDraft]) -> list[Column]:
    """Return the columns, named by the first free of their names, with numbers as the last resort.

    A column with a role is called by it if it has no other name than its type. A link without name is called after the
    text in it.
    """
    taken = {draft.role for draft in drafts if draft.role}
    texts: dict[int, str] = {}
    columns = []
    for draft in drafts:
        first = next((cell.place for cell in draft.cells if cell is not None), -1)
        names = draft.names
        if draft.role:
            name = draft.role if names[0] == draft.type else names[0]
        else:
            if draft.attribute is not None and first in texts:
                names = [*names, f"{texts[first]}_{draft.type}"]
            numbered = (f"{names[0]}_{number}" for number in count(2))
            name = next(one for one in chain(names, numbered) if one not in taken)
            taken.add(name)
        column = Column(name, draft.type, draft.path, draft.attribute, draft.role)
        if draft.attribute is None:
            texts.setdefault(first, column.key)
        columns.append(column)
    return columns


class _Naming:
    """Names the columns of one region.

    :ivar is_row: whether records are rows of a table.
    """

    def __init__(self, page: RecordPage, spans: Sequence[Span], drafts: Sequence[ColumnDraft]) -> None:
        self._page = page
        self._spans = spans
        self._drafts = drafts
        first = spans[0][0] if spans else 0
        self.is_row = bool(spans) and page.tag(first) == "tr" and page.end[first] == spans[0][1]
        self._header = header_names(page.nodes[first]) if self.is_row else []

    def names(self, place: int) -> Iterator[str]:
        """Yield the names that a column may have: from header cells, ``itemprop``, labels, classes, form, tags."""
        draft = self._drafts[place]
        sample = self._sample(draft)
        kind, attribute = draft.type, draft.attribute
        described = [self._from_header(sample), self._from_itemprop(sample)]
        if attribute is None:
            values = [cell.value for _, cell in sample]
            described.append(self._label(place, values))
        described += names_from_classes(draft.path)
        if attribute is None:
            described += [self._text_before(place), "rating" if is_rating(values) else ""]
        for name in filter(None, described):
            yield name if attribute is None or name.endswith(kind) else f"{name}_{kind}"
        yield from names_from_tags(draft.path, kind, attribute)

    def _label(self, place: int, values: list[str]) -> str:
        """Return the name from a label, in the cells or in those before them."""
        label = column_label(values)
        if label:
            return f"{label}_label"
        return label_within(values) or column_label(self._before(place))

    def _text_before(self, place: int) -> str:
        """Return the name from the same few words before most of the cells."""
        texts = self._before(place)
        if len(set(texts)) != 1 or 2 * len(texts) <= min(self._drafts[place].count, _NAMED_BY):
            return ""
        words = texts[0].split()
        return slug(" ".join(words)) if len(words) <= _MOST_WORDS and all(map(str.isalpha, words)) else ""

    def _before(self, place: int) -> list[str]:
        """Return the values of the column before a column in the records that have both."""
        if not place:
            return []
        pairs = zip(self._drafts[place - 1].cells, self._drafts[place].cells, strict=True)
        both = (before.value for before, cell in pairs if before is not None and cell is not None)
        return list(islice(both, _NAMED_BY))

    def _from_itemprop(self, sample: list[tuple[int, Cell]]) -> str:
        """Return the ``itemprop`` of most cells, on the cell or on an element around it, within its record.

        ``url`` and ``image`` are ignored, because the type of the column has the same information.
        """
        itemprops, parent = self._page.itemprops, self._page.parent
        if not itemprops:
            return ""
        found: Counter[str] = Counter()
        for start, cell in sample:
            place = cell.place
            for _ in range(LEVELS):
                prop = itemprops.get(place)
                if prop:
                    found[prop] += 1
                if prop or place in (start, 0):
                    break
                place = parent[place]
        if not found:
            return ""
        prop, count = found.most_common(1)[0]
        return slug(prop) if 2 * count > len(sample) else ""

    def _sample(self, draft: ColumnDraft) -> list[tuple[int, Cell]]:
        """Return the first cells of a column, each with the start of its record."""
        pairs = zip(self._spans, draft.cells, strict=True)
        return list(islice(((start, cell) for (start, _), cell in pairs if cell is not None), _NAMED_BY))

    def _from_header(self, sample: list[tuple[int, Cell]]) -> str:
        if not self._header:
            return ""
        nodes = self._page.nodes
        positions = Counter(_position(nodes[start], nodes[cell.place]) for start, cell in sample)
        position = positions.most_common(1)[0][0]
        return self._header[position] if 0 <= position < len(self._header) else ""


def _position(row: Any, element: Any) -> int:
    """Return the number of the row's column that holds an element; -1 for the row itself."""
    around = {element, *element.iterancestors()}
    return next((place for place, cell in enumerate(spanned_cells(row)) if cell in around), -1)
