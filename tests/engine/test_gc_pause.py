from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_tps import prune
from scrapy_tps.engine.strategies import Selection

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = "<body><nav><a href=/>Home</a></nav>" + "<div class=offer><h2>Name</h2><p>About it</p></div>" * 3000


@pytest.fixture
def collections() -> Iterator[list[int]]:
    """The generations that the garbage collector has gone through."""
    seen: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            seen.append(info["generation"])

    gc.collect()
    gc.callbacks.append(note)
    yield seen
    gc.callbacks.remove(note)


class Failing:
    size_ratio = 0.5

    def select(self, *_: Any) -> Selection:
        raise ValueError("no")


def test_no_garbage_is_collected_while_a_page_is_pruned(collections: list[int]) -> None:
    inside: list[int] = []

    class Looking(Failing):
        def select(self, *_: Any) -> Selection:
            inside.extend(collections)
            return Selection("no_region")

    prune(PAGE, settings={"TPS_STRATEGY": Looking()})
    assert inside == []
    [[number] for number in range(10_000)]  # the collector goes on: this is more than it lets pass
    assert collections


@pytest.mark.parametrize("settings", [{}, {"TPS_STRATEGY": Failing()}])
@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_as_it_was_afterwards(settings: dict[str, Any], enabled: bool) -> None:
    (gc.enable if enabled else gc.disable)()
    try:
        prune(PAGE, settings=settings)
        assert gc.isenabled() == enabled
    finally:
        gc.enable()
