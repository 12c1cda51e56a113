"""The compiled form of the rules of :mod:`scrapy_tps.engine.strategies.auto`."""
