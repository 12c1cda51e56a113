"""Strip pages to their main-content region before spiders parse them.

The engine (:func:`prune`) is usable without Scrapy: :class:`Addon`, :func:`prune_response` and everything about records
are imported only on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.engine.explanation import Region, Removed
from scrapy_tps.engine.prune import prune_page
from scrapy_tps.engine.pruned_page import Pruning
from scrapy_tps.engine.sequence.columns import TagPathSequence
from scrapy_tps.engine.strategies import Selection, Span, Strategy
from scrapy_tps.settings.definitions import page_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy_tps.addon import Addon
    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.strategies.paper import PaperStrategy
    from scrapy_tps.records import DataRecord, DataRegion, extract_records
    from scrapy_tps.report.page_view import open_view
    from scrapy_tps.response import prune_response

__all__ = [
    "Addon",
    "DataRecord",
    "DataRegion",
    "PaperStrategy",
    "Pruning",
    "Region",
    "Removed",
    "Selection",
    "Span",
    "Strategy",
    "TagPathSequence",
    "extract_records",
    "open_view",
    "prune",
    "prune_response",
]


#: Modules of names that a crawl need not import: importing records takes a fifth of the time of the add-on.
_ON_DEMAND: Final = {
    "Addon": "scrapy_tps.addon",
    "DataRecord": "scrapy_tps.records",
    "DataRegion": "scrapy_tps.records",
    "PaperStrategy": "scrapy_tps.engine.strategies.paper",
    "extract_records": "scrapy_tps.records",
    "open_view": "scrapy_tps.report.page_view",
    "prune_response": "scrapy_tps.response",
}


def prune(
    body: bytes | str,
    *,
    url: str | None = None,
    encoding: str | None = None,
    settings: Mapping[str, Any] | PageSettings | None = None,
) -> Pruning:
    """Strip a page to its main-content region.

    :param body: the page; bytes are decoded as in Scrapy.
    :param url: its address, for ``base_url`` of the tree.
    :param encoding: the encoding that the server declared.
    :param settings: a mapping of ``TPS_*`` names, except those of a whole crawl; strings are accepted as from
        ``scrapy -s``.
    :return: the page and the account of what happened. Markup never raises an exception: a page that can't be processed
        is not pruned, and ``outcome`` has the reason.
    :raises ValueError: on an unknown setting or a wrong value.
    :raises TypeError: if `body` is neither bytes nor str.
    """
    if not isinstance(body, (bytes, str)):
        raise TypeError(f"body must be bytes or str, not {type(body).__name__}")
    return Pruning(prune_page(body, page_settings(settings), url=url, encoding=encoding))


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    if name not in _ON_DEMAND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_ON_DEMAND[name]), name)
