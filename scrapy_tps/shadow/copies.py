"""Copies of the data that callbacks change, for further runs on the same page."""

from __future__ import annotations

import io
import pickle
from collections import ChainMap, deque
from collections.abc import Iterator
from copy import copy
from functools import partial
from queue import Queue
from types import CellType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Final, cast

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from scrapy.spiders import Rule, Spider
from scrapy.statscollectors import MemoryStatsCollector, StatsCollector

from scrapy_tps.shadow.differences import as_data, item_adapter

if TYPE_CHECKING:
    from collections.abc import Callable

#: Types that are copied, in addition to iterators, queues, items, item loaders and rules, and types of single values,
#: which never are.
_CONTAINERS: Final = frozenset({dict, list, tuple, set, frozenset, deque, bytearray})
_SINGLE: Final = frozenset({str, bytes, int, float, bool, type(None)})

#: Entries of the largest container that is copied; a copy takes about a microsecond per entry. Larger ones hold what
#: the crawl has seen, and a further run on the same page adds little to them.
MOST_ENTRIES: Final = 1000


def _is_container(value: Any) -> bool:
    return type(value) in _CONTAINERS or isinstance(value, dict)


def _is_shared(value: Any) -> bool:
    if _is_container(value):
        return len(value) > MOST_ENTRIES
    # each spider has these; most have nothing else for which the imports below are needed
    if isinstance(value, (Crawler, BaseSettings)):
        return True
    if isinstance(value, (Iterator, Queue)):  # it gives each value once
        return False
    from itemloaders import ItemLoader  # noqa: PLC0415 (as for the adapter)

    return not (isinstance(value, (ItemLoader, Rule)) or item_adapter().is_item(value))


class _DataPickler(pickle.Pickler):
    """Writes data, and references to everything else (responses, browser pages, locks): a copy could do harm."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.shared: list[Any] = []

    def persistent_id(self, value: Any) -> int | None:
        if type(value) in _SINGLE or not _is_shared(value):
            return None
        self.shared.append(value)
        return len(self.shared) - 1


class _DataUnpickler(pickle.Unpickler):
    """Reads what :class:`_DataPickler` has written."""

    def __init__(self, file: io.BytesIO, shared: list[Any]) -> None:
        super().__init__(file)
        self._shared = shared

    def persistent_load(self, number: int) -> Any:
        return self._shared[number]


def independent(value: Any, owner: Any = None, twin: Any = None, shared: list[Any] | None = None) -> Any:
    """Return a copy that a callback may change without `value` changing.

    Lists, dicts and sets of up to :data:`MOST_ENTRIES`, iterators, queues, items, item loaders and rules are copied
    with their content; everything else is shared. Raises what the copy of an item or iterator raises: generators, open
    files and database cursors are iterators that cannot be copied.

    :param twin: takes the place of `owner`, also in its methods.
    :param shared: gets what is shared, in addition.
    """
    file = io.BytesIO()
    pickler = _DataPickler(file)
    pickler.dump(value)
    file.seek(0)
    if shared is not None:
        shared += pickler.shared
    return _DataUnpickler(file, [_moved(one, owner, twin) for one in pickler.shared]).load()


def _moved(value: Any, owner: Any, twin: Any) -> Any:
    """Return `value`; for `owner` its twin, for a callback of `owner` (:func:`owner_of`) that of its twin, and for a
    crawler and its stats copies: a further run must not count in the crawl, nor end it, nor send requests."""
    if owner is None:
        return value
    if isinstance(value, Crawler):
        return _crawler_apart(value)
    if isinstance(value, StatsCollector) and isinstance(owner, Spider):
        return _crawler_apart(owner.crawler).stats
    if owner_of(value) is not owner:
        return value
    if isinstance(value, partial):
        return partial(_moved(value.func, owner, twin), *value.args, **value.keywords)
    if isinstance(value, FunctionType):
        cells = (CellType(twin) if cell.cell_contents is owner else cell for cell in value.__closure__ or ())
        names, defaults = value.__globals__, value.__defaults__
        moved = FunctionType(value.__code__, names, value.__name__, defaults, tuple(cells))
        moved.__kwdefaults__ = value.__kwdefaults__
        return moved
    return MethodType(value.__func__, twin) if isinstance(value, MethodType) else twin


def _crawler_apart(crawler: Crawler) -> Any:
    """Return a copy of a crawler, without its engine and with stats of its own."""
    apart: Any = copy(crawler)
    apart.stats = _StatsApart(crawler)
    apart.engine = None
    return apart


class _StatsApart(MemoryStatsCollector):
    """The stats of a further run, which start as those of the crawl."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        assert crawler.stats is not None
        self._before = dict(crawler.stats.get_stats())
        self._written: dict[str, Any] = {}
        stats: Any = ChainMap(self._written, self._before)
        self.set_stats(stats)

    def changes(self) -> dict[str, Any]:
        """Return what the run has added to numbers, and the other values that it has written, as plain data."""
        return {
            f"stats.{name}": value - self._before.get(name, 0)
            if isinstance(value, (int, float))
            else as_data(value)
            for name, value in self._written.items()
        }


