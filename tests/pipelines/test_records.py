from __future__ import annotations

from typing import Any

import pytest
from scrapy.exceptions import DropItem
from scrapy.utils.misc import build_from_crawler
from scrapy.utils.test import get_crawler

from scrapy_tps.pipelines.records import (
    RecordDeduplicationPipeline,
    RecordSchemaPipeline,
)
from scrapy_tps.records import Column
from scrapy_tps.spiders import RecordItem


def pipeline(cls: type[Any], **settings: Any) -> Any:
    return build_from_crawler(cls, get_crawler(settings_dict=settings))


def record(page: int, site: str = "a.example", **fields: Any) -> RecordItem:
    item = RecordItem(fields)
    item.columns = [Column(name, "text", (("p", name),)) for name in fields]
    item.update(page_url=f"https://{site}/{page}", region=0, position=0, confidence=0.9)
    return item


def stats(one: Any) -> dict[str, Any]:
    return {name: value for name, value in one.crawler.stats.get_stats().items() if name.startswith("tps/")}


def test_a_record_of_another_page_is_a_duplicate() -> None:
    one = pipeline(RecordDeduplicationPipeline)
    assert one.process_item(record(1, name="A", price="5"))["name"] == "A"
    with pytest.raises(DropItem, match=r"a\.example"):
        one.process_item(record(2, name="a", price=" 5"))
    one.process_item(record(2, name="A", price="6"))
    one.process_item(record(2, site="b.example", name="A", price="5"))
    assert stats(one) == {"tps/records/dropped/duplicate": 1}


def test_equal_records_of_one_page_stay() -> None:
    one = pipeline(RecordDeduplicationPipeline)
    for _ in range(3):
        item = record(1, name="A")
        assert one.process_item(item) is item


def test_memory_is_bounded() -> None:
    class Forgetful(RecordDeduplicationPipeline):
        most_records = 2

    one = pipeline(Forgetful)
    for page, name in enumerate("ABC"):
        one.process_item(record(page, name=name))
    one.process_item(record(9, name="A"))  # forgotten
    with pytest.raises(DropItem):
        one.process_item(record(9, name="C"))


def test_all_pages_of_a_site_get_the_columns_of_its_first(caplog: pytest.LogCaptureFixture) -> None:
    one = pipeline(RecordSchemaPipeline)
    first = one.process_item(record(1, name="A", price="5"))
    assert list(first)[:2] == ["name", "price"]
    assert dict(one.process_item(record(2, name="B", note="n"))) == {
        "name": "B", "price": None, "note": "n", "page_url": "https://a.example/2", "region": 0, "position": 0,
        "confidence": 0.9,
    }  # fmt: skip
    one.process_item(record(3, price="1"))
    late = one.process_item(record(4, name="C", weight="2 kg"))
    assert late["other"] == {"weight": "2 kg"}
    assert "weight" not in late
    one.process_item(record(5, name="D", height="3 m"))
    assert stats(one)["tps/records/drifted"] == 2
    assert [entry.levelname for entry in caplog.records if "have changed" in entry.message] == ["WARNING"]


def test_a_renamed_column_is_known_by_tags_and_class() -> None:
    one = pipeline(RecordSchemaPipeline)
    one.process_item(record(1, name="A"))
    item = record(2, title="B")
    item.columns = [Column("title", "text", (("p", "big name"),))]
    assert one.process_item(item)["name"] == "B"


def test_columns_named_like_what_is_about_a_record_survive() -> None:
    one = pipeline(RecordSchemaPipeline)
    item = record(1, name="A")
    item["position_"] = "Head of things"
    item.columns.append(Column("position", "text", (("p", "position"),)))
    done = one.process_item(item)
    assert (done["position"], done["position_"]) == (0, "Head of things")


@pytest.mark.parametrize("cls", [RecordDeduplicationPipeline, RecordSchemaPipeline])
def test_other_items_pass_untouched(cls: type[Any]) -> None:
    one = pipeline(cls)
    for item in ({"name": "A"}, "text", None):
        for _ in range(5):
            assert one.process_item(item) is item
