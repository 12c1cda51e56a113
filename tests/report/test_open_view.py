"""``open_view(response)``, as from ``scrapy shell``."""

from __future__ import annotations

import json
import webbrowser
from dataclasses import replace

import pytest
from scrapy.http import HtmlResponse

from scrapy_tps.engine.prune import prune_page
from scrapy_tps.report.page_view import open_view
from scrapy_tps.response import PrunedHtmlResponse
from scrapy_tps.settings.definitions import page_settings

from .pages import SETTINGS, SHOP

pytest.importorskip("jinja2", reason="the extra `report` is not installed")

URL = "http://shop.example/list"


@pytest.fixture
def opened(monkeypatch):
    addresses = []
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    return addresses


def shown(path):
    return json.loads(path.read_text(encoding="utf-8").split('id="tps-data">')[1].split("</script>")[0])


def pruned_response(**options):
    response = HtmlResponse(URL, body=SHOP.encode(), encoding="utf-8")
    settings = replace(page_settings(SETTINGS), **options)
    return PrunedHtmlResponse.from_response(
        response, prune_page(response.body, settings, url=URL, encoding="utf-8", decoded=response.text)
    )


def test_a_pruned_response_shows_what_the_crawl_did(opened, tmp_path):
    path = open_view(pruned_response(drop=("h2",)), output=tmp_path / "view.html")
    assert opened == [path.as_uri()]
    [variant] = shown(path)["variants"]
    assert variant["strategy"] == "paper"
    assert len(variant["dropped"]) == 20


def test_a_response_that_was_pickled_shows_the_same(opened, tmp_path):
    import pickle

    response = pruned_response()
    copy = pickle.loads(pickle.dumps(response))
    [variant] = shown(open_view(response, output=tmp_path / "a.html"))["variants"]
    [again] = shown(open_view(copy, output=tmp_path / "b.html"))["variants"]
    assert again == variant


def test_an_ordinary_response_is_pruned_for_the_view(opened, tmp_path):
    response = HtmlResponse(URL, body=SHOP.encode(), encoding="utf-8")
    path = open_view(response, output=tmp_path / "view.html", browser=False)
    assert opened == []
    assert shown(path)["variants"][0]["outcome"] == "pruned"


def test_without_the_original_there_is_nothing_to_show(tmp_path):
    with pytest.raises(ValueError, match="TPS_FALLBACK"):
        open_view(
            pruned_response(fallback=False, links="pruned"), output=tmp_path / "view.html", browser=False
        )
