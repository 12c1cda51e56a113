"""What spiders asked for and pruning had taken, learnt by all processes of a job together."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.asking.learnt import MOST_PLACES, Learnt, LearntQueries, SiteQueries, digest_of
from scrapy_tps.sharing.knowledge import Row, Topic

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_tps.sharing.knowledge import Knowledge

#: Kind of the rows: a query and a place, as JSON, under its digest.
KIND: Final = "queries"


class SharedQueries(LearntQueries):
    """Learnt queries that are told to the other processes, and that have what these tell.

    The rows that stay of a site are those that :class:`~scrapy_tps.engine.asking.learnt.SiteQueries` keeps.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        super().__init__()
        self._knowledge = knowledge
        knowledge.keep(KIND, MOST_PLACES)

    def of(self, site: str) -> SiteQueries | None:
        """Return what is known of a site; ask for what others learn of it."""
        for row in self._knowledge.news(KIND):
            found = _read(row.blob)
            if found is not None:
                super().learn(row.topic.site, [found])
        self._knowledge.watch(site, KIND)
        return super().of(site)

    def learn(self, site: str, found: Iterable[Learnt]) -> bool:
        """Take over what was found on a page of a site, and share it; return whether any of it was news."""
        known = super().of(site)
        news = [one for one in found if known is None or one not in known]
        learnt = super().learn(site, news)
        kept = super().of(site) or ()
        for one in news:
            if one in kept:
                blob = json.dumps(one.to_list(), separators=(",", ":")).encode()
                self._knowledge.tell(Row(Topic(site, KIND), digest_of(one), blob))
        return learnt


def _read(blob: bytes) -> Learnt | None:
    """A row's query; None where another program has written it."""
    try:
        return Learnt.from_list(json.loads(blob))
    except (ValueError, RecursionError):
        return None
