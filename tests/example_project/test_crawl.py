"""The example project crawls its demo sites over real HTTP; pruned or not, every record comes out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import crawling

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "example_project"
WITHOUT_REACTOR = ("-s", "TWISTED_REACTOR_ENABLED=False")

Item = dict[str, Any]


def scrapy(*arguments: str) -> str:
    """Run a Scrapy command in the example project as a user would, and return what it logged."""
    done = crawling.scrapy(*arguments, cwd=PROJECT)
    return done.stderr


def crawl(spider: str, folder: Path, *options: str) -> tuple[list[Item], str]:
    """Crawl: (items in order, log)."""
    feed, figures = folder / "items.jsonl", folder / "figures.sqlite"
    log = scrapy("crawl", spider, "-O", str(feed), "-s", f"TPS_STATS_FILE={figures}", *options)
    return in_order(json.loads(line) for line in feed.read_text(encoding="utf-8").splitlines()), log


def in_order(items: Iterator[Item]) -> list[Item]:
    return sorted(items, key=lambda item: json.dumps(item, sort_keys=True))


def without(record: Mapping[str, Any], *names: str) -> Item:
    return {name: value for name, value in record.items() if name not in names}


def shop(data: Mapping[str, Any]) -> Iterator[Item]:
    for product in data["products"]:
        yield without(product, "slug") | {"url": f"http://shop.example/p/{product['slug']}"}


def search(data: Mapping[str, Any]) -> Iterator[Item]:
    for document in data["documents"]:
        yield without(document, "id") | {"url": f"http://archive.example/doc/{document['id']}"}


def forum(data: Mapping[str, Any]) -> Iterator[Item]:
    for topic in data["topics"]:
        url = f"http://forum.example/topic/{topic['id']}"
        yield without(topic, "id", "posts") | {"url": url}
        for post in topic["posts"]:
            yield without(post, "id") | {"url": f"{url}#p{post['id']}", "topic": topic["title"]}


def jobs(data: Mapping[str, Any]) -> Iterator[Item]:
    for job in data["jobs"]:
        yield without(job, "id") | {"url": f"http://jobs.example/job/{job['id']}"}


def news(data: Mapping[str, Any]) -> Iterator[Item]:
    for article in data["articles"]:
        url = f"http://news.example/{article['section'].lower()}/{article['slug']}"
        yield without(article, "slug") | {"url": url}


@pytest.fixture(scope="module")
def records() -> dict[str, list[Item]]:
    """Return the records of the demo sites, read from their data files, in the form of the spiders' items."""
    sources = {"shop": shop, "search": search, "forum": forum, "jobs": jobs, "news": news}
    folders = {name: "archive" if name == "search" else name for name in sources}
    data = {
        name: json.loads((PROJECT / "demo" / "sites" / folder / "data.json").read_text(encoding="utf-8"))
        for name, folder in folders.items()
    }
    return {name: in_order(expected(data[name])) for name, expected in sources.items()}


@pytest.fixture(scope="module")
def everything(records: dict[str, list[Item]]) -> list[Item]:
    return in_order(item for items in records.values() for item in items)


def test_the_sites_hold_enough_to_be_an_example(records: dict[str, list[Item]]) -> None:
    assert {name: len(items) for name, items in records.items()} == {
        "shop": 36,
        "search": 40,
        "forum": 20 + 127,
        "jobs": 36,
        "news": 30,
    }


@pytest.mark.slow
def test_a_spider_alone_yields_every_record_of_its_site(
    tmp_path: Path, records: dict[str, list[Item]]
) -> None:
    items, log = crawl("jobs", tmp_path)
    assert items == records["jobs"]
    assert "ERROR" not in log


@pytest.fixture(scope="module")
def pruned_crawl(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Item], str]:
    return crawl("demo", tmp_path_factory.mktemp("crawl"))


def test_one_command_crawls_every_site_and_loses_nothing(
    pruned_crawl: tuple[list[Item], str], everything: list[Item]
) -> None:
    items, log = pruned_crawl
    assert items == everything
    assert "ERROR" not in log


def test_the_report_at_the_end_says_that_all_is_well_and_names_every_host(
    pruned_crawl: tuple[list[Item], str],
) -> None:
    _, log = pruned_crawl
    report = log[log.rindex("No findings on 194 pages.") :]
    for host in ("shop", "search", "archive", "forum", "jobs", "news"):
        assert f"\n{host}.example " in report
    assert "Look at" not in log
    assert "\n194 pages; 194 pruned;" in report
    assert log.count("'tps/") < 20


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["TPS_ENABLED=False", "TPS_FALLBACK=False"])
def test_the_crawl_is_the_same_without(setting: str, tmp_path: Path, everything: list[Item]) -> None:
    items, _ = crawl("demo", tmp_path, "-s", setting)
    assert items == everything


def test_the_crawl_is_the_same_without_a_reactor(tmp_path: Path, everything: list[Item]) -> None:
    pytest.importorskip("aiohttp", reason="Scrapy's download handler without a reactor needs it")
    pytest.importorskip(
        "scrapy.core.downloader.handlers._aiohttp", reason="without a reactor, older Scrapy takes no proxy"
    )
    items, _ = crawl("demo", tmp_path, *WITHOUT_REACTOR)
    assert items == everything


def test_the_contracts_of_the_shop_hold(tmp_path: Path) -> None:
    assert "Ran 4 contracts" in scrapy("check", "shop", "-s", f"TPS_STATS_FILE={tmp_path / 'figures.sqlite'}")
