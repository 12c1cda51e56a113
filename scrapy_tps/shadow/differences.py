"""The difference between two runs of a callback."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy_tps.shadow.outputs import REQUEST, Form, Ignored

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Items that share a value are candidates for being the same record, unless so many share it that it says
#: nothing (the category of a listing, say). Keeps pairing near-linear.
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
    """The items, or the requests, of the pruned page against those of the original.

    :ivar number: how many the original gave; requests that are the same count once.
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
        """How many were lost or changed."""
        return len(self.lost) + len(self.changed)


@dataclass(slots=True)
class Difference:
    """The outputs of the pruned page against those of the original."""

    items: Losses = field(default_factory=Losses)
    requests: Losses = field(default_factory=Losses)

    @property
    def costs(self) -> bool:
        """Whether anything was lost or changed."""
        return bool(self.items.costs or self.requests.costs)


def compare(
    original: Sequence[Form],
    pruned: Sequence[Form],
    ignored: Ignored = frozenset(),
    paths: frozenset[str] = frozenset(),
) -> Difference:
    """Compare two runs; the order of the outputs does not matter.

    :param paths: addresses of requests, without query and fragment, that may differ.
    """
    return Difference(
        _compare_items(_items(original), _items(pruned), ignored),
        _compare_requests(_requests(original), _requests(pruned), ignored, paths),
    )


def _items(run: Sequence[Form]) -> list[Form]:
    return [form for form in run if form.kind != REQUEST]


def _requests(run: Sequence[Form]) -> dict[str, Form]:
    """The requests of a run by their fingerprints, the first of those that are the same."""
    found: dict[str, Form] = {}
    for form in run:
        if form.kind == REQUEST:
            found.setdefault(form.identity or "", form)
    return found


def _compare_items(original: list[Form], pruned: list[Form], ignored: Ignored) -> Losses:
    lost, extra, changed = _pair(*_unmatched(original, pruned, ignored), ignored)
    return Losses(len(original), lost, changed, extra)


def _compare_requests(
    original: dict[str, Form], pruned: dict[str, Form], ignored: Ignored, paths: frozenset[str]
) -> Losses:
    found = Losses(len(original))
    for identity, form in original.items():
        other = pruned.get(identity)
        if other is None and _path(form) not in paths:
            found.lost.append(form)
        elif other is not None and (fields := differing(form, other, ignored)):
            found.changed.append(Change(form, other, fields))
    extra = (form for identity, form in pruned.items() if identity not in original)
    found.extra = [form for form in extra if _path(form) not in paths]
    return found


def _unmatched(
    first: Sequence[Form], second: Sequence[Form], ignored: Ignored
) -> tuple[list[Form], list[Form]]:
    keys = [form.key(ignored) for form in second]
    left = Counter(keys)
    only_first = []
    for form in first:
        key = form.key(ignored)
        if left[key]:
            left[key] -= 1
        else:
            only_first.append(form)
    only_second = []
    # the last ones with a key are those that found no partner
    for form, key in zip(reversed(second), reversed(keys), strict=True):
        if left[key]:
            left[key] -= 1
            only_second.append(form)
    return only_first, only_second[::-1]


def _pair(
    lost: list[Form], extra: list[Form], ignored: Ignored
) -> tuple[list[Form], list[Form], list[Change]]:
    """Find the records among `lost` that came out with other values: those that share most with one of `extra`.

    If as many of a kind are left on both sides, they are paired in order.
    """
    partner = _sharing_most(lost, extra)
    taken = set(partner.values())
    for kind in sorted({form.kind for form in lost}):
        mine = [index for index, form in enumerate(lost) if form.kind == kind and index not in partner]
        theirs = [index for index, form in enumerate(extra) if form.kind == kind and index not in taken]
        if len(mine) == len(theirs):
            partner.update(zip(mine, theirs, strict=True))
            taken.update(theirs)
    pairs = [(lost[index], extra[other]) for index, other in sorted(partner.items())]
    return (
        [form for index, form in enumerate(lost) if index not in partner],
        [form for index, form in enumerate(extra) if index not in taken],
        [Change(form, other, differing(form, other, ignored)) for form, other in pairs],
    )


def _sharing_most(lost: list[Form], extra: list[Form]) -> dict[int, int]:
    """The places in `extra` of the records that share most values with those of `lost`, each taken once."""
    sharing = defaultdict(list)
    for index, form in enumerate(extra):
        for name in form.filled:
            sharing[form.kind, name, repr(form.fields[name])].append(index)
    partner: dict[int, int] = {}
    taken: set[int] = set()
    for index, form in enumerate(lost):
        shared: Counter[int] = Counter()
        for name in form.filled:
            candidates = sharing.get((form.kind, name, repr(form.fields[name])), ())
            if len(candidates) <= MOST_SHARING:
                shared.update(candidates)
        free = [candidate for candidate in shared if candidate not in taken]
        if free:
            partner[index] = min(free, key=lambda candidate: (-shared[candidate], candidate))
            taken.add(partner[index])
    return partner


def differing(original: Form, pruned: Form, ignored: Ignored = frozenset()) -> tuple[str, ...]:
    """Names of the fields whose values differ."""
    first, second = original.compared(ignored), pruned.compared(ignored)
    return tuple(name for name in dict.fromkeys((*first, *second)) if first.get(name) != second.get(name))


def _path(request: Form) -> str:
    parts = urlsplit(str(request.fields.get("url", "")))
    return f"{parts.scheme}://{parts.netloc}{parts.path}"


def volatile(found: Difference) -> tuple[Ignored, frozenset[str]]:
    """What differs between two runs over the *same* page: clocks, counters, random numbers.

    :returns: (kind, field) pairs, and addresses of requests whose query differs.
    """
    changes = [*found.items.changed, *found.requests.changed]
    fields = frozenset((change.original.kind, name) for change in changes for name in change.fields)
    lost, extra = map(_path, found.requests.lost), map(_path, found.requests.extra)
    return fields, frozenset(lost) & frozenset(extra)


def values(data: Any) -> list[str | int | float]:
    """The single values in plain data, in order, each once."""
    found: dict[str | int | float, None] = {}
    waiting = [data]
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, dict):
            waiting.extend(reversed(list(entry.values())))
        elif isinstance(entry, list):
            waiting.extend(reversed(entry))
        elif entry not in (None, "") and not isinstance(entry, bool):
            found[entry] = None
    return list(found)
