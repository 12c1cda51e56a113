"""Crawls for the tests: inside the test process, or as a user runs them."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import subprocess
import sys
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from warnings import simplefilter

from scrapy import Spider, signals
from scrapy.cmdline import execute
from scrapy.crawler import Crawler
from scrapy.settings import Settings
from scrapy.utils.reactor import is_reactor_installed

ROOT = Path(__file__).parents[2]

#: Modules that most commands and programs import.
_IMPORTED: Final = (
    "scrapy.core.downloader.handlers.http11",
    "scrapy.core.engine",
    "scrapy.extensions.feedexport",
    "scrapy.shell",
    "scrapy_tps.addon",
    "scrapy_tps.commands.tps_check",
    "scrapy_tps.commands.tps_view",
    "scrapy_tps.downloadermiddlewares.pruning",
    "scrapy_tps.report.page_view",
    "scrapy_tps.statscollectors",
    "tests.support.shadow_program",
    "tests.support.stats_program",
    "twisted.internet.asyncioreactor",
)

#: Seconds that a command may take, on a machine that runs other tests beside it.
_PATIENCE: Final = 300

#: Settings of crawls inside the test process: the add-on, ``paper`` (which prunes the shop's pages whatever
#: ``auto`` thinks of them), nothing on disk.
SETTINGS: dict[str, Any] = {
    "ADDONS": {"scrapy_tps.Addon": 500},
    "TPS_STRATEGY": "paper",
    "TPS_STATS_FILE": None,
    "TWISTED_REACTOR_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "DOWNLOAD_HANDLERS": {
        "http": "tests.support.mockserver.handler.PlainHandler",
        "https": None,
        "ftp": None,
        "s3": None,
    },
    "DOWNLOAD_DELAY": 0,
    "ROBOTSTXT_OBEY": False,
    "LOG_LEVEL": "DEBUG",
}

#: Settings of crawls whose counts must not depend on the machine's load: a page is requested when the spider has done
#: with the one before. In others, pages arrive while one is compared, and how many do is up to chance.
SEQUENTIAL: Final[dict[str, Any]] = {"CONCURRENT_REQUESTS": 1, "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 1}


@dataclass
class Crawled:
    """The results of a crawl."""

    spider: Any
    items: list[Any] = field(default_factory=list)
    stats: dict[str, Any] = field(default_factory=dict)
    crawler: Any = None


def crawl(spider_class: type[Spider], settings: dict[str, Any] | None = None, **arguments: Any) -> Crawled:
    """Run a spider to its end, here, without a reactor."""
    assert not is_reactor_installed(), (
        "a test before this one installed a reactor: run it in a process of its own"
    )
    crawler = Crawler(spider_class, Settings(SETTINGS | (settings or {})))
    items: list[Any] = []

    def item_scraped(item: Any) -> None:
        items.append(item)

    crawler.signals.connect(item_scraped, signal=signals.item_scraped)
    asyncio.run(crawler.crawl_async(**arguments))
    assert crawler.stats is not None
    return Crawled(crawler.spider, items, crawler.stats.get_stats(), crawler)


def scrapy(*arguments: str, cwd: Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run the ``scrapy`` command line in a process of its own."""
    done = program("scrapy", *arguments, cwd=cwd, warnings="default")
    if check:
        assert done.returncode == 0, done.stdout + done.stderr
    return done


def program(*arguments: str, cwd: Path, warnings: str = "error") -> subprocess.CompletedProcess[str]:
    """Run a module, with arguments, as ``python -W … -m`` does.

    The process is forked from one that has imported Scrapy, where the system can do that: importing takes two thirds
    of the processor time of a command.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SCRAPY_")}
    path = os.pathsep.join(filter(None, (str(cwd), str(ROOT), environment.get("PYTHONPATH"))))
    environment |= {"PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"}
    run = _fork if "forkserver" in multiprocessing.get_all_start_methods() else _start
    return run(list(arguments), cwd, environment, warnings)


def _start(
    arguments: list[str], cwd: Path, environment: dict[str, str], warnings: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", warnings, "-m", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=_PATIENCE,
        check=False,
    )


def _fork(
    arguments: list[str], cwd: Path, environment: dict[str, str], warnings: str
) -> subprocess.CompletedProcess[str]:
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload([*_IMPORTED, __name__])
    with TemporaryDirectory() as folder:
        outputs = [Path(folder, name) for name in ("stdout", "stderr")]
        process = forks.Process(target=_execute, args=(arguments, cwd, environment, warnings, outputs))
        process.start()
        process.join(_PATIENCE)
        status = process.exitcode
        if status is None:
            process.kill()
            raise subprocess.TimeoutExpired(arguments, _PATIENCE, *(one.read_bytes() for one in outputs))
        process.close()
        return subprocess.CompletedProcess(
            arguments, status, *(one.read_text(encoding="utf-8") for one in outputs)
        )


def _execute(
    arguments: list[str], cwd: Path, environment: dict[str, str], warnings: Any, outputs: list[Path]
) -> None:
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    for number, output in enumerate(outputs, start=1):
        with output.open("wb") as file:
            os.dup2(file.fileno(), number)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
    sys.path[:0] = ["", *environment["PYTHONPATH"].split(os.pathsep)]
    sys.argv = arguments
    if warnings != "default":
        simplefilter(warnings)
    if arguments[0] == "scrapy":
        execute()
    else:
        import_module(arguments[0]).main()


def project(directory: Path, spiders: str, settings: str = "", *, addon: bool = True) -> Path:
    """Make a Scrapy project with these spiders; return its directory."""
    (directory / "scrapy.cfg").write_text("[settings]\ndefault = shop.settings\n")
    package = directory / "shop"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "spiders.py").write_text(f"from __future__ import annotations\nimport scrapy\n{spiders}")
    (package / "settings.py").write_text(
        'BOT_NAME = "shop"\nSPIDER_MODULES = ["shop.spiders"]\nTELNETCONSOLE_ENABLED = False\n'
        "REMOTE_CONTROL_ENABLED = False\nTPS_STRATEGY = 'paper'\nCOMMANDS_MODULE = 'scrapy_tps.commands'\n"
        "DOWNLOAD_DELAY = 0\nROBOTSTXT_OBEY = False\n"
        + ('ADDONS = {"scrapy_tps.Addon": 500}\n' if addon else "")
        + settings
    )
    return directory


def handler_of_scrapy_is_there() -> bool:
    """Without a reactor, Scrapy downloads with httpx or aiohttp, which it does not install itself."""
    from scrapy.settings import default_settings

    newer = "_aiohttp" in str(find_spec("scrapy.core.downloader.handlers._aiohttp"))
    return hasattr(default_settings, "TWISTED_REACTOR_ENABLED") and bool(
        find_spec("aiohttp" if newer else "httpx")
    )
