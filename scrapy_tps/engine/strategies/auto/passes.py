"""Rows of a table that are passes of several steps: what a step decides is written before the next one looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_tps.engine.strategies.auto.correct.like_siblings import like_siblings
from scrapy_tps.engine.strategies.auto.correct.own_banners import own_banners
from scrapy_tps.engine.strategies.auto.correct.own_parts import own_parts
from scrapy_tps.engine.strategies.auto.correct.related_headings import related_headings
from scrapy_tps.engine.strategies.auto.correct.revealed import revealed
from scrapy_tps.engine.strategies.auto.remove.record_surroundings import record_surroundings
from scrapy_tps.engine.strategies.auto.remove.split_sides import split_sides
from scrapy_tps.engine.strategies.auto.retain.counts import counts
from scrapy_tps.engine.strategies.auto.retain.labelled import labelled
from scrapy_tps.engine.strategies.auto.retain.landmarks import landmarks
from scrapy_tps.engine.strategies.auto.retain.next_links import next_links
from scrapy_tps.engine.strategies.auto.retain.pagination import pagination, unmarked_pagination

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_tps.engine.strategies.auto.decisions import Correction, Removal, Retained, Sides
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.retain_thresholds import Promises
    from scrapy_tps.engine.strategies.auto.thresholds import Cues, OldListings


def cues(page: Page, limits: Cues) -> Iterator[list[Correction]]:
    """Correct what names and markup say of parts, by where these stand and what they are made of."""
    yield related_headings(page, limits.related)
    yield own_parts(page, limits.parts)
    yield own_banners(page, limits.banners)
    yield like_siblings(page, limits.siblings)
    yield revealed(page, limits.revealed)


def old_listings(page: Page, limits: OldListings) -> Iterator[Sequence[Removal] | Sides]:
    """Remove small parts away from the records, then the smaller sides of splits."""
    yield record_surroundings(page, limits.surroundings)
    yield split_sides(page, limits.sides)


def promises(page: Page, limits: Promises) -> Iterator[list[Retained]]:
    """Retain headings, breadcrumbs, pagination, labelled facts, counts of results and links to the next page."""
    yield landmarks(page, limits.landmarks)
    yield pagination(page, limits.pagination)
    yield labelled(page, limits.labelled)
    yield counts(page, limits.counts)
    yield next_links(page, limits.next_links)


def unmarked_promises(page: Page, limits: Promises) -> Iterator[list[Retained]]:
    """Retain headings, breadcrumbs, pagination by its marks or else by its numbers, and links to the next page."""
    yield landmarks(page, limits.landmarks)
    yield unmarked_pagination(page, limits.pagination)
    yield next_links(page, limits.next_links)
