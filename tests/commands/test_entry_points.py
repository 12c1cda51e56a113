"""The commands that the package announces are there."""

from __future__ import annotations

from argparse import ArgumentParser
from configparser import ConfigParser

import pytest
from scrapy.commands import ScrapyCommand, ScrapyHelpFormatter
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from tests.support.crawling import ROOT


def entry_points() -> list[list[str]]:
    parser = ConfigParser()
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    lines = parser["options.entry_points"]["scrapy.commands"].split("\n")
    return [[part.strip() for part in line.split("=")] for line in lines if line]


@pytest.mark.parametrize(("name", "path"), entry_points())
def test_help_has_no_headings_but_its_own(name: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    command, parser = (
        load_object(path.replace(":", "."))(),
        ArgumentParser(formatter_class=ScrapyHelpFormatter),
    )
    command.settings = Settings()
    command.add_options(parser)
    lines = parser.format_help().splitlines()
    headings = [lines[number - 1] for number, line in enumerate(lines) if set(line.strip()) == {"="}]
    assert "Options" in headings
    assert [heading for heading in headings if heading.startswith(" ")] == []


@pytest.mark.parametrize(("name", "path"), entry_points())
def test_command(name: str, path: str) -> None:
    command = load_object(path.replace(":", "."))
    assert issubclass(command, ScrapyCommand)
    assert command().short_desc()
    assert path.startswith(f"scrapy_tps.commands.{name.replace('-', '_')}:")
