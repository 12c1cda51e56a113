from __future__ import annotations

import pytest
from lxml import html

from benchmarks.literature import __main__ as command
from benchmarks.literature.evaluations import evaluate
from benchmarks.literature.growth import BAR, operations
from benchmarks.literature.news_patterns import Article, news_patterns
from benchmarks.literature.pages import Page, of_testbed
from benchmarks.literature.retrieval import average_precision, block_retrieval, known_item
from benchmarks.literature.runs import Judged, Results, by_site, run
from benchmarks.literature.tables import figures, tables
from benchmarks.quality.measures import parsed, plain
from scrapy_tps.engine.strategies import LITERATURE
from scrapy_tps.literature.memory import text_words
from tests.literature.pages import article


def page(number, site="news.example"):
    """A page of a site of articles; scored by whether its story is left, and how much of the menu goes."""
    body = article(number)

    def score(kept):
        text = plain(parsed(kept).text_content())
        return {
            "records": 1,
            "survived": int(f"number{number}part5" in text),
            "noise_removed": float("sectionbirch" not in text),
        }

    return Page(
        f"{site}-{number}",
        site,
        body.encode(),
        score,
        kind="list" if site in ("other.example", "lone.example") else "news",
        query=f"number{number}",
        records=[[f"number{number}part5"]],
    )


@pytest.fixture
def sites():
    """Two sites of three pages, two of one."""
    names = ("news.example", "other.example")
    pages = [
        page(number, name) for place, name in enumerate(names) for number in range(3 * place, 3 * place + 3)
    ]
    return by_site([*pages, page(7, "one.example"), page(8, "lone.example")])


def measured(sites, *strategies, keep_words=False):
    results = Results()
    run("made", sites, strategies, results, keep_words=keep_words)
    return results


def test_methods_of_many_pages_judge_with_the_sites_other_pages(sites):
    lines = list(tables(measured(sites, "nothing", "pagelets", "pagelets+guard", "cetr")))
    cells = {
        line.split("|")[1].strip(" `"): [cell.strip() for cell in line.split("|")[2:-1]]
        for line in lines
        if "`" in line
    }
    assert cells["nothing"][:3] == ["100.0", "100.0", "0.0"]
    assert (
        cells["pagelets"][:4]
        == cells["pagelets+guard"][:4]
        == ["100.0", "100.0", f"{100 * 6 / 8:.1f}", "6 of 6"]
    )
    assert cells["cetr"][3] == "8 of 8"
    assert int(cells["pagelets"][5]) > 0  # KB of a site
    assert cells["cetr"][5] == "–"


def test_methods_do_not_judge_sites_with_too_few_pages_for_them_unless_errors_are_looked_for(
    sites, monkeypatch
):
    monkeypatch.setattr("scrapy_tps.literature.base.digest", lambda sequence, terms=None: 1 / 0)
    lone = {"lone.example": sites["lone.example"]}
    (one,) = measured(lone, "pagelets").of("made", "pagelets")
    assert (one.outcome, one.error, one.measures["survived"]) == ("no_region", None, 1)
    results = Results()
    run("made", lone, ["pagelets"], results, keep_words=False, every=True)
    (one,) = results.of("made", "pagelets")
    assert one.error is not None


def test_cases_of_several_pages_count_as_one_each():
    judged = [
        Judged("one", "a", cut=0.4, measures={"equal": 1.0, "weight": 1.0}),
        *(
            Judged("other", name, cut=cut, measures={"equal": 0.0, "weight": 0.5})
            for name, cut in (("b", 0.0), ("c", 0.2))
        ),
    ]
    assert figures(judged) == {"equal output": "50.0", "DOM cut": "25.0"}


def test_a_run_that_was_stopped_goes_on_where_it_was(sites, tmp_path):
    first = dict(list(sites.items())[:1])
    run("made", first, ["cetr"], Results(tmp_path / "results"), keep_words=False)
    results = Results(tmp_path / "results")
    before = results.of("made", "cetr")
    run("made", sites, ["cetr"], results, keep_words=False)
    after = {one.page: one.milliseconds for one in results.of("made", "cetr")}
    assert len(after) == 8
    assert all(after[one.page] == one.milliseconds for one in before)
    results.forget(["cetr"])
    assert results.of("made", "cetr") == []


