"""Methods from the literature, as published, over the same columns: for comparison, use and citation.

The core never imports this package: :func:`scrapy_tps.engine.strategies.load_strategy` loads a method when its name is
set as ``TPS_STRATEGY``. The methods need the extra ``literature``.
"""
