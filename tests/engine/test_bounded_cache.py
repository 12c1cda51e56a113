"""Results computed from strings of pages are cached for short strings."""

from __future__ import annotations

from scrapy_tps.engine.bounded_cache import remembered


def test_short_strings_are_worked_out_once_and_long_ones_each_time() -> None:
    asked = []

    @remembered
    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    short, long = "a b", "a" * 10_000
    assert [length(short), length(short), length(long), length(long)] == [3, 3, 10_000, 10_000]
    assert asked == [short, long, long]
