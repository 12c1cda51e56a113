"""Why a page's pruning cost what it cost: the values, their regions, the reasons, the remedy."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from scrapy_tps.report.terminal import printable
from scrapy_tps.shadow.comparison import Change, Difference, Ignored, values
from scrapy_tps.shadow.locate import Place, RemovedParts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.engine.pruning import Pruning
    from scrapy_tps.shadow.forms import Form

#: Outputs of each kind, and removed parts, that are told of: they mostly share a cause.
MOST_EXPLAINED = 5

#: Outputs of each kind, and values of an output, that are searched for.
MOST_SEARCHED = 20
MOST_VALUES = 12

#: Characters of a value, and values of a removed part, that are shown.
SHOWN = 80
MOST_LISTED = 6

#: Characters of two long values that are shown before they differ.
_CONTEXT = 20


@dataclass(frozen=True, slots=True)
class Missing:
    """A value that the pruned page did not give.

    :ivar field: the field of the item, or of the request, that had it.
    :ivar place: where it was, or None where no removed part holds it.
    """

    field: str
    value: Any
    place: Place | None


@dataclass(frozen=True, slots=True)
class Explained:
    """An output that was lost or changed.

    :ivar what: ``lost``, ``changed``, ``lost request`` or ``changed request``.
    :ivar form: as the original gave it.
    :ivar change: how it changed, where it did.
    """

    what: str
    form: Form
    missing: tuple[Missing, ...]
    change: Change | None = None


@dataclass(slots=True)
class Explanation:
    """The losses by a page's pruning, and their causes.

    :ivar outputs: the first of each kind, up to :data:`MOST_SEARCHED`.
    :ivar remedies: selectors for ``TPS_KEEP`` that should help, the narrowest first.
    :ivar keep: the remedy that was chosen; empty where there is none.
    :ivar works: whether the callback loses nothing with it; None where that was not, or could not be, tried.
    :ivar stays: whether with it all that was found of the missing values stays on the page; None where that was not
        tried. No callback runs for that.
    """

    outputs: list[Explained] = field(default_factory=list)
    remedies: list[tuple[str, ...]] = field(default_factory=list)
    keep: tuple[str, ...] = ()
    works: bool | None = None
    stays: bool | None = None

    def places(self, form: Form) -> dict[str, Place]:
        """The places on the original of missing values of an output, by field; of several values the first found."""
        output = next((one for one in self.outputs if one.form is form), None)
        places: dict[str, Place] = {}
        for one in output.missing if output is not None else ():
            if one.place is not None:
                places.setdefault(one.field, one.place)
        return places

    @property
    def setting(self) -> str:
        """The remedy as a line for ``settings.py``; empty where there is none."""
        return f"TPS_KEEP = {list(self.keep)!r}" if self.keep else ""


def explain(difference: Difference, pruning: Pruning, ignored: Ignored = frozenset()) -> Explanation:
    """Search what `pruning` removed for the values that `difference` misses.

    :param ignored: (kind, field) pairs that were not compared.

    Raises ``ValueError`` where the original's bytes were dropped.
    """
    parts = RemovedParts(pruning)
    explanation = Explanation()
    explanation.outputs += _telling(
        Explained("lost", form, _off_the_page(_missing(_compared(form, ignored), {}, parts), pruning))
        for form in difference.lost
    )
    explanation.outputs += _telling(
        Explained("changed", change.original, _off_the_page(_changed(change, parts), pruning), change)
        for change in difference.changed
    )
    explanation.outputs += _telling(
        Explained("lost request", form, _missing(_carried(form), {}, parts))
        for form in difference.lost_requests
    )
    explanation.outputs += _telling(
        Explained("changed request", change.original, _changed(change, parts), change)
        for change in difference.changed_requests
    )
    narrow: dict[str, None] = {}
    wide: dict[str, None] = {}
    everything: list[Place] = []
    for output in explanation.outputs:
        places = [one.place for one in output.missing if one.place is not None]
        narrow |= dict.fromkeys(parts.narrow(places))
        wide |= dict.fromkeys(parts.wide(places))
        everything += places
    remedies = (tuple(narrow), tuple(wide), tuple(parts.broad(everything)))
    explanation.remedies = list(dict.fromkeys(remedy for remedy in remedies if remedy))
    explanation.keep = explanation.remedies[0] if explanation.remedies else ()
    return explanation


def _off_the_page(missing: tuple[Missing, ...], pruning: Pruning) -> tuple[Missing, ...]:
    """The missing values of an item, without the address of the page, which spiders have from the response."""
    return tuple(one for one in missing if one.place is not None or one.value != pruning.url)


def _telling(outputs: Iterator[Explained]) -> list[Explained]:
    """The first of the outputs, those before others whose values were found: where a callback failed, others
    were never reached.
    """
    found = list(islice(outputs, MOST_SEARCHED))
    found.sort(key=lambda output: all(one.place is None for one in output.missing))
    return found


def _compared(form: Form, ignored: Ignored) -> dict[str, Any]:
    return {
        name: value
        for name, value in form.fields.items()
        if (form.kind, name) not in ignored and ("", name) not in ignored
    }


def _carried(request: Form) -> dict[str, Any]:
    return {
        name: value
        for name, value in request.fields.items()
        if name == "url" or name.startswith("cb_kwargs.")
    }


def _changed(change: Change, parts: RemovedParts) -> tuple[Missing, ...]:
    original, pruned = change.original.fields, change.pruned.fields
    return _missing({name: original.get(name) for name in change.fields}, pruned, parts)


def _missing(fields: dict[str, Any], there: dict[str, Any], parts: RemovedParts) -> tuple[Missing, ...]:
    wanted: list[tuple[str, Any]] = []
    for name, data in fields.items():
        left = set(values(there.get(name)))
        wanted += [(name, value) for value in values(data) if value not in left]
    del wanted[MOST_VALUES:]
    # the longest value is the one that is least likely to stand elsewhere, too
    anchor = max((value for _, value in wanted), key=lambda value: len(str(value)), default=None)
    place = parts.find(anchor) if anchor is not None else None
    near = place.index if place is not None else None
    return tuple(Missing(name, value, parts.find(value, near)) for name, value in wanted)


def lines(explanation: Explanation) -> list[str]:
    """The explanation for people: the outputs, then :func:`causes`."""
    told = [f"{output.what}: {_described(output.form)}{_fields(output)}" for output in _told(explanation)]
    return [*map(printable, told), *causes(explanation)]


def _fields(output: Explained) -> str:
    if output.change is None:
        return ""
    changed = [f"{name} {before} -> {after}" for name, before, after in changed_values(output.change)]
    more = f" and {len(changed) - MOST_LISTED} more" if len(changed) > MOST_LISTED else ""
    return f": {', '.join(changed[:MOST_LISTED])}{more}"


def changed_values(change: Change) -> Iterator[tuple[str, str, str]]:
    """The fields that changed: name, value of the original, value of the pruned page, shortened to what differs."""
    for name in change.fields:
        before, after = repr(change.original.fields.get(name)), repr(change.pruned.fields.get(name))
        same = next(
            (at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), 0
        )
        start = max(0, same - _CONTEXT) if max(len(before), len(after)) > SHOWN else 0
        yield name, _excerpt(before, start), _excerpt(after, start)


def _excerpt(text: str, start: int) -> str:
    text = f"…{text[start:]}" if start else text
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def causes(explanation: Explanation) -> list[str]:
    """The removed parts that held what is missing, and the remedy."""
    found = []
    missing = [one for output in _told(explanation) for one in output.missing]
    parts: dict[tuple[str, str, str], list[Missing]] = {}
    for one in missing:
        if one.place is not None:
            parts.setdefault((one.place.removed, one.place.reason, one.place.rule), []).append(one)
    for (xpath, reason, rule), held in islice(parts.items(), MOST_EXPLAINED):
        found.append(f"removed: {xpath} ({reason}; rule {rule}) held {_listed(held)}")
    if len(parts) > MOST_EXPLAINED:
        found.append(f"removed: {len(parts) - MOST_EXPLAINED} more parts that held values of these")
    if elsewhere := [one for one in missing if one.place is None]:
        found.append(
            "in no removed part (computed, never reached, or selected by position or surroundings): "
            + _listed(elsewhere)
        )
    if explanation.keep:
        tried = _TRIED[explanation.works] or _STAYS[explanation.stays]
        found.append(f"to keep it: {explanation.setting}{tried}")
    else:
        found.append('to keep it: TPS_KEEP with a selector of the part, or TPS_DOMAINS = {"…": False}')
    return [printable(line) for line in found]


def _told(explanation: Explanation) -> list[Explained]:
    kinds: dict[str, list[Explained]] = {}
    for output in explanation.outputs:
        kinds.setdefault(output.what, []).append(output)
    return [output for outputs in kinds.values() for output in outputs[:MOST_EXPLAINED]]


_TRIED = {
    True: " (tried: with it nothing is lost)",
    False: " (tried: with it something is still lost)",
    None: "",
}

_STAYS = {
    True: " (tried: with it all of that stays)",
    False: " (tried: with it some of that still goes)",
    None: "",
}


def _listed(held: list[Missing]) -> str:
    text = ", ".join(f"{one.field} {shown(one.value)}" for one in held[:MOST_LISTED])
    return text if len(held) <= MOST_LISTED else f"{text} and {len(held) - MOST_LISTED} more"


def _described(form: Form) -> str:
    if form.identity is not None:
        return f"{form.fields.get('method', '')} {form.fields.get('url', form.identity)}"
    return shown(form.fields)


def shown(value: Any) -> str:
    """A value as messages show it."""
    return _excerpt(repr(value), 0)
