"""The rules run compiled as long as they are what was compiled."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from scrapy_tps.engine import native

LOADED = """
import importlib
from scrapy_tps.engine import native
{}
importlib.reload(native)
from scrapy_tps.engine.strategies.auto import queries
print(queries.__file__.endswith(".py"))
"""


@pytest.mark.skipif(not native.AVAILABLE, reason="no native core")
@pytest.mark.parametrize(
    ("change", "in_python"),
    [
        pytest.param(
            "", False, marks=pytest.mark.skipif(not native.RULES, reason="rules changed since the build")
        ),
        ("from scrapy_tps.engine._native import arrays; arrays.RULES += 1", True),
        ("import os; os.environ['SCRAPY_TPS_NATIVE'] = '0'", True),
    ],
    ids=["as built", "changed", "without core"],
)
def test_rules_run_compiled_unless_they_have_changed(change: str, in_python: bool) -> None:
    found = subprocess.run(
        [sys.executable, "-c", LOADED.format(change)],
        env={**os.environ, "SCRAPY_TPS_NATIVE": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.stdout, found.stderr) == (f"{in_python}\n", "")
