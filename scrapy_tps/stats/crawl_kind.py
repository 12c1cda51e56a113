"""Whether pages are fetched for a crawl, or for somebody who looks at one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from scrapy.utils.spider import DefaultSpider

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

#: Modules of commands that make a spider fetch the pages they are given, instead of its own.
_COMMANDS: Final = ("scrapy.commands.", "scrapy_tps.commands.", "scrapy_tps.commandline.page")


def is_crawl(crawler: Crawler) -> bool:
    """Whether this is a spider's own crawl.

    It is not where a command fetches pages to look at, with a spider of the project or without: ``scrapy fetch``,
    ``view``, ``shell``, ``parse`` and ``check``, ``tps-view``, ``tps-records`` and ``tps-check``. Such a
    look leaves no figures, samples or reports. Ask when the spider has been opened.
    """
    spider = crawler.spider
    # the shell opens a spider without crawling
    if spider is None or isinstance(spider, DefaultSpider) or not crawler.crawling:
        return False
    # the commands give the spider's class a start of their own
    start = str(getattr(type(spider).start, "__module__", ""))
    return not start.startswith(_COMMANDS) and not os.environ.get("SCRAPY_CHECK")
