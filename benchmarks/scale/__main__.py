"""Measure the load on one Redis, from 10³ to 10⁶ sites and from 1 to 1,000 processes.

    python -m benchmarks.scale [--sites 1000000] [--processes 1000] [--selectors 10] [--flushes 200] [--server PROGRAM]

A simulation with the real client code (:class:`scrapy_tps.sharing.outbox.Outbox`, one for each process) against a
real ``redis-server``, started here. Each process crawls 20 pages a second of sites drawn at random, the worst case: a
flush after five seconds has 100 pages of almost as many sites. Pages of random size are counted by the figures' own
code, with ten selectors each. Figures are differences of the server's ``INFO``. *Processes* is the number that keeps
one Redis half busy, with a flush every five seconds each.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrapy_tps.sharing.connection import Connection, DistributedCrawl
from scrapy_tps.sharing.outbox import KeptSelectors, Outbox
from scrapy_tps.stats.coverage import UseKey, selector_use
from scrapy_tps.stats.figures import SiteFigures, page_counts

PAGES_A_FLUSH = 100
INTERVAL = 5.0
#: Share of a processor that a Redis may be busy with figures.
BUSY = 0.5
ABOUT = '{"spider":"shop","host":"crawler-17","pid":4711,"started":"2026-11-22T12:00:00+00:00","pages":1234}'


@dataclass
class Page:
    """The counted part of a page."""

    raw_nodes: int
    kept_nodes: int
    outcome: str = "pruned"
    strategy: str = "auto"
    excluded_by: str | None = None

    @property
    def raw_chars(self) -> int:
        return self.raw_nodes * 9

    @property
    def kept_chars(self) -> int:
        return self.kept_nodes * 11

    @property
    def reduction(self) -> float:
        return 1 - self.kept_nodes / self.raw_nodes


@dataclass
class Asked:
    """The counts of a selector on a page."""

    used: int = 3
    found: int = 3
    original: int = 0
    partly: int = 0
    taken: int = 0
    nothing: int = 0


def figures_of_a_page(draw: random.Random, selectors: int) -> SiteFigures:
    raw = draw.randint(300, 3000)
    figures = SiteFigures(items=1, pruned_pages=1, pruned_items=1)
    page: Any = Page(raw, int(raw * draw.uniform(0.2, 0.9)))
    figures.add(page_counts(page, draw.randint(2000, 9000)))
    use: Any = Asked()
    asked = [
        selector_use(UseKey("parse", "", f"css:div.product-{number} > span.value::text"), use)
        for number in range(selectors)
    ]
    figures.uses.add_page(asked, 1_795_000_000)
    return figures


def flush(
    outbox: Outbox, connection: Connection, sites: list[str], draw: random.Random, selectors: int
) -> tuple[int, float]:
    """Send a flush; return the sites it touched, and the processor time of the process."""
    counted: dict[str, SiteFigures] = {}
    for site in sites:
        counted.setdefault(site, SiteFigures()).merge(figures_of_a_page(draw, selectors))
    started = time.process_time()
    outbox.add(counted)
    outbox.about = ABOUT
    outbox.send(connection)
    return len(counted), time.process_time() - started


class Server:
    """A Redis that keeps nothing on disk.

    :param program: ``valkey-server`` for Valkey.
    """

    def __init__(self, directory: Path, program: str = "redis-server") -> None:
        self.socket = directory / "redis.sock"
        options = ["--port", "0", "--unixsocket", str(self.socket), "--save", "", "--dir", str(directory)]
        self._process = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
        while not self.socket.exists():
            time.sleep(0.05)
        self.url = f"unix://{self.socket}"

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()


def seen(connection: Connection) -> dict[str, Any]:
    (found,) = connection.run([("INFO", "everything")])
    return dict(found)


def process_of(distributed: DistributedCrawl, process: str) -> Outbox:
    return Outbox(distributed, process, KeptSelectors(distributed), max_sites=2000)


def fill(distributed: DistributedCrawl, connection: Connection, sites: range, selectors: int) -> None:
    """Let the store know of all these sites, as a crawl would after one page of each."""
    outbox = process_of(distributed, f"filler {sites.start}")
    draw = random.Random(sites.start)
    for start in range(sites.start, sites.stop, 1000):
        names = [f"site-{number}.example.com" for number in range(start, min(start + 1000, sites.stop))]
        flush(outbox, connection, names, draw, selectors)


def measure(
    distributed: DistributedCrawl,
    connection: Connection,
    sites: int,
    processes: int,
    *,
    flushes: int,
    selectors: int,
) -> str:
    draw = random.Random(processes * sites)
    outboxes = [process_of(distributed, f"{sites} {processes} {number}") for number in range(processes)]
    before = seen(connection)
    touched, client = 0, 0.0
    for number in range(flushes):
        names = [f"site-{draw.randrange(sites)}.example.com" for _ in range(PAGES_A_FLUSH)]
        more, seconds = flush(outboxes[number % processes], connection, names, draw, selectors)
        touched += more
        client += seconds
    after = seen(connection)

    def rise(name: str) -> float:
        return float(after[name]) - float(before[name])

    pages = flushes * PAGES_A_FLUSH
    server = rise("used_cpu_user") + rise("used_cpu_sys")
    return (
        f"{sites:>9,} {processes:>9,} {touched / flushes:>6.0f}"
        f" {rise('total_net_input_bytes') / pages:>9.0f} {rise('total_net_output_bytes') / pages:>6.1f}"
        f" {rise('total_commands_processed') / pages:>8.2f} {server / flushes * 1000:>8.2f}"
        f" {client / flushes * 1000:>8.2f} {BUSY * INTERVAL / (server / flushes):>9,.0f}"
        f" {float(after['used_memory']) / sites:>7.0f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sites", type=int, default=1_000_000, help="most sites")
    parser.add_argument("--processes", type=int, default=1000, help="most processes")
    parser.add_argument("--selectors", type=int, default=10, help="selectors that each page is asked")
    parser.add_argument("--flushes", type=int, default=200, help="flushes of each measurement")
    parser.add_argument("--server", default="redis-server", help="its program")
    options = parser.parse_args()
    print(
        "    sites processes sites/  bytes to, from a page commands  ms a flush  processes    bytes\n"
        "                      flush    server       a page   server   client  one Redis  a site"
    )
    with (
        tempfile.TemporaryDirectory() as directory,
        closing(Server(Path(directory), options.server)) as server,
    ):
        distributed, connection = DistributedCrawl(server.url, "scale"), Connection(server.url)
        filled, sites = 0, 1000
        while sites <= options.sites:
            fill(distributed, connection, range(filled, sites), options.selectors)
            filled, processes = sites, 1
            while processes <= options.processes:
                print(
                    measure(
                        distributed,
                        connection,
                        sites,
                        processes,
                        flushes=options.flushes,
                        selectors=options.selectors,
                    ),
                    flush=True,
                )
                processes *= 10
            sites *= 10
        connection.close()


if __name__ == "__main__":
    main()
