"""The check of one page: two runs of its callback, on the pruned page and on the original, compared and explained."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy.utils.asyncio import run_in_thread

from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.shadow.differences import Change, Difference, compare, values, volatile
from scrapy_tps.shadow.locate import Place, RemovedParts
from scrapy_tps.shadow.runs import MOST_OUTPUTS, Run, Runner, Visit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler

    from scrapy_tps.engine.fallback.usage import Fallbacks, SelectorUse
    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.pruned_page import Pruning
    from scrapy_tps.shadow.differences import Form, Ignored

#: The number of outputs of each kind, and of values of an output, to search for: they mostly share a cause.
MOST_SEARCHED = 20
MOST_VALUES = 12


@dataclass(frozen=True, slots=True)
class Missing:
    """A value that is missing from the results of the pruned page.

    :ivar what: ``lost``, ``changed``, ``lost request`` or ``changed request``: the fate of its output.
    :ivar form: that output, from the original.
    :ivar field: its field that had the value.
    :ivar place: its place, or None if no removed part holds it.
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
    :ivar keep: the remedy that was tried last, or is to be tried first; empty if there is none.
    :ivar works: whether the callback loses nothing with it; None if it was not tried.
    """

    missing: list[Missing] = field(default_factory=list)
    remedies: list[tuple[str, ...]] = field(default_factory=list)
    keep: tuple[str, ...] = ()
    works: bool | None = None

    def places_of(self, form: Form) -> dict[str, Place]:
        """Return the place of each field of an output; of several values, the first one found."""
        found = [one for one in self.missing if one.form is form]
        return {one.field: one.place for one in reversed(found) if one.place}


def explain(difference: Difference, pruning: Pruning, ignored: Ignored = frozenset()) -> Explanation:
    """Search the parts removed by `pruning` for the values missing in `difference`.

    :param ignored: (kind, field) pairs that were not compared.

    Raises ``ValueError`` if the original's bytes were dropped.
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
            # only these data of a request come from the page
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
    # the longest value is the least likely to occur elsewhere
    anchor = max((value for _, value in wanted), key=lambda value: len(str(value)), default=None)
    near = parts.find(anchor) if anchor is not None else None
    for name, value in wanted:
        place = parts.find(value, near.index if near else None)
        if place or value != parts.url:  # spiders have the page's address from the response
            yield Missing(what, form, name, value, place)


#: The number of remembered fields that differ between two runs on the same page.
MOST_VOLATILE = 1000


@dataclass(slots=True)
class PageCheck:
    """The two runs on a page, their differences, and the causes.

    :ivar whole: the results of selectors in the run on the original; None if that was not run.
    :ivar ignored: (kind, field) pairs that are not compared; `paths`: addresses of requests that are not.
    :ivar volatile: those of `ignored` that differed between two runs on the original.
    :ivar remembers: whether a second run on the original gave less, as in spiders that yield nothing twice; also True
        if unknown.
    :ivar explanation: None until :meth:`Checker.explain` is called.
    """

    visit: Visit
    pruned: Run
    original: Run
    difference: Difference
    whole: Fallbacks | None = None
    ignored: Ignored = frozenset()
    paths: frozenset[str] = frozenset()
    volatile: Ignored = field(default=frozenset())
    remembers: bool = True
    explanation: Explanation | None = None

    @property
    def failed_pruned(self) -> bool:
        """Whether the callback raised an exception on the pruned page only."""
        return self.pruned.error is not None and self.original.error is None

    @property
    def costs(self) -> bool:
        """Whether pruning lost or changed anything."""
        return self.difference.costs or self.failed_pruned

    def compared(self, run: Run) -> Difference:
        """Return the losses of a run relative to the run on the original.

        Requests of rules that follow only the links of the pruned page are ignored.
        """
        original, forms = self.original.forms, run.forms
        if self.visit.response.tps._settings.links != "original":
            original = [form for form in original if "meta.rule" not in form.fields]
            forms = [form for form in forms if "meta.rule" not in form.fields]
        return compare(original, forms, self.ignored, self.paths)

    def losses(self) -> dict[str, int]:
        """Return the losses by kind; the names are those of the stats and alarms."""
        items, requests = self.difference.items, self.difference.requests
        return {
            "lost_items": len(items.lost),
            "changed_items": len(items.changed),
            "lost_requests": len(requests.lost),
            "changed_requests": len(requests.changed),
            "errors": int(self.failed_pruned),
        }

    def selectors(self) -> Iterator[tuple[str, SelectorUse, int]]:
        """Return for each selector of the callback what it found where, and how much more often without pruning."""
        whole = {} if self.whole is None else self.whole.selectors
        for query, use in self.visit.response.tps.selector_usage.selectors.items():
            more = whole[query].found - use.found - use.original if query in whole else 0
            yield query, use, max(0, more)

    def made_good(self) -> Run:
        """Return the original's run, with outputs of the pruned page alone if these are not mistakes.

        If a spider remembers its outputs, the original's run has only the items that the pruned page lacked: then all
        items of both are passed on. Requests from the pruned page alone are always passed on. One output too many costs
        less than one too few.
        """
        found = self.difference
        extra = [*found.requests.extra, *(found.items.extra if self.remembers else ())]
        wanted = {id(form) for form in extra}
        also = [output for output in self.pruned.outputs if id(output.form) in wanted]
        return Run([*self.original.outputs, *also], self.original.error)


