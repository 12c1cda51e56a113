"""Crawls of the demo sites with one thing broken: the summary names it, and says the same everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.accidents import ACCIDENTS, faults, play

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", ACCIDENTS)
def test_the_summary_names_what_happened_and_what_to_do(name: str, tmp_path: Path) -> None:
    played = play(ACCIDENTS[name], tmp_path)
    assert not faults(ACCIDENTS[name], played), played.text
