"""Nothing depends on the order of a set of strings, which differs between processes."""

from __future__ import annotations

import os
import subprocess
import sys

_RESULTS = """
from benchmarks.quality.labels import labelled_pages
from scrapy_tps import extract_records, prune
from scrapy_tps.engine.pruned_page import account_data
from scrapy_tps.records.record_selectors import region_selectors

for page in labelled_pages():
    pruning = prune(page.body)
    print(pruning.html, {name: value for name, value in account_data(pruning).items() if name != "timings"})
    for region in extract_records(page.body, min_confidence=0, timeout=None):
        print(region.xpath, region.confidence, region.columns, region.rows(), region_selectors(region))
"""


def results(seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8:surrogatepass"}
    command = [sys.executable, "-c", _RESULTS]
    return subprocess.run(
        command, env=environment, check=True, stdout=subprocess.PIPE, encoding="utf-8", errors="surrogatepass"
    ).stdout


def test_results_do_not_depend_on_the_seed_of_hashes() -> None:
    assert results("1") == results("2")
