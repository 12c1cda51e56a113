"""The example that writes JSON lines of Markdown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.example_project.test_crawl import PROJECT, crawl

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("markdownify", reason="the extra `markdown` is not installed")


def test_each_article_is_a_line_with_all_its_paragraphs(tmp_path: Path) -> None:
    items, log = crawl("markdown", tmp_path)
    assert "ERROR" not in log
    data = json.loads((PROJECT / "demo" / "sites" / "news" / "data.json").read_text(encoding="utf-8"))
    articles = {
        f"http://news.example/{one['section'].lower()}/{one['slug']}": one for one in data["articles"]
    }
    assert {item["url"] for item in items} == set(articles)
    for item in items:
        article = articles[item["url"]]
        assert item["title"] == article["headline"]
        places = [item["markdown"].index(paragraph) for paragraph in article["paragraphs"]]
        assert places == sorted(places)
