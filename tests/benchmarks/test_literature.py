from __future__ import annotations

import gzip
import json

import pytest

from benchmarks import literature
from tests.literature.pages import article


@pytest.fixture
def data(tmp_path):
    """Two sites of articles, as pages with their main content."""
    (tmp_path / "wcxb" / "html").mkdir(parents=True)
    (tmp_path / "wcxb" / "ground-truth").mkdir()
    for number in range(8):
        page = article(number).replace("site of", f"site{number % 2} of")
        (tmp_path / "wcxb" / "html" / f"{number}.html.gz").write_bytes(gzip.compress(page.encode()))
        label = {
            "url": f"https://site{number % 2}.example/{number}",
            "ground_truth": {"main_content": page[page.index("Headline") : page.index("<div class=foot")]},
            "_internal": {"page_type": {"primary": "article" if number < 4 else "listing"}},
        }
        (tmp_path / "wcxb" / "ground-truth" / f"{number}.json").write_text(json.dumps(label))
    return tmp_path


def test_a_row_tells_the_figures_of_a_method_that_learns_from_the_sites_other_pages(data, capsys):
    rows = ("nothing", "pagelets", "pagelets+guard", "auto, site")
    assert literature.main(["--data", str(data), *(f"--strategy={name}" for name in rows)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "wcxb: 8 pages of 2 sites"
    f1 = [float(line.split("F1")[1].split("%")[0]) for line in lines[1:]]
    assert f1[1] > f1[0]
    assert " 0 KB" in lines[1]
    assert " 0 KB" not in lines[2]


def test_the_papers_evaluations_are_told_for_every_row(data, capsys):
    arguments = ["--data", str(data), "--strategy=nothing", "--evaluations"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("benchmarks.literature_evaluations._FOLDS", 2)
        literature.main(arguments)
    said = capsys.readouterr().out
    assert "clustering (k-means, 10 runs): F " in said
    assert "naive Bayes" in said
    assert "linear SVM" in said
