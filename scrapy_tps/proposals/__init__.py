"""Proposals for selectors that find nothing any more. Nothing here imports Scrapy."""
