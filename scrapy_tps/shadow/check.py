"""The check of one page: runs of its callback, of any kind, on the pruned page and on the original, compared."""

from __future__ import annotations

import inspect
import logging
import random
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from scrapy.http import Request
from scrapy.utils.asyncgen import as_async_generator
from scrapy.utils.asyncio import run_in_thread
from scrapy.utils.defer import ensure_awaitable
from scrapy.utils.misc import arg_to_iter

from scrapy_tps.engine.pruned_page import page_of
from scrapy_tps.response import prune_response
from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.shadow.copies import CallbackState
from scrapy_tps.shadow.differences import REQUEST, UNKNOWN, Form, compare, item_form, request_form, volatile
from scrapy_tps.shadow.sites import read_whole
from scrapy_tps.stats.aggregation import figures_of
from scrapy_tps.stats.coverage import RECORD_ITEM, callback_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from scrapy.crawler import Crawler

    from scrapy_tps.engine.fallback.usage import SelectorUse
    from scrapy_tps.response import PrunedMixin
    from scrapy_tps.shadow.differences import Difference, Ignored
    from scrapy_tps.shadow.locate import LossExplanation, Place

logger = logging.getLogger(__name__)

#: Whether a further run of a callback is under way.
_FURTHER: ContextVar[bool] = ContextVar("further", default=False)

#: The most outputs of a page that are compared.
MOST_OUTPUTS = 10_000

#: The most settings that are tried to find the removed parts that a callback needs. Halving a hundred parts takes seven
#: for each needed one.
MOST_TRIES = 24

#: The most parts that are kept for a callback: one that needs more needs the whole page.
MOST_KEPT = 6


#: What items and requests of :mod:`scrapy_tps.spiders` say about a list, which depends on the rest of the page.
_OF_LISTS: Ignored = frozenset({(RECORD_ITEM, "confidence"), (REQUEST, "meta.tps_listing_kind")})


@cache  # once in a process
def _log_further_runs_as_debug() -> None:
    """Make messages of further runs count as DEBUG: a callback that fails there, and says so, has not failed."""
    make = logging.getLogRecordFactory()

    def factory(name: str, level: int, *args: Any, **kwargs: Any) -> logging.LogRecord:
        return make(name, min(level, logging.DEBUG) if _FURTHER.get() else level, *args, **kwargs)

    logging.setLogRecordFactory(factory)


@dataclass(slots=True)
class Run:
    """The forms of a callback's outputs, the attributes of the spider that it changed, and the exception that ended it,
    if any."""

    forms: list[Form] = field(default_factory=list)
    changes: dict[str, Any] = field(default_factory=dict)
    error: Exception | None = None


class Visit:
    """A pruned page, its callback, and the data of request and spider from before the callback changed them.

    :ivar checked: whether it is compared with the page without pruning; otherwise only the text is as downloaded.
    :ivar passed_on: the number of first outputs that are not compared: they were passed on before the callback read the
        text.
    :ivar tells_changes: whether the changes of the spider's attributes are among the forms of further runs.
    :ivar random: the state of Python's random numbers: of three user agents, two further runs often draw one alike.
        None for a callback that waits, because others draw meanwhile.
    """

    def __init__(
        self, response: PrunedMixin, request: Request, callback: Callable[..., Any], *, checked: bool = False
    ) -> None:
        self.response, self.callback, self.checked = response, callback, checked
        self.name = callback_name(request)
        self.passed_on = 0
        self.tells_changes = False
        self._untouched = response.unread()  # with the attributes from before
        self._request = request
        self._texts = response.tps.selector_usage.texts  # page objects have read it before
        self._carried = {"cb_kwargs": dict(request.cb_kwargs), "meta": dict(request.meta)}
        self._state: CallbackState | None = None
        self._uncopied: Exception | None = None
        waits = inspect.iscoroutinefunction(callback) or inspect.isasyncgenfunction(callback)
        self.random = None if waits else random.getstate()
        try:
            self._state = CallbackState(callback, self._carried)
        except Exception as error:  # items and callbacks are the spider's, and may do anything
            self._uncopied = error

    def further_callback(self) -> Callable[..., Any]:
        """Return the callback for a further run: that of a copy of its owner.

        Raises ``ValueError`` if data of the request or the callback cannot be copied, or was not, and has changed.
        """
        if self._state is None:
            raise ValueError(f"data of the callback cannot be copied: {self._uncopied}") from self._uncopied
        return self._state.further()

    def changes(self, run: tuple[Callable[..., Any], Request | None] | None = None) -> dict[str, Any]:
        """Return what the crawl's run of the callback has changed, or a further run, by its callback and request."""
        return {} if self._state is None else self._state.changes(*(run or (self.callback, self._request)))

    @property
    def reads(self) -> int:
        """How often the callback has read the page's text."""
        return self.response.tps.selector_usage.texts - self._texts

    def request(self) -> Request:
        """Return the request as it was, with its own copy of the data, if that can be copied."""
        carried = self._carried if self._state is None else self._state.carried()
        request: Request = self._request.replace(**carried)
        return request

    def unread(self) -> PrunedMixin:
        """Return the page with the tree that the crawl's run of the callback may have changed; it costs nothing."""
        page = self._untouched.unread()
        page.request = self.request()
        return page

    def kept(self, keep: Sequence[str]) -> PrunedMixin:
        """Return the page pruned with these selectors kept in addition."""
        return self._page(keep=(*page_of(self.response.tps).settings.keep, *keep))

    def original(self) -> PrunedMixin:
        """Return the page that the pruned one is compared with.

        Raises ``ValueError`` if its bytes were dropped.
        """
        if self.checked:
            return self._page(enabled=False, switch="TPS_SHADOW")
        page = self.kept(())
        page.tps.selector_usage.on_text = read_whole
        return page

    def _page(self, **settings: Any) -> PrunedMixin:
        page = prune_response(self._untouched, replace(page_of(self.response.tps).settings, **settings))
        page.request = self.request()
        return page


