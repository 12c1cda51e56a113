"""Choices of a page of a list (``<select>``): the last one stays, whatever holds it.

Some lists have no other pagination: a script opens the address that the chosen option has.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_tps.strategies.workspace import Workspace

_SELECT: Final = frozenset({"select"})
#: So many options are read, and fewer are no choice.
_READ: Final = 10
_LEAST: Final = 2
#: The number of an option, with a word before it (``Page 2``).
_NUMBER: Final = re.compile(r"\s*\D{0,12}?(\d{1,5})\s*")
#: The value of an option that is an address: quantities, days and numbers of items are nothing but numbers.
_ADDRESS: Final = re.compile(r"[^\s]*[/=?&][^\s]*")
_DIGITS: Final = re.compile(r"\d+")


def page_selects(page: Workspace, kept: Iterable[int]) -> list[int]:
    """Return the last choice of pages that would have gone, if there is one.

    :param kept: roots of what stays of what would have gone.
    """
    for select in reversed(page.sequence.find(_SELECT)):
        if not page.alive[select] and _chooses_pages(page.sequence.nodes[select]):
            return [] if any(root <= select < page.end[root] for root in kept) else [select]
    return []


def _chooses_pages(select: Any) -> bool:
    """Whether the options count from 1 on, to addresses that are the same but for numbers."""
    options = list(islice(select.iter("option"), _READ))
    if len(options) < _LEAST:
        return False
    for number, option in enumerate(options, 1):
        text = _NUMBER.fullmatch(option.text or "")
        if not text or int(text[1]) != number:
            return False
    addresses = [
        option.get("value") or "" for option in options[1:]
    ]  # that of the first page may have no number
    return (
        len(set(addresses)) == len(addresses)
        and len({_DIGITS.sub("0", address) for address in addresses}) == 1
        and all(_ADDRESS.fullmatch(address) and _DIGITS.search(address) for address in addresses)
    )
