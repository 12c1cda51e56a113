"""The thresholds of the rules that ask what the other pages of a site say."""

from __future__ import annotations

from dataclasses import dataclass, replace

from scrapy_tps.engine.strategies.auto.scaling import Thresholds, scaled


@dataclass(frozen=True, slots=True)
class Template(Thresholds):
    characters: int = 20  # shorter parts are labels …
    repeated: float = 0.95  # … and in others so much of the text is repeated
    new: float = 0.1  # pages with less text that is new on the site are the same page under another address
    most: float = scaled(0.8)  # so much of what is left may go


@dataclass(frozen=True, slots=True)
class SiteVeto(Thresholds):
    # parts with so much of their text new on the site come back where rules of position took them …
    position_new: float = 0.5
    silent: bool = False  # … or that say nothing, as pictures do, so that no other page can tell …
    # … others with so much new where they hold so much of all that is new on the page …
    new: float = 0.5
    most: float = 0.5
    # … or with this much, and so many new characters outside of links: related posts are new on every page …
    named_new: float = 0.7
    named_characters: int = 100
    # … this share of all that is new on the page, or in so many parts with the same tag path: fields of records
    named_share: float = 0.05
    fields: int = 3
    # with less that is new, they come back where the other pages have most of their tag paths and kept so much there
    kept_new: float = 0.25
    known: float = 0.5
    kept: float = 0.5

    def by_evidence(self) -> SiteVeto:
        """These thresholds for rules of position that the other pages allow: what those do not show comes back."""
        return replace(self, position_new=0.25, silent=True)

    def for_all(self, new: float) -> SiteVeto:
        """These thresholds for rules of which nothing is known: parts with so much that is new come back."""
        return replace(self, position_new=new, new=new, named_new=new, named_characters=0, named_share=0.0)
