"""Figures survive the way to the server and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from scrapy_tps.sharing.scripts import figures_from_json, figures_json
from scrapy_tps.stats.coverage import UseKey
from tests.support.figures import site_figures

if TYPE_CHECKING:
    from scrapy_tps.stats.figures import SiteFigures


@given(site_figures())
def test_figures_come_back_as_they_were_sent(figures: SiteFigures) -> None:
    figures.uses.of(UseKey("parse", "Product", "h1\t")).asked = 7
    sent = json.dumps(json.loads(figures_json({"a.example": figures}))["a.example"])
    found = figures_from_json(sent)
    assert (found, found.uses) == (figures, figures.uses)


@pytest.mark.parametrize("text", ["", "[", '[{"pages": "x"}, {}]'])
def test_what_are_no_figures_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"Expecting|invalid literal"):
        figures_from_json(text)
