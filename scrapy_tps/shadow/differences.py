"""The outputs of two runs of a callback, as plain data in which equal outputs are equal, and their difference."""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from types import GeneratorType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from parsel import Selector

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Kind of the form of a request, and of an output whose values are not known; an item's kind is the name of its type.
REQUEST, UNKNOWN = "request", "unknown"

#: Levels of nested values that are compared; deeper ones count as equal. Items are flat, or nearly so.
MOST_LEVELS = 20
#: The level of attributes of objects.
_OBJECT_LEVEL = MOST_LEVELS - 4

#: What is not compared: pairs of kind and field, where the empty kind means every kind, and of :data:`REQUEST` and an
#: address without query and fragment.
Ignored = frozenset[tuple[str, str]]

_ADDRESS: Final = re.compile(r" at 0x[0-9A-Fa-f]+")
_LISTS = (list, tuple, deque)
_SETS = (set, frozenset)


@dataclass(frozen=True, slots=True)
class Form:
    """An output, as plain data.

    :ivar kind: the type of the item, or :data:`REQUEST`.
    :ivar fields: its values by field. A request has ``method``, ``url``, ``body``, and its data: ``cb_kwargs.…``,
        ``meta.…``, ``headers.…``, ``cookies`` and ``callback``.
    :ivar identity: the fingerprint of a request, None for items.
    """

    kind: str
    fields: dict[str, Any] = field(hash=False)
    identity: str | None = None

    def compared(self, ignored: Ignored = frozenset()) -> dict[str, Any]:
        """Return the compared fields."""
        fields = self.fields.items()
        return {name: value for name, value in fields if ignored.isdisjoint({(self.kind, name), ("", name)})}

    def key(self, ignored: Ignored = frozenset()) -> str:
        """Return a text that is the same for equal forms. A field of None is equal to a missing one."""
        fields = {name: value for name, value in self.compared(ignored).items() if value is not None}
        return json.dumps([self.kind, self.identity, fields], sort_keys=True, ensure_ascii=False)

    @property
    def traits(self) -> list[tuple[str, ...]]:
        """Return what the same record of another run has as well, at least in part."""
        if self.identity is not None:
            return [(self.kind, self.identity)]
        filled = ((name, value) for name, value in self.fields.items() if value not in _NOTHING)
        return [(self.kind, name, repr(value)) for name, value in filled]


_NOTHING: tuple[Any, ...] = (None, "", [], {})


def item_adapter() -> Any:
    """Return the class ``ItemAdapter``."""
    from itemadapter import ItemAdapter  # noqa: PLC0415 (imports pydantic if that is installed: 7 MiB)

    return ItemAdapter


def item_form(item: Any) -> Form:
    """Return the form of an item of any type that Scrapy accepts."""
    adapter = item_adapter()
    fields = dict(adapter(item)) if adapter.is_item(item) else {"value": item}
    return Form(type(item).__name__, {str(name): as_data(value) for name, value in fields.items()})


def request_form(request: Any, fingerprint: str) -> Form:
    """Return the form of a request, with the data that it carries to its callback."""
    fields: dict[str, Any] = {"method": request.method, "url": request.url, "body": as_data(request.body)}
    told = {"cookies": request.cookies, "callback": held_by(request.callback) if request.callback else None}
    fields |= {name: as_data(value) for name, value in told.items() if value}
    headers = request.headers.to_unicode_dict()
    for where, carried in (("cb_kwargs", request.cb_kwargs), ("meta", request.meta), ("headers", headers)):
        fields |= {f"{where}.{name}": as_data(value) for name, value in carried.items()}
    return Form(REQUEST, fields, fingerprint)


def held_by(callback: Any) -> list[Any]:
    """Return the name of a callback, its arguments, and the variables around it."""
    if isinstance(callback, partial):
        return [*held_by(callback.func), *callback.args, callback.keywords]
    cells = (cell.cell_contents for cell in getattr(callback, "__closure__", None) or ())
    held = [*cells, *(getattr(callback, "__defaults__", None) or ())]
    return [getattr(callback, "__name__", type(callback).__name__), *held]


def as_data(value: Any, level: int = 0) -> Any:
    """Return `value` as JSON-like data.

    White space in strings is collapsed, because cutting joins the texts around removed parts. Sets are sorted. Objects
    other than data are represented by their ``str()``, without their address in memory; those without a text of their
    own by their attributes; selectors by what they select. Raises ``ValueError`` for a generator, which nobody can read
    for it.
    """
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("latin-1")
    if isinstance(value, Selector):
        value = value.get()
    if level >= MOST_LEVELS:
        return "…"
    if isinstance(value, Mapping):
        return {str(name): as_data(entry, level + 1) for name, entry in value.items()}
    if isinstance(value, _LISTS):
        return [as_data(entry, level + 1) for entry in value]
    if isinstance(value, _SETS):
        return sorted((as_data(entry, level + 1) for entry in value), key=json.dumps)
    return _object_data(value, level)


def _object_data(value: Any, level: int) -> Any:
    """Return an item or another object as data."""
    kind: Any = type(value)
    has_text = kind.__str__ is not object.__str__ or kind.__repr__ is not object.__repr__
    if not has_text and level > _OBJECT_LEVEL:  # an object in an object: they may refer to each other
        return f"<{kind.__qualname__} object>"
    adapter = item_adapter()
    if adapter.is_item(value):
        return {str(name): as_data(entry, level + 1) for name, entry in adapter(value).items()}
    if isinstance(value, GeneratorType):
        raise ValueError("nobody but the callback can read a generator")
    if not has_text and hasattr(value, "__dict__"):
        return as_data(vars(value), _OBJECT_LEVEL)
    return as_data(_ADDRESS.sub("", str(value)))


