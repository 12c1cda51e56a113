"""Figures as they are sent and kept: counts by name, which a server can add up without knowing what they mean."""

from __future__ import annotations

import json
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.settings.parsing import shown
from scrapy_tps.stats.figures import COUNTERS, REDUCTION_STEPS, TALLIES, ReductionHistogram, SiteFigures
from scrapy_tps.stats.queries import Asker, QueryFigures

if TYPE_CHECKING:
    from collections.abc import Mapping

_MILLIONTHS: Final = "reduction_millionths"
_STEPS: Final = "reduction_steps"
_QUERIES: Final = "queries"

#: The numbers of a query, in the order in which :data:`~scrapy_tps.sharing.scripts.ADD_FIGURES` expects them.
QUERY_NUMBERS: Final = (
    *("asked", "found", "original", "partly", "taken", "pages", "found_pages"),
    *("dry", "last_found", "sketch"),
)

_COUNTERS: Final = attrgetter(*COUNTERS)
_QUERY_NUMBERS: Final = attrgetter(*QUERY_NUMBERS)


def to_counts(figures: SiteFigures) -> dict[str, int]:
    """Return the figures as counts by name (``pages``, ``outcomes/pruned`` …), zeros left out."""
    counts = {name: number for name, number in zip(COUNTERS, _COUNTERS(figures), strict=True) if number}
    if figures.reduction.millionths:
        counts[_MILLIONTHS] = figures.reduction.millionths
    for tally in TALLIES:
        for name, number in getattr(figures, tally).items():
            counts[f"{tally}/{name}"] = number
    for step, pages in figures.reduction.steps.items():
        counts[f"{_STEPS}/{step}"] = pages
    return counts


def from_counts(counts: Any) -> SiteFigures:
    """Return the figures that counts stand for; names of later versions are left out.

    Raises ``ValueError`` where they are none.
    """
    if not isinstance(counts, dict):
        raise ValueError(f"{shown(counts)} are no counts by name")
    values: dict[str, Any] = {tally: {} for tally in TALLIES}
    reduction = ReductionHistogram()
    for name, value in counts.items():
        number = _number(name, value)
        group, _, entry = name.partition("/")
        if name in COUNTERS:
            values[name] = number
        elif name == _MILLIONTHS:
            reduction.millionths = number
        elif group == _STEPS:
            reduction.steps[_step(entry)] = number
        elif entry and group in TALLIES:
            values[group][entry] = number
    return SiteFigures(**values, reduction=reduction)


def to_json(sites: Mapping[str, SiteFigures]) -> str:
    """The figures of sites for :data:`~scrapy_tps.sharing.scripts.ADD_FIGURES`."""
    sent = {_text(site): _sent(figures) for site, figures in sites.items()}
    return json.dumps(sent, separators=(",", ":"))


def from_json(text: bytes | str) -> SiteFigures:
    """The figures of one site as the server keeps them; raises ``ValueError`` where they can't be read."""
    return from_counts(_loaded(text))


def queries_from_json(text: bytes | str) -> list[tuple[Asker, QueryFigures]]:
    """The queries of one site as the server keeps them; raises ``ValueError`` where they can't be read."""
    found = _loaded(text)
    if not isinstance(found, dict):
        raise ValueError(f"{shown(text)} are no queries by name")
    return [(_asker(name), _query_figures(name, numbers)) for name, numbers in found.items()]


def _sent(figures: SiteFigures) -> dict[str, Any]:
    counts: dict[str, Any] = dict(to_counts(figures))
    if figures.queries:
        counts[_QUERIES] = {
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
    values = [_number(name, number) for number in numbers]
    return QueryFigures(**dict(zip(QUERY_NUMBERS, values, strict=True)))


def _text(name: str) -> str:
    # a lone surrogate is no text to JSON in Lua
    return name if name.isascii() else name.encode("utf-8", "replace").decode()


def _loaded(text: bytes | str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError(f"{shown(text)} is not JSON") from None


def _number(name: str, value: Any) -> int:
    # the server writes numbers of 15 digits and more as strings
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20:
        value = int(value)
    if type(value) is not int or value < 0:
        raise ValueError(f"{name} is {shown(value)}, not a whole number, 0 or more")
    return value


def _step(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 4 and int(text) <= REDUCTION_STEPS):
        raise ValueError(f"{shown(text)} is not a step from 0 to {REDUCTION_STEPS}")
    return int(text)
