"""Responses whose body is the main-content region of the page that was downloaded."""

from __future__ import annotations

import weakref
from functools import cache
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urljoin

from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.selector import Selector
from scrapy.utils.misc import load_object
from scrapy.utils.python import global_object_name
from scrapy.utils.response import get_base_url

from scrapy_tps import document
from scrapy_tps.pruning import Pruning

if TYPE_CHECKING:
    from typing_extensions import Self

#: Flag of a response that was pruned, as shown in the "Crawled" log line.
FLAG = "tps"

_EXTRA = ("tps", "raw_body")


class PrunedMixin(TextResponse if TYPE_CHECKING else object):  # type: ignore[misc]
    """What a pruned response does on top of the class that the downloader made.

    It has no slots of its own, so that it combines with any subclass of ``HtmlResponse``:
    see :func:`pruned_class`. The pruned tree itself serves ``selector``, ``css()``, ``xpath()``, link
    extractors and item loaders: the page is parsed once. The body is serialised when it is first asked
    for, and once.

    :ivar tps: the :class:`~scrapy_tps.Pruning`: what was removed, and why.
    :ivar raw_body: the bytes as downloaded; None where they are dropped (``TPS_KEEP_ORIGINAL``).
    """

    attributes: tuple[str, ...]
    #: The class that was combined with this one.
    base_class: type[TextResponse]

    def __init__(self, *args: Any, tps: Pruning | None = None, raw_body: bytes | None = None, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.tps = tps if tps is not None else Pruning(None, "excluded", url=self.url)
        self.raw_body = raw_body
        self._tps_root: Any = None  # the tree that the engine hands over
        self._tps_lazy = False  # whether the body is still to be made of that tree
        self._tps_selector: Selector | None = None
        self._tps_original: weakref.ref[TextResponse] | None = None

    @classmethod
    def from_response(cls, response: TextResponse, pruning: Pruning) -> Self:
        """Return `response` as it is after `pruning`: pruned, or kept whole with the same bytes.

        Takes over the pruning's tree, which nobody else may hold.
        """
        kwargs = {
            name: getattr(response, name) for name in response.attributes if name not in ("body", "flags")
        }
        if not pruning.pruned:
            new = cls(**kwargs, body=response.body, flags=response.flags, tps=pruning, raw_body=response.body)
            new._tps_root = pruning.tree
            return new
        root = pruning.root
        _settle_base(root, response)
        raw_body = response.body if pruning.source is not None else None
        new = cls(**kwargs, body=b"", flags=[*response.flags, FLAG], tps=pruning, raw_body=raw_body)
        new._tps_root, new._tps_lazy = root, True
        return new

    @property
    def body(self) -> bytes:
        """The bytes of the page after pruning, in the encoding of the page as downloaded."""
        if self._tps_lazy:
            html = document.serialise(self._tps_root)
            self._set_body(html.encode(self.encoding, "xmlcharrefreplace"))
            self._tps_lazy = False
        return cast("bytes", super().body)

    @property
    def selector(self) -> Selector:
        """The selector over the page after pruning."""
        if self._tps_root is None:
            return cast("Selector", super().selector)
        if self._tps_selector is None:
            self._tps_selector = Selector(root=self._tps_root, type="html")
            self._tps_selector.response = self
        return self._tps_selector

    @property
    def original(self) -> TextResponse:
        """The page as downloaded, in the class it came in; this response where it was kept whole.

        Made from the raw bytes when asked for, and parsed again when selected from. Raises ``ValueError``
        where ``TPS_KEEP_ORIGINAL`` dropped the bytes.
        """
        if not self.tps.pruned:
            return self
        original = self._tps_original() if self._tps_original else None
        if original is None:
            if self.raw_body is None:
                raise ValueError(f"The original of {self} was dropped: TPS_KEEP_ORIGINAL is False for it.")
            kwargs = {
                name: getattr(self, name)
                for name in self.base_class.attributes
                if name not in ("body", "flags")
            }
            flags = [flag for flag in self.flags if flag != FLAG]
            original = self.base_class(**kwargs, body=self.raw_body, flags=flags)
            self._tps_original = weakref.ref(original)
        return original

    def replace(self, *args: Any, cls: type[Response] | None = None, **kwargs: Any) -> Any:
        """Return a response with the same attributes except for those given.

        The new response holds the pruned page, never the original by accident. A class that knows
        nothing of pruning (``cls=HtmlResponse``) gets the pruned body alone.
        """
        if cls is None or issubclass(cls, PrunedMixin):
            return super().replace(*args, cls=cls, **kwargs)
        for name in cls.attributes:
            if hasattr(self, name):
                kwargs.setdefault(name, getattr(self, name))
        return cls(*args, **kwargs)

    def to_dict(self) -> dict[str, Any]:
        """Return the response's data; the class is named by its base class, so that any can be rebuilt."""
        data = cast("dict[str, Any]", super().to_dict())
        data["tps"] = self.tps.to_dict()
        data["_class"] = global_object_name(PrunedHtmlResponse)
        data["base_class"] = global_object_name(self.base_class)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the response of a dictionary made by :meth:`to_dict`."""
        kwargs = {name: value for name, value in data.items() if name not in ("_class", "base_class", "tps")}
        return cast("Self", _rebuild(load_object(data["base_class"]), kwargs, data["tps"]))

    def __reduce_ex__(self, protocol: Any) -> Any:
        kwargs = {name: getattr(self, name) for name in self.attributes if name != "tps"}
        return _rebuild, (self.base_class, kwargs, self.tps.to_dict())


def _rebuild(base_class: type[TextResponse], kwargs: dict[str, Any], tps: dict[str, Any]) -> PrunedMixin:
    html = document.decode(kwargs["body"], kwargs.get("encoding"))
    pruning = Pruning.from_dict(tps, source=kwargs.get("raw_body"), html=html)
    return pruned_class(base_class)(**kwargs, tps=pruning)


class PrunedHtmlResponse(PrunedMixin, HtmlResponse):
    """An HTML page that went through scrapy-tps: pruned, kept whole, or switched off."""

    attributes = (*HtmlResponse.attributes, *_EXTRA)
    base_class = HtmlResponse


def pruned_class(base_class: type[Response]) -> type[PrunedMixin]:
    """Return `base_class`, a subclass of ``HtmlResponse``, combined with :class:`PrunedMixin`.

    Other plugins' responses keep their class and attributes in this way. Made once for each class.
    """
    return _combined(cast("Any", base_class))


@cache
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


def _settle_base(root: Any, response: TextResponse) -> None:
    """Make the base URL that Scrapy reads off the pruned page the one it reads off the original.

    ``scrapy.utils.response.get_base_url`` looks at a page's first 4,096 characters. Pruning changes
    which those are, so that a ``<base>`` could move out of them, or into them from behind.
    """
    bases = list(root.iter("base"))
    base_url = get_base_url(response)
    if not bases and base_url == response.url:
        return
    effective = None
    for base in bases:
        if effective is None and urljoin(response.url, (base.get("href") or "").strip()) == base_url:
            effective = base
        base.drop_tree()
    if effective is None and base_url != response.url:
        effective = root.makeelement("base", href=base_url)
    if effective is not None:
        head = root.find("head")
        if head is None:
            head = root.makeelement("head")
            root.insert(0, head)
        head.insert(0, effective)
