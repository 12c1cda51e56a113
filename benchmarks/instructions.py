"""Count the instructions of pruning a page, step by step and rule by rule, with callgrind, so without noise.

    python -m benchmarks.instructions [--hold TABLE | --write TABLE] [--strategy auto]
        [--data FOLDER --sample N --least BYTES]

Pages of the demo sites, or of a folder. All are pruned once, then counted: thousands of instructions and of misses of
the first-level instruction cache (32 kB, 8 ways), means over the pages. Each step ends with a call of some thousand
instructions, which are in its figure; the strategy is counted as a whole, so its figure has one such call. With
``--hold``, the exit status is 1 if a step takes 3 % and 2,000 instructions more than in the table, provided that
Python, lxml and Scrapy are those of the table; ``--write`` writes the table.

Needs valgrind with its headers, and a C compiler.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.http import HtmlResponse

from benchmarks.corpus import pages
from scrapy_tps.engine import native
from scrapy_tps.engine import prune as pruner
from scrapy_tps.engine.html import document
from scrapy_tps.engine.strategies import load_strategy
from scrapy_tps.engine.strategies.auto import pipeline
from scrapy_tps.response import PrunedHtmlResponse
from scrapy_tps.settings.definitions import page_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DEMO = Path(__file__).parents[1] / "example_project"
#: Pages of the demo sites: host, path, query.
DEMO_PAGES: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("shop.example", "/c/headphones", {}),
    ("jobs.example", "/jobs", {}),
    ("forum.example", "/", {}),
    ("news.example", "/", {}),
    ("search.example", "/search", {"q": "parish"}),
    ("archive.example", "/new", {}),
)
#: The tolerance of a step: a share of its figure in the table, and a number of instructions.
TOLERANCE, SMALLEST = 0.03, 2_000
MARKS = """
#include <valgrind/callgrind.h>
void start(void) { CALLGRIND_START_INSTRUMENTATION; }
void zero(void) { CALLGRIND_ZERO_STATS; }
void dump(const char *step) { CALLGRIND_DUMP_STATS_AT(step); }
"""
RULE = "rule "
#: Bytes of an object for which the C library joins freed memory, but does not ask the kernel.
LARGE = 100_000
#: Instructions and misses, means over the pages.
Cost = tuple[float, float]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder of *.html or *.html.gz files, not the demo sites")
    parser.add_argument("--sample", type=int, default=12, help="of these, so many pages")
    parser.add_argument("--least", type=int, default=0, help="of these, pages of so many bytes or more")
    parser.add_argument("--strategy", default="auto")
    parser.add_argument("--hold", type=Path, metavar="TABLE")
    parser.add_argument("--write", type=Path, metavar="TABLE")
    parser.add_argument("--marks", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.marks:
        run(chosen, chosen.marks)
        return 0
    costs = counted(sys.argv[1:])
    print(f"{'thousands a page':28} instructions  I1 misses")
    for step, (instructions, misses) in costs.items():
        print(f"{step:28} {instructions / 1e3:12,.1f} {misses / 1e3:10,.2f}")
    if chosen.write:
        table = {"made with": versions(), **{step: round(cost[0]) for step, cost in costs.items()}}
        chosen.write.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    if not chosen.hold:
        return 0
    table = json.loads(chosen.hold.read_text(encoding="utf-8"))
    if (made_with := table.pop("made with")) != versions():
        print(f"the table was made with {made_with}, this is {versions()}: not compared")
        return 0
    return held(costs, table)


def versions() -> str:
    """Return the versions, other than ours, that affect instructions."""
    lxml, scrapy = (version(name).rpartition(".")[0] for name in ("lxml", "scrapy"))
    return f"Python {sys.version_info.major}.{sys.version_info.minor}, lxml {lxml}, Scrapy {scrapy}"


def held(costs: dict[str, Cost], table: dict[str, int]) -> int:
    """Print the steps that cost more than the table allows; return the exit status."""
    dear = [step for step in costs if step not in table]
    for step, bar in table.items():
        instructions = costs.get(step, (0.0, 0.0))[0]
        if instructions > bar * (1 + TOLERANCE) and instructions - bar > SMALLEST:
            print(f"{step}: {instructions:,.0f} instructions, {bar:,} in the table")
            dear.append(step)
    return 1 if dear else 0


def counted(arguments: list[str]) -> dict[str, Cost]:
    """Return the costs by step, those of rules last, the dearest first."""
    with tempfile.TemporaryDirectory() as folder:
        marks, source = Path(folder, "marks.so"), Path(folder, "marks.c")
        source.write_text(MARKS, encoding="utf-8")
        compiler = shutil.which("cc") or shutil.which("gcc") or "cc"
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(marks), str(source)], check=True)
        command = [
            *("valgrind", "-q", "--tool=callgrind", "--instr-atstart=no", "--cache-sim=yes"),
            *("--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"),
            *(f"--callgrind-out-file={folder}/out", sys.executable, "-m", "benchmarks.instructions"),
            *("--marks", str(marks), *arguments),
        ]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": "0"})
        found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for dump in Path(folder).glob("out.*"):
            text = dump.read_text(encoding="utf-8")
            step = re.search(r"^desc: Trigger: Client Request: (.+)$", text, re.MULTILINE)
            totals = re.search(r"^(?:summary|totals): (\d+) \d+ \d+ (\d+)", text, re.MULTILINE)
            if step and totals:
                found[step[1]].append((int(totals[1]), int(totals[2])))
    count = len(found["parse"])
    costs: dict[str, Cost] = {
        step: (sum(one for one, _ in of) / count, sum(one for _, one in of) / count)
        for step, of in found.items()
    }
    return dict(sorted(costs.items(), key=lambda cost: (cost[0].startswith(RULE), -cost[1][0])))


class Marks:
    """Counts what functions do, by name, while it is on."""

    def __init__(self, library: str) -> None:
        self._marks = ctypes.CDLL(library)
        self.on = False

    def start(self) -> None:
        """Let callgrind look; until then the process is twenty times as fast."""
        self._marks.start()

    def around(self, step: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that does the same, counted as `step`."""
        name = step.encode()

        def counting(*args: Any, **kwargs: Any) -> Any:
            if not self.on:
                return function(*args, **kwargs)
            self._marks.zero()
            result = function(*args, **kwargs)
            self._marks.dump(name)
            return result

        return counting

    def put_around(self, owner: Any, name: str, step: str) -> None:
        """Count a function of a module."""
        setattr(owner, name, self.around(step, getattr(owner, name)))


