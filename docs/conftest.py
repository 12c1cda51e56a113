"""Every Python block of the documentation runs as a test."""

from __future__ import annotations

from pathlib import Path

from sybil import Sybil
from sybil.parsers.myst import PythonCodeBlockParser, SkipParser

_DOCS = Path(__file__).parent

pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(), SkipParser()], patterns=["*.md"], path=str(_DOCS)
).pytest()
