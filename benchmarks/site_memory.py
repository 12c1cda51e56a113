"""Memory and file of the models of sites in a crawl of many sites.

``python -m benchmarks.site_memory --bench ../shared/bench --data ../shared/data/testbed [--sites 100000] [--pages 2]
[--max-sites 1000] [--known 8]``

What pages teach is that of real ones, each under addresses of its own. Sites are visited in turn, round by round, the
worst case: in each round every model was let go of to the file since the round before, and is read again. Changed
models are written every 5,000 pages, as the interval would. Prints what models of `--known` pages take in memory
(tracemalloc, `--max-sites` of them) and in the file, and how much the process grew since its memory was full.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
import tracemalloc
from contextlib import closing
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from benchmarks.sites import taught
from scrapy_tps.sites.crawl import SiteModels
from scrapy_tps.sites.reference import page_key
from scrapy_tps.sites.store import SiteStore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.pruning import Pruning
    from scrapy_tps.sites.reference import Reference

#: Pages between two writes: five seconds of a crawl of 1,000 pages a second.
PAGES_PER_WRITE = 5000


@dataclass
class Page:
    """The part of a Pruning that teaches and is watched."""

    url: str
    site_pages: int
    site_digest: str
    lesson: Reference | None
    site_alike: int = 1
    spans: Sequence[Any] = ()
    raw_nodes: int = 1000
    kept_nodes: int = 500


def visit(models: SiteModels, site: str, number: int, references: Sequence[Reference]) -> None:
    """What a crawl asks about a site and tells of a page."""
    known = cast("Any", models.known(site))
    url = f"https://{site}/{number}"
    reference = references[hash((site, number)) % len(references)]
    page = Page(url, len(known.references), known.digest, replace(reference, key=page_key(url)))
    models.done(site, cast("Pruning", page))


def resident() -> int:
    """The resident set of this process, in bytes (Linux)."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize()


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sites", type=int, default=100_000)
    parser.add_argument("--pages", type=int, default=2, help="of each site")
    parser.add_argument("--max-sites", type=int, default=1000)
    parser.add_argument("--known", type=int, default=8)
    chosen = parser.parse_args(argv)
    sys.path.insert(0, str(chosen.bench.resolve()))
    pages = list(import_module("datasets").labelled_by_fields(chosen.data))
    references = [one for page in pages for one in taught([page], {}).references]

    tracemalloc.start()
    # references in memory were read from a file, and share nothing
    held = SiteModels(max_sites=chosen.max_sites)
    copies = (type(references[0]).from_bytes(one.to_bytes()) for _ in iter(int, 1) for one in references)
    for site in range(chosen.max_sites):
        for number in range(chosen.known):
            visit(held, f"site-{site}.example", number, [next(copies)])
    print(
        f"{len(held):,} models of {chosen.known} pages in memory: {tracemalloc.get_traced_memory()[0] / 1e6:.1f} MB"
    )
    tracemalloc.stop()
    del held, copies

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sites.sqlite")
        with closing(SiteStore(path, create=True)) as store:
            models = SiteModels(max_sites=chosen.max_sites, load=store.load, keep=store.merge)
            full, started, done = 0, time.process_time(), 0
            for number in range(chosen.pages):
                for site in range(chosen.sites):
                    visit(models, f"site-{site}.example", number, references)
                    done += 1
                    if done % PAGES_PER_WRITE == 0:
                        store.merge(models.changed())
                    if done == chosen.max_sites:
                        full = resident()
                took = (time.process_time() - started) / done
                print(
                    f"{chosen.sites:,} sites, {number + 1} pages each: {len(models):,} in memory, process grew by "
                    f"{(resident() - full) / 1e6:.1f} MB, {took * 1e6:.0f} us a page",
                    flush=True,
                )
            store.merge(models.changed())
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
        print(f"file: {size / 1e6:.0f} MB, {size / chosen.sites / 1e3:.1f} KB a site")
    return 0


if __name__ == "__main__":
    sys.exit(main())
