"""Masks that come back: what was taken out so that shares could be told, and what should not go after all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_tps.engine.strategies.auto.decisions import Unmask

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.page import Page
    from scrapy_tps.engine.strategies.auto.scaling import Thresholds


def doubtful_masks(page: Page, _: Thresholds) -> Unmask | tuple[()]:
    """Put back hidden parts with a good deal of the prose."""
    numbers = [number for number, doubtful in page.masks if doubtful]
    return Unmask(numbers) if numbers else ()


def masks_in_records(page: Page, _: Thresholds) -> Unmask | tuple[()]:
    """Put back what stands between records that are protected."""
    removed, protected = page.removed, page.protected
    numbers = [number for number, _ in page.masks if protected[removed[number][0]]]
    return Unmask(numbers) if numbers else ()
