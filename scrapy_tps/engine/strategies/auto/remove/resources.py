"""Style sheets and hints what to load (``link``) that stand in the body: they go from a head as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.scaling import Thresholds

_LINK: Final = frozenset({"link"})
#: What a browser loads or connects to for the page; pictures of a site (``icon``) and pages (``prefetch``) may be data.
_LOADING: Final = frozenset({"stylesheet", "preload", "modulepreload", "preconnect", "dns-prefetch"})
#: What is loaded ahead that no spider reads; pictures, films and answers of servers may be data.
_LOADED_AS: Final = frozenset({"", "style", "script", "font", "worker"})


def resources(page: Page, _: Thresholds) -> list[Removal]:
    """Remove links to resources from a page that loses something else: for them alone none is cut."""
    if not page.removed:
        return []
    nodes = page.sequence.nodes
    return [
        (place, page.end[place], "resources", "a style sheet, script or font that a browser loads")
        for place in page.sequence.find(_LINK)
        if page.alive[place] and _is_loaded(nodes[place])
    ]


def _is_loaded(link: Any) -> bool:
    return (
        not _LOADING.isdisjoint(said := (link.get("rel") or "").lower().split())
        and _LOADING.issuperset(set(said) - {"alternate"})
        and link.get("itemprop") is None
        and (link.get("as") or "").strip().lower() in _LOADED_AS
    )
