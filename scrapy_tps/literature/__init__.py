"""Methods of the literature, each as its paper says, over the same columns: to compare, to choose, to cite.

The core never imports this package: :func:`scrapy_tps.engine.strategies.load_strategy` loads a method when its name is
set as ``TPS_STRATEGY``. They need the extra ``literature``.
"""
