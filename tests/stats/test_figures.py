from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps.stats.figures import MAX_NAMES, SiteFigures, merged, page_counts
from tests.support.figures import MadeUpPruning, figures_of, site_figures

reductions = st.lists(st.floats(0, 1), min_size=1, max_size=60)


def measured(values: list[float]) -> SiteFigures:
    """Figures of pages with these reductions."""
    figures = SiteFigures()
    for value in values:
        figures.add(page_counts(MadeUpPruning(raw_nodes=1, kept_nodes=1 - value), 0))
    return figures


@given(reductions)
def test_mean_is_within_half_a_millionth_of_the_exact_one(values: list[float]) -> None:
    found = measured(values).mean_reduction
    assert found is not None
    assert abs(found - sum(values) / len(values)) <= 0.6e-6


def test_nothing_counted_has_no_mean() -> None:
    assert SiteFigures().mean_reduction is None


def test_bars_hold_every_page() -> None:
    figures = figures_of(
        *(MadeUpPruning(kept_nodes=kept) for kept in (0, 1, 4, 5, 6, 50, 90, 95, 96, 100, 130))
    )
    assert figures.bars == [3, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 4]
    assert sum(figures.bars) == figures["pages"]
    assert not any(SiteFigures().bars)


@given(st.lists(site_figures(), max_size=5), st.randoms())
def test_merging_gives_the_same_in_any_order_and_grouping(parts: list[SiteFigures], random) -> None:
    forward = merged(copy.deepcopy(parts))
    shuffled = copy.deepcopy(parts)
    random.shuffle(shuffled)
    middle = len(shuffled) // 2
    assert merged([merged(shuffled[:middle]), merged(shuffled[middle:])]) == forward


def test_a_pruned_and_a_whole_page_are_both_measured() -> None:
    figures = figures_of(MadeUpPruning(), MadeUpPruning("no_region", kept_nodes=100, kept_chars=1000))
    assert (figures["pages"], figures.pruned, figures.not_pruned, figures.measured) == (
        2,
        1,
        {"no_region": 1},
        2,
    )
    assert figures.mean_reduction == pytest.approx(0.3)
    assert figures.text_reduction == pytest.approx(0.15)
    assert figures.seconds == pytest.approx(0.004)


@pytest.mark.parametrize(
    "pruning", [MadeUpPruning("excluded"), MadeUpPruning("too_large", raw_nodes=0, kept_nodes=0)]
)
def test_a_page_that_was_not_looked_at_is_seen_but_not_measured(pruning: MadeUpPruning) -> None:
    figures = figures_of(pruning)
    assert (figures["pages"], figures.measured, figures.mean_reduction) == (1, 0, None)


def test_made_up_outcomes_cannot_fill_the_memory() -> None:
    figures = SiteFigures()
    for number in range(1000):
        figures.add(page_counts(MadeUpPruning(f"outcome {number}"), 0))
        figures.add({f"alarms/alarm {number}": 1, f"name {number}": 1})
    assert len(figures.group("outcome")) == len(figures.group("alarms")) == MAX_NAMES + 1
    assert sum(figures.group("outcome").values()) == figures["pages"] == 1000
    assert len([name for name in figures if "/" not in name]) == MAX_NAMES + 1
