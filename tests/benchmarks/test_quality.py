"""The quality gate: its labels fit its pages, its measures notice what is lost, its floors only rise."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from benchmarks.quality import floors
from benchmarks.quality.__main__ import main, scores_of
from benchmarks.quality.few import pages_of_few
from benchmarks.quality.labels import PAGES, LabelledPage, labelled_pages
from benchmarks.quality.measures import parsed, plain, records_of, score, summary, texts
from scrapy_tps import prune

if TYPE_CHECKING:
    from pathlib import Path

ALL = list(labelled_pages())


def markup(page: LabelledPage) -> str:
    return page.body.decode(page.encoding)


def listing() -> LabelledPage:
    return next(page for page in ALL if page.name == "hand-quotes")


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.name)
def test_labels_fit_their_page(page: LabelledPage) -> None:
    records = ["".join(texts(record)) for record in records_of(page)]
    assert len(records) == len(page.fields)
    for record, fields in zip(records, page.fields, strict=True):
        assert all(plain(field) in record for field in fields)
    whole = "".join(texts(parsed(markup(page))))
    assert all(plain(snippet) in whole for snippet in (*page.stay, *page.go))
    assert not any(plain(snippet) in record for snippet in page.go for record in records)


def test_there_are_pages_enough_and_they_stay_small() -> None:
    assert len(ALL) >= 40
    assert len({page.kind for page in ALL}) >= 10
    assert sum(path.stat().st_size for path in PAGES.iterdir()) < 3_000_000


def test_doing_nothing_loses_nothing_and_removes_nothing() -> None:
    figures = summary(score(page, markup(page)) for page in ALL)
    assert figures["content present"] == figures["record recall"] == figures["values kept"] == 1
    assert figures["must-stay snippets"] == 1
    assert (
        figures["noise removed"] == figures["noise outside the list"] == figures["noise snippets gone"] == 0
    )


def test_an_empty_page_keeps_nothing() -> None:
    figures = summary(score(page, "") for page in ALL)
    assert figures["content present"] == figures["record recall"] == 0
    assert (
        figures["noise removed"] == figures["noise outside the list"] == figures["noise snippets gone"] == 1
    )


def test_a_record_cut_below_nine_tenths_is_lost() -> None:
    page = listing()
    without_a_tag = markup(page).replace('<a class="tag" href="/tag/despair">despair</a>', "")
    without_a_quote = re.sub("“Buy the second.*?”", "", markup(page))
    assert score(page, without_a_tag).survived == 5
    assert score(page, without_a_quote).survived == 4


def test_one_of_two_equal_texts_does_not_count_as_both() -> None:
    page = next(page for page in ALL if page.name == "hand-headlines-twice")
    half = markup(page)
    for record in re.findall(r'<div class="n">.*?</div>', half):
        half = half.replace(record, re.sub("<p>.*?</p>", "", record))
    assert score(page, half).survived == 0


def test_pages_of_few_records_have_the_first_ones_and_all_else() -> None:
    few = list(pages_of_few([listing()]))
    assert [len(records_of(page)) for page in few] == [1, 2, 3]
    first = texts(records_of(listing())[0])
    assert [texts(records_of(page)[0]) for page in few] == [first] * 3
    assert "Next" in markup(few[0])


def test_snippets_are_listed_by_what_happened_to_them() -> None:
    page = listing()
    scored = score(page, markup(page).replace("Next", ""))
    assert scored.missing == ["Next"]
    assert scored.remaining == page.go


def test_scoring_takes_the_markup_of_the_pruner() -> None:
    (scored,) = scores_of([listing()], {"TPS_ENABLED": "False"})
    assert scored == score(
        listing(), prune(listing().body, encoding="utf-8", settings={"TPS_ENABLED": False}).html
    )


def test_floors_only_rise() -> None:
    old = {"auto": {"record recall": 0.9, "noise removed": 0.4}}
    new = {"auto": {"record recall": 0.95123456, "noise removed": 0.3}, "paper": {"record recall": 0.5}}
    assert floors.raised(new, old) == {
        "auto": {"record recall": 0.9512, "noise removed": 0.4},
        "paper": {"record recall": 0.5},
    }


def test_a_figure_is_never_below_the_floor_it_raised() -> None:
    figures = [{"auto": {"record recall": share / 977}} for share in range(978)]
    least: dict[str, dict[str, float]] = {}
    for figure in figures:
        least = floors.raised(figure, least)
        assert floors.below(figure, least) == []
    for lower, higher in pairwise(figures[::100]):
        assert floors.below(lower, floors.raised(higher, {}))


@pytest.mark.slow
def test_the_command_fails_below_a_floor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "floors.json"
    command = ["--strategy", "paper", "--floors", str(file)]
    assert main([*command, "--update-floors"]) == 0
    assert main(command) == 0
    raised = floors.read(file)["paper"]
    floors.write({"paper": raised | {"record recall": raised["record recall"] + 0.01}}, file)
    assert main(command) == 1
    assert "record recall" in capsys.readouterr().out.splitlines()[-1]
