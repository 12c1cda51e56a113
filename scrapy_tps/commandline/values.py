"""Values that commands take on their command line."""

from __future__ import annotations

from typing import Any, Final

from scrapy.exceptions import UsageError

from scrapy_tps.settings import parsing as values

#: The largest number that a row of an SQLite file can have.
LARGEST_ID: Final = 2**63 - 1


def whole_number(name: str, value: Any, *, low: int, high: int = LARGEST_ID) -> int:
    """Return the whole number that an argument gives; raise ``UsageError`` naming it and what is allowed."""
    parse, allowed = values.whole_numbers(low, high)
    try:
        return int(parse(value))
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"{name} is {values.shown(value)}; allowed: {allowed}", print_help=False) from None
