"""Texts of pages cannot control a terminal."""

from __future__ import annotations

import csv
import json
import unicodedata

import pytest

from scrapy_tps.terminal import columns_of, csv_line, printable, printable_json, printable_lines, text_table
from tests.support.steering import HOSTILE, steers


def test_nothing_that_steers_a_terminal_is_left() -> None:
    everything = "".join(map(chr, range(0x110000)))
    shown = printable(everything)
    assert steers(everything)
    assert not steers(shown)
    assert not any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in shown)
    assert {"\n"} == {one for one in printable_lines("a\r\nb\rc\n\x0b") if one < " "}


def test_words_and_emojis_stay_as_they_are() -> None:
    texts = (
        "naïve £ 日本語",
        "می\u200cخواهم",
        "👩\u200d👩\u200d👧",
        "\U0001f3f4\U000e0067\U000e007f",
        "soft\xadhyphen",
        "\xa0",
    )
    assert [printable(text) for text in texts] == list(texts)


def test_json_says_the_same() -> None:
    shown = printable_json(json.dumps({HOSTILE: HOSTILE}, ensure_ascii=False, indent=1) + "\n")
    assert not steers(shown)
    assert json.loads(shown) == {HOSTILE: HOSTILE}


def test_tables_fit_the_terminal_and_count_wide_characters() -> None:
    rows = [("日本語のサイト.example", "parse", "7"), ("a" * 60, "parse_of_a_long_name", "12,345")]
    lines = text_table(["site", "callback", "pages"], rows, left=2, fit=50)
    assert [columns_of(line) for line in lines] == [50] * 3
    assert lines[2].endswith("12,345")
    assert "日本語" in lines[1]
    assert "…" in lines[2]
    assert columns_of("e\u0301日") == 3


def test_names_are_cut_at_80_characters_on_any_output() -> None:
    lines = text_table(["site", "pages"], [("a" * 100_000, "1"), ("b", "2")])
    assert [columns_of(line) for line in lines] == [87] * 3
    assert lines[1].startswith("a" * 79 + "…")


def test_a_narrow_table_omits_columns_and_continues_its_text_below() -> None:
    rows = [("a.example", "1,000", "998", "A reason of several words that does not fit beside the rest")]
    lines = text_table(["site", "pages", "pruned", "why"], rows, fit=45, spare=[2, 1], prose=True)
    assert lines[0].split() == ["site", "pages", "why"]
    assert len(lines) > 2
    assert max(map(columns_of, lines)) <= 45
    assert " ".join(line[18:].strip() for line in lines[1:]) == rows[0][3]


@pytest.mark.parametrize("cell", ["=cmd|' /C calc'!A0", "+1+cmd()", "-2+3*A1", "@SUM(A1)", "\t=1", "＝1"])
def test_csv_has_nothing_that_a_spreadsheet_runs(cell: str) -> None:
    assert next(csv.reader([csv_line([cell])])) == [f"'{cell}"]


@pytest.mark.parametrize("cell", ["-5", "+49 30 1234", "-1,234.50", "-3.5%", "a=b", "-", "", -7])
def test_csv_leaves_numbers_and_other_texts_alone(cell: object) -> None:
    assert next(csv.reader([csv_line([cell, "x"])])) == [str(cell), "x"]


def test_columns_stay_aligned() -> None:
    lines = text_table(["a", "b"], [["\x1b[2J\n", "1"], ["x", "2"]])
    assert not steers("".join(lines))
    assert len({len(line) for line in lines}) == 1
