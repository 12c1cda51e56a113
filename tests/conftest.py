"""Fixtures for all tests."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

# before scrapy_tps is imported: each reader of a page's tree checks that it holds the lock
os.environ["SCRAPY_TPS_CHECK_LOCKS"] = "1"

from tests.support.mockserver import MockServer

if TYPE_CHECKING:
    from collections.abc import Iterator

# A test that takes 8 ms took 428 on a machine that stalled: how long examples take is for benchmarks. The same commit
# gets the same verdict: the examples follow from the test alone, so there are few. `pytest --hypothesis-profile search`
# looks for others.
settings.register_profile("search", deadline=None, max_examples=1000)
settings.register_profile("same", deadline=None, derandomize=True)
settings.load_profile("same")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors for ``-n auto``: a quarter of a worker's time is waiting for processes."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(scope="session")
def server() -> Iterator[MockServer]:
    """A real HTTP server with the pages of ``tests/support/mockserver/site.py``."""
    with MockServer() as running:
        yield running
