"""Records of the listings without a single selector: the sites' lists are found, page after page."""

from __future__ import annotations

from scrapy_tps.spiders import ListingSpider


class RecordsSpider(ListingSpider):
    name = "records"
    allowed_domains = ["shop.example", "search.example", "jobs.example"]
    start_urls = [
        "http://shop.example/c/headphones",
        "http://search.example/search?q=parish",
        "http://jobs.example/jobs",
    ]
    max_pages = 0
