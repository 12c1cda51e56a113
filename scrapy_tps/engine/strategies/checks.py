"""The check of the paper's second main algorithm: whether a region is content (Algorithm 6, line 6)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from scrapy_tps.engine.selectors import compile_selector
from scrapy_tps.engine.strategies import load_object

if TYPE_CHECKING:
    from scrapy_tps.engine.sequence.columns import TagPathSequence

ContentCheck = Callable[["TagPathSequence", int, int], bool]


def load_check(spec: Any) -> ContentCheck:
    """Return the check that `spec` names: a callable, its import path, or a selector that must match.

    A dotted name whose first part is an importable module is an import path, anything else a selector (``h2.title``).
    Raises ``ValueError`` if it is neither.
    """
    if callable(spec):
        return spec  # type: ignore[no-any-return]
    if not isinstance(spec, str):
        raise ValueError(f"{spec!r} is neither a callable nor a string")
    return _load_named(spec)


@lru_cache(maxsize=256)
def _load_named(spec: str) -> ContentCheck:
    parts = spec.split(".")
    if len(parts) > 1 and all(part.isidentifier() for part in parts) and find_spec(parts[0]) is not None:
        found = load_object(spec)
        if not callable(found):
            raise ValueError(f"{spec!r} is not callable")
        return found  # type: ignore[no-any-return]
    return partial(_matches, compile_selector(spec))


def _matches(find: Callable[[Any], list[Any]], sequence: TagPathSequence, start: int, end: int) -> bool:
    inside = set(map(id, sequence.nodes[start:end]))
    return any(id(node) in inside for node in find(sequence.nodes[0]))
