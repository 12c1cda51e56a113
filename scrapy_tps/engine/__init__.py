"""The engine: it prunes a page and gives an account of the removed parts. Never imports Scrapy."""
