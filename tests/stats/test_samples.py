"""The file of samples: of each site the newest and the worst, and no more than so many bytes."""

from __future__ import annotations

from contextlib import closing
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_tps import prune
from scrapy_tps.engine.pruned_page import Origin, PrunedPage, Pruning, page_of
from scrapy_tps.engine.strategies import Selection
from scrapy_tps.stats import samples
from scrapy_tps.stats.database import StoreError
from scrapy_tps.stats.samples import SampleStore, badness_of
from tests.report.pages import SETTINGS, SHOP
from tests.stats.test_crawl import crawl


def pruning_of(gone, outcome="pruned"):
    pruning = Pruning(PrunedPage(Origin(b"<p>"), Selection(outcome)))
    pruning.raw_chars, pruning.kept_chars = 100, 100 - gone
    return pruning


@given(
    pages=st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 100)), max_size=30),
    per_site=st.integers(1, 4),
)
@settings(max_examples=60)
def test_the_newest_and_the_worst_of_each_site_stay(tmp_path_factory, pages, per_site):
    path = tmp_path_factory.mktemp("samples") / "samples.sqlite"
    with closing(SampleStore(path)) as store:
        for number, (site, gone) in enumerate(pages):
            store.add(site, "spider", f"http://{site}/{number}", pruning_of(gone), b"<p>", per_site=per_site)
        for site in "abc":
            own = [(gone, number) for number, (where, gone) in enumerate(pages) if where == site]
            newest = {number for _, number in own[-per_site:]}
            kept = {int(one.url.rsplit("/")[-1]) for one in store.samples(site)}
            assert newest <= kept
            assert len(kept) <= 2 * per_site
            if own:
                assert max(own)[1] in kept


def test_the_oldest_go_when_the_file_is_full(tmp_path, monkeypatch):
    monkeypatch.setattr(samples, "MAX_BYTES", 4000)
    with closing(SampleStore(tmp_path / "s.sqlite")) as store:
        for number in range(50):
            store.add(f"site{number}", "spider", f"http://{number}/", pruning_of(10), b"<p>")
        left = store.samples()
        assert sum(one.size for one in left) <= 4000
        assert sorted(one.url for one in left) == sorted(f"http://{n}/" for n in range(50 - len(left), 50))
        store.add("large", "spider", "http://large/", pruning_of(10), Random(0).randbytes(5000))
        assert store.samples() == left


def test_an_error_is_worse_than_any_loss():
    assert badness_of(pruning_of(0, "error")) > badness_of(pruning_of(100)) > badness_of(pruning_of(1))
    assert badness_of(Pruning(PrunedPage(Origin(b""), Selection("empty")))) == 0


def test_a_sample_has_the_account_of_its_crawl(tmp_path):
    pruning = prune(SHOP.encode(), url="http://shop.example/", settings=SETTINGS)
    with closing(SampleStore(tmp_path / "s.sqlite")) as store:
        store.add("shop.example", "shop", pruning.url, pruning, SHOP.encode())
        [sample] = store.samples("shop.example")
        _, again = store.load(sample.number)
    assert page_of(again).source == SHOP.encode()
    assert page_of(again).mask == page_of(pruning).mask
    assert again.regions == pruning.regions
    assert list(again.removed()) == list(pruning.removed())


@pytest.mark.parametrize("content", [None, b"no database, but some text" * 99])
def test_a_file_that_cannot_be_read_is_a_store_error(tmp_path, content):
    path = tmp_path / "s.sqlite"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(StoreError, match=r"s\.sqlite"):
        SampleStore(path, create=False)


def test_a_damaged_sample_costs_itself_alone(tmp_path):
    with closing(SampleStore(tmp_path / "s.sqlite")) as store:
        for url in ("https://a.example/1", "https://a.example/2"):
            store.add("a.example", "shop", url, pruning_of(0.5), b"<p>a", per_site=2)
        store._connection.execute("UPDATE sample SET taken = 'then' WHERE id = 1")
        assert [sample.number for sample in store.samples()] == [2]
        assert "sample 1 can't be read" in store.unreadable[0]


def test_a_crawl_keeps_samples_when_asked(tmp_path):
    (end,), _ = crawl(tmp_path, real=True, settings={"TPS_SAMPLES": 1})
    with closing(SampleStore(tmp_path / ".scrapy" / "tps-samples.sqlite", create=False)) as store:
        samples = store.samples()
        assert {one.site for one in samples} == {"a.example", "b.example"}
        assert len(samples) <= 4
        assert all(page_of(store.load(one.number)[1]).source for one in samples)
    assert end["stats"]["tps/samples"] == end["stats"]["tps/pages"]


def test_a_crawl_goes_on_when_samples_cannot_be_kept(tmp_path):
    (tmp_path / ".scrapy" / "tps-samples.sqlite").mkdir(parents=True)
    (end,), log = crawl(tmp_path, real=True, settings={"TPS_SAMPLES": 1, "TPS_STATS_FILE": None})
    assert end["stats"]["tps/pages"]
    assert end["stats"]["tps/failures/samples"] == end["stats"]["tps/pages"]
    assert "Samples could not be kept" in log


def test_without_the_setting_there_is_no_file(tmp_path):
    crawl(tmp_path, real=True)
    assert not list(tmp_path.rglob("*samples*"))
