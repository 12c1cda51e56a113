from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_tps.stats.error_isolation import SAMPLES, STATS, Guard

if TYPE_CHECKING:
    import pytest


def test_what_fails_is_told_once_and_steers_no_terminal(caplog: pytest.LogCaptureFixture) -> None:
    guard = Guard()
    for _ in range(3):
        with guard(SAMPLES):
            raise ValueError("page says \x1b]0;title\x07")
    with guard(STATS):
        raise OSError("gone")
    first, second = caplog.messages
    assert "ValueError: page says \\x1b]0;title\\x07" in first
    assert "OSError: gone" in second
    assert guard.failures == {"samples": 3, "stats": 1}
