"""The modules that read a page past its selectors: its text, its bytes, its markup or its tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import FrameType

#: Starts of the names of modules that read a page for the code that calls them.
_FOR_OTHERS: Final = ("parsel.", "scrapy.selector.", "scrapy_tps.selector")

#: Starts of the names of modules that read a page for other purposes than a callback's.
_NOT_READERS: Final = (
    "scrapy_tps.",
    "scrapy.commands.",
    "scrapy.core.",
    "scrapy.downloadermiddlewares.",
    "scrapy.extensions.",
    "scrapy.http.response",
    "scrapy.pipelines.",
    "scrapy.spidermiddlewares.",
    "scrapy.utils.response",
    "w3lib.",
)

#: Starts of the names of Scrapy's modules that select links and forms.
_FOLLOWERS: Final = ("scrapy.linkextractors.", "scrapy.http.request.form")

#: Starts of the names of modules that use the tree of a page to select from it; where followers select, see
#: :func:`selects_links`.
_SELECTING: Final = ("parsel.", "scrapy_tps.", *_FOLLOWERS)

_RESPONSES: Final = "scrapy.http.response."


def reader(frame: FrameType) -> str | None:
    """Return the name of the module that reads a page in a frame; None if that is Scrapy or scrapy-tps.

    A read of Scrapy's ``Selector(response)`` is one of the code that makes the selector.
    """
    module = _caller(frame, _FOR_OTHERS)
    return None if module.startswith(_NOT_READERS) else module


def tree_reader(frame: FrameType) -> str | None:
    """Return :func:`reader` of the tree of a page; None if the tree is read to select from it."""
    name = frame.f_globals.get("__name__", "")
    return None if name.startswith(_SELECTING) else reader(frame)


def selects_links(frame: FrameType) -> bool:
    """Whether a page is used in a frame by Scrapy's link extractors or ``FormRequest``, for other code than
    scrapy-tps."""
    name = frame.f_globals.get("__name__", "")
    if name.startswith(_RESPONSES) and frame.f_back is not None:  # ``response.xpath()``
        frame = frame.f_back
        name = frame.f_globals.get("__name__", "")
    return name.startswith(_FOLLOWERS) and not _caller(frame, _FOLLOWERS).startswith("scrapy_tps.")


def _caller(frame: FrameType | None, between: tuple[str, ...]) -> str:
    while frame is not None:
        name: str = frame.f_globals.get("__name__", "")
        if not name.startswith(between):
            return name
        frame = frame.f_back
    return ""
