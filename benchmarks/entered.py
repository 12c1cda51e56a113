"""Count the modules and functions of scrapy_tps that a page enters on its way through a crawl.

    python -m benchmarks.entered [--data FOLDER --sample N] [--strategy auto] [--list]

The way is that through the downloader middleware: pruning, writing, counting. Pages of the demo sites, or of a folder;
all pass twice, the second time is counted. Medians over the pages. ``--list`` prints the modules in the order of the
way and of ``response.css`` after it, indented by the depth of the calls, with their functions. The way leads down and
back: no module may be entered again from one that it called. ``SCRAPY_TPS_NATIVE=0`` counts pure Python; the native
core itself is not seen. The exit status is 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrapy.http import HtmlResponse, Request
from scrapy.utils.test import get_crawler

from benchmarks.instructions import chosen_pages
from scrapy_tps.downloadermiddlewares.pruning import TpsMiddleware
from scrapy_tps.engine import native

#: Modules and functions of a page, with the native core and without it.
BARS = (32, 112) if native.AVAILABLE else (40, 231)


@dataclass
class Way:
    """The way of a page.

    :ivar functions: module, name and line of each function; `pruning`: those until the page was counted.
    :ivar depths: the modules in the order in which they were entered first, and how deep.
    :ivar climbs: modules that were entered again from below, with the way there.
    """

    functions: set[tuple[str, str, int]] = field(default_factory=set)
    pruning: set[tuple[str, str, int]] = field(default_factory=set)
    depths: dict[str, int] = field(default_factory=dict)
    climbs: set[tuple[str, ...]] = field(default_factory=set)
    _stack: list[str] = field(default_factory=list)

    def note(self, frame: Any, event: str, _: Any) -> None:
        """Note a call of one of our functions, or the return from it; for :func:`sys.setprofile`."""
        module, code = frame.f_globals.get("__name__", ""), frame.f_code
        if not module.startswith("scrapy_tps") or event not in ("call", "return"):
            return
        if event == "return":
            self._stack.pop()
            return
        self._stack.append(module.removeprefix("scrapy_tps."))
        if code.co_name.startswith("<"):
            return
        self.functions.add((self._stack[-1], code.co_name, code.co_firstlineno))
        way = [one for one, before in zip(self._stack, ["", *self._stack], strict=False) if one != before]
        self.depths.setdefault(way[-1], len(way))
        if way[-1] in way[:-1]:
            self.climbs.add(tuple(way[way.index(way[-1]) :]))


def walked(middleware: TpsMiddleware, body: bytes) -> Way:
    """Return the way of a page."""
    found = Way()
    response = HtmlResponse("http://a.example/", body=body)
    sys.setprofile(found.note)
    pruned = asyncio.run(middleware.process_response(Request(response.url), response))
    found.pruning = set(found.functions)
    pruned.css("title::text").get()
    sys.setprofile(None)
    return found


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
parser.add_argument("--data", type=Path)
parser.add_argument("--sample", type=int, default=50)
parser.add_argument("--strategy", default="auto")
parser.add_argument("--list", action="store_true")
chosen = parser.parse_args(namespace=argparse.Namespace(least=0))
middleware = TpsMiddleware(get_crawler(settings_dict={"TPS_STRATEGY": chosen.strategy}))
pages = list(chosen_pages(chosen))
ways = [[walked(middleware, body) for body in pages] for _ in range(2)][1]
depths = {module: depth for way in ways for module, depth in way.depths.items()}
for module, depth in depths.items() if chosen.list else ():
    names = sorted({name for way in ways for where, name, _ in way.functions if where == module})
    print(f"{'  ' * (depth - 1)}{module}: {', '.join(names)}")
climbs = sorted({climb for way in ways for climb in way.climbs})
for climb in climbs:
    print("comes back:", " > ".join(climb))
figures = (
    statistics.median(len({module for module, *_ in way.pruning}) for way in ways),
    statistics.median(len(way.pruning) for way in ways),
)
print(f"{len(ways)} pages, median: {figures[0]:g} modules, {figures[1]:g} functions; bars {BARS}")
sys.exit(bool(climbs) or any(figure > bar for figure, bar in zip(figures, BARS, strict=True)))
