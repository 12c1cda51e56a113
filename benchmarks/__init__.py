"""Measurements of the cost and the quality of scrapy-tps."""