@dataclass(slots=True)
class PageCheck:
    """The two runs on a page, their differences, and the causes.

    :ivar whole: the results of selectors in the run on the original; empty if that was not run.
    :ivar ignored: what is not compared.
    :ivar remembers: whether a second run on the same page gave less, as in spiders that yield nothing twice; also True
        if unknown.
    """

    visit: Visit
    pruned: Run
    original: Run
    difference: Difference
    whole: Mapping[str, SelectorUse] = field(default_factory=dict)
    ignored: Ignored = frozenset()
    remembers: bool = True
    explanation: LossExplanation | None = None

    @property
    def failed_pruned(self) -> bool:
        """Whether the callback raised an exception on the pruned page only."""
        return self.pruned.error is not None and self.original.error is None

    @property
    def costs(self) -> bool:
        """Whether pruning lost or changed anything, or caused outputs that the original does not give."""
        return self.difference.costs or self.failed_pruned

    def compared(self, run: Run) -> Difference:
        """Return the losses of a run relative to the run on the original.

        Requests of rules that follow only the links of the pruned page are ignored.
        """
        runs = [self.original.forms, run.forms]
        if page_of(self.visit.response.tps).settings.links != "original":
            runs = [[form for form in forms if "meta.rule" not in form.fields] for forms in runs]
        return compare(runs[0], runs[1], self.ignored)

    def losses(self) -> dict[str, int]:
        """Return the losses by kind; the names are those of the stats and alarms."""
        counts = {"errors": int(self.failed_pruned)}
        for what, losses in self.difference._asdict().items():
            counts |= {f"{fate}_{what}": len(getattr(losses, fate)) for fate in ("lost", "changed", "extra")}
        return counts

    def places_of(self, form: Form) -> dict[str, Place]:
        """Return the place of each field of a lost or changed output; of several values, the first one found."""
        missing = self.explanation.missing if self.explanation else ()
        return {one.field: one.place for one in reversed(missing) if one.form is form and one.place}

    def selectors(self) -> Iterator[tuple[str, SelectorUse, int]]:
        """Return for each selector of the callback what it found where, and how much more often without pruning."""
        for selector, use in self.visit.response.tps.selector_usage.selectors.items():
            whole = self.whole.get(selector, use)
            yield selector, use, max(0, whole.found - use.found - use.original)


