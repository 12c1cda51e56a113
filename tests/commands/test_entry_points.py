"""The commands that the package announces are there."""

from __future__ import annotations

from configparser import ConfigParser

import pytest
from scrapy.commands import ScrapyCommand
from scrapy.utils.misc import load_object

from tests.support.crawling import ROOT


def entry_points() -> list[list[str]]:
    parser = ConfigParser()
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    lines = parser["options.entry_points"]["scrapy.commands"].split("\n")
    return [[part.strip() for part in line.split("=")] for line in lines if line]


@pytest.mark.parametrize(("name", "path"), entry_points())
def test_command(name: str, path: str) -> None:
    command = load_object(path.replace(":", "."))
    assert issubclass(command, ScrapyCommand)
    assert command().short_desc()
    assert path.startswith(f"scrapy_tps.commands.{name.replace('-', '_')}:")
