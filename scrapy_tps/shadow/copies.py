"""Copies of the data that callbacks change, for further runs on the same page."""

from __future__ import annotations

import asyncio
import io
import pickle
import sys
from collections import ChainMap, deque
from collections.abc import Iterator
from copy import copy
from functools import lru_cache, partial
from queue import Queue
from random import Random
from types import CellType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Final, cast

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from scrapy.spiders import Rule, Spider
from scrapy.statscollectors import MemoryStatsCollector, StatsCollector

from scrapy_tps.shadow.differences import as_data, held_by, item_adapter

if TYPE_CHECKING:
    from collections.abc import Callable

#: Types that are copied, in addition to iterators, queues, items, item loaders, rules, functions that hold data and
#: objects of the project, and types of single values, which never are.
_CONTAINERS: Final = frozenset({dict, list, tuple, set, frozenset, deque, bytearray})
_SINGLE: Final = frozenset({str, bytes, int, float, bool, type(None)})

#: Entries of the largest container that is copied; a copy takes about a microsecond per entry. Larger ones hold what
#: the crawl has seen, and a further run on the same page adds little to them.
MOST_ENTRIES: Final = 1000

#: The most values of a copy: a tenth of a second.
MOST_VALUES: Final = 100_000


def _is_container(value: Any) -> bool:
    return type(value) in _CONTAINERS or isinstance(value, dict)


def _is_shared(value: Any, project: str) -> bool:
    if _is_container(value):
        return len(value) > MOST_ENTRIES
    # each spider has these; most have nothing else for which the imports below are needed
    if isinstance(value, (Crawler, BaseSettings, Spider, type)):
        return True
    kind: Any = type(value)
    if _is_plain(kind, project):
        return False
    if isinstance(value, FunctionType):
        return not (value.__closure__ or value.__defaults__)
    if isinstance(value, MethodType):
        return _is_shared(value.__self__, project)
    # an iterator gives each value once, and each number drawn changes what follows
    if isinstance(value, (Iterator, Queue, asyncio.Queue, Random, partial, CellType)):
        return False
    from itemloaders import ItemLoader  # noqa: PLC0415 (as for the adapter)

    return not (isinstance(value, (ItemLoader, Rule)) or item_adapter().is_item(value))


@lru_cache(maxsize=1024)
def _is_plain(kind: Any, project: str) -> bool:
    """Whether a class and all that it derives from belong to a project, or hold nothing (``ABC``): it is no thread,
    connection or response.

    A copy of a singleton is the singleton, and a copy that is deleted may close what it shares.
    """
    if kind is object or kind.__new__ is not object.__new__ or hasattr(kind, "__del__"):
        return False
    return all(_package(one) == project or vars(one).get("__slots__") == () for one in kind.__mro__[:-1])


def _package(of: Any) -> str:
    return str(getattr(of, "__module__", "")).partition(".")[0]


class _DataPickler(pickle.Pickler):
    """Writes data, and references to everything else (responses, browser pages, locks): a copy could do harm."""

    def __init__(self, file: io.BytesIO, owner: Any, project: str) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.shared: list[Any] = []
        self._owner, self._project = owner, project
        self._left = MOST_VALUES

    def persistent_id(self, value: Any) -> int | None:
        self._left -= 1
        if self._left < 0:
            raise ValueError(f"it has more than {MOST_VALUES} values")
        if type(value) in _SINGLE or (value is not self._owner and not _is_shared(value, self._project)):
            return None
        self.shared.append(value)
        return len(self.shared) - 1

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, CellType):
            return CellType, (), (value.cell_contents,), None, None, _fill
        if isinstance(value, FunctionType):
            # a method of the function, because the function itself would be copied
            return _function, (value.__get__, value.__defaults__, value.__kwdefaults__, value.__closure__)
        return NotImplemented


def _fill(cell: CellType, contents: tuple[Any]) -> None:
    cell.cell_contents = contents[0]


def _function(of: Any, defaults: Any, named: Any, cells: Any) -> FunctionType:
    """Return a function with other data."""
    old = of.__self__
    new = FunctionType(old.__code__, old.__globals__, old.__name__, defaults, cells)
    new.__kwdefaults__ = named
    return new


class _DataUnpickler(pickle.Unpickler):
    """Reads what :class:`_DataPickler` has written."""

    def __init__(self, file: io.BytesIO, shared: list[Any]) -> None:
        super().__init__(file)
        self._shared = shared

    def persistent_load(self, number: int) -> Any:
        return self._shared[number]


def independent(
    value: Any, project: str = "", owner: Any = None, twin: Any = None, shared: list[Any] | None = None
) -> Any:
    """Return a copy that a callback may change without `value` changing.

    Lists, dicts and sets of up to :data:`MOST_ENTRIES`, iterators, queues, items, item loaders, rules, objects of
    classes of the project, and functions that hold data are copied with their content; everything else is shared.
    Raises what the copy of an item or iterator raises: generators, open files and database cursors are iterators that
    cannot be copied.

    :param project: the package of the spider.
    :param twin: takes the place of `owner`, also in its methods; None if `owner` is shared.
    :param shared: gets what is shared, in addition.
    """
    file = io.BytesIO()
    pickler = _DataPickler(file, owner, project)
    pickler.dump(value)
    file.seek(0)
    if shared is not None:
        shared += pickler.shared
    return _DataUnpickler(file, [_moved(one, owner, twin) for one in pickler.shared]).load()


