"""An item loader on the selector of the response."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.loader import ItemLoader as ScrapyItemLoader

if TYPE_CHECKING:
    import itemloaders
    from scrapy.http import TextResponse
    from scrapy.selector import Selector


class ItemLoader(ScrapyItemLoader):
    """Scrapy's item loader on ``response.selector``, which runs a selector on the original page
    where it matches nothing after pruning.

    Scrapy's own makes a new selector of the response's text where it is given no selector, so that the page is parsed
    once more, and nothing is known of the original. Parameters are those of Scrapy's.
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
