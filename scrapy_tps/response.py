"""Responses whose body is the main-content region of the downloaded page."""

from __future__ import annotations

import inspect
import sys
import time
import weakref
from copy import copy
from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final, cast

from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.selector import Selector
from scrapy.utils.misc import load_object
from scrapy.utils.python import global_object_name
from w3lib.encoding import resolve_encoding

from scrapy_tps.engine.fallback.fallback_page import FallbackPage
from scrapy_tps.engine.html import document
from scrapy_tps.engine.outcomes import EXCLUDED
from scrapy_tps.engine.prune import cut_again, prune_page
from scrapy_tps.engine.pruned_page import (
    DROPPED,
    Origin,
    PrunedPage,
    Pruning,
    account_data,
    page_of,
    restore_account,
)
from scrapy_tps.engine.strategies import Selection
from scrapy_tps.readers import reader, selects_links
from scrapy_tps.selector import PageSelector
from scrapy_tps.settings.definitions import page_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typing_extensions import Self

    from scrapy_tps.engine.page_settings import PageSettings

#: Flag of a response that was pruned, as shown in the "Crawled" log line.
FLAG = "tps"

_EXTRA = ("tps", "raw_body")


class PrunedMixin(TextResponse if TYPE_CHECKING else object):  # type: ignore[misc]
    """The mixin that adds pruning to the response class that the downloader chose.

    It has no slots, so it combines with any subclass of ``HtmlResponse``: see :func:`pruned_class`. ``selector``,
    ``css()``, ``xpath()``, link extractors and item loaders use the pruned tree itself, so the page is parsed once.

    :ivar tps: the :class:`~scrapy_tps.Pruning`: what was removed, and why.
    :ivar raw_body: the bytes as downloaded; None if they were dropped, because no setting needs them.
    """

    attributes: tuple[str, ...]
    #: The class that was combined with this one.
    base_class: type[TextResponse]

    _tps_root: Any = None  # the tree that the engine hands over
    _tps_selector: Selector | None = None
    _tps_released: weakref.ref[Selector] | None = None  # in place of the above
    _tps_namespaces: Any = None  # of the selector that was released
    _tps_original: weakref.ref[TextResponse] | None = None
    _tps_whole: TextResponse | None = None  # the page as downloaded, for code that reads its text
    _tps_replaced = False  # whether the body is no longer that of the pruned page

    def __init__(self, *args: Any, tps: Pruning | None = None, raw_body: bytes | None = None, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.tps = Pruning(PrunedPage(Origin(None, self.url), Selection(EXCLUDED))) if tps is None else tps
        self.raw_body = raw_body

    @classmethod
    def from_response(cls, response: TextResponse, page: PrunedPage) -> Self:
        """Return `response` as `page`: with the pruned body, or with the same bytes if it was not pruned.

        Takes over the tree, which nobody else may hold.

        :param page: the response's page, written (:func:`~scrapy_tps.engine.prune.prune_page`).
        """
        written = page.written
        # it has no other state than that passed on below
        if written is not None and type(response) is HtmlResponse:
            new = cls.__new__(cls)
        else:
            new = cast("Self", _twin(cls, response))
            new.flags = list(response.flags)
        if written is not None:
            flags = [*response.flags, FLAG]
            _renew(new, response, body=written.body, flags=flags, encoding=written.encoding)
        new.tps = Pruning(page)
        new._tps_root = page.root
        new.raw_body = None if page.origin.source is None else response.body
        return new

    @property
    def body(self) -> bytes:
        """The bytes of the page after pruning.

        A crawl that compares callbacks (``TPS_COMPARE``) gives the bytes as downloaded to code that it does not
        compare.
        """
        page = self.read_by(reader(sys._getframe(1)))
        return super().body if page is None else page.body

    @property
    def text(self) -> str:
        """The text of the page after pruning; see :attr:`body`."""
        page = self.read_by(reader(sys._getframe(1)))
        return super().text if page is None else page.text

    def json(self) -> Any:
        """Return the data of a JSON document; see :attr:`body`."""
        page = self.read_by(reader(sys._getframe(1)))
        return super().json() if page is None else page.json()

    def read_by(self, module: str | None) -> TextResponse | None:
        """Note that a module reads the page past its selectors; return the page as downloaded if it gets that.

        :param module: its name; None notes nothing.
        """
        if module is None or self._tps_replaced or not self.tps.selector_usage.read_text(module):
            return None
        return self.hold_original()

    def hold_original(self) -> TextResponse | None:
        """Return the page as downloaded, held until the callback has finished; None if it was not pruned or was
        dropped."""
        if not self.tps.pruned or self.raw_body is None:
            return None
        self._tps_whole = self._tps_whole or self.original
        return self._tps_whole

    @property
    def encoding(self) -> str:
        """The encoding of the body: the declared one, unless that codec is not meant for text (``hex``)."""
        return document.readable_encoding(self.body, super().encoding)

    @property
    def selector(self) -> Selector:
        """The selector over the page after pruning.

        With ``TPS_FALLBACK``, the original answers if pruning left nothing, or a part of a list. Each use of a selector
        is recorded in ``response.tps.selector_usage.selectors``. Scrapy's link extractors and ``FormRequest`` get that
        of the page as downloaded, unless ``TPS_LINKS`` is ``pruned``.
        """
        if (
            selects_links(sys._getframe(1))
            and page_of(self.tps).settings.links == "original"
            and not self._tps_replaced
            and (whole := self.hold_original()) is not None
        ):
            return whole.selector
        if (selector := self._tps_selector) is not None:
            return selector
        page = page_of(self.tps)
        falls_back = page.settings.fallback and self.tps.pruned and not self._tps_replaced
        if self._tps_root is None and not falls_back and type(super().selector) is not Selector:
            return cast("Selector", super().selector)  # that of a foreign class
        if self._tps_released is not None:
            selector = self._tps_released()
        if selector is None:
            root, journal = self._tps_root, page.journal
            if root is None:  # the response is a copy, or was stored
                again = cut_again(page) if falls_back else None
                root, journal = (super().selector.root, None) if again is None else again
            selector = PageSelector(root=root, type="html")
            selector.response, selector.read_by = self, self.read_by
            usage = self.tps.selector_usage
            selector.belong_to(FallbackPage(root, journal, usage, page.spans, falls_back=falls_back))
            if self._tps_released is None:
                self._tps_selector = selector
            else:
                selector.namespaces = self._tps_namespaces
                self._tps_released = weakref.ref(selector)
        return selector

    def follow_all(self, urls: Any = None, *args: Any, css: Any = None, xpath: Any = None, **kw: Any) -> Any:
        """Follow links; a selector of tags alone (``a``) finds those that link extractors find (``TPS_LINKS``)."""
        if urls is None and (css is None) != (xpath is None):
            urls, css, xpath = self.css(css) if xpath is None else self.xpath(xpath), None, None
        if page_of(self.tps).settings.links == "original" and (whole := getattr(urls, "whole", None)):
            urls = whole()
        return super().follow_all(urls, *args, css=css, xpath=xpath, **kw)

    def release_selector(self) -> None:
        """Stop holding the selector; called when the callback has finished with the page.

        Response and selector refer to each other, so the tree and the bytes of the page would stay in memory until
        Python's garbage collector runs, which counts objects, not their size. Selectors that are still in use keep
        working.
        """
        if self._tps_selector is not None:
            self._tps_released = weakref.ref(self._tps_selector)
            self._tps_namespaces = self._tps_selector.namespaces
            self._tps_selector = None
        self._tps_whole = None

    @property
    def original(self) -> TextResponse:
        """The page as downloaded, in its original class; if the page was not pruned, this response itself.

        It is created from the raw bytes on each access, and parsed again when you select from it: keep it in a variable
        if you need it more than once. Raises ``ValueError`` if the bytes were dropped, because no setting needs them.
        """
        if not self.tps.pruned and (self.raw_body is None or self.raw_body == self.body):
            return self
        original = self._tps_original() if self._tps_original else None
        if original is None:
            if self.raw_body is None:
                raise ValueError(f"The original of {self} was dropped {DROPPED}")
            original = _twin(self.base_class, self)
            flags = [flag for flag in self.flags if flag != FLAG]
            encoding = document.readable_encoding(
                self.raw_body, page_of(self.tps).origin.encoding or self.encoding
            )
            _renew(original, self, body=self.raw_body, flags=flags, encoding=encoding)
            self._tps_original = weakref.ref(original)
        return original

    def replace(self, *args: Any, cls: type[Response] | None = None, **kwargs: Any) -> Any:
        """Return a response with the same attributes except for those given.

        The new response holds the pruned page, never the original by accident. Any other class (``cls=HtmlResponse``)
        gets only the body, which is a read of it; see :attr:`body`. As in Scrapy, `encoding` is the encoding of the
        page as *downloaded*: it is decoded and pruned again.
        """
        if cls is not None and not issubclass(cls, PrunedMixin) and "body" not in kwargs:
            whole = self.read_by(reader(sys._getframe(1)))
            if whole is not None:
                return whole.replace(*args, cls=cls, **kwargs)
        encoding = kwargs.get("encoding")
        if encoding and "body" not in kwargs and resolve_encoding(encoding) != self.encoding:
            again = self._in_encoding(encoding)
            if again is not None:
                del kwargs["encoding"]
                return again.replace(*args, cls=cls, **kwargs) if args or kwargs or cls else again
        if cls is None:
            new = super().replace(*args, **kwargs)
            if isinstance(new, PrunedMixin):
                new._tps_replaced = self._tps_replaced or kwargs.get("body", self.body) != self.body
            return new
        for name in cls.attributes:
            if hasattr(self, name):
                kwargs.setdefault(name, getattr(self, name))
        return cls(*args, **kwargs)

    def _in_encoding(self, encoding: str) -> Self | None:
        """Return this page, decoded in another encoding and pruned again; None if it may be a different page."""
        page = page_of(self.tps)
        if not self.tps.pruned or page.stored or self._tps_replaced or self.raw_body is None:
            return None
        again = prune_html(self.original.replace(encoding=encoding), page.settings)
        # a read of its text is one of this page
        usage = self.tps.selector_usage
        again.tps.selector_usage.on_text = lambda _, module: usage.read_text(module)
        return again

    def to_dict(self) -> dict[str, Any]:
        """Return the response's data (Scrapy 2.19 and later); its class is named by its base class."""
        kept = self._for_copies(reader(sys._getframe(1)))
        data = cast("dict[str, Any]", super(PrunedMixin, kept).to_dict())
        data["tps"] = account_data(kept.tps)
        data["_class"] = global_object_name(PrunedHtmlResponse)
        data["base_class"] = global_object_name(self.base_class)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the response of a dictionary made by :meth:`to_dict`."""
        plain = {name: value for name, value in data.items() if name not in ("_class", "base_class")}
        plain["tps"] = _account(plain["tps"], plain)
        combined = pruned_class(load_object(data["base_class"]))
        return cast("Self", super(PrunedMixin, combined).from_dict(plain))

    def __copy__(self) -> Self:
        new = cast("Self", _twin(type(self), self))
        new.__dict__.update(self.__dict__)
        return new

    def unread(self) -> Self:
        """Return a copy with the same tree, whose reads and selectors are counted apart."""
        new = copy(self)
        new.tps = Pruning(page_of(self.tps))
        new._tps_selector = new._tps_released = new._tps_namespaces = new._tps_whole = None
        return new

    def __reduce_ex__(self, protocol: Any) -> Any:
        kept = self._for_copies(reader(sys._getframe(1)))
        kwargs = {name: getattr(kept, name) for name in kept.attributes if name != "tps"}
        return _rebuild, (kept.base_class, kwargs, account_data(kept.tps), _own_state(kept))

    def _for_copies(self, module: str | None) -> PrunedMixin:
        """Return the response that a module copies or stores. Reads of the copy cannot be noted, so this is one; see
        :attr:`body`."""
        if (whole := self.read_by(module)) is None:
            return self
        return prune_html(whole, replace(page_of(self.tps).settings, enabled=False, switch="TPS_COMPARE"))


def prune_html(response: TextResponse, settings: PageSettings, memory: Any = None) -> PrunedMixin:
    """Return a response as a spider gets it, with checked settings.

    Only the response is touched, so that this can run in a thread. The processor time is that of the current thread, so
    other work of the process does not count.

    The encoding of bodies that are not decoded (binary, larger than ``TPS_MAX_BYTES``) is not determined, because
    guessing it takes seconds.
    """
    started = time.thread_time_ns()
    decoded: bytes | str | None
    body, encoding, decoded = response.body, None, None
    if not settings.enabled or response.status not in settings.status_codes:
        switch = "TPS_STATUS_CODES" if settings.enabled else settings.switch
        settings = replace(settings, enabled=False, switch=switch)
        encoding = response.encoding
    elif not body.startswith(document.BINARY_STARTS) and len(body) <= settings.max_bytes:
        # Scrapy would use any codec that a server names, and fail
        readable = document.is_of_pages(response.encoding)
        encoding = response.encoding if readable else document.readable_encoding(body, response.encoding)
        decoded = document.utf8(body, encoding)
        if decoded is None:
            decoded = response.text if readable else document.decode(body, encoding)
    page = prune_page(body, settings, url=response.url, encoding=encoding, memory=memory, decoded=decoded)
    page.microseconds = (time.thread_time_ns() - started + 500) // 1000
    return pruned_class(type(response)).from_response(response, page)


def prune_response(
    response: TextResponse,
    settings: Mapping[str, Any] | PageSettings | None = None,
) -> PrunedMixin:
    """Return a response as a spider would get it from the downloader middleware.

    :param response: an HTML response. If it was already pruned, it is pruned again from its original.
    :param settings: a mapping of ``TPS_*`` names, except those of a whole crawl, such as ``TPS_DOMAINS``; strings are
        accepted as from ``scrapy -s``.
    :return: a :class:`~scrapy_tps.response.PrunedHtmlResponse`, or the class of `response` combined with it;
        ``response.tps`` describes what was done. `response` itself does not change.
    :raises ValueError: on an unknown setting or a wrong value.
    :raises TypeError: if `response` is not an ``HtmlResponse``.
    """
    if not isinstance(response, HtmlResponse):
        raise TypeError(f"response must be an HtmlResponse, not {type(response).__name__}")
    checked = page_settings(settings)
    return prune_html(response.original if isinstance(response, PrunedMixin) else response, checked)


def _rebuild(
    base_class: type[TextResponse], kwargs: dict[str, Any], tps: dict[str, Any], state: dict[str, Any]
) -> PrunedMixin:
    response = pruned_class(base_class)(**kwargs, tps=_account(tps, kwargs))
    response.__dict__.update(state)
    return response


def _account(tps: dict[str, Any], attributes: dict[str, Any]) -> Pruning:
    html = document.decode(attributes["body"], attributes.get("encoding")) if tps["mask"] else None
    return restore_account(tps, source=attributes["raw_body"], html=html)


class PrunedHtmlResponse(PrunedMixin, HtmlResponse):
    """An HTML page that went through scrapy-tps: pruned, not pruned, or excluded."""

    attributes = (*HtmlResponse.attributes, *_EXTRA)
    base_class = HtmlResponse


def _combined(base_class: Any) -> type[PrunedMixin]:
    if base_class is HtmlResponse:
        return PrunedHtmlResponse
    namespace = {
        "__doc__": PrunedHtmlResponse.__doc__,
        "__module__": __name__,
        "attributes": (*base_class.attributes, *_EXTRA),
        "base_class": base_class,
    }
    return type(f"Pruned{base_class.__name__}", (PrunedMixin, base_class), namespace)


#: Returns a subclass of ``HtmlResponse``, combined with :class:`PrunedMixin`: so the responses of other plugins keep
#: their class and attributes. The combined class is made once per class.
pruned_class: Final = cast("Callable[[type[Response]], type[PrunedMixin]]", cache(_combined))


def _twin(cls: Any, response: TextResponse) -> Any:
    """Return an instance of `cls` with the full state of `response`, including that of other plugins.

    No constructor is called, because its parameters are unknown.
    """
    twin = cls.__new__(cls)
    base_class: Any = response.base_class if isinstance(response, PrunedMixin) else type(response)
    for name in _slots(base_class):
        if hasattr(response, name):
            setattr(twin, name, getattr(response, name))
    if hasattr(twin, "__dict__"):
        state = _own_state(response)
        if "attributes" in state:  # some classes extend them per instance
            extra = _EXTRA if issubclass(cls, PrunedMixin) else ()
            state["attributes"] = (*(name for name in state["attributes"] if name not in _EXTRA), *extra)
        twin.__dict__.update(state)
    return twin


@cache
def _slots(cls: Any) -> tuple[str, ...]:
    classes = (vars(one).items() for one in cls.__mro__)
    return tuple(
        name for members in classes for name, member in members if inspect.ismemberdescriptor(member)
    )


def _own_state(response: TextResponse) -> dict[str, Any]:
    """Return the instance's own attributes, without those of scrapy-tps and those derived from the body."""
    return {
        name: value
        for name, value in getattr(response, "__dict__", {}).items()
        if not name.startswith("_tps_")
        and name not in _EXTRA
        and not isinstance(getattr(type(response), name, None), cached_property)
    }


def _renew(target: Any, source: TextResponse, **changes: Any) -> None:
    """Give `target` the public attributes of `source` with `changes`, and clear Scrapy's caches of them."""
    names = set(TextResponse.attributes).difference(changes)
    TextResponse.__init__(target, **{name: getattr(source, name) for name in names}, **changes)
