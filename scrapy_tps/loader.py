"""An item loader on the selector of the response."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.loader import ItemLoader as ScrapyItemLoader

if TYPE_CHECKING:
    import itemloaders
    from scrapy.http import TextResponse
    from scrapy.selector import Selector


class ItemLoader(ScrapyItemLoader):
    """Scrapy's item loader on ``response.selector``, with selector fallback.

    If Scrapy's loader gets no selector, it makes a new one from the response's text. The page is then parsed again,
    without fallback to the original. Parameters are those of Scrapy's loader.
    """

    def __init__(
        self,
        item: Any = None,
        selector: Selector | None = None,
        response: TextResponse | None = None,
        parent: itemloaders.ItemLoader | None = None,
        **context: Any,
    ) -> None:
        if selector is None and response is not None:
            selector = getattr(response, "selector", None)
        super().__init__(item=item, selector=selector, response=response, parent=parent, **context)