class Checker(Runner):
    """Compares the outputs of callbacks for pruned pages with those for the originals, and explains losses.

    :ivar ignored: (kind, field) pairs that are not compared: ``TPS_SHADOW_IGNORE``, and those that change by
        themselves, up to :data:`MOST_VOLATILE`.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.ignored: Ignored = frozenset(
            ("", name) for name in crawl_setting(crawler.settings, "TPS_SHADOW_IGNORE")
        )

    async def check(self, visit: Visit, pruned: Run) -> PageCheck:
        """Run the callback on the original, and compare the results with those of the pruned page. A page that was not
        pruned is its own original.

        If there are losses, the callback runs on the original once more, to find values that change by themselves:
        clocks, counters, random numbers.

        Raises ``ValueError`` if the original's bytes were dropped, or the callback yields too much to be held.
        """
        if not visit.response.tps.pruned:
            return PageCheck(visit, pruned, pruned, compare(pruned.forms, pruned.forms))
        whole = visit.whole()
        original = await self.run(visit.callback, whole)
        if len(original.outputs) >= MOST_OUTPUTS:
            raise ValueError(f"the callback gave {MOST_OUTPUTS} outputs or more")
        check = PageCheck(visit, pruned, original, Difference(), whole.tps.selector_usage, self.ignored)
        check.difference = check.compared(pruned)
        if not check.difference.costs:
            return check
        control = await self.run(visit.callback, visit.whole())
        if control.error is not None:
            return check
        fields, check.paths = volatile(check.compared(control))
        # a field that the pruned page left empty did not change by itself
        changes = [*check.difference.items.changed, *check.difference.requests.changed]
        check.volatile = fields & {(one.original.kind, name) for one in changes for name in one.fields}
        check.ignored |= check.volatile
        if len(self.ignored) < MOST_VOLATILE:
            self.ignored = check.ignored
        check.difference = check.compared(pruned)
        check.remembers = bool(check.compared(control).items.lost)
        return check

    async def explain(self, check: PageCheck, settings: PageSettings) -> Explanation:
        """Find the removed parts that held the missing values, and the narrowest setting with which nothing is lost.

        With each remedy the page is pruned again, in a thread, and the callback runs on it. If none is enough, the
        widest is the one to start from. If the spider yields nothing twice, a remedy works if the missing values stay
        on the page.

        :param settings: the settings of the page.
        """
        visit = check.visit
        explanation = await run_in_thread(explain, check.difference, visit.response.tps, check.ignored)
        for keep in explanation.remedies:
            page = await run_in_thread(visit.kept, keep, settings)
            explanation.keep = keep
            if check.remembers:
                places = [one.place.index for one in explanation.missing if one.place]
                mask = page.tps._mask
                explanation.works = not page.tps.pruned or all(mask[index] for index in places if index >= 0)
            else:
                run = await self.run(visit.callback, page)
                explanation.works = run.error is None and not check.compared(run).costs
            if explanation.works:
                break
        check.explanation = explanation
        return explanation
