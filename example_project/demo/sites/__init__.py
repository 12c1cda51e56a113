"""The demo sites: written for this project, from templates and from data that tests compare with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from demo.sites.archive import Archive
from demo.sites.forum import Forum
from demo.sites.jobs import Jobs
from demo.sites.news import News
from demo.sites.search import Search
from demo.sites.shop import Shop

if TYPE_CHECKING:
    from collections.abc import Mapping

    from demo.sites.base import Site

SITES: Mapping[str, Site] = {
    site.host: site for site in (Shop(), Search(), Archive(), Forum(), Jobs(), News())
}
