"""Where the content starts."""

from __future__ import annotations

import pytest

from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.sequence import walking
from scrapy_tps.engine.strategies.auto.page import Page
from scrapy_tps.engine.strategies.auto.pipeline import AUTO
from tests.engine.strategies.made import article, menu


@pytest.mark.parametrize("part", ["nav", "dialog"])
def test_headings_of_sure_furniture_do_not_count(part: str) -> None:
    before = f"<{part}><h1>Menu</h1>{menu(15, 'div')}</{part}>"
    page = AUTO.run(Page(walking.walk(parse(article().replace("<body>", f"<body>{before}", 1)).body)))
    assert "".join(page.sequence.nodes[page.first_heading].itertext()) == "The mill"
