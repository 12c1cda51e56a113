"""Jobs: a CrawlSpider, whose rules find pages and jobs."""

from __future__ import annotations

from collections.abc import Iterator

from scrapy.http import Response
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from demo.items import Job


class JobsSpider(CrawlSpider):
    name = "jobs"
    allowed_domains = ["jobs.example"]
    start_urls = ["http://jobs.example/jobs"]
    rules = (
        Rule(LinkExtractor(allow=r"/jobs\?page=\d+$")),
        Rule(LinkExtractor(allow=r"/job/[0-9a-f]{8}$"), callback="parse_job"),
    )

    def parse_job(self, response: Response) -> Iterator[Job]:
        page = response.css("[data-testid=job]")
        yield Job(
            url=response.url,
            title=page.css("h1::text").get(""),
            company=page.css("[data-testid=company]::text").get(""),
            location=page.css("[data-testid=location]::text").get(""),
            contract=page.css("[data-testid=contract]::text").get(""),
            posted=page.css("time::attr(datetime)").get(""),
            salary=page.css("[data-testid=salary]::text").get(),
            tags=page.css("[data-testid=tags] li::text").getall(),
            summary=page.css("[data-testid=summary]::text").get(),
            duties=page.css("[data-testid=duties] li::text").getall(),
            requirements=page.css("[data-testid=requirements] li::text").getall(),
            facts={
                row.css("dt::text").get(""): row.css("dd::text").get("")
                for row in page.css("dl.css-facts > div")
            },
        )
