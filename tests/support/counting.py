"""The number of calls that a function makes: it grows with the work, and is the same on each machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


def calls_in(function: Callable[[], object], module: str = "") -> int:
    """Return the number of calls, returns and steps of generators; those in a module alone, if it is named."""
    count = 0

    def note(frame: FrameType, *_: object) -> None:
        nonlocal count
        count += frame.f_code.co_filename.endswith(module)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count
