"""Every Python block of the documentation runs as a test."""

from __future__ import annotations

from pathlib import Path

import pytest
from sybil import Sybil
from sybil.parsers.myst import PythonCodeBlockParser, SkipParser

_DOCS = Path(__file__).parent

pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(), SkipParser()], patterns=["*.md"], path=str(_DOCS)
).pytest()


def pytest_configure(config: pytest.Config) -> None:
    """Let one worker of pytest-xdist have all blocks of a page: they build on each other."""
    if hasattr(config, "workerinput"):  # a worker is not told
        config.option.loadgroup = True
    elif getattr(config.option, "dist", "no") == "load":
        config.option.dist = "loadgroup"


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):
        for item in items:
            if item.path.parent == _DOCS:
                item.add_marker(pytest.mark.xdist_group(item.path.name))
