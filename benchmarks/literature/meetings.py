"""Spiders for meetings that others wrote: their tests on pages as methods leave them; a module is a site."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from benchmarks.literature.pages import Page
from benchmarks.literature.runs import by_site, judged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.literature.runs import Judged, Results

NAME: Final = "meetings"
_RUNNER: Final = Path(__file__).with_name("meetings_runner.py")


class Modules:
    """Runs the tests, in the interpreter that has the spiders; pages lie in a folder of their own.

    :param bench: folder with the runners.
    :param data: folder of the labelled sets.
    """

    def __init__(self, python: str, bench: Path, data: Path) -> None:
        self._command = [python, str(_RUNNER), str(bench.resolve() / "real"), str(data.resolve() / "real")]
        self._temporary = TemporaryDirectory()
        self._folder = Path(self._temporary.name)
        self._environment = {**os.environ, "MEETINGS_PAGES": str(self._folder)}
        self._environment.pop("PYTHONPATH", None)

    def whole(self) -> Iterator[Page]:
        """The pages of all modules that work on them as downloaded; asked for first."""
        for module, hashes in self._run("whole").items():
            for sha in dict.fromkeys(hashes):
                body = (self._folder / "whole" / f"{sha}.html").read_bytes()
                yield Page(sha, module, body, _as_left, f"https://{module}.example/{sha}", "utf-8")

    def equal(self, way: str, left: Mapping[str, Sequence[Judged]]) -> set[str]:
        """Those of the modules that lose nothing, given their pages as a strategy left them."""
        folder = self._folder / way.replace(" ", "")
        folder.mkdir()
        for found in left.values():
            for one in found:
                html = (one.measures or {})["html"]
                (folder / f"{one.page}.html").write_text(html, encoding="utf-8", newline="")
        changed = [module for module, found in left.items() if any(one.cut for one in found)]
        equal = set(left) - set(changed)
        return equal | set(self._run(folder.name, *changed)) if changed else equal

    def _run(self, way: str, *modules: str) -> Any:
        command = [*self._command, way, *modules]
        run = subprocess.run(command, env=self._environment, capture_output=True, text=True, check=True)
        return json.loads(run.stdout)


def _as_left(kept: str) -> dict[str, Any]:
    return {"html": kept}


def run_meetings(
    modules: Modules, strategies: Sequence[str], results: Results, *, most: int | None = None
) -> dict[str, list[Page]]:
    """Judge what the results lack of the modules, strategy by strategy; return the pages of each module.

    A module is equal if its tests pass that passed before, and its items are the same. Each page has the result of its
    module, with a weight by which all modules count the same.

    :param most: no more than so many modules.
    """
    sites = by_site(modules.whole(), most)
    for strategy in strategies:
        left: dict[str, list[Judged]] = {}
        for module, pages in sites.items():
            if results.missing(NAME, module, [strategy]):
                left.update((module, found) for _, found in judged(pages, [strategy], keep_words=False))
        equal = modules.equal(strategy, left)
        for module, found in left.items():
            measures = {"equal": float(module in equal), "weight": 1 / len(found)}
            results.add(NAME, strategy, [replace(one, measures=measures) for one in found])
    return sites
