"""Settings that a comparison found for a site apply to later crawls."""

from __future__ import annotations

import logging
import re
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_tps.stats.store import FiguresStore
from tests.support.failing import PAGES, Shop, run

if TYPE_CHECKING:
    import pytest

    from tests.support.mockserver import MockServer


class PastSelectors(Shop):
    """Reads a link that pruning takes out of the text."""

    def parse(self, response: Any) -> Any:
        yield {"url": response.url, "links": re.findall(r"/only/\d+", response.text)}


def items(server: MockServer, **settings: Any) -> tuple[list[Any], dict[str, Any]]:
    """The items in order, and Scrapy's stats."""
    found = run(server, settings, PastSelectors)
    return sorted(found.items, key=str), found.stats


def test_what_a_comparison_found_is_kept_in_further_crawls_and_told_until_all_are_deleted(
    server: MockServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    expected, _ = items(server, TPS_ENABLED=False)
    assert all(item["links"] for item in expected)
    file = str(tmp_path / "stats.sqlite")
    assert items(server, TPS_STATS_FILE=file, TPS_COMPARE=False)[0] != expected
    first, stats = items(server, TPS_STATS_FILE=file, TPS_COMPARE=True)
    assert first == expected
    assert stats["tps/compare/kept"] == 1
    caplog.clear()
    with caplog.at_level(logging.INFO):
        again, stats = items(server, TPS_STATS_FILE=file, TPS_COMPARE=False)
    assert again == expected
    assert stats["tps/outcome/pruned"] == PAGES
    assert "Callbacks need parts that were removed at first: " in caplog.text
    with closing(FiguresStore(Path(file))) as store:
        assert store.kept(PastSelectors.name)
        store.delete(crawl.id for crawl in store.crawls())
        assert not store.kept(PastSelectors.name)
