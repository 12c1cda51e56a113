"""Count the modules and functions of scrapy_tps that a page enters on its way through a crawl.

    python -m benchmarks.entered [--data FOLDER --sample N] [--strategy auto] [--list]

The way is that through the downloader middleware: pruning, writing, counting. Pages of the demo sites, or of a folder;
all pass twice, the second time is counted. Medians over the pages; with ``--list`` the modules by the share of pages
that enter them, and their functions. The native core is not seen. The exit status is 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from scrapy.http import HtmlResponse, Request
from scrapy.utils.test import get_crawler

from benchmarks.instructions import chosen_pages
from scrapy_tps.downloadermiddlewares.pruning import TpsMiddleware

#: Modules and functions of a page.
BARS = 45, 140


def entered(middleware: TpsMiddleware, body: bytes) -> set[tuple[str, str, int]]:
    """Return module, name and line of the functions of ours that a page enters."""
    found = set()

    def note(frame: Any, event: str, _: Any) -> None:
        module, code = frame.f_globals.get("__name__", ""), frame.f_code
        if event == "call" and module.startswith("scrapy_tps") and not code.co_name.startswith("<"):
            found.add((module, code.co_name, code.co_firstlineno))

    response = HtmlResponse("http://a.example/", body=body)
    sys.setprofile(note)
    asyncio.run(middleware.process_response(Request(response.url), response))
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
runs = [[entered(middleware, body) for body in pages] for _ in range(2)][1]
modules = Counter(module for run in runs for module in {one[0] for one in run})
for module, number in modules.most_common() if chosen.list else ():
    print(
        f"{number / len(runs):4.0%} {module}: {', '.join(sorted({n for r in runs for m, n, _ in r if m == module}))}"
    )
figures = [
    statistics.median(map(len, counts)) for counts in ([{one[0] for one in run} for run in runs], runs)
]
print(f"{len(runs)} pages, median: {figures[0]:g} modules, {figures[1]:g} functions; bars {BARS}")
sys.exit(any(figure > bar for figure, bar in zip(figures, BARS, strict=True)))
