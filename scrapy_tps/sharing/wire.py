"""Figures as they are sent and kept: counts by name, which a server can add up without knowing what they mean."""

from __future__ import annotations

import json
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.settings.parsing import shown
from scrapy_tps.stats.figures import SiteFigures, read_counts
from scrapy_tps.stats.queries import Asker, QueryFigures

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: The numbers of a query, in the order in which :data:`~scrapy_tps.sharing.scripts.ADD_FIGURES` expects them.
QUERY_NUMBERS: Final = (
    *("asked", "found", "original", "partly", "taken", "pages", "found_pages"),
    *("dry", "last_found", "sketch"),
)

_QUERY_NUMBERS: Final = attrgetter(*QUERY_NUMBERS)


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
    return [(_asker(name), _query_figures(name, numbers)) for name, numbers in _loaded(text).items()]


def _sent(figures: SiteFigures) -> dict[str, Any]:
    counts: dict[str, Any] = {_text(name): number for name, number in figures.items()}
    if figures.queries:
        counts["queries"] = {
            _text(f"{asker.callback}\t{asker.item}\t{asker.query}"): _QUERY_NUMBERS(one)
            for asker, one in figures.queries
        }
    return counts


def _asker(name: str) -> Asker:
    callback, _, rest = name.partition("\t")
    item, _, query = rest.partition("\t")
    return Asker(callback, query, item)


def _query_figures(name: str, numbers: Any) -> QueryFigures:
    if not isinstance(numbers, list) or len(numbers) != len(QUERY_NUMBERS):
        raise ValueError(f"{shown(numbers)} are not the numbers of a query")
    values = [_whole(number) for number in numbers]
    if not all(type(value) is int and value >= 0 for value in values):
        raise ValueError(f"{shown(name)} has {shown(numbers)}, not whole numbers, 0 or more")
    return QueryFigures(**dict(zip(QUERY_NUMBERS, values, strict=True)))


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
