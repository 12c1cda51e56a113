"""How the work of a method grows with the size of a page: ten times the nodes, at most twelve times the operations.

Counted are the lines of Python that the method executes (those of its package; what it calls in numpy, bm25s and the
engine makes one pass), so that the figures are the same on every machine. Methods of many pages judge a page with
three others of its size.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps import literature
from scrapy_tps.engine.prune import prune_page
from scrapy_tps.engine.strategies import LITERATURE
from scrapy_tps.literature.memory import SitePages
from scrapy_tps.settings.definitions import page_settings
from tests.support.hostile import hostile_pages

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

BAR: Final = 12.0
NODES: Final = 400
_FOLDER: Final = str(Path(literature.__file__).parent)
_OTHERS: Final = 3


def operations(strategy: str, kind: str, nodes: int) -> int:
    """Lines of Python that a method executes for one page of a kind and size."""
    # what pages of a site share would make them easy: each has words of its own
    pages = [
        hostile_pages(nodes)[kind].replace("text", f"text{number}").replace("About", f"About{number}")
        for number in range(_OTHERS + 1)
    ]
    settings = page_settings({"TPS_STRATEGY": strategy})
    memory = SitePages()
    for page in pages[1:]:
        prune_page(page, settings, memory=memory)
    count = 0

    def of_line(frame: FrameType, event: str, argument: Any) -> Any:  # noqa: ARG001
        nonlocal count
        count += event == "line"
        return of_line

    def of_call(frame: FrameType, event: str, argument: Any) -> Any:  # noqa: ARG001
        return of_line if frame.f_code.co_filename.startswith(_FOLDER) else None

    before = sys.gettrace()
    sys.settrace(of_call)
    try:
        prune_page(pages[0], settings, memory=memory)
    finally:
        sys.settrace(before)
    return count


def growth(strategies: Sequence[str] | None = None, nodes: int = NODES) -> int:
    """Print what ten times the nodes cost; return 1 where that is more than the bar."""
    missed = 0
    for strategy in strategies or LITERATURE:
        for kind in hostile_pages(100):
            few, many = (operations(strategy, kind, size) for size in (nodes, 10 * nodes))
            over = many > BAR * few
            missed += over
            print(
                f"{strategy:20} {kind:30} {few:9,} {many:11,}  x {many / max(1, few):5.1f}{'  MISSED' * over}",
                flush=True,
            )
    return int(missed > 0)
