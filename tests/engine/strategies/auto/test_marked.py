"""Parts that markup names: what is content nevertheless stays."""

from __future__ import annotations

from scrapy_tps import prune
from tests.engine.strategies.made import SENTENCE, menu, record


def test_the_headers_of_groups_of_records_stay() -> None:
    groups = "".join(
        f'<div class="group"><div class="large-category-header">Mills of class {group}</div>'
        + "".join(map(record, range(3 * group, 3 * group + 3)))
        + "</div>"
        for group in range(4)
    )
    body = f"{menu(20, 'nav')}<h1>All the mills</h1><div>{groups}</div><footer>Imprint</footer>"
    html = prune(f"<html><body>{body}</body></html>", settings={"TPS_MIN_NODES": 0}).html
    assert all(f"Mills of class {group}<" in html for group in range(4))


def test_the_stock_beside_the_button_that_orders_stays() -> None:
    offer = "<div class=product-add-to-cart><span>In stock, ready</span><button>Add to cart</button></div>"
    page = (
        f"<html><body>{menu(30, 'nav')}<div><h1>Lamp Oslo</h1><p>{SENTENCE * 4}</p><form>{offer}</form></div>"
        f"<div>{SENTENCE * 4}</div><footer>Imprint</footer></body></html>"
    )
    assert "In stock, ready" in prune(page, settings={"TPS_MIN_NODES": 0}).html
