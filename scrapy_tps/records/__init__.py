"""Data records: lists of similar items on a page, found without selectors."""

from __future__ import annotations

from scrapy_tps.records.extract import extract_records
from scrapy_tps.records.regions import Column, DataRecord, DataRegion, DataRegions

__all__ = ["Column", "DataRecord", "DataRegion", "DataRegions", "extract_records"]
