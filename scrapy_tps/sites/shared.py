"""Models of sites that the processes of a job share. Nothing imports Scrapy."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from scrapy_tps.sharing.knowledge import Row, Topic
from scrapy_tps.sites.model import SiteModel
from scrapy_tps.sites.reference import Reference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy_tps.sharing.knowledge import Knowledge

#: Kinds of rows: a page that a model remembers; the model's epoch, and the last one in which nothing may be removed.
PAGE: Final = "page"
STATE: Final = "state"

_EPOCH: Final = b"epoch"
_BARRED: Final = b"barred"
#: Sites of which it is remembered what was told. Of others all is told again, which costs a few bytes.
_MOST_SITES: Final = 10_000


class SharedModels:
    """Tells the other processes what the models of this one have learnt, and the other way round.

    :param pages: pages that a model remembers; the same in all processes.
    """

    def __init__(self, knowledge: Knowledge, pages: int) -> None:
        self._knowledge = knowledge
        self._pages = pages
        self._losses = 0
        self._told: OrderedDict[str, dict[bytes, tuple[int, int]]] = OrderedDict()
        knowledge.keep(PAGE, pages)
        knowledge.keep(STATE, 2)

    def watch(self, site: str) -> None:
        """Ask for what others know of a site: with each page of it, say."""
        self._knowledge.watch(site, PAGE)
        self._knowledge.watch(site, STATE)

    def tell(self, site: str, model: SiteModel) -> None:
        """Share what a model has learnt since it was last told."""
        if self._losses != self._knowledge.losses:
            self._losses = self._knowledge.losses
            self._told.clear()
        told = self._of(site)
        for row in _rows(site, model):
            if told.get(row.key, (-1, -1)) < (row.epoch, row.version):
                told[row.key] = row.epoch, row.version
                self._knowledge.tell(row)

    def news(self) -> Iterator[tuple[str, SiteModel]]:
        """What others have learnt since the last call, as models to be merged into those of the sites."""
        sites: dict[str, list[Row]] = {}
        for row in (*self._knowledge.news(PAGE), *self._knowledge.news(STATE)):
            sites.setdefault(row.topic.site, []).append(row)
        for site, rows in sites.items():
            # it need not be told to those that told it
            self._of(site).update({row.key: (row.epoch, row.version) for row in rows})
            yield site, self._model(rows)

    def _of(self, site: str) -> dict[bytes, tuple[int, int]]:
        told = self._told.setdefault(site, {})
        self._told.move_to_end(site)
        if len(self._told) > _MOST_SITES:
            self._told.popitem(last=False)
        return told

    def _model(self, rows: Iterable[Row]) -> SiteModel:
        epoch, barred = 0, -1
        references = []
        for row in rows:
            if row.topic.kind == PAGE:
                with suppress(ValueError):  # another program has written it
                    references.append(Reference.from_bytes(row.blob))
            elif row.key == _EPOCH:
                epoch = row.epoch
            elif row.key == _BARRED:
                barred = row.version - 1
        return SiteModel.of(references, epoch=epoch, barred=barred, pages=self._pages)


def _rows(site: str, model: SiteModel) -> Iterator[Row]:
    state, page = Topic(site, STATE), Topic(site, PAGE)
    if model.epoch > 0:
        yield Row(state, _EPOCH, b"", epoch=model.epoch)
    if model.barred >= 0:
        yield Row(state, _BARRED, b"", version=model.barred + 1)
    for one in model.references:
        yield Row(page, one.key, one.to_bytes(), one.epoch, one.version)
