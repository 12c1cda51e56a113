"""The engine: a page goes in, the same page with less in it comes out, with an account. Never imports Scrapy."""
