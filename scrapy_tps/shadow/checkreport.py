"""The report of ``scrapy tps-check`` on a page, as text and as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy_tps.report.terminal import printable
from scrapy_tps.shadow.explain import Explanation, causes, changed_values, shown
from scrapy_tps.shadow.forms import REQUEST, Form
from scrapy_tps.stats.figures import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_tps.engine.fallback.usage import SelectorUse
    from scrapy_tps.engine.pruning import Pruning
    from scrapy_tps.shadow.comparison import Change
    from scrapy_tps.shadow.locate import Place
    from scrapy_tps.shadow.pagecheck import PageCheck

#: Equal items of a page that the text shows, and the width of its left column.
EQUAL_SHOWN = 3
WIDTH = 82

#: Width of the column of selectors; longer ones push what follows aside.
QUERY_WIDTH = 50

SAME, LOSS, UNCHECKED = "same", "loss", "unchecked"


@dataclass(slots=True)
class PageReport:
    """One page.

    :ivar url, callback: which page, and who parsed it.
    :ivar problem: why it could not be checked; then the rest is None.
    :ivar pruning: how it was pruned.
    :ivar check: the two runs compared.
    :ivar explanation: where the losses come from, where there are any.
    """

    url: str
    callback: str
    problem: str | None = None
    pruning: Pruning | None = None
    check: PageCheck | None = None
    explanation: Explanation | None = None

    @property
    def verdict(self) -> str:
        """``same``, ``loss`` or ``unchecked``."""
        if self.check is None:
            return UNCHECKED
        return LOSS if self.check.costs else SAME

    def text(self) -> str:
        """The page for people."""
        return "\n".join(map(printable, self._lines())) + "\n"

    def _lines(self) -> Iterable[str]:
        yield self.url
        if self.pruning is None or self.check is None:
            yield f"  not checked: {self.problem}"
            return
        pruning, check = self.pruning, self.check
        removed = pruning.raw_nodes - pruning.kept_nodes
        yield (
            f"  {self.callback}: {pruning.outcome}, {removed:,} of {pruning.raw_nodes:,} nodes removed "
            f"({pruning.reduction:.1%})"
        )
        if check.pruned.error is not None:
            yield f"  with pruning the callback fails: {check.pruned.error!r}"
        yield from _side_by_side(check, self.explanation)
        yield f"  {check.summary()}"
        if self.explanation is not None:
            yield from (f"    {line}" for line in causes(self.explanation))
        yield from _selectors(pruning, check)

    def to_dict(self) -> dict[str, Any]:
        """The page as plain data."""
        data: dict[str, Any] = {"url": self.url, "callback": self.callback, "verdict": self.verdict}
        if self.pruning is None or self.check is None:
            return data | {"problem": self.problem}
        found, pruning = self.check.difference, self.pruning
        data |= {
            "outcome": pruning.outcome,
            "nodes_before": pruning.raw_nodes,
            "nodes_after": pruning.kept_nodes,
            "reduction": round(pruning.reduction, 4),
            "error": repr(self.check.pruned.error) if self.check.failed_pruned else None,
            "without_pruning": _outputs(self.check.original.forms),
            "with_pruning": _outputs(self.check.pruned.forms),
            "lost_items": [form.fields for form in found.lost],
            "changed_items": [_change(change, self.explanation) for change in found.changed],
            "extra_items": [form.fields for form in found.extra],
            "lost_requests": [form.fields for form in found.lost_requests],
            "changed_requests": [_change(change, self.explanation) for change in found.changed_requests],
            "queries": [
                _query(query, heard, self.check) for query, heard in pruning.asked.queries.as_written()
            ],
        }
        if self.explanation is not None:
            data |= {
                "missing": list(_missing(self.explanation)),
                "setting": {"TPS_KEEP": list(self.explanation.keep)} if self.explanation.keep else None,
                "setting_works": self.explanation.works,
            }
        return data


def _selectors(pruning: Pruning, check: PageCheck) -> Iterable[str]:
    """The selectors of the callback: what each of them found where."""
    queries = list(pruning.asked.queries.as_written())
    if not queries:
        return
    width = min(max(len(query) for query, _ in queries), QUERY_WIDTH)
    yield "  selectors:"
    for query, heard in queries:
        hint = ""
        if _only_without(query, heard, check):
            hint = "; without pruning it finds something" + ("" if pruning.ask else " (TPS_ASK is off)")
        yield f"    {query:{width}}  {heard}{hint}"


def _query(query: str, heard: SelectorUse, check: PageCheck) -> dict[str, Any]:
    return {
        "query": query,
        "asked": heard.asked,
        "found": heard.found,
        "original": heard.original,
        "partly": heard.partly,
        "left": heard.left,
        "nothing": heard.nothing,
        "only_without_pruning": _only_without(query, heard, check),
        "removed": [{"xpath": xpath, "rule": rule} for xpath, rule in heard.places.items()],
    }


def _only_without(query: str, heard: SelectorUse, check: PageCheck) -> bool:
    """Whether a query that found nothing found something in the callback's run on the original."""
    if check.whole is None or heard.found or heard.original:
        return False
    whole = dict(check.whole.queries.as_written()).get(query)
    return whole is not None and whole.found > 0


