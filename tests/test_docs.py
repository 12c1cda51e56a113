"""The documentation: pages that are made, imports, links, and sentences that begin with their subject."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("**/*.md"))
#: Packages that no user imports from.
INTERNAL = "commandline|commands|engine|records|report|settings|shadow|sharing|stats"
#: Pages for people who have little time: README, tutorial and how-to.
GUIDES = [ROOT / "README.md", *DOCS.glob("tutorial/*.md"), *DOCS.glob("how-to/*.md")]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("script", sorted(DOCS.glob("make_*.py")), ids=name)
def test_pages_that_are_made_are_up_to_date(script: Path) -> None:
    if script.name == "make_literature.py":
        pytest.importorskip("sklearn", reason="the extra `literature` is not installed")
    made = runpy.run_path(str(script))
    if made["PAGE"].read_text(encoding="utf-8") != made["page"]():
        pytest.fail(f"{name(made['PAGE'])} is out of date: run python {name(script)}")


def prose(page: Path) -> str:
    return re.sub(r"(?ms)^```.*?^```$|^ {4}[^\n]*$|`[^`]*`", "code", page.read_text(encoding="utf-8"))


def test_examples_import_what_is_public() -> None:
    imports = re.compile(rf"(?m)^\s*(?:from|import) scrapy_tps\.(?:{INTERNAL})\b.*")
    assert {name(page): found for page in PAGES if (found := imports.findall(page.read_text("utf-8")))} == {}


def test_each_name_of_a_page_is_there_once() -> None:
    assert len({page.name for page in PAGES}) == len(PAGES)


@pytest.mark.parametrize("page", [*sorted(ROOT.glob("*.md")), *PAGES], ids=name)
def test_links_lead_to_files(page: Path) -> None:
    links = re.findall(r"\]\((?![a-z]+:|#)([^)#\s]+)", prose(page))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", GUIDES, ids=name)
def test_no_sentence_has_a_clause_for_its_subject(page: Path) -> None:
    sentences = re.split(r"(?<=[.!?:;|])\s+|\n\n|\n(?=\W)", prose(page))
    assert [one for one in sentences if re.match(r"\W*(?:What|Where|Of|Who)\b[^?]*$", one)] == []