def _moved(value: Any, owner: Any, twin: Any) -> Any:
    """Return `value`; for `owner` its twin, for a method of `owner` that of its twin, and for a crawler and its stats
    copies: a further run must not count in the crawl, nor end it, nor send requests."""
    if twin is None:
        return value
    if isinstance(value, Crawler):
        return _crawler_apart(value)
    if isinstance(value, StatsCollector) and isinstance(owner, Spider):
        return _crawler_apart(owner.crawler).stats
    if isinstance(value, MethodType) and value.__self__ is owner:
        return MethodType(value.__func__, twin)
    return twin if value is owner else value


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
        held = (*(cell.cell_contents for cell in callback.__closure__ or ()), *(callback.__defaults__ or ()))
        owners = (owner_of(one) if isinstance(one, (partial, MethodType)) else one for one in held)
        return next((one for one in owners if isinstance(one, Spider)), None)
    owner = callback.__self__ if isinstance(callback, MethodType) else callback
    return None if isinstance(owner, type) else owner


class CallbackState:
    """What a callback may change, at one moment: its arguments and the variables around it, the attributes of its
    owner, mostly its spider, and the data of its request. A further run neither sees nor makes changes of these.

    Containers that are attributes of the owner's class belong to the owner.

    :param carried: the data of the request: ``cb_kwargs`` and ``meta``.
    """

    def __init__(self, callback: Any, carried: dict[str, Any]) -> None:
        self._owner = owner = owner_of(callback)
        if hasattr(owner, "__del__"):
            raise ValueError("a copy of its owner would close what both share when it is deleted")
        maker: Any = type(owner)
        if owner is None:
            maker = callback.func if isinstance(callback, partial) else callback
        self._project = _package(maker)
        classes = [] if owner is None else [*map(vars, type(owner).__mro__)]
        attributes = {
            name: value
            for one in reversed(classes)
            for name, value in one.items()
            if type(value) in _CONTAINERS
        } | getattr(owner, "__dict__", {})
        shared: list[Any] = []
        self._carried = independent(carried, self._project, owner, shared=shared)
        self._attributes, self._callback = independent(
            (attributes, callback), self._project, owner, shared=shared
        )
        # names such as __warningregistry__ are Python's own
        self._names = [
            (names, {name: value for name, value in names.items() if not name.startswith("__")})
            for names in (vars(sys.modules[maker.__module__]), *classes)
        ]
        shared += self._names[0][1].values()
        self._sizes = [(one, len(one)) for one in shared if _is_container(one)]

    def carried(self) -> Any:
        """Return a copy of the data of the request."""
        return independent(self._carried, self._project, self._owner)

    def further(self) -> Callable[..., Any]:
        """Return the callback for a further run: that of a copy of its owner.

        Raises ``ValueError`` if what it shares with the crawl has changed: names of its module or class, or large or
        global containers. A further run would take the next entry, or count twice. A set has what is added twice once.
        """
        if any(
            names.get(name) is not value for names, before in self._names for name, value in before.items()
        ) or any(
            len(one) < size or (len(one) > size and not isinstance(one, set)) for one, size in self._sizes
        ):
            raise ValueError(
                f"the callback changes its module, its class, or more than {MOST_ENTRIES} entries"
            )
        twin = copy(self._owner)
        held = independent((self._attributes, self._callback), self._project, self._owner, twin)
        if twin is not None:
            twin.__dict__ = dict(held[0])
        return cast("Callable[..., Any]", held[1])

    def changes(self, callback: Any, request: Any) -> dict[str, Any]:
        """Return what a run of the callback, or of a :meth:`further` one, has changed, as plain data: attributes and
        stats, except those that are shared, and lists and sets among its arguments and the data of the request.
        """
        owner = owner_of(callback)
        values = {
            f"self.{name}": value
            for name, value in getattr(owner, "__dict__", {}).items()
            if type(value) in _SINGLE or not _is_shared(value, self._project)
        } | _collections(callback, {"cb_kwargs": request.cb_kwargs, "meta": request.meta})
        before = {f"self.{name}": value for name, value in self._attributes.items()}
        before |= _collections(self._callback, self._carried)
        changed = {
            name: data
            for name, value in values.items()
            if (data := as_data(value)) != as_data(before.get(name))
        }
        stats = getattr(getattr(owner, "crawler", None), "stats", None)
        return changed | stats.changes() if isinstance(stats, _StatsApart) else changed


def _collections(callback: Any, carried: dict[str, Any]) -> dict[str, Any]:
    """Return the lists and sets that a callback has from elsewhere, by name; it gives single items itself."""
    told = {"argument": dict(enumerate(held_by(callback))), **carried}
    return {
        f"{where}.{name}": value
        for where, values in told.items()
        for name, value in values.items()
        if isinstance(value, (list, set, deque))
    }
