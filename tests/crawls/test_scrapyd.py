"""The example project deploys to scrapyd as an egg, and runs there."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from scrapy_tps.stats.store import FiguresStore

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("scrapyd", reason="scrapyd is not installed")
pytest.importorskip("scrapyd_client", reason="scrapyd-client is not installed")

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
#: Seconds that scrapyd may take to start, and a crawl to end.
PATIENCE = 150
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("SCRAPY_")},
    "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))),
}


class Scrapyd:
    """A scrapyd on a free port of 127.0.0.1."""

    def __init__(self, directory: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.directory = directory
        self.url = f"http://127.0.0.1:{port}/"
        (directory / "scrapyd.conf").write_text(f"[scrapyd]\nhttp_port = {port}\npoll_interval = 0.2\n")

    def ask(self, service: str, **data: str) -> dict[str, Any]:
        body = urlencode(data).encode() if data else None
        with urlopen(f"{self.url}{service}", body, timeout=30) as answer:
            found: dict[str, Any] = json.load(answer)
        return found

    def wait(self, process: subprocess.Popen[bytes]) -> None:
        for _ in range(PATIENCE * 10):
            assert process.poll() is None, "scrapyd ended"
            if self.answers():
                return
            time.sleep(0.1)
        pytest.fail("scrapyd does not answer")

    def answers(self) -> bool:
        try:
            return self.ask("daemonstatus.json")["status"] == "ok"
        except OSError:  # nobody listens yet, or not for long enough
            return False

    def run(self, spider: str, *settings: str) -> str:
        """Run a spider to its end; return its log."""
        query = urlencode([("project", "demo"), ("spider", spider), *(("setting", one) for one in settings)])
        with urlopen(f"{self.url}schedule.json", query.encode(), timeout=30) as answer:
            job = json.load(answer)["jobid"]
        for _ in range(PATIENCE * 5):
            if job in (one["id"] for one in self.ask("listjobs.json?project=demo")["finished"]):
                return (self.directory / "logs" / "demo" / spider / f"{job}.log").read_text(encoding="utf-8")
            time.sleep(0.2)
        pytest.fail(f"{spider} does not end")


@pytest.fixture(scope="module")
def scrapyd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scrapyd]:
    """A scrapyd that the example project was deployed to."""
    directory = tmp_path_factory.mktemp("scrapyd")
    server = Scrapyd(directory)
    with (directory / "scrapyd.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "scrapyd"], cwd=directory, env=ENVIRONMENT, stdout=log, stderr=log
        )
    try:
        server.wait(process)
        # as it is in the repository, without what an earlier build or crawl left
        left = shutil.ignore_patterns("build", "*.egg-info", "__pycache__", ".scrapy")
        project = shutil.copytree(
            ROOT / "example_project", tmp_path_factory.mktemp("p") / "demo", ignore=left
        )
        configuration = project / "scrapy.cfg"
        text = configuration.read_text()
        assert "url = http://localhost:6800/" in text
        configuration.write_text(text.replace("http://localhost:6800/", server.url))
        deployed = subprocess.run(
            [sys.executable, "-m", "scrapyd_client.deploy"],
            cwd=project,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert '"status": "ok"' in deployed.stdout, deployed.stdout + deployed.stderr
        yield server
    finally:
        process.terminate()
        process.wait(30)


def test_the_egg_holds_the_whole_project_and_figures_are_in_scrapyds_directory(scrapyd: Scrapyd) -> None:
    # one test: pytest-xdist would start a scrapyd for each of two
    spiders = scrapyd.ask("listspiders.json?project=demo")["spiders"]
    assert {"demo", "shop", "search", "forum", "jobs", "news", "records", "markdown"} == set(spiders)
    log = scrapyd.run("shop")
    assert "'item_scraped_count': 36" in log
    assert "'tps/outcome/pruned': 39" in log
    assert "ERROR" not in log
    figures = FiguresStore(scrapyd.directory / ".scrapy" / "tps-stats.sqlite", create=False)
    assert [(crawl.spider, crawl.reason) for crawl in figures.crawls()] == [("shop", "finished")]
    figures.close()
