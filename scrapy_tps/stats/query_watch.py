"""The alarm of queries: selectors that used to find something and find nothing any more, told while the crawl runs.

Nothing imports Scrapy.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from scrapy_tps.stats.queries import Queries, QueryFigures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy_tps.stats.queries import Asker, PageCounts

#: Queries that are watched, over all sites; those of the site that was seen least recently are forgotten first.
MOST_WATCHED: Final = 50_000


class QueryWatch:
    """Notices queries that stop finding anything.

    :param pages: how many pages must have had an answer, and how many answers must be missing since: see
        :meth:`~scrapy_tps.stats.queries.QueryFigures.finds_nothing_any_more`. With 0 nothing is watched.
    """

    def __init__(self, pages: int) -> None:
        self._pages = pages
        self._sites: OrderedDict[str, Queries] = OrderedDict()
        self._watched = 0

    def page(
        self, site: str, counts: Iterable[tuple[Asker, PageCounts]]
    ) -> Iterator[tuple[Asker, QueryFigures]]:
        """Count a page; yield the queries that have stopped finding anything with this page, and their figures."""
        if not self._pages:
            return
        queries = self._of(site)
        before = len(queries)
        for asker, found in counts:
            figures = queries.add_page(asker, found, 0)
            if figures is not None and self._stops(figures):
                yield asker, figures
        self._watched += len(queries) - before
        self._forget()

    def _of(self, site: str) -> Queries:
        queries = self._sites.get(site)
        if queries is None:
            queries = self._sites[site] = Queries()
        else:
            self._sites.move_to_end(site)
        return queries

    def _forget(self) -> None:
        while self._watched > MOST_WATCHED and len(self._sites) > 1:
            _, queries = self._sites.popitem(last=False)
            self._watched -= len(queries)

    def _stops(self, figures: QueryFigures) -> bool:
        """Whether a query has stopped finding anything with this page, and not before."""
        if figures.dry < self._pages or not figures.finds_nothing_any_more(self._pages):
            return False
        before = replace(figures, pages=figures.pages - 1, dry=figures.dry - 1)
        return not before.finds_nothing_any_more(self._pages)
