"""Fixtures for all tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.mockserver import MockServer

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def server() -> Iterator[MockServer]:
    """A real HTTP server with the pages of ``tests/mockserver/site.py``."""
    with MockServer() as running:
        yield running