#: Items that share a value are candidates for the same record, unless too many share it (such as the category of a
#: listing). This keeps pairing near-linear.
MOST_SHARING = 50


@dataclass(frozen=True, slots=True)
class Change:
    """A record that both runs gave, with different values.

    :ivar fields: the names of the fields that differ, in the order of the original.
    """

    original: Form
    pruned: Form
    fields: tuple[str, ...]


@dataclass(slots=True)
class Losses:
    """The items, or the requests, of the pruned page compared with those of the original.

    :ivar number: their number from the original; equal requests count once.
    :ivar lost: those that only the original gave; `changed`: that both gave, with other values; a changed request goes
        to the same address, but carries other data to its callback.
    :ivar extra: those that only the pruned page gave.
    """

    number: int = 0
    lost: list[Form] = field(default_factory=list)
    changed: list[Change] = field(default_factory=list)
    extra: list[Form] = field(default_factory=list)

    @property
    def costs(self) -> int:
        """The number of lost, changed or extra ones."""
        return len(self.lost) + len(self.changed) + len(self.extra)


class Difference(NamedTuple):
    """The outputs of the pruned page compared with those of the original."""

    items: Losses
    requests: Losses

    @property
    def costs(self) -> bool:
        """Whether anything was lost or changed, or is extra."""
        return any(losses.costs for losses in self)


def compare(original: Sequence[Form], pruned: Sequence[Form], ignored: Ignored = frozenset()) -> Difference:
    """Compare two runs; the order of the outputs does not matter."""
    first, second = ([form for form in run if form.kind != REQUEST] for run in (original, pruned))
    items = _losses(first, second, ignored)
    requests = _losses(_requests(original), _requests(pruned), ignored)
    requests.lost = [form for form in requests.lost if _path(form) not in ignored]
    requests.extra = [form for form in requests.extra if _path(form) not in ignored]
    return Difference(items, requests)


def _requests(run: Sequence[Form]) -> list[Form]:
    """Return the requests of a run, the first of those with equal fingerprints."""
    found: dict[str | None, Form] = {}
    for form in run:
        if form.kind == REQUEST:
            found.setdefault(form.identity, form)
    return list(found.values())


def _losses(original: list[Form], pruned: list[Form], ignored: Ignored) -> Losses:
    left, lost = defaultdict(list), []
    for form in pruned:
        left[form.key(ignored)].append(form)
    for form in original:
        if equal := left[form.key(ignored)]:
            equal.pop()
        else:
            lost.append(form)
    extra = [form for forms in left.values() for form in forms]
    partner = _partners(lost, extra)
    taken = set(partner.values())
    return Losses(
        len(original),
        [form for index, form in enumerate(lost) if index not in partner],
        [_change(lost[index], extra[other], ignored) for index, other in sorted(partner.items())],
        [form for index, form in enumerate(extra) if index not in taken],
    )


def _partners(lost: list[Form], extra: list[Form]) -> dict[int, int]:
    """Return the places in `extra` of the records of `lost` that have other values there: of those that share the most
    with them, each used once.

    If as many items of a kind are left on both sides, they are paired in order.
    """
    sharing = defaultdict(list)
    for index, form in enumerate(extra):
        for trait in form.traits:
            sharing[trait].append(index)
    partner: dict[int, int] = {}
    taken: set[int] = set()
    for index, form in enumerate(lost):
        shared: Counter[int] = Counter()
        for trait in form.traits:
            candidates = sharing.get(trait, ())
            if len(candidates) <= MOST_SHARING:
                shared.update(candidates)
        free = [candidate for candidate in shared if candidate not in taken]
        if free:
            partner[index] = min(free, key=lambda candidate: (-shared[candidate], candidate))
            taken.add(partner[index])
    for kind in sorted({form.kind for form in lost} - {REQUEST}):
        mine = [index for index, form in enumerate(lost) if form.kind == kind and index not in partner]
        theirs = [index for index, form in enumerate(extra) if form.kind == kind and index not in taken]
        if len(mine) == len(theirs):
            partner.update(zip(mine, theirs, strict=True))
            taken.update(theirs)
    return partner


def _change(original: Form, pruned: Form, ignored: Ignored) -> Change:
    first, second = original.compared(ignored), pruned.compared(ignored)
    fields = tuple(name for name in first | second if first.get(name) != second.get(name))
    return Change(original, pruned, fields)


def _path(request: Form) -> tuple[str, str]:
    return REQUEST, re.split("[?#]", str(request.fields.get("url", "")), maxsplit=1)[0]


def volatile(found: Difference) -> Ignored:
    """Return the differences between two runs on the *same* page: clocks, counters, random numbers, also in the query
    of requests.
    """
    changed = (*found.items.changed, *found.requests.changed)
    paths = {*map(_path, found.requests.lost)} & {*map(_path, found.requests.extra)}
    return frozenset((one.original.kind, name) for one in changed for name in one.fields) | paths


def values(data: Any) -> list[str | int | float]:
    """Return the single values in plain data, in order, each once."""
    if isinstance(data, dict):
        data = list(data.values())
    if isinstance(data, list):
        return list(dict.fromkeys(value for entry in data for value in values(entry)))
    return [] if data in (None, "") or isinstance(data, bool) else [data]
