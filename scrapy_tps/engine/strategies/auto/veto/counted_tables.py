"""Tables that go before tables that stay: the element itself stays, empty, for selectors that count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_tps.engine.strategies.auto.decisions import Veto

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.thresholds import CountedTables


def counted_tables(page: Page, limits: CountedTables) -> list[Veto]:
    """Put back the elements, not what is in them, of tables before a sibling that stays.

    Where nothing has a class, `//table[2]` is how a scraper finds its records.
    """
    alive, parent = page.alive, page.parent
    staying: set[int] = set()  # parents of tables that stay behind the one that is looked at
    found: list[Veto] = []
    if not page.removed:
        return found
    for table in reversed(page.sequence.find({"table"})):
        if alive[table]:
            staying.add(parent[table])
        elif parent[table] in staying:
            found.append(Veto(table, table + 1, 0, len(page.removed)))
    return found if len(found) <= limits.tables else []
