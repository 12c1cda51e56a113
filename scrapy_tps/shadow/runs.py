"""A page to run a callback on, and the outputs of a callback, of any kind."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from scrapy.utils.asyncgen import as_async_generator
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.misc import arg_to_iter
from twisted.internet.defer import Deferred

from scrapy_tps.pruned_response import prune_response
from scrapy_tps.shadow.differences import Form, independent
from scrapy_tps.stats.coverage import callback_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy.http import Request

    from scrapy_tps.response import PrunedMixin

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
    result = await awaited(callback(response, **cb_kwargs))
    if not isinstance(result, AsyncIterator):
        result = as_async_generator(arg_to_iter(result))
    async for output in result:
        if output is not None:
            yield output


async def awaited(result: Any) -> Any:
    """Return a result, or that of a coroutine or Deferred."""
    if isinstance(result, Deferred):
        result = maybe_deferred_to_future(result)
    return await result if inspect.isawaitable(result) else result
