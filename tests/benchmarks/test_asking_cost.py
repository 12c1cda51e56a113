"""What asking costs, measured between neighbours."""

from __future__ import annotations

import pytest

from benchmarks.asking_cost import paired


def test_what_disturbs_both_of_a_pair_alike_does_not_count() -> None:
    without = [[1.0, 4.0, 1.0, 2.0, 4.0], [2.0, 2.0, 8.0, 8.0, 2.0]]
    asking = [[one + 0.5 for one in page] for page in without]
    asking[0][0] += 30  # one of them was interrupted
    assert paired(asking, without, range(5)) == pytest.approx((1.0, 4.0))
