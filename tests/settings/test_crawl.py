from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest
from scrapy import Request
from scrapy.settings import Settings

from scrapy_tps.settings.crawl import CrawlSettings, check_settings


def test_values_are_checked_and_defaults_filled_in() -> None:
    values = check_settings(Settings({"TPS_MIN_NODES": "40", "DOWNLOAD_DELAY": "x"}))
    assert values["TPS_MIN_NODES"] == 40
    assert values["TPS_ENABLED"] is True


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"TPS_MIN_NODE": 3}, r"TPS_MIN_NODE is not a setting of scrapy-tps; did you mean TPS_MIN_NODES"),
        (
            {"TPS_DOMAINS": {"a.example": {"TPS_SIZE_RATIO": 2}}},
            r"TPS_DOMAINS\['a.example'\]: TPS_SIZE_RATIO is 2",
        ),
        (
            {"TPS_DOMAINS": {"a.example": {"TPS_REPORT": "a.csv"}}},
            r"TPS_REPORT applies to a whole crawl only",
        ),
        ({"TPS_DOMAINS": {"a.example": "off"}}, r"TPS_DOMAINS\['a.example'\] is 'off'; allowed: True, False"),
        (
            {"TPS_DOMAINS": {"http://a.example/": False}},
            r"TPS_DOMAINS has 'http://a.example/'; allowed: domain names",
        ),
        ({"TPS_DOMAINS": {"*.a.example": False}}, r"TPS_DOMAINS has '\*.a.example'; allowed: domain names"),
        ({"TPS_DOMAINS": {"a.example:8000": False}}, r"TPS_DOMAINS has 'a.example:8000'"),
        ({"TPS_DOMAINS": {"127.0.0.1:8901": False}}, r"TPS_DOMAINS has '127.0.0.1:8901'"),
        ({"TPS_DOMAINS": {"": False}}, r"TPS_DOMAINS has ''"),
        ({"TPS_DOMAINS": '{"a.example": fals'}, r"TPS_DOMAINS is '{\"a.example\": fals'; allowed: a dict"),
    ],
)
def test_wrong_settings_are_named_with_value_and_what_is_allowed(
    settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        CrawlSettings(Settings(settings))


def test_strings_as_from_the_command_line() -> None:
    settings = CrawlSettings(Settings({"TPS_DOMAINS": '{"a.example": {"TPS_MIN_NODES": "7"}}'}))
    assert settings.for_request(Request("http://www.a.example/")).min_nodes == 7
    assert settings.for_request(Request("http://b.example/")).min_nodes == 30


@pytest.mark.parametrize("url", ["http://127.0.0.1:80/", "http://[::1]:8080/x"])
def test_addresses_are_domains_too(url: str) -> None:
    if urlsplit(Request(url).url).hostname != urlsplit(url).hostname:
        pytest.skip("this w3lib breaks IPv6 addresses")
    settings = CrawlSettings(Settings({"TPS_DOMAINS": {"127.0.0.1": False, "[::1]": False}}))
    assert not settings.for_request(Request(url)).enabled


def test_request_is_laid_over_domain_and_domain_over_crawl() -> None:
    settings = CrawlSettings(
        Settings({"TPS_MIN_NODES": 1, "TPS_KEEP": "a", "TPS_DOMAINS": {"a.example": {"TPS_MIN_NODES": 2}}})
    )
    page = settings.for_request(Request("http://a.example/", meta={"tps": {"TPS_DROP": ["b", "i"]}}))
    assert (page.min_nodes, page.keep, page.drop) == (2, ("a",), ("b", "i"))
    assert settings.for_request(Request("http://a.example/", meta={"tps": {}})) == settings.for_request(
        Request("http://a.example/")
    )
