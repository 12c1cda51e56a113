"""The settings reference in the documentation is made from the settings that there are."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

_SCRIPT = Path(__file__).parents[2] / "docs" / "make_settings.py"


def test_the_committed_page_is_up_to_date():
    made = runpy.run_path(str(_SCRIPT))
    if made["PAGE"].read_text(encoding="utf-8") != made["page"]():
        pytest.fail("docs/reference/settings.md is out of date: run python docs/make_settings.py")
