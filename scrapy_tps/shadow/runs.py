"""Run a spider's callback, of any kind, on one page, and hold its outputs."""

from __future__ import annotations

import inspect
import logging
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from scrapy.http import Request
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.misc import arg_to_iter
from twisted.internet.defer import Deferred

from scrapy_tps.engine.outcomes import EXCLUDED
from scrapy_tps.engine.pruned_page import Pruning
from scrapy_tps.engine.strategies import Selection
from scrapy_tps.pruned_response import prune_response
from scrapy_tps.response import pruned_class
from scrapy_tps.shadow.differences import REQUEST, Form, independent, item_form, request_form
from scrapy_tps.stats.coverage import callback_name
from scrapy_tps.stats.error_isolation import LOG, stats_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from scrapy_tps.engine.fallback.usage import Fallbacks
    from scrapy_tps.engine.page_settings import PageSettings
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
    """A pruned page, its callback, and the data of its request from before the callback changed them.

    All runs share objects that cannot be copied.

    :ivar response: the page.
    :ivar callback: its callback, by its :func:`name <callback_name>`.
    """

    def __init__(self, response: PrunedMixin, request: Request, callback: Callable[..., Any]) -> None:
        self.response, self.callback = response, callback
        self.name = callback_name(request)
        self._request = request
        self._copy: Callable[[Any], Any] = independent
        try:
            self._kept = independent([request.cb_kwargs, request.meta])
        except Exception:  # the spider's own objects, of any kind
            with suppress(Exception):  # logging itself may fail
                logger.debug("The data of %s cannot be copied", request, exc_info=True)
            self._copy = copy
            self._kept = [dict(request.cb_kwargs), dict(request.meta)]

    def request(self) -> Request:
        """Return the request as it was, with its own copy of the data."""
        cb_kwargs, meta = self._copy(self._kept)
        request = self._request.copy()
        for data, kept in ((request.cb_kwargs, cb_kwargs), (request.meta, meta)):
            data.clear()
            data.update(kept)
        return request

    def whole(self, usage: Fallbacks | None = None) -> PrunedMixin:
        """Return the page as downloaded, in the form that the spider gets without pruning.

        :param usage: records the selectors used on it; None for no other record.
        :raises ValueError: if its bytes were dropped.
        """
        original = self.response.original
        pruning = Pruning(
            original.body,
            Selection(EXCLUDED),
            self.response.tps._settings,
            url=original.url,
            encoding=original.encoding,
            excluded_by="TPS_SHADOW",
            selector_usage=usage,
        )
        whole = pruned_class(self.response.base_class).from_response(original, pruning)
        whole.request = self.request()
        return whole

    def kept(self, keep: Sequence[str], settings: PageSettings) -> PrunedMixin:
        """Return the page pruned with these selectors kept in addition."""
        page = prune_response(self.response, replace(settings, keep=(*settings.keep, *keep)))
        page.request = self.request()
        return page


async def outputs_of(
    callback: Callable[..., Any], response: Any, **cb_kwargs: Any
) -> AsyncGenerator[Any, None]:
    """Call a callback and yield its outputs, of all kinds that Scrapy accepts, without None.

    A value, an iterable, a generator; a coroutine or Deferred of these; an asynchronous generator.
    """
    result = callback(response, **cb_kwargs)
    if isinstance(result, Deferred):
        result = await maybe_deferred_to_future(result)
    elif inspect.isawaitable(result):
        result = await result
    if isinstance(result, AsyncIterator):
        async for output in result:
            if output is not None:
                yield output
    else:
        for output in arg_to_iter(result):
            if output is not None:
                yield output


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
            self._undescribed(output)
            return Form(REQUEST, {}, output.url) if is_request else Form(type(output).__name__, {})

    def held(self, output: Any) -> Output:
        """Return the output with its current data."""
        held = Output(output, self.form(output), output)
        if not isinstance(output, Request):
            try:
                held.copy = independent(output)
            except Exception:  # as above
                self._undescribed(output)
        return held

    def settled(self, run: Run) -> Iterator[Any]:
        """Yield the outputs of a run as the callback yielded them: a copy if the callback has changed one since.

        Callbacks that reuse one item would otherwise yield the last one many times.
        """
        for one in run.outputs:
            unchanged = one.copy is one.value or self.form(one.value) == one.form
            yield one.value if unchanged else one.copy

    def _undescribed(self, output: Any) -> None:
        with self._stats.guard(LOG):
            logger.debug("An output of type %s cannot be described", type(output).__name__, exc_info=True)
        self._stats.inc_value("tps/shadow/not_described")

    async def outputs(self, callback: Callable[..., Any], response: Response) -> AsyncGenerator[Any, None]:
        """Yield the outputs of a callback for a page, whose request has the other inputs.

        If scrapy-poet is in use, it makes the page objects from this page. Raises what their providers raise, and
        ``ValueError`` if one would download the page again.
        """
        request = response.request
        assert request is not None
        if self._poet is not None:
            made = self._poet.process_response(request=request, response=response)
            if isinstance(made, Deferred):
                made = maybe_deferred_to_future(made)
            if isinstance(await made, Request):
                raise ValueError(f"a page object of {response} wants it downloaded again")
        async with aclosing(outputs_of(callback, response, **request.cb_kwargs)) as outputs:
            async for output in outputs:
                yield output

    async def run(self, callback: Callable[..., Any], response: Response) -> Run:
        """Run a callback; see :meth:`hold`."""
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
