"""What a model of its site adds to the cost of a page.

    python -m benchmarks.site_cost --data ../shared/data/testbed --template-pages 2 [--sample 60] [--repeat 5]

`--data` is a folder with several pages of each site, whose names start alike (:mod:`benchmarks.sites`). A model learns
the pages of a site; then each of them is pruned without it, with ``veto`` and with ``full``, by turns, as are pages
that the model does not want: all but some 35 of a site's first 200. CPU time, the best of a few runs of each, in all
relative to the cost without a model; `learning`: what a page adds to ``veto`` that is remembered. Before each run as
much is copied as the processor's own caches hold: in a crawl, another page came before.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.corpus import add_data_option, pages
from benchmarks.sites import site_of
from scrapy_tps.engine import native
from scrapy_tps.engine.prune import prune_page
from scrapy_tps.engine.site import FULL, OFF, VETO
from scrapy_tps.settings.definitions import page_settings
from scrapy_tps.sites import SiteModel

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: What a model may add to the cost of a page, in per cent of it.
BAR = 5.0
#: More than the second-level cache of a processor holds.
EVICTING = 6 << 20


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_data_option(parser, Path)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--strategy", default="auto")
    parser.add_argument("--template-pages", type=int, default=5)
    chosen = parser.parse_args()
    base = page_settings({"TPS_STRATEGY": chosen.strategy, "TPS_SITE_TEMPLATE_PAGES": chosen.template_pages})
    sites = defaultdict(list)
    for path, body in pages(chosen.data, None):
        sites[site_of(path.name)].append((path.name, body))
    costs: dict[str, float] = defaultdict(float)
    left = chosen.sample or sys.maxsize
    measured = 0
    gc.disable()
    for bodies in sites.values():
        if len(bodies) < chosen.template_pages or left <= 0:
            continue
        model = SiteModel()
        for name, body in bodies:
            model.teach(prune_page(body, None, replace(base, site=FULL), url=name, site=model.known()))
        teaching = model.known()
        model.read_only = True
        known = model.known()
        for name, body in bodies[:left]:
            runs = {mode: _run(body, replace(base, site=mode), name, known) for mode in (OFF, VETO, FULL)}
            runs["learning"] = _run(body, replace(base, site=VETO), name, teaching)
            for mode, seconds in best_by_turns(runs, chosen.repeat).items():
                costs[mode] += seconds
            measured += 1
        left -= len(bodies)
        gc.collect()
    if not measured:
        parser.error(f"no site here has {chosen.template_pages} pages: --template-pages")
    print(f"{measured} pages; native core: {native.AVAILABLE} ({native.REASON or 'in use'})")
    added = {mode: 100 * (seconds / costs[OFF] - 1) for mode, seconds in costs.items()}
    added["learning"] -= added[VETO]
    print(f"{OFF}: {1e3 * costs[OFF] / measured:.2f} ms a page")
    for mode in (VETO, FULL, "learning"):
        print(f"{mode:10}{added[mode]:+6.1f} %")
    missed = max(added[VETO], added[FULL]) > BAR
    print(f"bar: {VETO} and {FULL} add at most {BAR} %: {'MISSED' if missed else 'held'}")
    return int(missed)


def _run(body: bytes, settings: Any, name: str, known: Any) -> Callable[[], Any]:
    return lambda: prune_page(body, None, settings, url=name, site=known)


def best_by_turns(runs: dict[str, Callable[[], object]], repeat: int) -> dict[str, float]:
    """Return the shortest CPU time of each of several functions, which are called by turns, with cold caches."""
    found: dict[str, float] = {}
    evicted, evicting = bytearray(EVICTING), bytes(EVICTING)
    turns = list(runs.items())
    for turn in range(repeat):
        first = turn % len(turns)  # what runs after what makes a difference
        for name, run in turns[first:] + turns[:first]:
            evicted[:] = evicting
            started = time.thread_time()
            run()
            seconds = time.thread_time() - started
            found[name] = min(seconds, found.get(name, seconds))
    return found


if __name__ == "__main__":
    sys.exit(main())
