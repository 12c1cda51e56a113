from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps.records.cells import Cell
from scrapy_tps.records.columns import align


def cell(key: int, value: str = "v") -> Cell:
    return Cell(key, value, 0)


def table(records: list[list[Cell]]) -> list[list[str | None]]:
    columns = [[None if one is None else one.value for one in column] for column in align(records)]
    return [list(row) for row in zip(*columns, strict=True)]


def assert_placed(records: list[list[Cell]], columns: list[list[Cell | None]]) -> None:
    """Every cell of each record is in exactly one column."""
    assert all(len(column) == len(records) for column in columns)
    for place, record in enumerate(records):
        placed = [id(one) for column in columns if (one := column[place]) is not None]
        assert sorted(placed) == sorted(map(id, record))


_record = st.lists(
    st.builds(
        cell,
        st.integers(0, 5),
        st.sampled_from(["a", "12", "£5", "May 2020", "long " * 20]),
    ),
    max_size=8,
)


@given(st.lists(_record, max_size=8))
def test_every_cell_stands_in_exactly_one_column(records: list[list[Cell]]) -> None:
    assert_placed(records, align(records))


def test_optional_cells_get_columns_where_they_stand() -> None:
    full = [cell(1, "a"), cell(2, "b"), cell(3, "c")]
    assert table([full, [cell(1, "d"), cell(3, "e")], [cell(1, "f"), cell(4, "g"), cell(3, "h")]]) == [
        ["a", None, "b", "c"],
        ["d", None, None, "e"],
        ["f", "g", None, "h"],
    ]


def test_very_long_records_are_aligned_in_order() -> None:
    long = [cell(number % 7, str(number)) for number in range(900)]
    rows = table([long, long[:-1]])
    assert rows[0] == [one.value for one in long]
    assert rows[1][:-1] == rows[0][:-1]