def owner_of(callback: Any) -> Any:
    """Return the object whose method a callback is, the spider that a function inside a method uses, or the callback
    itself if it is an object; None for other functions and those of classes."""
    if isinstance(callback, partial):
        return owner_of(callback.func)
    if isinstance(callback, FunctionType):
        held = (cell.cell_contents for cell in callback.__closure__ or ())
        return next((one for one in held if isinstance(one, Spider)), None)
    owner = callback.__self__ if isinstance(callback, MethodType) else callback
    return None if isinstance(owner, type) else owner


class SharedSizes:
    """The sizes of shared containers at one moment."""

    def __init__(self, shared: list[Any]) -> None:
        self._sizes = [(one, len(one)) for one in shared if _is_container(one)]

    def have_changed(self) -> bool:
        """Whether something was taken from one, or added to a list: a further run would take the next entry, or add one
        twice. A set or dict has what is added twice once."""
        return any(
            len(one) < size or (len(one) > size and not isinstance(one, (set, dict)))
            for one, size in self._sizes
        )


class OwnerState:
    """The attributes of a callback's owner, mostly its spider, at one moment, so that a further run of the callback
    neither sees nor makes changes.

    Containers that are attributes of its class belong to them.

    :param shared: gets what further runs share with the owner.
    """

    def __init__(self, owner: Any, shared: list[Any] | None = None) -> None:
        classes = reversed(type(owner).__mro__)
        of_class = {
            name: value for one in classes for name, value in vars(one).items() if type(value) in _CONTAINERS
        }
        self._owner = owner
        self._attributes = independent(of_class | vars(owner), shared=shared)

    def further(self, callback: Any) -> Callable[..., Any]:
        """Return a callback of the owner as that of a copy of the owner, with these attributes."""
        twin = copy(self._owner)
        twin.__dict__ = dict(independent(self._attributes, self._owner, twin))
        return cast("Callable[..., Any]", _moved(callback, self._owner, twin))

    def changes(self, callback: Any) -> dict[str, Any]:
        """Return the attributes and stats that a run of a :meth:`further` callback has changed, as plain data; those
        that are shared are left out.
        """
        owner = owner_of(callback)
        values = vars(owner).items()
        copied = {name: value for name, value in values if type(value) in _SINGLE or not _is_shared(value)}
        changed = {
            f"self.{name}": data
            for name, value in copied.items()
            if (data := as_data(value)) != as_data(self._attributes.get(name))
        }
        stats = getattr(getattr(owner, "crawler", None), "stats", None)
        return changed | stats.changes() if isinstance(stats, _StatsApart) else changed
