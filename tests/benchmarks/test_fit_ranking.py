"""The command that fits the ranking's weights, on pages made for it."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest

from tests.records.pages import FOOT, NAV, cards, page, sentence

if TYPE_CHECKING:
    from pathlib import Path

fit_ranking = pytest.importorskip("benchmarks.fit_ranking", reason="needs numpy", exc_type=ImportError)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for site in range(4):
        numbers = range(10 * site + 1, 10 * site + 7)
        (tmp_path / f"site{site}.html").write_text(page(NAV + cards(numbers) + FOOT), encoding="utf-8")
        with (tmp_path / f"site{site}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([f"Product {number}", sentence(number)] for number in numbers)
    return tmp_path


def test_the_labelled_list_is_the_best_form_and_fitted_weights_rank_it_first(folder: Path) -> None:
    pages = list(fit_ranking.examples(folder, None))
    assert [page.site for page in pages] == ["site0", "site1", "site2", "site3"]
    assert all(page.quality.max() == 1.0 and page.quality.min() < 1.0 for page in pages)
    weights = fit_ranking.fit(pages[:3], penalty=1e-3)
    chosen, form = fit_ranking.firsts(pages[3:], weights)[0]
    assert chosen.quality[form] == 1.0


def test_records_selected_by_xpath_are_read_without_those_nested_in_them() -> None:
    html = "<body><table><tr><td>One <!-- x -->and<script>no</script> two</td></tr><tr><td>Three</td></tr></table>"
    labels = fit_ranking.labels_by_xpath(html, "//table/tbody/tr")
    assert labels.keys == ["oneandtwo", "three"]
    nested = fit_ranking.labels_by_xpath("<body><dl><dd>One<dl><dd>Two</dd></dl>tail</dd></dl>", "//dd")
    assert nested.keys == ["onetail", "two"]


def test_a_record_counts_once_and_only_with_most_of_its_label() -> None:
    labels = fit_ranking.Labels(["firstkey", "secondkey"], [["firstkey", "more"], ["secondkey"]], whole=False)
    assert fit_ranking.count_found(["firstkeymore", "firstkeymore", "secondkey"], labels) == 2
    assert fit_ranking.count_found(["firstkey", "firstkeymoresecondkey"], labels) == 0
