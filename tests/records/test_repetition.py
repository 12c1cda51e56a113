"""Lists and records that stand on every page of a site, by what a model of the site knows."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

from scrapy_tps import extract_records, prune
from scrapy_tps.sites import SiteModel
from tests.records.pages import card, cards, page, sentence

if TYPE_CHECKING:
    from scrapy_tps.records import DataRegions

ADDRESS = "https://shop.example/list/{}"
KNOWN = {"TPS_SITE_TEMPLATE_PAGES": 2, "TPS_MIN_NODES": 0}
GUIDES = [f"Guide {number}" for number in range(900, 908)]
POPULAR = "".join(
    f"<li><a href='/g/{name[6:]}'>{name}</a><i>Told by</i><p>{sentence(int(name[6:]), 30)}</p></li>"
    for name in GUIDES
)


def listing(number: int, *, popular: str = POPULAR, among: str = "", records: int = 4) -> str:
    """A page of a shop: its own records, some that stand among them, and what all pages call popular."""
    own = range(10 * number, 10 * number + records)
    return page(f"<div class='hits'>{cards(own)}{among}</div><ul class='popular'>{popular}</ul>")


def taught(*bodies: str) -> SiteModel:
    model = SiteModel()
    for number, body in enumerate(bodies, 1):
        prune(body, url=ADDRESS.format(number), settings=KNOWN, site=model)
    return model


def found(body: str, site: SiteModel | None, **settings: object) -> DataRegions:
    return extract_records(body, url=ADDRESS.format(0), settings={**KNOWN, **settings}, site=site)


def titles(regions: DataRegions) -> list[str]:
    return [str(record.fields[0]) for region in regions for record in region.records]


def test_a_list_that_stands_on_every_page_is_dropped_and_can_be_had() -> None:
    model = taught(listing(1), listing(2))
    assert GUIDES[0] in titles(found(listing(0), None))
    known = found(listing(0), model)
    assert titles(known) == [f"Product {number}" for number in range(4)]
    (popular,) = known.dropped
    assert popular.dropped == "on all 2 other pages of this site that are made like this one"
    assert [record.fields[0] for record in popular.records] == GUIDES


def test_the_records_of_a_pruned_page_are_judged_with_the_model_that_pruned_it() -> None:
    model = taught(listing(1), listing(2))
    settings = {**KNOWN, "TPS_KEEP": [".popular"]}
    known = prune(listing(0), url=ADDRESS.format(0), settings=settings, site=model).records()
    assert GUIDES[0] not in titles(known)
    assert len(known.dropped) == 1


def test_the_records_of_an_unpickled_page_are_judged_with_the_model_that_is_given() -> None:
    model = taught(listing(1), listing(2))
    settings = {**KNOWN, "TPS_KEEP": [".popular"]}
    known = prune(listing(0), url=ADDRESS.format(0), settings=settings, site=model)
    again = pickle.loads(pickle.dumps(known))
    assert again.records(settings).dropped == []
    assert titles(again.records(settings, site=model)) == titles(known.records(settings))


def test_a_list_stays_until_enough_pages_are_known() -> None:
    assert GUIDES[0] in titles(found(listing(0), taught(listing(1))))
    two = taught(listing(1), listing(2))
    assert GUIDES[0] in titles(found(listing(0), two, TPS_SITE="veto"))
    two.bar()
    assert GUIDES[0] in titles(found(listing(0), two))


def test_records_that_every_page_shows_among_new_ones_stay() -> None:
    bodies = [listing(number, popular="", among=cards([900, 901])) for number in range(3)]
    known = found(bodies[0], taught(*bodies[1:]))
    assert titles(known)[:6] == [f"Product {number}" for number in (0, 1, 2, 3, 900, 901)]
    assert [record.repeated_on for record in known[0].records] == [0, 0, 0, 0, 2, 2]


def test_pictures_with_the_same_caption_are_no_template() -> None:
    def gallery(number: int) -> str:
        rows = "".join(
            f"<div class='shot'><a href='/photo/{number}-{row}'><img src='/{number}-{row}.jpg'></a>"
            "<p>Click to see this picture in its full size</p></div>"
            for row in range(8)
        )
        return page(f"<h1>Day {number}</h1><p>{card(number)}</p><div class='shots'>{rows}</div>")

    known = found(gallery(0), taught(gallery(1), gallery(2)))
    assert len(found(gallery(0), None)[0].records) == 8
    assert len(known[0].records) == 8
    assert {record.repeated_on for record in known[0].records} == {0}


def test_the_same_page_under_another_address_keeps_its_lists() -> None:
    known = found(listing(0), taught(listing(0), listing(0)))
    assert not known.dropped
    assert titles(known) == titles(found(listing(0), None))
