"""The models of the sites of a running crawl: bounded, taught, and held back where they look wrong.

Nothing imports Scrapy. Used on one thread; what :meth:`SiteModels.known` returns may be asked in others.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from scrapy_tps.sites.model import PAGES, SiteModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_tps.engine.pruning import Pruning
    from scrapy_tps.sites.known import Known

#: So many pages of a site teach its model; after these it stays as it is until the site changes.
LESSONS: Final = 200
#: After so many pages running that no known page is made like, the site has changed.
STRANGE: Final = 20
#: After so many pages running of which the veto gave back more than half of what rules took, something is wrong.
DOUBTFUL: Final = 10
#: Of so many sites, those asked last, what was gathered of their pages is kept: some 10 KB each.
AWAKE: Final = 100

_SITE_RULES: Final = frozenset({"site_veto", "template"})


@dataclass(slots=True)
class _Site:
    model: SiteModel
    lessons: int = 0
    strange: int = 0
    given_back: int = 0
    changed: bool = False


class SiteModels:
    """The models of a crawl's sites; the least recently used ones are let go of.

    :param pages: pages that each model remembers.
    :param max_sites: models held in memory.
    :param read_only: whether pages teach nothing, strategies with a memory of their own included.
    :param load: gives the model that is kept of a site, or None.
    :param keep: called with the models that are let go of and have changed.
    """

    def __init__(
        self,
        *,
        pages: int = PAGES,
        max_sites: int = 1000,
        read_only: bool = False,
        load: Callable[[str], SiteModel | None] = lambda _: None,
        keep: Callable[[list[tuple[str, SiteModel]]], object] = lambda _: None,
    ) -> None:
        self._pages, self._max_sites, self._read_only = pages, max_sites, read_only
        self._load, self._keep = load, keep
        self._sites: OrderedDict[str, _Site] = OrderedDict()
        self._awake: OrderedDict[str, SiteModel] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sites)

    def known(self, site: str) -> Known:
        """Return what is known of a site now; it does not change."""
        model = self._awake[site] = self._site(site).model
        self._awake.move_to_end(site)
        if len(self._awake) > AWAKE:
            self._awake.popitem(last=False)[1].rest()
        return model.known()

    def model(self, site: str) -> SiteModel | None:
        """Return the model of a site that is in memory."""
        held = self._sites.get(site)
        return None if held is None else held.model

    def done(self, site: str, pruning: Pruning, *, teaches: bool = True) -> dict[str, int]:
        """Learn what a page teaches; return what is to be counted of it, by name.

        :param teaches: whether the page is one of the site's own: error pages are not.
        """
        counts: dict[str, int] = {}
        if pruning.site_digest is None:
            return counts
        held = self._site(site)
        counts["pages" if pruning.site_pages else "first_pages"] = 1
        counts |= {f"{rule}_pages": 1 for rule in _site_rules(pruning)}
        if self._read_only or not teaches:
            pruning.lesson = None
            return counts
        self._watch(held, pruning, counts)
        if held.model.teach(pruning):
            held.changed = True
            counts["lessons"] = 1
        held.lessons += 1
        if held.lessons == LESSONS:
            held.model.settle()
        return counts

    def bar(self, site: str) -> None:
        """Let nothing of a site's pages be removed for standing on all of them: that has cost data."""
        held = self._site(site)
        held.model.bar()
        held.changed = True

    def merge(self, site: str, model: SiteModel) -> None:
        """Take over what others know of a site."""
        self._site(site).model.merge(model)

    def changed(self) -> list[tuple[str, SiteModel]]:
        """Return the models that have changed since this was last asked."""
        found = [(site, held.model) for site, held in self._sites.items() if held.changed]
        for held in self._sites.values():
            held.changed = False
        return found

    def _site(self, site: str) -> _Site:
        held = self._sites.get(site)
        if held is None:
            model = self._load(site)
            if model is None:
                model = SiteModel(self._pages)
            model.read_only = self._read_only
            held = self._sites[site] = _Site(model)
            if len(self._sites) > self._max_sites:
                name, oldest = self._sites.popitem(last=False)
                self._awake.pop(name, None)
                if oldest.changed:
                    self._keep([(name, oldest.model)])
        self._sites.move_to_end(site)
        return held

    def _watch(self, held: _Site, pruning: Pruning, counts: dict[str, int]) -> None:
        held.strange = 0 if pruning.site_alike or not pruning.site_pages else held.strange + 1
        if held.strange >= STRANGE:
            held.model.start_anew()
            held.strange = held.lessons = 0
            held.changed = True
            counts["epochs"] = 1
        held.given_back = held.given_back + 1 if _gave_back_most(pruning) else 0
        if held.given_back >= DOUBTFUL:
            held.given_back = 0
            counts["doubts"] = 1


def _site_rules(pruning: Pruning) -> frozenset[str]:
    return _SITE_RULES.intersection(span.rule for span in pruning.spans)


def _gave_back_most(pruning: Pruning) -> bool:
    """Whether the veto gave back more nodes than all rules took."""
    back = sum(span.end - span.start for span in pruning.spans if span.rule == "site_veto")
    return back > pruning.raw_nodes - pruning.kept_nodes
