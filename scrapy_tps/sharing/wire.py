"""Figures as they are sent and kept: counts by name, which a server can add up without knowing what they mean."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from scrapy_tps.settings.parsing import shown
from scrapy_tps.stats.figures import SiteFigures, read_counts
from scrapy_tps.stats.queries import Asker, QueryFigures

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def to_json(sites: Mapping[str, SiteFigures]) -> str:
    """The figures of sites for :data:`~scrapy_tps.sharing.scripts.ADD_FIGURES`."""
    sent = {_text(site): _sent(figures) for site, figures in sites.items()}
    return json.dumps(sent, separators=(",", ":"))


def from_json(text: bytes | str, tell: Callable[[str], None]) -> SiteFigures:
    """The figures of one site as the server keeps them; raises ``ValueError`` where they can't be read, and tells of
    counts that can't.
    """
    return read_counts(((name, _whole(number)) for name, number in _loaded(text).items()), tell)


def queries_from_json(text: bytes | str) -> list[tuple[Asker, QueryFigures]]:
    """The queries of one site as the server keeps them; raises ``ValueError`` where they can't be read."""
    found = _loaded(text)
    if not all(isinstance(numbers, list) for numbers in found.values()):
        raise ValueError(f"{shown(text)} are no lists by query")
    return [
        (_asker(name), QueryFigures.from_numbers(map(_whole, numbers))) for name, numbers in found.items()
    ]


def _sent(figures: SiteFigures) -> list[dict[str, Any]]:
    counts = {_text(name): number for name, number in figures.items()}
    queries = {
        _text(f"{asker.callback}\t{asker.item}\t{asker.query}"): one.numbers for asker, one in figures.queries
    }
    return [counts, queries]


def _asker(name: str) -> Asker:
    callback, _, rest = name.partition("\t")
    item, _, query = rest.partition("\t")
    return Asker(callback, query, item)


def _text(name: str) -> str:
    # a lone surrogate is no text to JSON in Lua
    return name if name.isascii() else name.encode("utf-8", "replace").decode()


def _loaded(text: bytes | str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError(f"{shown(text)} is not JSON") from None
    if not isinstance(found, dict):
        raise ValueError(f"{shown(text)} are no counts by name")
    return found


def _whole(value: Any) -> Any:
    # the server writes numbers of 15 digits and more as strings
    is_number = isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20
    return int(value) if is_number else value
