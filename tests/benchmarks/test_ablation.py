"""The benchmark that leaves out one rule at a time."""

from __future__ import annotations

from benchmarks.ablation import Probe, key_of
from benchmarks.quality.labels import labelled_pages
from scrapy_tps import prune
from scrapy_tps.engine.strategies import load_strategy


def test_without_a_rule_that_decides_another_part_is_selected():
    auto = load_strategy("auto")
    page = next(page for page in labelled_pages() if page.name == "hand-quotes")
    probe = Probe(auto, list(auto.pipeline.steps()))
    pruning = prune(page.body, encoding=page.encoding, settings={"TPS_STRATEGY": probe})
    assert pruning.pruned
    keys = {name: key_of(selection) for name, selection in probe.chosen.items()}
    assert keys["certain-boilerplate"] != keys[""]
    assert "link-lists" not in keys  # it wrote nothing
