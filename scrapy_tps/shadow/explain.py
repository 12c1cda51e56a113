"""Why a page's pruning cost what it cost: the missing values, the removed parts that held them, the remedies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy_tps.shadow.differences import Change, values
from scrapy_tps.shadow.locate import Place, RemovedParts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.engine.pruning import Pruning
    from scrapy_tps.shadow.differences import Difference
    from scrapy_tps.shadow.outputs import Form, Ignored

#: Outputs of each kind, and values of an output, that are searched for: they mostly share a cause.
MOST_SEARCHED = 20
MOST_VALUES = 12


@dataclass(frozen=True, slots=True)
class Missing:
    """A value that the pruned page did not give.

    :ivar what: ``lost``, ``changed``, ``lost request`` or ``changed request``: what became of the output that had it.
    :ivar form: that output, as the original gave it.
    :ivar field: its field that had the value.
    :ivar place: where it was, or None where no removed part holds it.
    """

    what: str
    form: Form
    field: str
    value: Any
    place: Place | None


@dataclass(slots=True)
class Explanation:
    """The causes of a page's losses.

    :ivar missing: the values of the first outputs of each kind, up to :data:`MOST_SEARCHED`.
    :ivar remedies: selectors for ``TPS_KEEP`` that should help, the narrowest first.
    :ivar keep: the remedy that was tried last, or is to be tried first; empty where there is none.
    :ivar works: whether the callback loses nothing with it; None where that was not tried.
    """

    missing: list[Missing] = field(default_factory=list)
    remedies: list[tuple[str, ...]] = field(default_factory=list)
    keep: tuple[str, ...] = ()
    works: bool | None = None

    def places_of(self, form: Form) -> dict[str, Place]:
        """The place of each field of an output; of several values the first that was found."""
        found = [one for one in self.missing if one.form is form]
        return {one.field: one.place for one in reversed(found) if one.place}


def explain(difference: Difference, pruning: Pruning, ignored: Ignored = frozenset()) -> Explanation:
    """Search what `pruning` removed for the values that `difference` misses.

    :param ignored: (kind, field) pairs that were not compared.

    Raises ``ValueError`` where the original's bytes were dropped.
    """
    parts = RemovedParts(pruning)
    explanation = Explanation()
    places = []
    for what, outputs in (
        ("lost", difference.items.lost),
        ("changed", difference.items.changed),
        ("lost request", difference.requests.lost),
        ("changed request", difference.requests.changed),
    ):
        for output in outputs[:MOST_SEARCHED]:
            missing = list(_missing(what, output, parts, ignored))
            explanation.missing += missing
            places.append([one.place for one in missing if one.place])
    explanation.remedies = parts.remedies(places)
    explanation.keep = explanation.remedies[0] if explanation.remedies else ()
    return explanation


def _missing(what: str, output: Form | Change, parts: RemovedParts, ignored: Ignored) -> Iterator[Missing]:
    if isinstance(output, Change):
        form, there = output.original, output.pruned.fields
        fields = {name: form.fields.get(name) for name in output.fields}
    else:
        form, there = output, {}
        fields = form.compared(ignored)
        if form.identity is not None:
            # of a request, only these come from the page
            fields = {
                name: value
                for name, value in fields.items()
                if name == "url" or name.startswith("cb_kwargs.")
            }
    wanted = [
        (name, value)
        for name, data in fields.items()
        for value in values(data)
        if value not in set(values(there.get(name)))
    ][:MOST_VALUES]
    # the longest value is the one that is least likely to stand elsewhere, too
    anchor = max((value for _, value in wanted), key=lambda value: len(str(value)), default=None)
    near = parts.find(anchor) if anchor is not None else None
    for name, value in wanted:
        place = parts.find(value, near.index if near else None)
        if place or value != parts.url:  # spiders have the page's address from the response
            yield Missing(what, form, name, value, place)