def test_an_error_of_a_page_is_told_and_fails_the_command(monkeypatch, capsys):
    monkeypatch.setattr("scrapy_tps.literature.cetr.lines", lambda sequence: 1 / 0)

    assert command.main(["--strategy=nothing", "--strategy=cetr", "--sites=2"]) == 1
    assert "2 pages: ZeroDivisionError" in capsys.readouterr().out


def test_the_pages_of_the_project_are_a_set(capsys):
    assert command.main(["--strategy=nothing", "--strategy=cetr", "--sites=3"]) == 0
    said = capsys.readouterr().out
    assert "shipped: 3 pages of 3 sites" in said
    assert "| `cetr` |" in said


def test_whether_pages_are_errors_is_asked_without_scoring_them(capsys):
    assert command.main(["--errors", "--strategy=cetr", "--strategy=wisdom+guard", "--sites=3"]) == 0
    said = capsys.readouterr().out
    assert "| `wisdom+guard` | 0 of 0 |" in said
    assert "content present" not in said


def test_the_papers_evaluations_are_told_for_rows_that_change_pages(sites):
    results = measured(sites, "nothing", "wisdom", "node-patterns", keep_words=True)
    pages = [one for of_site in sites.values() for one in of_site]
    lines = list(evaluate(results, {"made": pages}))
    rows = {
        line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[2:-1]] for line in lines[3:]
    }
    assert list(rows) == ["`nothing`", "`node-patterns`", "`wisdom`", "structure-tree's weights"]
    assert rows["`nothing`"][3] == "1.000"  # each page is the best for its own query
    assert all(0 <= float(cell.split()[0]) <= 1 for row in rows.values() for cell in row if cell != "–")


def test_a_page_and_its_records_are_found_by_the_query_that_names_them(sites):
    lines = list(block_retrieval([one for of_site in sites.values() for one in of_site]))
    cells = {
        line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[2:-1]] for line in lines[2:]
    }
    assert cells["pages"][0] == "1.000"
    assert cells["blocks, `combined`"][0] == "1.000"
    assert cells["blocks, `dom`"][4] == "0.100"  # the page's record is in one of its blocks


def test_title_and_body_are_compared_where_pages_are_of_one_template():
    def of(number, title):
        body = " ".join(html.fromstring(article(number)).xpath("//p[contains(., 'part')]/text()"))
        return Article(article(number), text_words(title), text_words(body))

    known = [
        of(number, f"Headline number{number} of {word}") for number, word in ((1, "birch"), (2, "cedar"))
    ]
    listing = "<body><table>" + "<tr><td>another layout</td></tr>" * 30
    alone = Article(listing, ["title"], ["body"])
    lines = list(news_patterns({"one": known, "other": [of(3, "another title"), alone]}))
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[3:]]
    assert lines[0].strip() == "news: 4 pages of 2 publishers with two or more"
    assert cells[0][:5] == ["0.8", "2", "2 of 2", "1.000", "2 of 2"]
    assert cells[1][:3] == ["0.0", "4", "2 of 4"]


def test_the_rank_of_the_own_page_and_average_precision():
    assert known_item([["a", "b"], ["a"], ["c"]], [["a"], ["a"], ["c"]]) == (
        2 / 3,
        pytest.approx((1 + 1 / 2 + 1) / 3),
    )
    assert average_precision([True, False, True]) == pytest.approx((1 + 2 / 3) / 2)
    assert average_precision([False]) == 0


def test_category_site_and_query_are_in_the_names_of_testbed():
    class Named:
        name = "10_Reference_1_Archive.org_2_some_words_keyword.html.gz"

    assert of_testbed(Named) == {
        "site": "10_Reference_1_Archive.org",
        "kind": "Reference",
        "query": "some words",
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in LITERATURE if name != "node-patterns"])
@pytest.mark.parametrize("kind", ["records", "lists of links", "all distinct"])
def test_ten_times_the_nodes_are_at_most_twelve_times_the_operations(name, kind):
    assert operations(name, kind, 2000) <= BAR * operations(name, kind, 200)
