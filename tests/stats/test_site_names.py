from __future__ import annotations

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps.stats.figures import UNKNOWN_SITE, host_site, site_function


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("http://www.Example.com:8080/a?b", "example.com"),
        ("https://shop.example.co.uk/", "shop.example.co.uk"),
        ("http://user:word@www.example.com./", "example.com"),
        ("http://www.com/", "www.com"),
        ("http://localhost:6800/", "localhost"),
        ("http://127.0.0.1:8000/", "127.0.0.1"),
        ("http://[::1]:8000/", "::1"),
        ("data:text/html,<p>", "data:"),
        ("file:///tmp/page.html", "file:"),
        ("", UNKNOWN_SITE),
        ("http://[broken/", UNKNOWN_SITE),
        ("http://" + "a" * 300 + ".com/", UNKNOWN_SITE),
        ("http://a\x1b[31m.com/", UNKNOWN_SITE),
    ],
)
def test_host(url: str, site: str) -> None:
    assert host_site(url) == site


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("http://a.b.shop.example.co.uk/", "example.co.uk"),
        ("http://www.example.com/", "example.com"),
        ("http://localhost/", "localhost"),
        ("http://127.0.0.1/", "127.0.0.1"),
        ("http://[::1]/", "::1"),
        ("http://co.uk/", "co.uk"),
        ("data:,", "data:"),
    ],
)
def test_registered_domain_without_the_network(url: str, site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(*args: object, **kwargs: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    assert site_function("registered_domain")(url) == site


@given(st.text(max_size=80))
def test_no_url_is_an_error(url: str) -> None:
    assert host_site(url)
    assert host_site("http://" + url)
