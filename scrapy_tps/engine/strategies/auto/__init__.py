"""``auto``: it removes everything that is certainly noise, and practically never a record.

The table of its rules is in :mod:`~scrapy_tps.engine.strategies.auto.pipeline`; docs/explanation/auto.md has the
figures for every rule.
"""
