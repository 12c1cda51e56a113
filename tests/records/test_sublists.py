"""Lists inside records, on labelled pages in the markup of several systems."""

from __future__ import annotations

import pytest

from scrapy_tps import extract_records
from tests.records.sublist_pages import PAGES, SublistPage


@pytest.mark.parametrize("labelled", PAGES, ids=lambda labelled: labelled.name)
def test_lists_inside_records_have_exactly_their_items(labelled: SublistPage) -> None:
    region = extract_records(labelled.html)[0]
    assert len(region.records) == len(labelled.labels)
    found = [
        [item.text for sublist in record.sublists for item in sublist.records] for record in region.records
    ]
    assert found == labelled.labels
