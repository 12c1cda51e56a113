"""The settings about models of sites."""

from __future__ import annotations

from functools import partial
from typing import Final

from scrapy_tps.engine.page_settings import PageSettings
from scrapy_tps.settings import parsing as values
from scrapy_tps.settings.setting import Setting

_PAGE: Final = PageSettings()

#: Those of a page, and those of a crawl.
SITE_SETTINGS: Final = (
    Setting(
        "TPS_SITE",
        _PAGE.site,
        partial(values.choice, among=("off", "veto", "full")),
        "off, veto or full",
        "What the other pages of a site may decide about a page. With ``veto``, what is new on the site stays where "
        "rules would remove it, and on its first page rules that go by position remove nothing. With ``full``, what "
        "stands on every page goes as well. Methods of the literature that need other pages remember them whatever "
        "this says.",
        per_page=True,
    ),
    Setting(
        "TPS_SITE_TEMPLATE_PAGES",
        _PAGE.site_template_pages,
        *values.whole_numbers(2, 64),
        "How many other pages that are made like a page have to be known before what stands on all of them is removed: "
        "no more than ``TPS_SITE_PAGES``.",
        per_page=True,
    ),
    Setting(
        "TPS_SITE_PAGES",
        8,
        *values.whole_numbers(2, 64),
        "How many pages of a site its model remembers, of some 3 KB each.",
    ),
    Setting(
        "TPS_SITE_MAX_SITES",
        1000,
        *values.whole_numbers(1, 1_000_000_000),
        "How many models of sites are held in memory, of some 30 KB each. If there are more, the least recently used "
        "go to the file.",
    ),
    Setting(
        "TPS_SITE_FILE",
        "tps-sites.sqlite",
        partial(values.optional, parse=values.path),
        "a path, or None",
        "SQLite file that keeps the models of sites between crawls, and what spiders asked for there and pruning had "
        "taken (``TPS_ASK_LEARN``). A relative path is relative to the project's data "
        "directory (``.scrapy``). With None each crawl begins anew.",
    ),
    Setting(
        "TPS_SITE_FILE_SITES",
        20_000,
        *values.whole_numbers(1, 1_000_000_000),
        "How many sites the file keeps, of 12 KB each with two pages and 30 KB with eight. If there are more, those go "
        "that no crawl has used for longest. Crawls with ``TPS_SITE_READ_ONLY`` don't count: they leave the file as it "
        "is.",
    ),
    Setting(
        "TPS_SITE_READ_ONLY",
        False,
        values.boolean,
        "True or False",
        "Whether pages teach the models of their sites nothing, and the file is left as it is: runs of one crawl then "
        "give the same.",
    ),
)
