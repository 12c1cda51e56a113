"""Promises that hold for the response of every page, regardless of its markup (fixed seeds)."""

from __future__ import annotations

import pickle
import random
from typing import Any

import pytest
from scrapy.http import HtmlResponse
from scrapy.utils.response import get_base_url

from scrapy_tps.engine.strategies import BUILT_IN
from scrapy_tps.response import prune_html
from scrapy_tps.settings.definitions import page_settings
from tests.fuzz.mutations import mutate, seed_page

pytestmark = pytest.mark.slow

PAGES_PER_SEED = 60
URL = "http://shop.example/dir/"


def mutated_response(rng: random.Random) -> HtmlResponse:
    body = mutate(seed_page(rng), rng)
    if rng.random() < 0.3:
        filler = b"<!--" + b"x" * rng.randrange(6000) + b"-->"
        body = body.replace(b"<head>", b"<head>" + filler + b"<base href='/base/'>", 1)
    encoding = rng.choice(["utf-8", "cp1252", "shift_jis", "gb18030", None])
    header = "text/html" if encoding is None else f"text/html; charset={encoding}"
    if rng.random() < 0.5:
        return HtmlResponse(URL, body=body, encoding=encoding)
    return HtmlResponse(URL, body=body, headers={"Content-Type": header})


@pytest.mark.parametrize("strategy", sorted(BUILT_IN))
@pytest.mark.parametrize("seed", range(3))
def test_promises_of_responses(strategy: str, seed: int) -> None:
    settings = page_settings({"TPS_STRATEGY": strategy, "TPS_MIN_NODES": 0})
    for number in range(PAGES_PER_SEED):
        response = mutated_response(random.Random(f"{seed}/{number}"))
        pruned = prune_html(response, settings)
        check(response, pruned)
        check(response, pickle.loads(pickle.dumps(pruned)))


def check(response: HtmlResponse, pruned: Any) -> None:
    assert pruned.tps.error is None
    assert pruned.original.body == response.body
    if not pruned.tps.pruned:
        assert pruned.body == response.body
        assert pruned.text in (response.text, response.copy().text)  # not the same in Scrapy before 2.18
    assert pruned.body.decode(pruned.encoding, "replace")
    assert get_base_url(pruned) == get_base_url(response)
    assert pruned.css("html").get() is not None
