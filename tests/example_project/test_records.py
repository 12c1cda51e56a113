"""The example project's spider without selectors finds what the demo sites hold: every record, nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.example_project.test_crawl import PROJECT, crawl

if TYPE_CHECKING:
    from pathlib import Path

Item = dict[str, Any]


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Item]]:
    """The records by site."""
    folder: Path = tmp_path_factory.mktemp("records")
    found, log = crawl("records", folder)
    assert "ERROR" not in log
    by_site: dict[str, list[Item]] = {}
    for item in found:
        by_site.setdefault(urlsplit(item["page_url"]).hostname or "", []).append(item)
    return by_site


def data(site: str) -> Item:
    loaded: Item = json.loads((PROJECT / "demo" / "sites" / site / "data.json").read_text(encoding="utf-8"))
    return loaded


def by_url(found: list[Item]) -> dict[str, Item]:
    """The records by the first link that each has; fails where two have the same."""
    urls = [
        next(value for name, value in item.items() if name.endswith("url") and name != "page_url")
        for item in found
    ]
    assert len(set(urls)) == len(found)
    return dict(zip(urls, found, strict=True))


def values(item: Item) -> list[str]:
    return [str(value) for value in item.values() if value is not None]


def test_products_come_out_whole_and_with_names_for_their_fields(items: dict[str, list[Item]]) -> None:
    found = by_url(items["shop.example"])
    products = data("shop")["products"]
    assert set(found) == {f"http://shop.example/p/{product['slug']}" for product in products}
    for product in products:
        item = found[f"http://shop.example/p/{product['slug']}"]
        assert item["title"] == product["name"]
        assert item["brand"] == product["brand"]
        assert item["badge"] == product["badge"]
        assert item["price"] == f"£{product['price']:,.2f}"
        assert item["was_price"] == (f"£{product['was_price']:,.2f}" if product["was_price"] else None)
        assert item["rating"] == (str(product["rating"]) if product["rating"] else None)
        assert item["reviews"] == (f"({product['reviews']})" if product["reviews"] else None)
        assert item["image"] == f"http://shop.example/img/{product['sku']}.webp"


def test_scans_in_a_layout_table_beside_a_long_menu_come_out_whole(items: dict[str, list[Item]]) -> None:
    found = by_url(items["archive.example"])
    documents = data("archive")["documents"]
    assert set(found) == {f"http://archive.example/doc/{document['id']}" for document in documents}
    for document in documents:
        item = found[f"http://archive.example/doc/{document['id']}"]
        assert item["title"] == document["title"]
        assert item["text"] == "; ".join(document["authors"])
        about = "{publisher}, {published}. {type} , {pages} pages.".format(**document)
        assert item["td"] == about
        assert item["description"] == document["snippet"]


def test_stories_of_every_kind_have_the_same_columns(items: dict[str, list[Item]]) -> None:
    found = by_url(items["news.example"])
    articles = data("news")["articles"]
    urls = {f"http://news.example/{one['section'].lower()}/{one['slug']}": one for one in articles}
    assert set(found) == set(urls)
    for url, article in urls.items():
        assert found[url]["story_kicker"] == article["section"]
        assert found[url]["title"] == article["headline"]
        assert found[url]["description"] == article["teaser"]


def test_boards_topics_and_posts_come_out_whole(items: dict[str, list[Item]]) -> None:
    by_page: dict[str, list[Item]] = {}
    for item in items["forum.example"]:
        by_page.setdefault(urlsplit(item["page_url"]).path.split("/")[1], []).append(item)
    forum = data("forum")
    boards = {item["url"]: item for item in by_page[""]}
    assert set(boards) == {f"http://forum.example/board/{board['slug']}" for board in forum["boards"]}
    for board in forum["boards"]:
        item = values(boards[f"http://forum.example/board/{board['slug']}"])
        assert board["name"] in item
        assert board["about"] in item
    topics = {item["url"]: item for item in by_page["board"]}
    assert len(topics) == len(by_page["board"])
    assert set(topics) == {f"http://forum.example/topic/{topic['id']}" for topic in forum["topics"]}
    posts = {
        next(value.partition("#p")[2] for value in values(item) if "#p" in value): item
        for item in by_page["topic"]
    }
    assert len(posts) == len(by_page["topic"]) == sum(len(topic["posts"]) for topic in forum["topics"])
    for topic in forum["topics"]:
        url = f"http://forum.example/topic/{topic['id']}"
        assert topics[url]["title"] == topic["title"]
        assert topics[url]["username"] == topic["author"]
        assert topics[url]["posts"] == f"{topic['replies']} Replies"
        assert f"{topic['views']} Views" in values(topics[url])
        assert f"Last post {topic['posts'][-1]['posted']}" in values(topics[url])
        for post in topic["posts"]:
            item = posts[str(post["id"])]
            assert item["title"] == post["author"]
            written = " ".join(values(item))
            assert post["posted"] in written
            assert all(paragraph in written for paragraph in post["text"])
            assert post["quote"] is None or post["quote"] in written


def test_search_results_come_out_whole(items: dict[str, list[Item]]) -> None:
    found = by_url(items["search.example"])
    documents = data("archive")["documents"]
    assert set(found) == {f"http://archive.example/doc/{document['id']}" for document in documents}
    for document in documents:
        item = values(found[f"http://archive.example/doc/{document['id']}"])
        assert document["title"] in item
        for part in (document["snippet"], document["published"], document["type"], *document["authors"]):
            assert any(part in value for value in item), part


def test_jobs_come_out_whole(items: dict[str, list[Item]]) -> None:
    found = by_url(items["jobs.example"])
    jobs = data("jobs")["jobs"]
    assert set(found) == {f"http://jobs.example/job/{job['id']}" for job in jobs}
    for job in jobs:
        item = values(found[f"http://jobs.example/job/{job['id']}"])
        for name in ("title", "company", "location", "contract", "posted", "summary"):
            assert job[name] in item, name
        assert all(any(tag in value for value in item) for tag in job["tags"])
        if job["salary"]:
            assert job["salary"] in item
