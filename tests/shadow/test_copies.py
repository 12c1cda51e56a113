"""A further run of a callback changes a copy of its spider."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

import pytest
import scrapy

from scrapy_tps.shadow.copies import MOST_ENTRIES, CallbackState


class Notes(scrapy.Spider):
    name = "notes"
    of_class: ClassVar[list[str]] = []
    number = 0

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.methods = {"note": self.note}

    def note(self, text: str) -> int:
        self.number += 1
        self.seen.add(text)
        self.of_class.append(text)
        return self.number

    def by_table(self, text: str) -> Any:
        return self.methods["note"](text)


def test_changes_of_a_run_are_seen_by_no_other() -> None:
    spider = Notes()
    state, by_table = CallbackState(spider.note, {}), CallbackState(spider.by_table, {})
    assert spider.note("a") == 1
    assert state.further()("b") == 1
    assert by_table.further()("c") == 1
    assert (spider.number, spider.seen, Notes.of_class) == (1, {"a"}, ["a"])


@pytest.mark.parametrize("kind", [set, Counter])
def test_large_containers_are_shared(kind: Any) -> None:
    spider = Notes()
    spider.seen = kind(map(str, range(MOST_ENTRIES + 1)))
    twin = CallbackState(spider.note, {}).further().__self__
    assert twin.seen is spider.seen
    spider.seen = kind("a")
    assert CallbackState(spider.note, {}).further().__self__.seen is not spider.seen
