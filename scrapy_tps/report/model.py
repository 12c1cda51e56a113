"""A report on a crawl, in any format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_tps.report.verdict import Verdict
    from scrapy_tps.stats.figures import SiteFigures
    from scrapy_tps.stats.health import Trend
    from scrapy_tps.stats.queries import QueryRow


@dataclass(frozen=True, slots=True)
class Report:
    """A report on a crawl.

    :param title: what the figures are of.
    :param about: the crawl for JSON: number, spider, times …
    :param total: the sum over all sites, listed or not.
    :param sites: the sites in the order to be listed; read once.
    :param verdict: what the crawl comes to.
    :param site_count: how many sites there are, listed or not; 0 when that is not known.
    :param queries: the queries and fields in the order to be listed; read once, after the sites.
    :param width: columns of the terminal that it is for.
    :param trend: sites in the spider's last crawls.
    """

    title: str
    about: dict[str, Any]
    total: SiteFigures
    sites: Iterable[tuple[str, SiteFigures]]
    verdict: Verdict
    site_count: int = 0
    queries: Iterable[QueryRow] = ()
    width: int | None = None
    trend: Trend = field(default_factory=dict)
