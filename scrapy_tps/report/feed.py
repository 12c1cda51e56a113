"""The report of a crawl, written through Scrapy's feed storages."""

from __future__ import annotations

import logging
from datetime import datetime, timezone
from pathlib import PureWindowsPath
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.exceptions import NotConfigured
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.misc import build_from_crawler, load_object

from scrapy_tps.report.crawl_report import FORMATS
from scrapy_tps.report.selfcontained import MissingExtra, load_extra
from scrapy_tps.settings.parsing import PLACEHOLDER, report_format, shown, without_password
from scrapy_tps.stats.aggregation import figures_of
from scrapy_tps.stats.database import StoreError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from scrapy_tps.report.crawl_report import Report

logger = logging.getLogger(__name__)


class ReportFeed:
    """One destination of the report of a crawl.

    :param uri: path or feed URI, see ``TPS_REPORT``; an existing file is overwritten.
    :raises ValueError: when Scrapy has no storage for the URI, or the format's library is missing.
    """

    def __init__(self, crawler: Crawler, uri: str) -> None:
        self.uri = uri
        self.format = report_format(uri)
        self._crawler = crawler
        storages = crawler.settings.getwithbase("FEED_STORAGES")
        # a drive letter looks like a scheme
        scheme = "file" if PureWindowsPath(uri).drive else urlsplit(uri).scheme or "file"
        if (path := storages.get(scheme)) is None:
            known = ", ".join(sorted(name for name, storage in storages.items() if name and storage))
            raise ValueError(f"TPS_REPORT is {shown(uri)}; FEED_STORAGES has no {scheme!r}, only {known}")
        self._storage_class = load_object(path)
        if self.format == "html":
            try:
                load_extra("jinja2")
            except MissingExtra as error:
                raise ValueError(f"TPS_REPORT is {shown(uri)}: {error}") from None

    async def write(self, report: Report) -> None:
        """Write the report; raise :class:`~scrapy_tps.stats.database.StoreError` if the storage fails."""
        spider = self._crawler.spider
        assert spider is not None
        time = datetime.now(timezone.utc).replace(microsecond=0, tzinfo=None).isoformat().replace(":", "-")
        values = {"name": spider.name, "time": time}
        uri = PLACEHOLDER.sub(lambda match: values[match[1]], self.uri)
        try:
            storage = self.storage(uri)
            file = storage.open(spider)
            for piece in FORMATS[self.format](report):
                file.write(piece.encode())
            stored = storage.store(file)
            if stored is not None:
                await maybe_deferred_to_future(stored)
        except Exception as error:
            # storages raise what their libraries raise: boto3, google-cloud-storage, ftplib, OSError …
            why = f"{type(error).__name__}: {error}"
            raise StoreError(
                f"TPS_REPORT names {without_password(uri)}, which can't be written: {why}"
            ) from error
        logger.info(
            "Wrote the report on DOM reduction to %s", without_password(uri), extra={"spider": spider}
        )
        figures_of(self._crawler).add_stat("tps/report/written")

    def storage(self, uri: str) -> Any:
        """Return Scrapy's storage for a URI without placeholders.

        Raises ``ValueError`` if it cannot be set up, for example because a library is missing.
        """
        try:
            return build_from_crawler(
                self._storage_class, self._crawler, uri, feed_options={"overwrite": True}
            )
        except NotConfigured as error:
            raise ValueError(f"TPS_REPORT is {shown(self.uri)}, which cannot be used: {error}") from None
