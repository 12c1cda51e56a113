"""Listings crawled over real HTTP, without a selector."""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.records.pages import FOOT, card, page
from tests.support import crawling

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

PAGES = 4
ON_A_PAGE = 8
RECENT = [card(900 + n).replace("class='card'", "class='card seen'") for n in range(4)]


def listing(number: int) -> str:
    """Page `number`: its own cards, the last card of the page before, cards that every page shows."""
    own = range((number - 1) * ON_A_PAGE - (number > 1), number * ON_A_PAGE)
    links = "".join(f"<a href='/list/{n}'>{n}</a> " for n in range(1, PAGES + 1) if n != number)
    more = f"<a class='next' href='/list/{number + 1}'>Next</a>" if number < PAGES else ""
    cards = "".join(card(n) for n in own)
    return page(cards + "".join(RECENT), after=f"<nav class='pagination'>{links}{more}</nav>{FOOT}")


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        match = re.fullmatch(r"/(?:list|loop)/(\d+)", path)
        if match is None or not 1 <= int(match[1]) <= PAGES:
            self.send_error(404)
            return
        body = listing(int(match[1])).encode()
        if path.startswith("/loop/"):  # the second page leads to the first
            body = body.replace(b"/list/", b"/loop/").replace(b"/loop/3'>Next", b"/loop/1'>Next")
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def scrapy(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of Scrapy's in a project made of `folder`."""
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = project_settings\n")
    (folder / "project_settings.py").write_text(
        "SPIDER_MODULES = ['scrapy_tps.spiders']\nREMOTE_CONTROL_ENABLED = False\n"
    )
    return crawling.scrapy(*arguments, cwd=folder, check=False)


def crawl(folder: Path, *options: str) -> tuple[list[dict[str, Any]], str]:
    feed = folder / "records.jsonl"
    done = scrapy(folder, "crawl", "listing", "-O", str(feed), *options)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return [json.loads(line) for line in feed.read_text(encoding="utf-8").splitlines()], done.stderr


def products(items: list[dict[str, Any]]) -> list[int]:
    return sorted(int(item["title"].split()[1]) for item in items)


@pytest.mark.parametrize("addon", [(), ("-s", 'ADDONS={"scrapy_tps.Addon": 500}')])
def test_every_record_of_every_page_becomes_an_item(
    site: str, tmp_path: Path, addon: tuple[str, ...]
) -> None:
    items, log = crawl(tmp_path, "-a", f"url={site}/list/1", *addon)
    assert sorted({item["page_url"] for item in items}) == [f"{site}/list/{n}" for n in range(1, PAGES + 1)]
    # the cards that every page shows may have been pruned as boilerplate
    assert set(products(items)) - {900, 901, 902, 903} == {*range(PAGES * ON_A_PAGE)}
    first = next(item for item in items if item["title"] == "Product 3")
    assert (first["position"], first["region"], first["url"]) == (3, 0, f"{site}/p/3")
    assert 0.05 < first["confidence"] <= 1
    assert "'tps/records/pages': 4" in log
    assert f"The listing ends at {site}/list/4, its page 4: it has no link to a next page" in log


def test_pages_and_records_can_be_limited(site: str, tmp_path: Path) -> None:
    items, log = crawl(tmp_path, "-a", f"url={site}/list/2", "-a", "max_pages=2")
    assert "its page 2: max_pages is 2" in log
    assert {item["page_url"] for item in items} == {f"{site}/list/2", f"{site}/list/3"}
    items, _ = crawl(tmp_path, "-a", f"url={site}/list/1,{site}/list/4", "-a", "follow_pages=0")
    assert {item["page_url"] for item in items} == {f"{site}/list/1", f"{site}/list/4"}
    items, log = crawl(tmp_path, "-a", f"url={site}/list/1", "-a", "min_records=100", "-a", "max_pages=1")
    assert items == []
    assert "'tps/records/pages_without': 1" in log
    assert "it has no list of records" in log


def test_crawls_with_other_arguments_are_not_compared(site: str, tmp_path: Path) -> None:
    addon = ("-s", 'ADDONS={"scrapy_tps.Addon": 500}', "-a", f"url={site}/list/1")
    for arguments, compared in ((), False), (("-a", "max_pages=1"), False), (("-s", "DEPTH_LIMIT=1"), True):
        _, log = crawl(tmp_path, *addon, *arguments)
        assert ("less than half of the" in log) is compared


@pytest.mark.parametrize("addon", [(), ("-s", 'ADDONS={"scrapy_tps.Addon": 500}')])
def test_all_lists_of_later_pages_are_there_once(site: str, tmp_path: Path, addon: tuple[str, ...]) -> None:
    items, _ = crawl(tmp_path, "-a", f"url={site}/list/2", "-a", "max_regions=0", "-a", "max_pages=2", *addon)
    titles = [(item["page_url"], item["title"]) for item in items]
    assert len({url for url, _ in titles}) == 2
    assert len(set(titles)) == len(titles)


def test_the_log_says_that_the_next_page_was_requested_before(site: str, tmp_path: Path) -> None:
    items, log = crawl(tmp_path, "-a", f"url={site}/loop/1")
    assert {item["page_url"] for item in items} == {f"{site}/loop/1", f"{site}/loop/2"}
    assert f"The listing ends at {site}/loop/2, its page 4: it was requested before" in log


def test_pipelines_leave_each_record_once(site: str, tmp_path: Path) -> None:
    pipelines = {
        "scrapy_tps.pipelines.records.RecordSchemaPipeline": 100,
        "scrapy_tps.pipelines.records.RecordDeduplicationPipeline": 300,
    }
    items, log = crawl(
        tmp_path,
        "-a",
        f"url={site}/list/1",
        "-s",
        f"ITEM_PIPELINES={json.dumps(pipelines)}",
    )
    assert products(items) == [*range(PAGES * ON_A_PAGE), 900, 901, 902, 903]
    # 3 repeated cards; 4 boilerplate cards on pages 2, 3 and 4
    assert "'tps/records/dropped/duplicate': 15" in log
    assert len({tuple(item) for item in items}) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "url is missing; allowed: one URL or several, given with -a url="),
        (("url=",), "url is missing"),
        (("url=example.com/list",), "url is 'example.com/list'; allowed: URLs with their scheme"),
        (("url=https://a.example/ localhost:80/x",), "url is 'localhost:80/x'"),
        (
            ("url=https://a.example/", "max_pages=abc"),
            "max_pages is 'abc'; allowed: a whole number from 0 to 1,000,000,000",
        ),
        (("url=https://a.example/", "min_records=-1"), "min_records is '-1'"),
        (
            ("url=https://a.example/", "min_confidence=x"),
            "min_confidence is 'x'; allowed: a number from 0 to 1",
        ),
        (("url=https://a.example/", "follow_pages=maybe"), "follow_pages is 'maybe'; allowed: 1 or 0"),
    ],
)
def test_wrong_argument_ends_the_command_with_an_error(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = scrapy(tmp_path, "crawl", "listing", *(f"-a{argument}" for argument in arguments))
    assert done.returncode == 1
    assert f"ValueError: {message}" in done.stderr


def test_commands_on_one_page_need_no_start_url(site: str, tmp_path: Path) -> None:
    done = scrapy(tmp_path, "fetch", "--nolog", "--spider=listing", f"{site}/list/1")
    assert "class='card'" in done.stdout
