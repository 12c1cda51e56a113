"""A page's time budget."""

from __future__ import annotations

import time


class Budget:
    """The time that a page may take, in seconds; None means no limit."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds
        self.exceeded = False

    def left(self) -> bool:
        """Return whether there is time left; once there is none, the answer stays False."""
        if not self.exceeded and self._end is not None and time.monotonic() > self._end:
            self.exceeded = True
        return not self.exceeded
