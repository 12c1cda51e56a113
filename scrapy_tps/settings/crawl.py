"""The settings of a crawl: checked at start-up, and overridden per domain and per request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy_tps.settings.definitions import SETTINGS, check_name, page_settings
from scrapy_tps.settings.parsing import shown

if TYPE_CHECKING:
    from scrapy.http import Request
    from scrapy.settings import BaseSettings

    from scrapy_tps.engine.page_settings import PageSettings

#: Key of ``Request.meta``: False excludes the page from pruning, a mapping of ``TPS_*`` names overrides settings.
META_KEY = "tps"

#: Domain in ``TPS_DOMAINS`` that stands for all other domains.
ANY_DOMAIN = "*"

_HOST = re.compile(r"[^\s/:*?#@\[\]\0\ud800-\udfff]+|[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*")


def check_settings(settings: BaseSettings) -> dict[str, Any]:
    """Check every ``TPS_*`` setting, and return the values, with defaults for those that are not set.

    Raises ``ValueError`` naming the setting, its value and the allowed values.
    """
    values = {name: setting.default for name, setting in SETTINGS.items()}
    for name in settings:
        if str(name).startswith("TPS_"):
            values[name] = check_name(name).parse(settings[name])
    return values


class CrawlSettings:
    """The settings of a crawl and those in effect for each request.

    :param settings: the crawl's settings. ``TPS_DOMAINS`` maps a domain (subdomains included; ``*`` for
        all others) to True, False or a mapping of per-page settings; the longest match wins.
    :ivar base: the page settings unless a domain or a request overrides them.
    """

    def __init__(self, settings: BaseSettings) -> None:
        values = check_settings(settings)
        base = page_settings({name: value for name, value in values.items() if SETTINGS[name].per_page})
        needs_original = bool(values["TPS_SHADOW"].share or values["TPS_COMPARE"] or values["TPS_SAMPLES"])
        self.base = replace(base, needs_original=needs_original)
        self._domains = {
            _domain(domain): self._over(self.base, f"TPS_DOMAINS[{domain!r}]", override)
            for domain, override in values["TPS_DOMAINS"].items()
        }

    def for_request(self, request: Request) -> PageSettings:
        """Return the settings of a request; raises ``ValueError`` on a wrong meta key."""
        settings = self._for_host(urlsplit(request.url).hostname or "") if self._domains else self.base
        override = request.meta.get(META_KEY)
        return settings if override is None else self._over(settings, f"Request.meta[{META_KEY!r}]", override)

    def _for_host(self, host: str) -> PageSettings:
        domain = host.lower().rstrip(".")
        while domain:
            found = self._domains.get(domain)
            if found is not None:
                return found
            domain = domain.partition(".")[2]
        return self._domains.get(ANY_DOMAIN, self.base)

    @staticmethod
    def _over(base: PageSettings, where: str, override: Any) -> PageSettings:
        if isinstance(override, bool):
            override = {"TPS_ENABLED": override}
        if not isinstance(override, Mapping):
            raise ValueError(
                f"{where} is {shown(override)}; allowed: True, False or a mapping of TPS_* settings"
            )
        try:
            settings = page_settings(override, base)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from error.__cause__
        return replace(settings, switch=where) if "TPS_ENABLED" in override else settings


def _domain(key: str) -> str:
    """Return the domain of a key of ``TPS_DOMAINS``, in the form used in URLs."""
    domain = key.strip().lower().strip(".[]")
    if domain == ANY_DOMAIN:
        return domain
    with suppress(UnicodeError):
        domain = domain.encode("idna").decode("ascii")
    if not _HOST.fullmatch(domain):
        raise ValueError(
            f"TPS_DOMAINS has {shown(key)}; allowed: domain names such as 'example.com' (its subdomains are "
            f"included), without scheme, port and path, or '*' for all others"
        )
    return domain
