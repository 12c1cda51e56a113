from __future__ import annotations

from scrapy_tps.report.view import render_view
from tests.literature.pages import article


def test_methods_of_the_literature_are_shown_beside_ours():
    shown = render_view(article(1), compare=["auto", "cetr", "segmentation+guard"])
    for name in ("cetr", "segmentation+guard"):
        assert name in shown
