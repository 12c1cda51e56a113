"""Spiders of city-scrapers, with models of their sites: their own tests run in their environment, way by way."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_HERE = Path(__file__).parent
_RUNNER = _HERE / "meetings_runner.py"


def meetings(
    python: str, folders: tuple[Path, Path], half: str, ways: Sequence[str], settings: dict[str, Any]
) -> Iterator[tuple[str, str, set[str], float]]:
    """Yield the way, the module, what is lost, and the share of nodes that went.

    :param folders: those of the runners and of the pages.
    """
    with tempfile.TemporaryDirectory() as lessons:
        for way in ways:  # `alone` comes first, and teaches
            command = [python, str(_RUNNER), *map(str, folders), half, way, json.dumps(settings)]
            environ = {**os.environ, "REAL_LESSONS": lessons}
            environ.pop("PYTHONPATH", None)
            environ["REAL_PROJECT"] = str(_HERE.parents[1])
            run = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
            for case, lost, cut in json.loads(run.stdout):
                yield way, case, set(lost), cut
