"""The form of an item or request: plain data in which equal outputs of two runs are equal."""

from __future__ import annotations

import copy
import json
import math
from collections import deque
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

from itemadapter import ItemAdapter
from itemloaders import ItemLoader

#: Kind of the form of a request; an item's kind is the name of its type.
REQUEST = "request"

#: Levels of nested values that are compared; deeper ones count as equal. Items are flat, or nearly so.
MOST_LEVELS = 20

#: (kind, field) pairs that are not compared; the empty kind stands for every kind.
Ignored = frozenset[tuple[str, str]]

_WRITTEN_OUT = (Decimal, date, time, timedelta, UUID, PurePath, Enum)
_LISTS = (list, tuple, deque)
_SETS = (set, frozenset)


@dataclass(frozen=True, slots=True)
class Form:
    """An output, as plain data.

    :ivar kind: the type of the item, or :data:`REQUEST`.
    :ivar fields: its values by field. A request has ``method``, ``url``, ``body``, and its data:
        ``cb_kwargs.…``, ``meta.…``.
    :ivar identity: the fingerprint of a request, None for items.
    """

    kind: str
    fields: dict[str, Any] = field(hash=False)
    identity: str | None = None

    def compared(self, ignored: Ignored = frozenset()) -> dict[str, Any]:
        """The fields without those that are not compared."""
        kind = self.kind
        return {
            name: value
            for name, value in self.fields.items()
            if (kind, name) not in ignored and ("", name) not in ignored
        }

    def key(self, ignored: Ignored = frozenset()) -> str:
        """Return a text that is the same for equal forms. A field that is None says as much as one that is missing."""
        fields = {name: value for name, value in self.compared(ignored).items() if value is not None}
        return json.dumps([self.kind, self.identity, fields], sort_keys=True, ensure_ascii=False)

    @property
    def filled(self) -> frozenset[str]:
        """Names of the fields that hold something."""
        return frozenset(name for name, value in self.fields.items() if value not in _NOTHING)


_NOTHING: tuple[Any, ...] = (None, "", [], {})


def item_form(item: Any) -> Form:
    """Return the form of an item of any type that Scrapy takes."""
    fields = dict(ItemAdapter(item)) if ItemAdapter.is_item(item) else {"value": item}
    return Form(type(item).__name__, {str(name): plain(value) for name, value in fields.items()})


def request_form(request: Any, fingerprint: str) -> Form:
    """Return the form of a request, with the data that it carries to its callback."""
    fields: dict[str, Any] = {"method": request.method, "url": request.url, "body": plain(request.body)}
    for where, carried in (("cb_kwargs", request.cb_kwargs), ("meta", request.meta)):
        fields |= {f"{where}.{name}": plain(value) for name, value in carried.items()}
    return Form(REQUEST, fields, fingerprint)


def plain(value: Any, level: int = 0) -> Any:
    """Return `value` as JSON-like data.

    White space in strings is collapsed: cutting joins the texts around what went. Sets are sorted. Objects
    that are no data are named by their type, so that two of them are equal.
    """
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("latin-1")
    if isinstance(value, _WRITTEN_OUT):
        return str(value)
    if level >= MOST_LEVELS:
        return "…"
    if isinstance(value, Mapping):
        return {str(name): plain(entry, level + 1) for name, entry in value.items()}
    if isinstance(value, _LISTS):
        return [plain(entry, level + 1) for entry in value]
    if isinstance(value, _SETS):
        return sorted((plain(entry, level + 1) for entry in value), key=json.dumps)
    if ItemAdapter.is_item(value):
        return {str(name): plain(entry, level + 1) for name, entry in ItemAdapter(value).items()}
    return f"<{type(value).__qualname__}>"


def independent(value: Any, memo: dict[int, Any] | None = None, level: int = 0) -> Any:
    """Return a copy that a callback may change without `value` changing.

    Lists, dicts, sets, items and item loaders are copied with all they hold; everything else (responses,
    browser pages, locks) is shared, because a copy of it could do harm.
    """
    memo = {} if memo is None else memo
    if id(value) in memo:
        return memo[id(value)]
    if level >= MOST_LEVELS or value is None or isinstance(value, (str, bytes, int, float)):
        return value
    kind = type(value)
    if kind is dict:
        mapping: dict[Any, Any] = {}
        memo[id(value)] = mapping  # before it is filled: it may hold itself
        mapping.update((name, independent(entry, memo, level + 1)) for name, entry in value.items())
    elif kind is list:
        entries: list[Any] = []
        memo[id(value)] = entries
        entries.extend(independent(entry, memo, level + 1) for entry in value)
    elif kind in (tuple, set, frozenset, deque):
        memo[id(value)] = kind(independent(entry, memo, level + 1) for entry in value)
    elif isinstance(value, ItemLoader):
        memo[id(value)] = _loader_copy(value)
    elif ItemAdapter.is_item(value):
        memo[id(value)] = _item_copy(value, memo, level)
    else:
        return value
    return memo[id(value)]


def _item_copy(item: Any, memo: dict[int, Any], level: int) -> Any:
    # a shallow copy of a Scrapy item shares its values
    new = item.copy() if isinstance(item, MutableMapping) and hasattr(item, "copy") else copy.copy(item)
    adapter = ItemAdapter(new)
    try:
        for name, entry in list(adapter.items()):
            adapter[name] = independent(entry, memo, level + 1)
    except (AttributeError, TypeError, KeyError):  # frozen: nothing can change it, but what it holds can
        return new
    return new


def _loader_copy(loader: ItemLoader) -> ItemLoader:
    shared = [loader.selector, *(value for name, value in loader.context.items() if name != "item")]
    return copy.deepcopy(loader, {id(value): value for value in shared})