def _outputs(forms: Sequence[Form]) -> dict[str, Any]:
    return {
        "items": [form.fields for form in forms if form.kind != REQUEST],
        "requests": [form.fields.get("url") for form in forms if form.kind == REQUEST],
    }


def _change(change: Change, explanation: Explanation | None) -> dict[str, Any]:
    places = explanation.places(change.original) if explanation is not None else {}
    return {
        "without_pruning": change.original.fields,
        "with_pruning": change.pruned.fields,
        "fields": list(change.fields),
        "changes": {
            name: {
                "without_pruning": change.original.fields.get(name),
                "with_pruning": change.pruned.fields.get(name),
                **_place(places.get(name)),
            }
            for name in change.fields
        },
    }


def _place(place: Place | None) -> dict[str, Any]:
    return {
        "xpath": place.xpath if place else None,
        "removed": place.removed if place else None,
        "reason": place.reason if place else None,
        "rule": place.rule if place else None,
    }


def _missing(explanation: Explanation) -> Iterable[dict[str, Any]]:
    for output in explanation.outputs:
        for one in output.missing:
            yield {"what": output.what, "field": one.field, "value": one.value, **_place(one.place)}


def _side_by_side(check: PageCheck, explanation: Explanation | None) -> Iterable[str]:
    found = check.difference
    changed = {id(change.original): change for change in found.changed}
    lost = {id(form) for form in found.lost}
    items = [form for form in check.original.forms if form.kind != REQUEST]
    equal = [form for form in items if id(form) not in lost and id(form) not in changed]
    if items or found.extra:
        yield f"    {'without pruning':{WIDTH}} with pruning"
    for form in equal[:EQUAL_SHOWN]:
        yield f"  = {shown(form.fields):{WIDTH}} the same"
    if len(equal) > EQUAL_SHOWN:
        yield f"  = {len(equal) - EQUAL_SHOWN:,} more are the same"
    for form in items:
        if id(form) in lost:
            yield f"  - {shown(form.fields):{WIDTH}} missing"
        elif change := changed.get(id(form)):
            yield f"  ~ {shown(form.fields):{WIDTH}} {shown(change.pruned.fields)}"
            yield from _changes(change, explanation)
    for form in found.extra:
        yield f"  + {'':{WIDTH}} {shown(form.fields)}"
    for form in found.lost_requests:
        yield f"  - {shown(form.fields.get('url')):{WIDTH}} missing"
    for change in found.changed_requests:
        yield f"  ~ {shown(change.original.fields.get('url'))}"
        yield from _changes(change, explanation)


def _changes(change: Change, explanation: Explanation | None) -> Iterable[str]:
    """The fields of an item or request that changed, each with the place that its value was in."""
    places = explanation.places(change.original) if explanation is not None else {}
    for name, before, after in changed_values(change):
        place = places.get(name)
        where = f"  (was in {place.xpath}, removed with {place.removed})" if place is not None else ""
        yield f"      {name}: {before} -> {after}{where}"


def to_text(pages: Sequence[PageReport]) -> str:
    """All pages for people, with a line on all of them."""
    counts = {name: sum(page.verdict == name for page in pages) for name in (SAME, LOSS, UNCHECKED)}
    total = (
        f"{counted(len(pages), 'page')}: {counts[SAME]} the same with and without pruning, "
        f"{counts[LOSS]} lost something, {counts[UNCHECKED]} not checked"
    )
    return "\n".join([*(page.text() for page in pages), total]) + "\n"


def to_json(spider: str, pages: Sequence[PageReport]) -> str:
    """All pages as one JSON object."""
    data = {"spider": spider, "exit_status": exit_status(pages), "pages": [page.to_dict() for page in pages]}
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def exit_status(pages: Sequence[PageReport]) -> int:
    """1 where a page lost something, else 2 where one could not be checked, else 0."""
    verdicts = {page.verdict for page in pages}
    return 1 if LOSS in verdicts else 2 if UNCHECKED in verdicts or not pages else 0
