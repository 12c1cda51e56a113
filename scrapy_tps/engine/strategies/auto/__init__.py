"""``auto``: everything that is surely noise goes, and practically never a record.

The table of its rules is in :mod:`~scrapy_tps.engine.strategies.auto.pipeline`; what was tried and the figures behind
every rule are in docs/explanation/auto.md.
"""
