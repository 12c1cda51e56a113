"""The native core: optional extensions over lxml's public C API. Import :mod:`scrapy_tps.engine.native` instead."""
