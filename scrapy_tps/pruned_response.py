"""``prune_response``: a Scrapy response as a spider would get it, for tests, shells and notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from scrapy.http import HtmlResponse, TextResponse

from scrapy_tps.response import PrunedMixin, prune_html
from scrapy_tps.settings.definitions import page_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy_tps.engine.page_settings import PageSettings


def prune_response(
    response: TextResponse,
    settings: Mapping[str, Any] | PageSettings | None = None,
) -> PrunedMixin:
    """Return a response as a spider would get it from the downloader middleware.

    :param response: an HTML response. If it was already pruned, it is pruned again from its original.
    :param settings: a mapping of ``TPS_*`` names; strings are accepted as from ``scrapy -s``. ``TPS_DOMAINS`` and other
        settings of a whole crawl are checked, but have no effect here.
    :return: a :class:`~scrapy_tps.response.PrunedHtmlResponse`, or the class of `response` combined with it;
        ``response.tps`` describes what was done. `response` itself does not change.
    :raises ValueError: on an unknown setting or a wrong value.
    :raises TypeError: if `response` is not an ``HtmlResponse``.
    """
    if not isinstance(response, HtmlResponse):
        raise TypeError(f"response must be an HtmlResponse, not {type(response).__name__}")
    checked = page_settings(settings)
    original = response.original if isinstance(response, PrunedMixin) else response
    return prune_html(cast("HtmlResponse", original), checked)
