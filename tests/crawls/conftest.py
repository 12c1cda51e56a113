"""Fixtures of crawls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.text_sites import RandomSite, SiteServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.text_crawls import Serve


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Serves sites until the test ends."""
    servers: list[SiteServer] = []

    def start(site: RandomSite) -> str:
        servers.append(SiteServer(site))
        return servers[-1].__enter__()

    yield start
    for server in servers:
        server.__exit__()
