"""Without the extra ``report`` the message says what to install; nothing else depends on it."""

from __future__ import annotations

import sys

import pytest
from scrapy.utils.test import get_crawler

from scrapy_tps.report.feed import ReportFeed
from scrapy_tps.report.selfcontained import MissingExtra
from tests.support.views import render_view


@pytest.fixture(autouse=True)
def no_jinja(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)


def test_a_view_says_what_to_install():
    with pytest.raises(MissingExtra, match=r"pip install scrapy-tps\[report\]"):
        render_view("<p>page</p>")


def test_a_crawl_that_is_to_write_html_is_refused_at_its_start(tmp_path):
    with pytest.raises(ValueError, match=r"TPS_REPORT is .*pip install scrapy-tps\[report\]"):
        ReportFeed(get_crawler(), str(tmp_path / "report.html"))
    uri = str(tmp_path / "report.csv")
    ReportFeed(get_crawler(), uri).storage(uri)
