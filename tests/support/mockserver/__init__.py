"""A real HTTP server for the tests, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

ROOT = Path(__file__).parents[3]


class MockServer:
    """Context manager: the server runs inside it; it ends with the process that started it."""

    url: str

    def __enter__(self) -> MockServer:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.mockserver"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        assert self.url, "the server did not start"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()  # closing its input ends it

    def __call__(self, path: str) -> str:
        """The address of a path."""
        return self.url + path
