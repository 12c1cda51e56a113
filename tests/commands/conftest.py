"""Fixtures for the tests of commands."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from scrapy import cmdline
from scrapy.settings import Settings

from scrapy_tps.commands.tps_report import Command
from scrapy_tps.stats.store import FiguresStore
from tests.support.figures import MadeUpPruning, figures_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Report:
    """`scrapy tps-report`, in this process, as Scrapy's command line runs it."""

    def __init__(self, capsys: pytest.CaptureFixture[str], file: Path | None = None) -> None:
        self._capsys = capsys
        self._settings = {} if file is None else {"TPS_STATS_FILE": str(file)}

    def __call__(self, *arguments: str, settings: dict[str, object] | None = None) -> tuple[int, str, str]:
        """Return exit code, output and errors."""
        with pytest.raises(SystemExit) as end:
            cmdline.execute(["scrapy", "tps-report", *arguments], Settings(self._settings | (settings or {})))
        output, errors = self._capsys.readouterr()
        assert isinstance(end.value.code, int)
        return end.value.code, output, errors


@pytest.fixture
def report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[[Path | None], Report]:
    """Run `tps-report` in an empty directory, on a file of figures or on what its arguments and settings name."""
    monkeypatch.setattr(cmdline, "_get_commands_dict", lambda *_: {"tps-report": Command()})
    monkeypatch.chdir(tmp_path)
    return lambda file: Report(capsys, file)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with the figures of three crawls that ended and one that was killed."""
    path = tmp_path / "figures.sqlite"
    with closing(FiguresStore(path)) as store:
        for spider, items in (("shop", 10), ("forum", 3), ("shop", 8)):
            crawl = store.begin_crawl(spider)
            sites = {
                f"{spider}.example": figures_of(MadeUpPruning(), items=items),
                "whole.example": figures_of(
                    MadeUpPruning("no_region", kept_nodes=100), MadeUpPruning("too_small", kept_nodes=100)
                ),
            }
            if items == 3:
                sites["failing.example"] = figures_of(MadeUpPruning("error", kept_nodes=100))
            store.add(crawl, sites, "finished")
        store.begin_crawl("killed")
    return path


@pytest.fixture
def run(file: Path, report: Callable[[Path | None], Report]) -> Report:
    """Run `tps-report` on :func:`file`."""
    return report(file)
