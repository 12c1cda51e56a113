from __future__ import annotations

import subprocess
import sys

import pytest

from scrapy_tps.engine.html.document import decode
from scrapy_tps.engine.prune import prune_page
from scrapy_tps.engine.pruned_page import Pruning
from scrapy_tps.engine.strategies import LITERATURE, load_strategy
from scrapy_tps.literature import memory as memory_of_pages
from scrapy_tps.literature.base import SiteMethod
from scrapy_tps.literature.memory import CrawlPages, SitePages
from scrapy_tps.settings.definitions import page_settings
from tests.literature.pages import article, sequence_of
from tests.support.hostile import hostile_pages
from tests.support.mockserver.bad_pages import BAD_PAGES
from tests.support.pages import listing

NAMES = [f"{name}{guard}" for name in LITERATURE for guard in ("", "+guard")]


def pruned(page, name, site=None, url=None):
    return Pruning(prune_page(page, page_settings({"TPS_STRATEGY": name}), url=url, memory=site))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_no_page_is_an_error_whatever_its_markup(name):
    site = SitePages()
    hostile = hostile_pages(200)
    kinds = (
        "nested",
        "all distinct",
        "comments",
        "siblings without text",
        "lists of links",
        "records",
        "scripts",
    )
    pages = [*(hostile[kind] for kind in kinds), listing(5), "<p>x" * 50, "<body>" + "<img>" * 40]
    for page in (*pages, pages[0]):
        pruning = pruned(page, name, site)
        assert pruning.error is None
        assert pruning.outcome in {"pruned", "no_region", "ambiguous"}


@pytest.mark.parametrize("name", NAMES)
def test_the_same_page_and_site_give_the_same_result(name):
    def run():
        site = SitePages()
        return [pruned(article(number), name, site).html for number in range(5)]

    assert run() == run()


@pytest.mark.slow
@pytest.mark.parametrize("page", BAD_PAGES)
def test_a_bad_page_that_no_method_can_judge_comes_as_it_was(page):
    body, _ = BAD_PAGES[page]()
    # what is too large or too deep is left alone before a strategy sees it: two are asked
    heavy = page in {"fifty_megabytes", "nested", "siblings"}
    for name in ("cetr", "style-tree+guard") if heavy else NAMES:
        pruning = pruned(body, name, SitePages())
        assert pruning.error is None
        assert not (heavy and pruning.pruned)
        assert pruning.pruned or pruning.html == decode(body)


def methods_of_sites():
    return [name for name in NAMES if isinstance(load_strategy(name.removesuffix("+guard")), SiteMethod)]


@pytest.mark.parametrize("name", methods_of_sites())
def test_a_method_of_many_pages_keeps_a_page_whole_while_it_knows_nothing(name):
    for site in (None, SitePages()):
        pruning = pruned(article(1), name, site)
        assert (pruning.outcome, pruning.html) == ("no_region", article(1))


@pytest.mark.parametrize("name", methods_of_sites())
def test_a_method_of_many_pages_removes_what_they_share_and_keeps_the_rest(name):
    site = SitePages()
    for number in range(6):
        pruning = pruned(article(number), name, site)
    text = pruning.root.xpath("string(//body)")
    assert "Section birch" not in text
    assert "All rights reserved" not in text
    assert "number5 part0" in text
    assert "number5 part5" in text


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("+guard")])
def test_the_guard_keeps_every_record(name):
    site = SitePages()
    for _ in range(3):
        for records in (12, 13, 14, 15):
            pruning = pruned(listing(records), name, site)
            assert len(pruning.root.xpath("//ul[@class='items']/li/h2")) == records


def test_the_same_page_again_is_not_another_page_of_the_site():
    site = SitePages()
    for visit in range(4):
        assert pruned(article(1), "content-extractor", site).outcome == "no_region", visit


def test_a_page_is_not_compared_with_what_was_at_its_address_before():
    site = SitePages()
    for visit in range(4):
        page = article(1).replace("<h1>", f"<h1>{visit} ")
        outcome = pruned(page, "content-extractor", site, "https://site.example/1").outcome
        assert outcome == "no_region", visit


def test_a_method_of_one_page_says_the_same_with_other_pages_of_the_site():
    site = SitePages()
    for number in range(5):
        assert pruned(article(number), "cetr", site).html == pruned(article(number), "cetr").html


def test_memory_of_a_site_is_bounded_and_does_not_depend_on_the_order(monkeypatch):
    monkeypatch.setattr(memory_of_pages, "PAGES", 4)
    method = load_strategy("shingles")
    pages = [method.digest(sequence_of(article(number))) for number in range(9)]

    def held(of):
        memory = SitePages()
        for page in of:
            memory.learn(method.name, page)
        return [page.key for page in memory.learn(method.name, method.digest(sequence_of(article(50))))]

    assert held(pages) == held(pages[::-1])
    assert len(held(pages)) == 4


@pytest.mark.parametrize(("sites", "most_bytes", "left"), [(3, 10**8, "abc"), (2, 10**8, "ac"), (9, 1, "c")])
def test_pages_of_a_crawl_are_bounded_in_sites_and_in_bytes(monkeypatch, sites, most_bytes, left):
    monkeypatch.setattr(memory_of_pages, "SITES", sites)
    monkeypatch.setattr(memory_of_pages, "BYTES", most_bytes)

    def is_left(site):
        pages = CrawlPages()
        for one in "abac":
            pruned(article(1), "shingles", pages.of(one))
        return pages.of(site).bytes() > 0

    assert "".join(filter(is_left, "abc")) == left


def test_without_the_extra_its_name_is_told_when_a_method_is_chosen():
    program = (
        "import sys; sys.modules['numpy'] = None\n"
        "from scrapy_tps import prune\n"
        "try: prune('', settings={'TPS_STRATEGY': 'cetr'})\n"
        "except ValueError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "TPS_STRATEGY is 'cetr'" in said
    assert "pip install scrapy-tps[literature]" in said


def test_nothing_of_the_extra_is_imported_unless_a_method_is_chosen():
    program = (
        "import sys\nfrom scrapy_tps import prune\nprune('<p>x' * 99)\n"
        "print(*{'numpy', 'sklearn', 'scrapy_tps.literature'} & set(sys.modules))"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert not said.split()
