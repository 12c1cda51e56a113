"""The view of a page, as ``scrapy tps-view`` writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_tps import prune
from scrapy_tps.report.page_view import render_prunings

if TYPE_CHECKING:
    from collections.abc import Mapping


def render_view(
    body: bytes | str, *, url: str | None = None, settings: Mapping[str, Any] | None = None, **options: bool
) -> str:
    """Prune a page and return the view of it."""
    return render_prunings([prune(body, url=url, settings=settings)], **options)
