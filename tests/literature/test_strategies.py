from __future__ import annotations

import subprocess
import sys

import pytest

from scrapy_tps import prune
from scrapy_tps.engine.strategies import LITERATURE, load_strategy
from scrapy_tps.literature.base import SiteMemory
from tests.literature.pages import article, sequence_of
from tests.support.hostile import hostile_pages
from tests.support.pages import listing

NAMES = [f"{name}{guard}" for name in LITERATURE for guard in ("", "+guard")]


def on_site(name, memory=None):
    """The strategy for the pages of one site, if it learns from them."""
    strategy = load_strategy(name)
    bind = getattr(strategy, "on_site", None)
    return strategy if bind is None else bind(memory or SiteMemory())


@pytest.mark.parametrize("name", NAMES)
def test_no_page_is_an_error_whatever_its_markup(name):
    strategy = on_site(name)
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
        pruning = prune(page, settings={"TPS_STRATEGY": strategy})
        assert pruning.error is None
        assert pruning.outcome in {"pruned", "no_region", "ambiguous"}


@pytest.mark.parametrize("name", NAMES)
def test_the_same_page_and_site_give_the_same_result(name):
    def run():
        strategy = on_site(name)
        return [prune(article(number), settings={"TPS_STRATEGY": strategy}).html for number in range(5)]

    assert run() == run()


def methods_of_sites():
    return [name for name in NAMES if hasattr(load_strategy(name.removesuffix("+guard")), "on_site")]


@pytest.mark.parametrize("name", methods_of_sites())
def test_a_method_of_many_pages_keeps_a_page_whole_while_it_knows_nothing(name):
    for strategy in (name, on_site(name)):
        pruning = prune(article(1), settings={"TPS_STRATEGY": strategy})
        assert (pruning.outcome, pruning.html) == ("no_region", article(1))


@pytest.mark.parametrize("name", methods_of_sites())
def test_a_method_of_many_pages_removes_what_they_share_and_keeps_the_rest(name):
    strategy = on_site(name)
    for number in range(6):
        pruning = prune(article(number), settings={"TPS_STRATEGY": strategy})
    text = pruning.root.xpath("string(//body)")
    assert "Section birch" not in text
    assert "All rights reserved" not in text
    assert "number5 part0" in text
    assert "number5 part5" in text


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("+guard")])
def test_the_guard_keeps_every_record(name):
    strategy = on_site(name)
    for _ in range(3):
        for records in (12, 13, 14, 15):
            pruning = prune(listing(records), settings={"TPS_STRATEGY": strategy})
            assert len(pruning.root.xpath("//ul[@class='items']/li/h2")) == records


def test_the_same_page_again_is_not_another_page_of_the_site():
    strategy = on_site("pagelets")
    for _ in range(5):
        assert prune(article(1), settings={"TPS_STRATEGY": strategy}).outcome == "no_region"


def test_memory_of_a_site_is_bounded_and_does_not_depend_on_the_order():
    def held(numbers):
        memory = SiteMemory(pages=4)
        strategy = on_site("shingles", memory)
        for number in numbers:
            prune(article(number), settings={"TPS_STRATEGY": strategy})
        return memory

    first, second = held(range(9)), held(reversed(range(9)))
    strategy = load_strategy("shingles")
    stranger = strategy.digest(sequence_of(article(50)))
    assert [page.key for page in first.others(stranger)] == [page.key for page in second.others(stranger)]
    assert len(first.others(stranger)) == 4


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
