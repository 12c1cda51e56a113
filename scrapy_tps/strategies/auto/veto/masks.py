"""Masks that come back: what was taken out so that shares could be told, and what should not go after all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_tps.strategies.auto.rule import Veto

if TYPE_CHECKING:
    from scrapy_tps.strategies.auto.page import Page
    from scrapy_tps.strategies.auto.rule import Thresholds


def doubtful_masks(page: Page, _: Thresholds) -> list[Veto]:
    """Put back hidden parts with a good deal of the prose."""
    return [_back(page, number) for number, doubtful in page.masks if doubtful]


def masks_in_records(page: Page, _: Thresholds) -> list[Veto]:
    """Put back what stands between records that are protected."""
    return [_back(page, number) for number, _ in page.masks if page.protected[page.removed[number][0]]]


def _back(page: Page, number: int) -> Veto:
    start, end, _, _ = page.removed[number]
    return Veto(start, end, number, number + 1)
