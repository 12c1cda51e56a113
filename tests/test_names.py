"""Modules and files that the documentation and docstrings name are there."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "docs/**/*.md", "scrapy_tps/**/*.py")
    for path in ROOT.glob(pattern)
)
_NAME = re.compile(r"\bscrapy_tps(?:\.[A-Za-z]\w*)+")
_FILE = re.compile(r"`([\w/]+/\w+\.py)`")
#: Where a file that is named may stand.
_FOLDERS = (ROOT, ROOT / "scrapy_tps" / "engine" / "strategies" / "auto")


def missing(text: str) -> list[str]:
    names = [name for name in _NAME.findall(text) if not known(name)]
    files = [file for file in _FILE.findall(text) if not any((folder / file).exists() for folder in _FOLDERS)]
    return names + files


def known(name: str) -> bool:
    parts = name.split(".")
    depth = len(parts)
    while not (is_module(parts[:depth])):
        depth -= 1
    try:
        found: Any = import_module(".".join(parts[:depth]))
    except ModuleNotFoundError as error:
        return not str(error.name).startswith("scrapy_tps")  # an extra that is not installed
    for part in parts[depth:]:
        if isinstance(found, type) and not hasattr(found, part):
            return True  # an attribute that only instances have
        found = getattr(found, part, None)
    return found is not None


def is_module(parts: list[str]) -> bool:
    path = ROOT.joinpath(*parts)
    return path.is_dir() or any(path.with_suffix(suffix).exists() for suffix in (".py", ".pyx", ".pxd"))


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_named_is_there(source: str) -> None:
    assert missing((ROOT / source).read_text(encoding="utf-8")) == []