class Checker:
    """Runs callbacks of a crawl on pages other than those passed by Scrapy; compares and explains their outputs."""

    def __init__(self, crawler: Crawler) -> None:
        assert crawler.request_fingerprinter is not None
        self._fingerprinter = crawler.request_fingerprinter
        self._guard = figures_of(crawler).guard
        _log_further_runs_as_debug()
        self._poet = _poet_of(crawler)
        self.caches_page_objects = self._poet is not None and bool(crawler.settings["SCRAPY_POET_CACHE"])
        """Whether page objects may come from pages that were pruned otherwise."""
        ignored = crawl_setting(crawler.settings, "TPS_SHADOW").ignore
        self._ignored: Ignored = _OF_LISTS | {("", name) for name in ignored}

    def makes_page_objects(self, request: Request) -> bool:
        """Whether scrapy-poet has made arguments of the callback from the text of the page."""
        return self._poet is not None and bool(self._poet.injector.discover_callback_providers(request))

    def form(self, output: Any) -> Form:
        """Return the form of an output, with the crawl's own fingerprints of requests.

        An output that cannot be described (for example, an item whose properties raise) is :data:`UNKNOWN`.
        """
        try:
            if isinstance(output, Request):
                return request_form(output, self._fingerprinter.fingerprint(output).hex())
            return item_form(output)
        except Exception as error:  # the output is the spider's, and is passed on in any case
            name = type(output).__name__
            self._guard.log(
                logger, logging.DEBUG, "An output of type %s cannot be described", name, error=error
            )
            return Form(UNKNOWN, {})

    async def outputs(
        self, visit: Visit, page: PrunedMixin, callback: Callable[..., Any]
    ) -> AsyncGenerator[Any, None]:
        """Call a callback with a page, whose request has the other inputs, and yield its outputs, of all kinds that
        Scrapy accepts, without None.

        If scrapy-poet is in use, it makes the page objects from this page. Raises what their providers raise, and
        ``ValueError`` if one would download the page again.
        """
        request = page.request
        assert request is not None
        if self._poet is not None and page is not visit.response:
            made = self._poet.process_response(request=request, response=page)
            if isinstance(await ensure_awaitable(made), Request):
                raise ValueError(f"a page object of {page} wants it downloaded again")
        result = await ensure_awaitable(callback(page, **request.cb_kwargs))
        if not isinstance(result, AsyncIterator):
            result = as_async_generator(arg_to_iter(result))
        async for output in result:
            if output is not None:
                yield output

    async def run(self, visit: Visit, page: PrunedMixin) -> Run:
        """Run the callback up to its end or to :data:`MOST_OUTPUTS`; an exception ends in the run."""
        run, callback = Run(), visit.further_callback()
        further, drawn = _FURTHER.set(page is not visit.response), random.getstate()
        if visit.random is not None:
            random.setstate(visit.random)
        try:
            async with aclosing(self.outputs(visit, page, callback)) as outputs:
                async for output in outputs:
                    run.forms.append(self.form(output))
                    if len(run.forms) >= MOST_OUTPUTS:
                        break
        except Exception as error:  # any exception of a spider: the caller decides about it
            run.error = error
        finally:
            _FURTHER.reset(further)
            if visit.random is not None:
                random.setstate(drawn)
        page.release_selector()  # as of pages of the crawl
        del run.forms[: visit.passed_on]
        run.changes = visit.changes((callback, page.request))
        if visit.tells_changes:
            run.forms.append(Form("attributes", run.changes))
        return run

    async def check(self, visit: Visit) -> PageCheck:
        """Run the callback on the pruned page and on the original, and compare the results. A page that was not pruned
        is its own original.

        Raises ``ValueError`` if the original's bytes were dropped, or the callback yields too much to be compared.
        """
        pruned = await self.run(visit, visit.response)
        if not visit.response.tps.pruned:
            return PageCheck(visit, pruned, pruned, compare(pruned.forms, pruned.forms))
        whole = visit.original()
        check = await self._compared(visit, pruned, await self.run(visit, whole))
        check.whole = whole.tps.selector_usage.selectors
        return check

    async def compare(self, visit: Visit, original: Run) -> PageCheck:
        """Run the callback on the pruned page, and compare the results with those of the original.

        If the spider's attributes change, it also runs on the original once more, because the crawl's spider may have
        been changed by other pages. Attributes that differ are compared like an item.

        Raises ``ValueError`` if the callback yields too much to be compared, yields nothing twice, or reads nothing
        twice: what it calls may remember a page by its address.
        """
        reads, page = visit.reads, visit.unread()
        pruned = await self.run(visit, page)
        if pruned.changes or pruned.error or compare(original.forms, pruned.forms, self._ignored).costs:
            page = visit.kept(())
            pruned = await self.run(visit, page)
        if page.tps.selector_usage.texts < reads:  # or less is read of the pruned page
            page = visit.original()
            await self.run(visit, page)
            if page.tps.selector_usage.texts < reads:
                raise ValueError("a second run of the callback on the same page does not read it again")
        if pruned.changes or visit.changes():
            whole = await self.run(visit, visit.original())
            if whole.changes != pruned.changes:
                visit.tells_changes = True
                for run, changes in ((original, whole.changes), (pruned, pruned.changes)):
                    run.forms.append(Form("attributes", changes))
        check = await self._compared(visit, pruned, original)
        if check.costs and check.remembers:
            raise ValueError("a second run of the callback on the same page fails, or gives less")
        return check

    async def _compared(self, visit: Visit, pruned: Run, original: Run) -> PageCheck:
        """Compare two runs.

        If there are losses, the callback runs on the original once more, to find values that change by themselves:
        clocks, counters, random numbers. If there are outputs of the pruned page alone, it also runs on that once more,
        to find out whether it gives them again.
        """
        if len(original.forms) >= MOST_OUTPUTS:
            raise ValueError(f"the callback gave {MOST_OUTPUTS} outputs or more")
        if any(form.kind == UNKNOWN for form in original.forms):
            raise ValueError("an output of the callback cannot be described")
        check = PageCheck(visit, pruned, original, compare([], []), ignored=self._ignored)
        check.difference = check.compared(pruned)
        if not check.costs:
            return check
        control = await self.run(visit, visit.original())
        if control.error is None:
            check.ignored |= volatile(check.compared(control))
            check.difference = check.compared(pruned)
            check.remembers = any(losses.lost for losses in check.compared(control))
            if not check.remembers and any(losses.extra for losses in check.difference):
                again = await self.run(visit, visit.kept(()))
                check.remembers = compare(pruned.forms, again.forms, check.ignored).costs
        if check.remembers:
            for losses in check.difference:
                losses.extra = []
        return check

    async def explain(self, check: PageCheck) -> None:
        """Find the removed parts that held the missing values, and the narrowest setting with which nothing is lost.

        If no part held them, or keeping these parts is not enough, others are tried. If the search fails, the loss is
        still reported.
        """
        from scrapy_tps.shadow.locate import explain_losses  # noqa: PLC0415 (few pages lose something)

        pruning = check.visit.response.tps
        try:
            check.explanation = found = await run_in_thread(
                explain_losses, check.difference, pruning, check.ignored
            )
            if found.keep:
                found.works = await self._works(check, found, found.keep)
            if not (found.works or check.remembers) and (keep := await self._search(check, found)):
                found.keep, found.works = keep, True
        except Exception as error:  # spiders and strategies may raise anything
            self._guard.log(logger, logging.DEBUG, "The cause of a loss was not found", error=error)

    async def _search(self, check: PageCheck, found: LossExplanation) -> tuple[str, ...]:
        """Return removed parts with which nothing is lost; empty if more than :data:`MOST_KEPT` are needed.

        Each part of the result is the last of the shortest list that is enough together with those found before. The
        list is found by halving, so that few parts take few runs.
        """
        parts, tries = found.parts, 1
        needed: tuple[str, ...] = ()
        if not await self._works(check, found, parts):
            return ()
        while parts and len(needed) <= MOST_KEPT:
            low, high = 0, len(parts)
            while low < high and tries < MOST_TRIES:
                middle = (low + high) // 2
                tries += 1
                if await self._works(check, found, (*needed, *parts[:middle])):
                    high = middle
                else:
                    low = middle + 1
            if low < high:
                return ()
            needed, parts = (*needed, *parts[high - 1 : high]), parts[: max(0, high - 1)]
        return needed if len(needed) <= MOST_KEPT else ()

    async def _works(self, check: PageCheck, found: LossExplanation, keep: tuple[str, ...]) -> bool:
        """Whether nothing is lost with a remedy; if the spider yields nothing twice: whether the values stay."""
        page = await run_in_thread(check.visit.kept, keep)
        if check.remembers:
            places = [one.place.index for one in found.missing if one.place]
            return not page.tps.pruned or all(page_of(page.tps).mask[index] for index in places if index >= 0)
        run = await self.run(check.visit, page)
        return run.error is None and not check.compared(run).costs


def _poet_of(crawler: Crawler) -> Any:
    """Return scrapy-poet's middleware without its cache; None if it is not in use.

    It has put page objects made from the pruned page into ``cb_kwargs``; a second run with those would not see the
    original. The key of its cache (SCRAPY_POET_CACHE) is the request, so it would return the pruned page again.
    """
    module = sys.modules.get("scrapy_poet.downloadermiddlewares")  # loaded if a project uses it
    middleware_class = getattr(module, "InjectionMiddleware", None)
    middleware: Any = crawler.get_downloader_middleware(middleware_class) if middleware_class else None
    if middleware is not None:
        middleware = copy(middleware)
        middleware.injector = copy(middleware.injector)
        middleware.injector.cache = {}
    return middleware
