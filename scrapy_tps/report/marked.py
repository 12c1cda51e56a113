"""Records and columns of a page as data for the view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.engine.sequence.columns import ELEMENT
from scrapy_tps.records.extract import records_below

if TYPE_CHECKING:
    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.records.regions import DataRecord

_MOST_REGIONS: Final = 20
_MOST_RECORDS: Final = 500  # of a region
_VALUE_CHARACTERS: Final = 200


def records_data(body: Any, sequence: TagPathSequence, settings: PageSettings) -> list[dict[str, Any]]:
    """Return the data regions of a page, best first; elements as places in the tag path sequence, or -1.

    At most 20 regions with 500 records each; ``count`` says how many records there are.
    """
    places = {
        node: index
        for index, (node, kind) in enumerate(zip(sequence.nodes, sequence.kinds, strict=True))
        if kind == ELEMENT
    }

    def record_data(record: DataRecord) -> dict[str, Any]:
        spans = [(places[node], sequence.end[places[node]]) for node in record.nodes if node in places]
        values = [value if value is None else value[:_VALUE_CHARACTERS] for value in record.fields]
        return {
            "spans": spans,
            "fields": values,
            "cells": [places.get(element, -1) for element in record.elements],
        }

    return [
        {
            "xpath": region.xpath,
            "confidence": region.confidence,
            "count": len(region.records),
            "columns": [{"name": column.name, "type": column.type} for column in region.columns],
            "records": [record_data(record) for record in region.records[:_MOST_RECORDS]],
        }
        for region in records_below(body, settings)[:_MOST_REGIONS]
    ]
