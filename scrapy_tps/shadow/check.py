"""The check of one page: two runs of its callback, on the pruned page and on the original, compared and explained."""

from __future__ import annotations

import logging
import sys
from contextlib import aclosing
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy.http import Request
from scrapy.utils.asyncio import run_in_thread

from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.shadow.differences import (
    REQUEST,
    Change,
    Form,
    compare,
    independent,
    item_form,
    request_form,
    values,
    volatile,
)
from scrapy_tps.shadow.locate import Place, RemovedParts
from scrapy_tps.shadow.runs import MOST_OUTPUTS, Output, Run, Visit, awaited, outputs_of
from scrapy_tps.stats.error_isolation import LOG, stats_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator, Mapping

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from scrapy_tps.engine.fallback.usage import SelectorUse
    from scrapy_tps.engine.pruned_page import Pruning
    from scrapy_tps.shadow.differences import Difference, Ignored

logger = logging.getLogger(__name__)

#: The module of scrapy-poet's downloader middleware; loaded if a project uses it.
_POET = "scrapy_poet.downloadermiddlewares"

#: The number of outputs of each kind, and of values of an output, to search for: they mostly share a cause.
MOST_SEARCHED = 20
MOST_VALUES = 12

#: The number of remembered fields that differ between two runs on the same page.
MOST_VOLATILE = 1000


