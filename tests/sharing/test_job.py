"""The keys of a job: where a cluster keeps them."""

from __future__ import annotations

from collections import Counter
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps.sharing.connection import PARTS, SLOTS, Job

pytest.importorskip("redis", reason="redis-py is not installed")

NAMES = st.text("abcXYZ019._:@+-", min_size=1, max_size=100)


@given(name=NAMES, nodes=st.integers(1, PARTS))
def test_nodes_of_any_number_get_equal_shares_of_the_parts(name: str, nodes: int) -> None:
    from redis.crc import key_slot

    job = Job("redis://localhost", name)
    ends = [round((node + 1) * SLOTS / nodes) for node in range(nodes)]
    slots = [key_slot(job.figures(part).encode()) for part in range(PARTS)]
    parts = Counter(next(node for node, end in enumerate(ends) if slot < end) for slot in slots)
    assert max(parts.values()) == ceil(PARTS / nodes)
    assert [key_slot(job.seen(part, 1).encode()) for part in range(PARTS)] == slots
