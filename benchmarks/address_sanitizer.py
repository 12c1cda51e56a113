"""Run the native core under AddressSanitizer: the engine's tests, and random changes of pruned trees.

    python -m benchmarks.address_sanitizer [--pages 200] [--no-tests] [--keep FOLDER]

The core is compiled with AddressSanitizer in a scratch folder, from a copy of the sources; the installed one is not
touched. `benchmarks.tree_changes` makes the changes. The exit status is 1 if a test fails, a process ends by a signal,
or AddressSanitizer reports a read or write of memory that is not allocated. Python's objects are allocated one by one,
so that it watches them too. Leaks are not reported, because Python leaves memory to the kernel at its end.

Building takes a minute of processor time, the tests (1,770, five times as slow as elsewhere) five and a half, on all
processors.

Needs gcc with its sanitizers (`libasan`), Cython and pytest-xdist, on Linux.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
COPIED = ("scrapy_tps", "tests", "benchmarks", "example_project", "docs")
#: Tests that measure time or memory, which the sanitizer multiplies, or build the core again.
LEFT_OUT = "not linear and not memory and not time and not pure_python_prunes"
#: With 256 MB of freed memory watched, the default, wide pages take 740 MB instead of 374: without a report, a process
#: may end there by SIGKILL, for want of memory.
OPTIONS = "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1:quarantine_size_mb=64"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=200, help="pages whose trees are changed")
    parser.add_argument("--first", type=int, default=0, help="the number of the first page")
    parser.add_argument("--no-tests", action="store_true", help="only change trees")
    parser.add_argument("--keep", type=Path, help="build in this folder, and leave it for the next run")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = chosen.keep or Path(scratch)
        build(folder)
        failed = []
        last = chosen.first + chosen.pages
        if run(folder, "-m", "benchmarks.tree_changes", str(chosen.first), str(last)):
            failed.append("tree changes")
        workers = str(len(os.sched_getaffinity(0)))
        tests = (
            "-m",
            "pytest",
            "-q",
            "-x",
            "-n",
            workers,
            "-p",
            "no:cacheprovider",
            "-k",
            LEFT_OUT,
            "tests/engine",
        )
        if not chosen.no_tests and run(folder, *tests):
            failed.append("tests")
    print(f"failed: {', '.join(failed)}" if failed else "AddressSanitizer found nothing")
    return int(bool(failed))


def build(folder: Path) -> None:
    """Copy the sources to a folder, and compile the core there."""
    folder.mkdir(parents=True, exist_ok=True)
    compiled = shutil.ignore_patterns("*.so", "__pycache__", "build")
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=compiled, dirs_exist_ok=True)
    for file in ROOT.iterdir():
        if file.is_file():
            shutil.copy2(file, folder)
    flags = {
        "CFLAGS": "-O1 -fsanitize=address -fno-omit-frame-pointer",
        "LDFLAGS": "-fsanitize=address",
        "SCRAPY_TPS_NATIVE": "1",
    }
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(command, cwd=folder, env={**os.environ, **flags}, check=True, capture_output=True)


def run(folder: Path, *arguments: str) -> int:
    """Run Python with the core of a folder; return its exit status."""
    library = subprocess.run(
        ["gcc", "-print-file-name=libasan.so"], check=True, capture_output=True, text=True
    ).stdout.strip()
    environment = {
        **os.environ,
        "ASAN_OPTIONS": OPTIONS,
        "LD_PRELOAD": library,
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(folder),
        "SCRAPY_TPS_NATIVE": "1",
    }
    status = subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, check=False).returncode
    if status < 0:
        print(f"ended by {signal.Signals(-status).name}: {' '.join(arguments)}")
    return status


if __name__ == "__main__":
    sys.exit(main())