@dataclass(frozen=True, slots=True)
class Missing:
    """A value that is missing from the results of the pruned page.

    :ivar what: ``lost``, ``changed``, ``lost request`` or ``changed request``: the fate of its output.
    :ivar form: that output, from the original; `field`: its field that had the value.
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

    missing: list[Missing]
    remedies: list[tuple[str, ...]]
    keep: tuple[str, ...]
    works: bool | None = None

    def places_of(self, form: Form) -> dict[str, Place]:
        """Return the place of each field of an output; of several values, the first one found."""
        return {one.field: one.place for one in reversed(self.missing) if one.form is form and one.place}


def explain(difference: Difference, pruning: Pruning, ignored: Ignored = frozenset()) -> Explanation:
    """Search the parts removed by `pruning` for the values missing in `difference`.

    :param ignored: (kind, field) pairs that were not compared.

    Raises ``ValueError`` if the original's bytes were dropped.
    """
    parts = RemovedParts(pruning)
    outputs = [
        list(_missing(fate + noun, output, parts, ignored))
        for noun, losses in zip(("", " request"), difference, strict=True)
        for fate, found in (("lost", losses.lost), ("changed", losses.changed))
        for output in found[:MOST_SEARCHED]
    ]
    remedies = parts.remedies([[one.place for one in missing if one.place] for missing in outputs])
    keep = remedies[0] if remedies else ()
    return Explanation([one for missing in outputs for one in missing], remedies, keep)


def _missing(what: str, output: Form | Change, parts: RemovedParts, ignored: Ignored) -> Iterator[Missing]:
    names: Iterable[str]
    if isinstance(output, Change):
        form, there, names = output.original, output.pruned.fields, output.fields
    else:
        form, there, names = output, {}, output.compared(ignored)
        if form.identity is not None:  # only these data of a request come from the page
            names = [name for name in names if name == "url" or name.startswith("cb_kwargs.")]
    wanted = [
        (name, value)
        for name in names
        for value in values(form.fields.get(name))
        if value not in values(there.get(name))
    ][:MOST_VALUES]
    # the longest value is the least likely to occur elsewhere
    anchor = max((value for _, value in wanted), key=lambda value: len(str(value)), default=None)
    near = parts.find(anchor) if anchor is not None else None
    for name, value in wanted:
        place = parts.find(value, near.index if near else None)
        if place or value != parts.url:  # spiders have the page's address from the response
            yield Missing(what, form, name, value, place)


@dataclass(slots=True)
class PageCheck:
    """The two runs on a page, their differences, and the causes.

    :ivar whole: the results of selectors in the run on the original; empty if that was not run.
    :ivar ignored: (kind, field) pairs that are not compared; `paths`: addresses of requests that are not.
    :ivar volatile: whether some of these differed between two runs on the original.
    :ivar remembers: whether a second run on the original gave less, as in spiders that yield nothing twice; also True
        if unknown.
    """

    visit: Visit
    pruned: Run
    original: Run
    difference: Difference
    whole: Mapping[str, SelectorUse] = field(default_factory=dict)
    ignored: Ignored = frozenset()
    paths: frozenset[str] = frozenset()
    volatile: bool = False
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
        counts = {"errors": int(self.failed_pruned)}
        for what, losses in self.difference._asdict().items():
            counts |= {f"lost_{what}": len(losses.lost), f"changed_{what}": len(losses.changed)}
        return counts

    def selectors(self) -> Iterator[tuple[str, SelectorUse, int]]:
        """Return for each selector of the callback what it found where, and how much more often without pruning."""
        for selector, use in self.visit.response.tps.selector_usage.selectors.items():
            whole = self.whole.get(selector, use)
            yield selector, use, max(0, whole.found - use.found - use.original)

    def made_good(self) -> Run:
        """Return the original's run, with outputs of the pruned page alone if these are not mistakes.

        If a spider remembers its outputs, the original's run has only the items that the pruned page lacked: then all
        items of both are passed on. Requests from the pruned page alone are always passed on. One output too many costs
        less than one too few.
        """
        items, requests = self.difference
        wanted = {id(form) for form in [*requests.extra, *(items.extra if self.remembers else ())]}
        also = [output for output in self.pruned.outputs if id(output.form) in wanted]
        return Run([*self.original.outputs, *also], self.original.error)


class Checker:
    """Runs callbacks of a crawl on pages other than those passed by Scrapy; compares and explains their outputs.

    :ivar ignored: (kind, field) pairs that are not compared: ``TPS_SHADOW_IGNORE``, and those that change by
        themselves, up to :data:`MOST_VOLATILE`.
    """

    def __init__(self, crawler: Crawler) -> None:
        assert crawler.request_fingerprinter is not None
        self._fingerprinter = crawler.request_fingerprinter
        self._stats = stats_of(crawler)
        self._poet = _poet_of(crawler)
        ignored = crawl_setting(crawler.settings, "TPS_SHADOW_IGNORE")
        self.ignored: Ignored = frozenset(("", name) for name in ignored)

    def form(self, output: Any) -> Form:
        """Return the form of an output, with the crawl's own fingerprints of requests.

        An output that cannot be described (for example, an item whose properties raise) equals any other of its type.
        """
        is_request = isinstance(output, Request)
        try:
            if is_request:
                return request_form(output, self._fingerprinter.fingerprint(output).hex())
            return item_form(output)
        except Exception:  # the output is the spider's, and is passed on in any case
            with self._stats.guard(LOG):
                kind = type(output).__name__
                logger.debug("An output of type %s cannot be described", kind, exc_info=True)
            self._stats.inc_value("tps/shadow/not_described")
            return Form(REQUEST, {}, output.url) if is_request else Form(type(output).__name__, {})

    def held(self, output: Any) -> Output:
        """Return the output with its current data."""
        return Output(output, self.form(output), independent(output))

    def settled(self, run: Run) -> Iterator[Any]:
        """Yield the outputs of a run as the callback yielded them: a copy if it has changed one since."""
        for one in run.outputs:
            unchanged = one.copy is one.value or self.form(one.value) == one.form
            yield one.value if unchanged else one.copy

    async def outputs(self, callback: Callable[..., Any], response: Response) -> AsyncGenerator[Any, None]:
        """Yield the outputs of a callback for a page, whose request has the other inputs.

        If scrapy-poet is in use, it makes the page objects from this page. Raises what their providers raise, and
        ``ValueError`` if one would download the page again.
        """
        request = response.request
        assert request is not None
        if self._poet is not None:
            made = self._poet.process_response(request=request, response=response)
            if isinstance(await awaited(made), Request):
                raise ValueError(f"a page object of {response} wants it downloaded again")
        async with aclosing(outputs_of(callback, response, **request.cb_kwargs)) as outputs:
            async for output in outputs:
                yield output

    async def run(self, callback: Callable[..., Any], response: Response) -> Run:
        async with aclosing(self.outputs(callback, response)) as outputs:
            return await self.hold(outputs)

    async def hold(self, outputs: AsyncIterator[Any]) -> Run:
        """Take outputs up to the end or to :data:`MOST_OUTPUTS`; an exception ends in the run."""
        run = Run()
        try:
            async for output in outputs:
                run.outputs.append(self.held(output))
                if len(run.outputs) >= MOST_OUTPUTS:
                    break
        except Exception as error:  # any exception of a spider: the caller decides about it
            run.error = error
        return run

    async def check(self, visit: Visit, pruned: Run) -> PageCheck:
        """Run the callback on the original, and compare the results with those of the pruned page. A page that was not
        pruned is its own original.

        If there are losses, the callback runs on the original once more, to find values that change by themselves:
        clocks, counters, random numbers.

        Raises ``ValueError`` if the original's bytes were dropped, or the callback yields too much to be held.
        """
        check = PageCheck(visit, pruned, pruned, compare(pruned.forms, pruned.forms), ignored=self.ignored)
        if not visit.response.tps.pruned:
            return check
        whole = visit.whole()
        check.original = await self.run(visit.callback, whole)
        if len(check.original.outputs) >= MOST_OUTPUTS:
            raise ValueError(f"the callback gave {MOST_OUTPUTS} outputs or more")
        check.whole = whole.tps.selector_usage.selectors
        check.difference = check.compared(pruned)
        if not check.difference.costs:
            return check
        control = await self.run(visit.callback, visit.whole())
        if control.error is not None:
            return check
        fields, check.paths = volatile(check.compared(control))
        # a field that the pruned page left empty did not change by itself
        fields &= {(one.original.kind, name) for one in check.difference.changed for name in one.fields}
        check.volatile = bool(fields or check.paths)
        check.ignored |= fields
        if len(self.ignored) < MOST_VOLATILE:
            self.ignored = check.ignored
        check.difference = check.compared(pruned)
        check.remembers = bool(check.compared(control).items.lost)
        return check

    async def explain(self, check: PageCheck) -> None:
        """Find the removed parts that held the missing values, and the narrowest setting with which nothing is lost.

        If no remedy is enough, the widest is the one to start from. If the search fails, the loss is still reported.
        """
        pruning = check.visit.response.tps
        try:
            found = await run_in_thread(explain, check.difference, pruning, check.ignored)
            check.explanation = found
            for keep in found.remedies:
                found.keep, found.works = keep, await self._works(check, found, keep)
                if found.works:
                    break
        except Exception as error:  # spiders and strategies may raise anything
            with self._stats.guard(LOG):
                logger.debug("The cause of a loss was not found", exc_info=error)

    async def _works(self, check: PageCheck, found: Explanation, keep: tuple[str, ...]) -> bool:
        """Whether nothing is lost with a remedy; if the spider yields nothing twice: whether the values stay."""
        page = await run_in_thread(check.visit.kept, keep)
        if check.remembers:
            places = [one.place.index for one in found.missing if one.place]
            return not page.tps.pruned or all(page.tps._mask[index] for index in places if index >= 0)
        run = await self.run(check.visit.callback, page)
        return run.error is None and not check.compared(run).costs


def _poet_of(crawler: Crawler) -> Any:
    """Return scrapy-poet's middleware without its cache; None if it is not in use.

    It has put page objects made from the pruned page into ``cb_kwargs``; a second run with those would not see the
    original. The key of its cache (SCRAPY_POET_CACHE) is the request, so it would return the pruned page again.
    """
    middleware_class = getattr(sys.modules.get(_POET), "InjectionMiddleware", None)
    middleware: Any = crawler.get_downloader_middleware(middleware_class) if middleware_class else None
    if middleware is not None:
        middleware = copy(middleware)
        middleware.injector = copy(middleware.injector)
        middleware.injector.cache = {}
    return middleware