def run(chosen: argparse.Namespace, library: str) -> None:
    """Prune the pages: twice to warm up, once for the strategy, and once for each step."""
    settings = page_settings({"TPS_STRATEGY": chosen.strategy})
    strategy, bodies = load_strategy(settings.strategy), list(chosen_pages(chosen))
    whole, marks = Marks(library), Marks(library)
    whole.put_around(type(strategy), "select", "strategy")
    respond = marks.around("response", PrunedHtmlResponse.from_response)

    def prune_all() -> None:
        for body in bodies:
            response = HtmlResponse("http://example.com/", body=body)
            encoding = response.encoding
            decoded = document.utf8(body, encoding) or document.decode(body, encoding)
            page = pruner.prune_page(body, settings, url=response.url, encoding=encoding, decoded=decoded)
            respond(response, page)
            # freeing the page, and joining its memory again for a large object, is no part of a step of the next one
            del response, decoded, page
            bytes(LARGE)

    prune_all()
    whole.start()
    prune_all()
    gc.collect()
    gc.disable()
    whole.on = True
    prune_all()
    whole.on = False
    if hasattr(strategy, "pipeline"):
        settings = replace(settings, strategy=with_marks(strategy, marks))
    marks.put_around(native, "walk", "walk")
    marks.put_around(pruner, "_cut", "cut")
    marks.put_around(pruner, "write_page", "response")
    marks.put_around(document, "parse", "parse")
    marks.on = True
    prune_all()


def with_marks(strategy: Any, marks: Marks) -> Any:
    """The strategy with the steps of its rules counted."""
    for name, step in (("Page", "columns"), ("write_decisions", "written"), ("selection", "selection")):
        marks.put_around(pipeline, name, step)

    def around(step: pipeline.Step) -> pipeline.Step:
        return step._replace(decide=marks.around(f"{RULE}{step.name}", step.decide))

    rules = tuple(rule._replace(steps=tuple(map(around, rule.steps))) for rule in strategy.pipeline.rules)
    return replace(strategy, pipeline=replace(strategy.pipeline, rules=rules))


def chosen_pages(chosen: argparse.Namespace) -> Iterator[bytes]:
    if chosen.data is None:
        sys.path.insert(0, str(DEMO))
        from demo.sites import SITES  # noqa: PLC0415 (its folder is no package of ours)

        for host, path, query in DEMO_PAGES:
            yield SITES[host].page(path, query).encode()
        return
    found = [body for _, body in pages(chosen.data) if len(body) >= chosen.least]
    yield from found[:: max(1, len(found) // chosen.sample)][: chosen.sample]


if __name__ == "__main__":
    sys.exit(main())
