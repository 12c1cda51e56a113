"""Pages a second with 1, 2 and 4 processes that share a queue and a store on this machine.

    python -m benchmarks.scale.processes [--processes 1 2 4]

The demo sites of the example project, which each process serves itself, with scrapy-redis' queue on a real
``redis-server``. From the first page to the last one, so that neither start nor waiting for the others counts.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from contextlib import closing
from datetime import datetime
from pathlib import Path

from benchmarks.scale.__main__ import Server

ROOT = Path(__file__).resolve().parents[2]
_PAGE = re.compile(r"^(\S+ \S+) .*DEBUG: Crawled \(200\)(?!.*robots\.txt)", re.MULTILINE)


def crawl(url: str, count: int, directory: Path) -> tuple[int, float]:
    """Crawl with so many processes; return pages, and seconds from the first to the last."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = os.environ | {
        "PYTHONPATH": path,
        "SCRAPY_PROJECT": "redis",
        "REDIS_URL": url,
        "TPS_JOB": f"{count}-processes",
    }
    logs = [directory / f"{count}-{number}.log" for number in range(count)]
    processes = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", "scrapy", "crawl", "demo", "-L", "DEBUG", "-s", f"LOG_FILE={log}"),
                *("-s", "TPS_STATS_FILE=None"),
            ],
            cwd=ROOT / "example_project",
            env=environment,
        )
        for log in logs
    ]
    for process in processes:
        process.wait()
    times = sorted(datetime.fromisoformat(found) for log in logs for found in _PAGE.findall(log.read_text()))
    return len(times), max((times[-1] - times[0]).total_seconds(), 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2, 4])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        for count in options.processes:
            with tempfile.TemporaryDirectory() as keeps, closing(Server(Path(keeps))) as server:
                pages, seconds = crawl(server.url, count, Path(directory))
            print(
                f"{count} processes: {pages} pages in {seconds:.0f} s, {pages / seconds:.1f} a second",
                flush=True,
            )


if __name__ == "__main__":
    main()
