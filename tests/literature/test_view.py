from __future__ import annotations

from scrapy_tps.engine.strategies import GUARDED, LITERATURE
from scrapy_tps.report.view import render_view
from tests.literature.pages import article


def test_every_method_is_shown_beside_ours_with_what_other_pages_taught_it():
    names = ["auto", *LITERATURE, *(f"{name}{GUARDED}" for name in LITERATURE)]
    shown = render_view(article(1), compare=names, others=[article(number) for number in (2, 3, 4)])
    for name in names:
        assert name in shown
