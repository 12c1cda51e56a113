"""One page checked: its callback's runs on the pruned page and on the original, compared."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from scrapy_tps.engine.prune import prune_page
from scrapy_tps.response import pruned_class
from scrapy_tps.shadow.comparison import Difference, Ignored, compare, request_path, volatile
from scrapy_tps.shadow.forms import REQUEST, Form
from scrapy_tps.shadow.runs import MOST_OUTPUTS, Inputs, Run, Runner, whole_page

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy.http import TextResponse

    from scrapy_tps.engine.fallback.usage import Fallbacks
    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.pruning import Pruning
    from scrapy_tps.response import PrunedMixin
    from scrapy_tps.shadow.explain import Explanation


@dataclass(slots=True)
class PageCheck:
    """The two runs over a page and how they differ.

    :ivar volatile: (kind, field) pairs that were found to differ between two runs over the original;
        ``difference`` leaves them out.
    :ivar volatile_paths: the same for the addresses of requests.
    :ivar whole: what was asked of the original.
    :ivar remembers: whether the callback, run over the original again, gave less, as spiders do that give
        nothing twice; None where that was not tried.
    """

    pruned: Run
    original: Run
    difference: Difference
    volatile: Ignored = field(default=frozenset())
    volatile_paths: frozenset[str] = frozenset()
    remembers: bool | None = None
    whole: Fallbacks | None = None

    @property
    def failed_pruned(self) -> bool:
        """Whether the callback raised an exception on the pruned page only."""
        return self.pruned.error is not None and self.original.error is None

    @property
    def costs(self) -> bool:
        """Whether pruning lost or changed anything."""
        return self.difference.costs or self.failed_pruned

    def losses(self) -> dict[str, int]:
        """The losses by kind; the names are those of the stats and alarms."""
        found = self.difference
        return {
            "lost_items": len(found.lost),
            "changed_items": len(found.changed),
            "lost_requests": len(found.lost_requests),
            "changed_requests": len(found.changed_requests),
            "errors": int(self.failed_pruned),
        }

    def summary(self) -> str:
        """The losses, in one line."""
        found, losses = self.difference, self.losses()
        parts = [
            f"{losses['lost_items']} of {found.items} items lost, {losses['changed_items']} changed",
            f"{losses['lost_requests']} of {found.requests} requests lost, {losses['changed_requests']} changed",
        ]
        return "; ".join(parts) + ("; the callback failed" if self.failed_pruned else "")

    def made_good(self) -> Run:
        """Return the original's run, with what only the pruned page gave where that is no mistake of its own.

        If a spider remembers what it has given, the original's run has only the items that the pruned page lacked:
        then all items of both go on. If that was not tried, runs that share not one item tell it. Requests that only
        the pruned page gave always go on: one too many costs less than one too few.
        """
        remembers = self.remembers
        if remembers is None:
            given = {form.key() for form in self.original.forms}
            remembers = not any(form.kind != REQUEST and form.key() in given for form in self.pruned.forms)
        extra = {
            id(form)
            for form in self.difference.extra_requests
            if request_path(form) not in self.volatile_paths
        }
        if remembers:
            extra |= {id(form) for form in self.difference.extra}
        also = [output for output in self.pruned.outputs if id(output.form) in extra]
        return Run([*self.original.outputs, *also], self.original.error)


async def check_page(
    response: PrunedMixin,
    inputs: Inputs,
    callback: Callable[..., Any],
    pruned: Run,
    *,
    runner: Runner,
    ignored: Ignored,
) -> PageCheck:
    """Run `callback` on the original of `response` and compare what it gives with the run on the pruned page.

    If they differ, the callback runs on the original once more, to find what differs by itself: clocks,
    counters, random numbers.

    Raises ``ValueError`` where the original's bytes were dropped.
    """
    whole = whole_page(response, inputs.request())
    original = await runner.run(callback, whole)
    if len(original.outputs) >= MOST_OUTPUTS:
        raise ValueError(f"the callback gave {MOST_OUTPUTS} outputs or more")
    difference = compare(_comparable(original, response), _comparable(pruned, response), ignored)
    check = PageCheck(pruned, original, difference, whole=whole.tps.asked)
    if not difference.costs:
        return check
    control = await runner.run(callback, whole_page(response, inputs.request()))
    if control.error is not None:
        return check
    found = volatile(_comparable(original, response), _comparable(control, response), ignored)
    # a field that the pruned page left empty did not differ by itself
    changes = [*difference.changed, *difference.changed_requests]
    differs = {(change.original.kind, name) for change in changes for name in change.fields}
    check.volatile = found.fields & differs
    ignored |= check.volatile
    check.difference = compare(_comparable(original, response), _comparable(pruned, response), ignored)
    check.difference.lost_requests = [
        form for form in check.difference.lost_requests if request_path(form) not in found.paths
    ]
    check.volatile_paths = found.paths
    again = compare(_comparable(original, response), _comparable(control, response), ignored)
    check.remembers = bool(again.lost)
    return check


def try_to_keep(explanation: Explanation, response: PrunedMixin, settings: PageSettings) -> None:
    """Prune the page once more with each remedy, until with one all places of missing values stay.

    No callback runs. If none is enough, the widest is the one to start from.
    """
    original = response.original
    places = {
        one.place.index
        for output in explanation.outputs
        for one in output.missing
        if one.place is not None and one.place.index >= 0
    }
    for keep in explanation.remedies:
        again = _pruned_with(keep, original, settings)
        explanation.keep = keep
        explanation.stays = bool(places) and (not again.pruned or all(again.mask[place] for place in places))
        if explanation.stays:
            return


def _pruned_with(keep: Sequence[str], original: TextResponse, settings: PageSettings) -> Pruning:
    """The page as downloaded, pruned with these selectors kept besides."""
    return prune_page(
        original.body,
        original.text,
        replace(settings, keep=(*settings.keep, *keep)),
        url=original.url,
        encoding=original.encoding,
    )


def _comparable(run: Run, response: PrunedMixin) -> list[Form]:
    """The forms of a run, without the requests of rules that are to follow the links of the pruned page only."""
    if response.tps.links == "original":
        return run.forms
    return [form for form in run.forms if "meta.rule" not in form.fields]


async def try_remedies(
    explanation: Explanation,
    check: PageCheck,
    response: PrunedMixin,
    inputs: Inputs,
    callback: Callable[..., Any],
    *,
    runner: Runner,
    settings: PageSettings,
    ignored: Ignored,
) -> None:
    """Run `callback` on the page as it is pruned with each remedy, until with one it loses nothing.

    If none is enough, the widest is the one to start from. A callback that gives nothing at all, because
    it remembers what it gave before, tells nothing.

    :param settings: the settings that held for the page.
    """
    original = response.original
    for keep in explanation.remedies:
        pruning = _pruned_with(keep, original, settings)
        again = pruned_class(response.base_class).from_response(original, pruning)
        again.request = inputs.request()
        run = await runner.run(callback, again)
        left = compare(
            _comparable(check.original, response), _comparable(run, response), ignored | check.volatile
        )
        still_lost = [form for form in left.lost_requests if request_path(form) not in check.volatile_paths]
        explanation.keep = keep
        explanation.works = run.error is None and not (
            left.costs_items or left.changed_requests or still_lost
        )
        if explanation.works:
            return
        if not run.outputs and run.error is None:
            explanation.works = None
            return
