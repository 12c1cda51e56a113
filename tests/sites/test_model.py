from __future__ import annotations

import random
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps import prune
from scrapy_tps.sites import SiteModel
from scrapy_tps.sites.reference import Reference, page_key
from tests.support.site import ADDRESS, article

numbers = st.lists(st.integers(0, 2**32 - 1), max_size=4, unique=True).map(
    lambda found: array("I", sorted(found))
)
references = st.builds(
    Reference,
    key=st.integers(0, 5).map(lambda number: page_key(str(number))),
    elements=numbers,
    texts=numbers,
    pairs=numbers,
    paths=st.just(array("I", [7])),
    kept=st.sampled_from([b"\x00", b"\xff"]),
    epoch=st.integers(0, 2),
    version=st.integers(0, 2),
)
models = st.builds(
    lambda found, epoch, barred: SiteModel.of(found, epoch=epoch, barred=barred, pages=3),
    st.lists(references, max_size=6),
    st.integers(0, 2),
    st.integers(-1, 2),
)


def merged(*parts: SiteModel) -> SiteModel:
    whole = SiteModel(3)
    for part in parts:
        whole.merge(part)
    return whole


@given(models, models, models)
def test_merging_gives_the_same_in_any_order_any_number_of_times(
    one: SiteModel, two: SiteModel, three: SiteModel
) -> None:
    whole = merged(one, two, three)
    assert whole == merged(three, one, two)
    assert whole == merged(merged(two, three), one)
    assert whole == merged(one, two, one, three, two, whole)
    assert whole.digest == merged(three, two, one).digest


@given(models)
def test_models_come_back_from_their_bytes(model: SiteModel) -> None:
    again = SiteModel.from_bytes(model.to_bytes(), pages=3)
    assert again == model
    assert again.digest == model.digest


@given(models, st.data())
def test_damaged_bytes_are_refused(model: SiteModel, data: st.DataObject) -> None:
    whole = model.to_bytes()
    with pytest.raises(ValueError, match="site model"):
        SiteModel.from_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])


@given(st.permutations(range(12)))
def test_the_order_of_a_crawl_does_not_change_what_is_known(order: list[int]) -> None:
    lessons = {number: _lesson(number) for number in range(12)}
    model = SiteModel(5)
    for number in order:
        model.learn(lessons[number])
    straight = SiteModel(5)
    for number in range(12):
        straight.learn(lessons[number])
    assert model == straight
    assert len(model) == 5


def _lesson(number: int) -> Reference:
    one, none = array("I", [number]), array("I")
    return Reference(page_key(str(number)), one, one, one, none, b"")


def test_a_page_that_changed_replaces_what_was_known_of_it() -> None:
    model = SiteModel()
    for body in (article(1), article(1), article(2)):
        prune(body, url=ADDRESS.format(1), settings={"TPS_MIN_NODES": 0}, site=model)
    assert len(model) == 1
    assert model.references[0].version == 1  # the second time it was the same
    before = SiteModel()
    prune(article(1), url=ADDRESS.format(1), settings={"TPS_MIN_NODES": 0}, site=before)
    before.merge(model)
    assert before == model


def test_a_new_make_of_the_site_replaces_the_old_one() -> None:
    model = SiteModel(4)
    for number in range(8):
        prune(article(number), url=ADDRESS.format(number), settings={"TPS_MIN_NODES": 0}, site=model)
    model.bar()
    model.start_anew()
    assert model.known().removes
    for number in range(8, 12):
        prune(article(number), url=ADDRESS.format(number), settings={"TPS_MIN_NODES": 0}, site=model)
    assert {reference.epoch for reference in model.references} == {1}


def test_a_model_is_bounded_whatever_the_pages() -> None:
    model = SiteModel()
    chance = random.Random(1)
    for number in range(12):
        page = "".join(f"<p class='c{chance.random()}'>text {chance.random()}</p>" for _ in range(6000))
        prune(f"<body>{page}</body>", url=ADDRESS.format(number), site=model)
    assert len(model) == 8
    assert len(model.to_bytes()) < 8 * 32 * 1024


@pytest.mark.parametrize("pages", [0, -1])
def test_a_model_of_no_pages_is_refused(pages: int) -> None:
    with pytest.raises(ValueError, match=f"pages is {pages}; allowed"):
        SiteModel(pages)


def test_hashes_are_the_same_on_every_machine() -> None:
    model = SiteModel()
    prune(article(1), url=ADDRESS.format(1), settings={"TPS_MIN_NODES": 0}, site=model)
    assert model.digest == "3c0f444b211bf064"
