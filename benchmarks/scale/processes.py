"""Pages a second with 1, 2 and 4 processes that share a queue and a store on this machine.

    python -m benchmarks.scale.processes [--processes 1 2 4] [--pages 2000] [--without-store]

Each process crawls with scrapy-redis' queue and duplicate filter on a real ``redis-server``: the category page of the
demo shop under many addresses on 50 sites, seven selectors and an item a page, served at once by a process of its own.
All processes wait for each other before the first request, so that neither imports nor starts count: *seconds* are
those from there to the last page of any process, by the clock in milliseconds.

Crawlers, Redis and the server share the processors of this machine. So pages per second are shown with the processor
time per page of the crawlers, of Redis and of the server. Machines with more processors crawl proportionally more
pages, until Redis is busy.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess

from benchmarks.scale.__main__ import Server, seen
from benchmarks.scale.crawler import QUERIES
from scrapy_tps.sharing.connection import Connection

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

ROOT = Path(__file__).resolve().parents[2]
SITES = 50


class Site(asyncio.Protocol):
    """Answers whatever is asked with the page, as a proxy for all sites."""

    answer = b""

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._unread = b""

    def data_received(self, data: bytes) -> None:
        *asked, self._unread = (self._unread + data).split(b"\r\n\r\n")
        self._transport.write(self.answer * len(asked))


async def serve() -> None:
    """Serve the page on a free port of 127.0.0.1, say which one, and go on until killed."""
    sys.path.insert(0, str(ROOT / "example_project"))
    from demo.sites import SITES as DEMO  # noqa: PLC0415 (of the example project)

    page = DEMO["shop.example"].page("/c/headphones", {})
    assert page is not None
    body = page.encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
    Site.answer = head.encode() + body
    server = await asyncio.get_running_loop().create_server(Site, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


class Pages(Spider):
    """Puts its share of the addresses into the queue of all, and crawls what it gets from there."""

    name = "pages"
    task: dict[str, Any]
    pages = 0

    async def start(self) -> AsyncIterator[Any]:
        from redis import Redis  # noqa: PLC0415

        task = self.task
        with Redis.from_url(task["redis"]) as redis:
            redis.incr("ready")
            while int(redis.get("ready") or 0) < task["count"]:
                await asyncio.sleep(0.01)
        self.first = self.last = time.time()
        self.processor = time.process_time()
        for number in range(task["number"], task["pages"], task["count"]):
            url = f"http://site-{number % SITES}.example/{number}"
            yield Request(url, meta={"proxy": task["proxy"]})

    def parse(self, response: Any) -> Iterator[Any]:
        self.pages += 1
        self.last = time.time()
        yield {query: response.css(query).getall() for query in QUERIES}

    def closed(self, reason: str) -> None:
        found = {
            "reason": reason,
            "pages": self.pages,
            "first": self.first,
            "last": self.last,
            "processor": time.process_time() - self.processor,
        }
        Path(self.task["result"]).write_text(json.dumps(found), encoding="utf-8")


def crawl(task: dict[str, Any]) -> None:
    """Crawl in one process."""
    shared = {"TPS_STORE": task["redis"], "TPS_DISTRIBUTED_CRAWL": "scale"} if task["store"] else {}
    process = AsyncCrawlerProcess(
        {
            "ADDONS": {"scrapy_tps.Addon": 500},
            "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
            "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
            "SCHEDULER_PERSIST": True,
            "REDIS_URL": task["redis"],
            "TPS_STATS_FILE": f"{task['result']}.sqlite",
            "TELNETCONSOLE_ENABLED": False,
            "REMOTE_CONTROL_ENABLED": False,
            "LOG_LEVEL": "ERROR",
            **shared,
        }
    )
    process.crawl(Pages, task=task)
    process.start()


def measure(redis: Server, proxy: subprocess.Popen[str], tasks: list[dict[str, Any]]) -> str:
    """Crawl with a process for each task; return a line of the table."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    connection = Connection(redis.url)
    before = seen(connection), _processor(proxy.pid)
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "benchmarks.scale.processes", "--crawl", json.dumps(task)],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": path},
        )
        for task in tasks
    ]
    if any(code for code in [process.wait() for process in running]):
        raise SystemExit("A process has failed")
    after = seen(connection), _processor(proxy.pid)
    connection.close()
    found = [json.loads(Path(task["result"]).read_text(encoding="utf-8")) for task in tasks]
    pages = sum(one["pages"] for one in found)
    if pages != tasks[0]["pages"]:
        raise SystemExit(f"{pages} pages were crawled, of {tasks[0]['pages']}")
    seconds = max(one["last"] for one in found) - min(one["first"] for one in found)
    server = sum(float(after[0][name]) - float(before[0][name]) for name in ("used_cpu_user", "used_cpu_sys"))
    times = (sum(one["processor"] for one in found), server, after[1] - before[1])
    shares = "-".join(f"{one['pages']}" for one in sorted(found, key=lambda one: -one["pages"]))
    return (
        f"{len(tasks):>9} {seconds:>8.2f} {pages / seconds:>8.1f}"
        + "".join(f" {one / pages * 1000:>8.2f}" for one in times)
        + f" {sum(times) / seconds:>11.2f}  {shares}"
    )


def _processor(pid: int) -> float:
    """Seconds of processor time that a process has had."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--without-store", action="store_true", help="the queue alone")
    parser.add_argument("--crawl", help=argparse.SUPPRESS)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.crawl:
        crawl(json.loads(options.crawl))
        return
    if options.serve:
        asyncio.run(serve())
        return
    print(
        f"{options.pages} pages; {os.cpu_count()} processors for all\n"
        "                           pages  ms of processor time a page  processors  pages of\n"
        "processes  seconds a second crawlers    Redis   server        busy  each"
    )
    proxy = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.scale.processes", "--serve"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert proxy.stdout is not None
        address = f"http://127.0.0.1:{int(proxy.stdout.readline())}"
        for _ in range(options.rounds):
            for count in options.processes:
                with tempfile.TemporaryDirectory() as keeps, closing(Server(Path(keeps))) as redis:
                    tasks = [
                        {
                            "redis": redis.url,
                            "proxy": address,
                            "pages": options.pages,
                            "count": count,
                            "number": number,
                            "store": not options.without_store,
                            "result": str(Path(keeps) / f"{number}.json"),
                        }
                        for number in range(count)
                    ]
                    print(measure(redis, proxy, tasks), flush=True)
    finally:
        proxy.kill()
        proxy.wait()


if __name__ == "__main__":
    main()
