"""Run a spider's callback, of any kind, on one page, and hold its outputs."""

from __future__ import annotations

import inspect
import logging
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from scrapy.http import Request
from scrapy.utils.asyncgen import as_async_generator
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.misc import arg_to_iter
from twisted.internet.defer import Deferred

from scrapy_tps.pruned_response import prune_response
from scrapy_tps.shadow.differences import REQUEST, Form, independent, item_form, request_form
from scrapy_tps.stats.coverage import callback_name
from scrapy_tps.stats.error_isolation import LOG, stats_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from scrapy_tps.response import PrunedMixin

#: The module of scrapy-poet's downloader middleware; loaded if a project uses it.
_POET = "scrapy_poet.downloadermiddlewares"
logger = logging.getLogger(__name__)

#: The most held outputs of a page. A callback with more is not compared, and its outputs are passed on at once.
MOST_OUTPUTS = 10_000


@dataclass(slots=True)
class Output:
    """An item or request, with its data at the time when the callback yielded it."""

    value: Any
    form: Form
    copy: Any


@dataclass(slots=True)
class Run:
    """The outputs of a callback, and the exception that ended it, if any."""

    outputs: list[Output] = field(default_factory=list)
    error: Exception | None = None

    @property
    def forms(self) -> list[Form]:
        """The forms of the outputs."""
        return [output.form for output in self.outputs]


class Visit:
    """A pruned page, its callback, and the data of its request from before the callback changed them."""

    def __init__(self, response: PrunedMixin, request: Request, callback: Callable[..., Any]) -> None:
        self.response, self.callback = response, callback
        self.name = callback_name(request)
        self._request = request
        self._kept = independent([dict(request.cb_kwargs), dict(request.meta)])

    def request(self) -> Request:
        """Return the request as it was, with its own copy of the data."""
        request = self._request.copy()
        for data, kept in zip((request.cb_kwargs, request.meta), independent(self._kept), strict=True):
            data.clear()
            data.update(kept)
        return request

    def whole(self) -> PrunedMixin:
        """Return the page as downloaded, in the form that the spider gets without pruning.

        Raises ``ValueError`` if its bytes were dropped.
        """
        return self._page(enabled=False, switch="TPS_SHADOW")

    def kept(self, keep: Sequence[str]) -> PrunedMixin:
        """Return the page pruned with these selectors kept in addition."""
        return self._page(keep=(*self.response.tps._settings.keep, *keep))

    def _page(self, **settings: Any) -> PrunedMixin:
        page = prune_response(self.response, replace(self.response.tps._settings, **settings))
        page.request = self.request()
        return page


async def outputs_of(
    callback: Callable[..., Any], response: Any, **cb_kwargs: Any
) -> AsyncGenerator[Any, None]:
    """Call a callback and yield its outputs, of all kinds that Scrapy accepts, without None."""
    result = await _awaited(callback(response, **cb_kwargs))
    if not isinstance(result, AsyncIterator):
        result = as_async_generator(arg_to_iter(result))
    async for output in result:
        if output is not None:
            yield output


async def _awaited(result: Any) -> Any:
    """Return a result, or that of a coroutine or Deferred."""
    if isinstance(result, Deferred):
        result = maybe_deferred_to_future(result)
    return await result if inspect.isawaitable(result) else result


class Runner:
    """Runs callbacks of a crawl on pages other than those passed by Scrapy, and holds their outputs."""

    def __init__(self, crawler: Crawler) -> None:
        assert crawler.request_fingerprinter is not None
        self._fingerprinter = crawler.request_fingerprinter
        self._stats = stats_of(crawler)
        self._poet = _poet_of(crawler)

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
            if isinstance(await _awaited(made), Request):
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
