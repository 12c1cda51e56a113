"""The README on package indexes."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"\]\(([^)]*)\)")


def described(address: str = "") -> str:
    made: str = runpy.run_path(str(ROOT / "docs" / "description.py"))["description"](
        (ROOT / "README.md").read_text(encoding="utf-8"), address
    )
    return made


@pytest.mark.parametrize("address", ["", "https://example.org/tree/main/"])
def test_no_link_needs_a_file_beside_it(address: str) -> None:
    links = LINK.findall(described(address))
    assert links
    assert all(link.startswith(("https://", "#")) for link in links)


def test_an_address_gives_links_to_files_and_pictures() -> None:
    assert "](https://example.org/docs/results.md)" in described("https://example.org/")
    assert "](https://example.org/docs/images/before-after.png)" in described("https://example.org/")
