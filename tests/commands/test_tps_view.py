"""``scrapy tps-view``, run as a program: files, pages from a server, settings of the project and of spiders."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from tests.report.pages import SHOP
from tests.support.crawling import scrapy

if TYPE_CHECKING:
    import subprocess

pytest.importorskip("jinja2", reason="the extra `report` is not installed")

SPIDER = """
import scrapy

class ShopSpider(scrapy.Spider):
    name = "shop"
    allowed_domains = ["127.0.0.1"]
    custom_settings = {"TPS_STRATEGY": "paper", "TPS_MIN_NODES": 5, "TPS_KEEP": "ul.menu"}
"""

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "page.html").write_text(SHOP, encoding="utf-8")
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = shop.settings\n")
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "spider.py").write_text(SPIDER)
    (package / "settings.py").write_text(
        "SPIDER_MODULES = ['shop.spider']\nADDONS = {'scrapy_tps.Addon': 500}\nREMOTE_CONTROL_ENABLED = False\n"
        "COMMANDS_MODULE = 'scrapy_tps.commands'\nROBOTSTXT_OBEY = False\nTPS_STRATEGY = 'paper'\n"
        "FEEDS = {'items.json': {'format': 'json'}}\n"
    )
    return tmp_path


@pytest.fixture
def run(project: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("BROWSER", "/bin/false")
    return lambda *arguments: scrapy("tps_view", *arguments, cwd=project, check=False)


@pytest.fixture
def server(project: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(project))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def shown(path: Path) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8").split('id="tps-data">', 1)[1]
    data: dict[str, Any] = json.loads(text.split("</script>", 1)[0])
    return data


def test_a_file_becomes_one_file_with_the_view(run: Run, project: Path) -> None:
    done = run("page.html", "--no-browser", "-o", "view.html", "-s", "TPS_MIN_NODES=5")
    assert (done.returncode, done.stdout, done.stderr) == (0, "view.html\n", "")
    [variant] = shown(project / "view.html")["variants"]
    assert (variant["strategy"], variant["outcome"]) == ("paper", "pruned")


def test_without_a_name_the_file_is_a_temporary_one(run: Run) -> None:
    done = run("page.html", "--no-browser")
    path = Path(done.stdout.strip())
    assert path.suffix == ".html"
    assert shown(path)["variants"]
    path.unlink()


def test_a_url_is_fetched_and_pruned_as_its_spider_would(run: Run, project: Path, server: str) -> None:
    done = run(f"{server}/page.html", "--no-browser", "-o", "view.html")
    assert done.returncode == 0, done.stderr
    data = shown(project / "view.html")
    assert data["url"] == f"{server}/page.html"
    kept = "".join(region["text"] for region in data["variants"][0]["regions"] if region["stays"])
    assert "Menu entry 0" in kept  # TPS_KEEP of the spider whose domain it is


def test_only_problems_are_logged_whatever_the_project_logs(run: Run, project: Path, server: str) -> None:
    (settings,) = project.glob("**/settings.py")
    settings.write_text(f"{settings.read_text()}\nLOG_LEVEL = 'DEBUG'\n")
    done = run(f"{server}/page.html", "--text")
    assert done.stdout.startswith("page ")
    assert done.stderr == ""
    assert "Spider closed" in run(f"{server}/page.html", "--text", "-L", "INFO").stderr


def test_looking_leaves_no_figures_and_no_feeds(run: Run, project: Path, server: str) -> None:
    before = {path.name for path in project.iterdir()} | {"view.html"}
    run(f"{server}/page.html", "--no-browser", "-o", "view.html", "--spider", "shop")
    assert {path.name for path in project.iterdir()} <= before | {".scrapy"}
    assert not list(project.glob(".scrapy/**/*.sqlite"))


def test_a_page_with_another_status_is_kept_whole_as_in_a_crawl(run: Run, project: Path, server: str) -> None:
    done = run(f"{server}/missing.html", "--no-browser", "-o", "view.html")
    assert done.returncode == 0, done.stderr
    assert shown(project / "view.html")["variants"][0]["outcome"] == "excluded"


def test_settings_compare_and_records_reach_the_view(run: Run, project: Path) -> None:
    settings = ("-s", "TPS_MIN_NODES=5", "-s", "TPS_DROP=h2")
    compared = ("--compare", "paper,paper:0.9", "--records")
    done = run("page.html", "--no-browser", "-o", "view.html", *settings, *compared)
    assert done.returncode == 0, done.stderr
    data = shown(project / "view.html")
    assert [variant["size_ratio"] for variant in data["variants"]] == [0.2, 0.9]
    assert data["variants"][0]["dropped"]
    assert data["records"][0]["count"] == 20


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["missing.html"], 1, "missing.html can't be read: No such file"),
        (["page.html", "-s", "TPS_KEPE=1"], 2, "did you mean TPS_KEEP"),
        (["page.html", "--compare", "magic"], 2, "no strategy is called 'magic'"),
        (["page.html", "--compare", "paper:2"], 2, "TPS_SIZE_RATIO is '2'"),
        (["page.html", "--spider", "nobody"], 2, "Spider not found: nobody"),
        (["page.html", "-o", "no/such/view.html"], 1, "no/such/view.html: No such file"),
        (["http://127.0.0.1:9/"], 1, "the page can't be fetched: "),
    ],
)
def test_what_is_wrong_is_said(run: Run, arguments: list[str], code: int, message: str) -> None:
    done = run(*arguments, "--no-browser")
    assert done.returncode == code
    assert message in done.stderr
    assert done.stdout == ""


def test_a_call_without_a_page_shows_the_usage(run: Run) -> None:
    done = run()
    assert done.returncode == 2
    assert "give one URL or FILE, not none" in done.stdout + done.stderr


@pytest.fixture
def sampled(project: Path) -> Path:
    from scrapy_tps import prune
    from scrapy_tps.stats.samples import SampleStore

    (project / ".scrapy").mkdir()
    path = project / ".scrapy" / "tps-samples.sqlite"
    with closing(SampleStore(path)) as store:
        for number, settings in enumerate(
            ({"TPS_ENABLED": False}, {"TPS_STRATEGY": "paper", "TPS_MIN_NODES": 5})
        ):
            url = f"http://shop.example/{number}"
            pruning = prune(SHOP.encode(), url=url, encoding="utf-8", settings=settings)
            store.add("shop.example", "shop", url, pruning, SHOP.encode(), per_site=3)
    return path


def test_samples_are_listed_the_worst_first_and_shown_as_they_were(
    run: Run, project: Path, sampled: Path
) -> None:
    done = run("--samples")
    assert [line.split()[:3] for line in done.stdout.splitlines()[1:]] == [
        ["sample:2", "shop.example", "pruned"],
        ["sample:1", "shop.example", "excluded"],
    ]
    done = run("sample:2", "--no-browser", "-o", "view.html")
    assert done.returncode == 0, done.stderr
    data = shown(project / "view.html")
    assert data["url"] == "http://shop.example/1"
    assert data["variants"][0]["outcome"] == "pruned"


def test_a_page_that_was_not_pruned_lost_no_text(run: Run, sampled: Path) -> None:
    with closing(sqlite3.connect(sampled)) as connection, connection:
        connection.execute("UPDATE sample SET outcome = 'error', badness = 2.0 WHERE id = 1")
    failed, _ = run("--samples").stdout.splitlines()[1:]
    assert failed.split()[:3] == ["sample:1", "shop.example", "error"]
    assert "%" not in failed


def test_a_sample_is_pruned_anew_when_strategies_are_named(run: Run, project: Path, sampled: Path) -> None:
    arguments = ["--compare", "paper,paper:0.9", "-o", "view.html"]
    done = run("sample:1", "--no-browser", *arguments)
    assert done.returncode == 0, done.stderr
    assert [one["size_ratio"] for one in shown(project / "view.html")["variants"]] == [0.2, 0.9]


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("sample:9", 1, "no sample 9"),
        ("sample:x", 2, "sample:NUMBER is 'x'; allowed: a whole number from 1"),
        (f"sample:{'9' * 30}", 2, "allowed: a whole number from 1"),
        (f"sample:{'9' * 5000}", 2, "allowed: a whole number from 1"),
    ],
    ids=["missing", "no number", "30 digits", "5000 digits"],
)
def test_a_sample_that_is_not_there_is_an_error(
    run: Run, sampled: Path, name: str, code: int, message: str
) -> None:
    done = run(name, "--no-browser")
    assert done.returncode == code
    assert message in done.stderr


def test_what_is_not_html_is_not_shown(run: Run, project: Path) -> None:
    (project / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    done = run("picture.png", "--no-browser")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("picture.png is not HTML, so it is not pruned\n")


def test_wrong_settings_are_named_where_samples_are_listed(run: Run) -> None:
    done = run("--samples", "-s", "TPS_SAMPLES=many")
    assert done.returncode == 2
    assert "TPS_SAMPLES is 'many'; allowed: a whole number" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_sample_that_cannot_be_read_is_named(run: Run, sampled: Path) -> None:
    with closing(sqlite3.connect(sampled)) as connection, connection:
        connection.execute("UPDATE sample SET account = '{' WHERE id = 1")
    done = run("sample:1", "--no-browser")
    assert done.returncode == 1
    assert f"{sampled}: sample 1 can't be read" in done.stderr


def test_markdown_goes_to_standard_output_or_a_file(run: Run, project: Path) -> None:
    pytest.importorskip("markdownify", reason="the extra `markdown` is not installed")
    arguments = ("page.html", "--url", "https://example.com/list", "--markdown", "-s", "TPS_MIN_NODES=5")
    done = run(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith('---\ntitle: "')
    assert '\naddress: "https://example.com/list"\n' in done.stdout
    assert run(*arguments, "-o", "page.md").stdout == ""
    assert (project / "page.md").read_text(encoding="utf-8") == done.stdout
    assert run(*arguments, "--compare", "auto,paper").returncode == 2


@pytest.mark.parametrize("number", ["1", "2"], ids=["whole", "pruned"])
def test_a_sample_becomes_markdown(run: Run, sampled: Path, number: str) -> None:
    pytest.importorskip("markdownify", reason="the extra `markdown` is not installed")
    done = run(f"sample:{number}", "--markdown")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("---\n")


def test_a_pruned_sample_is_the_page_that_the_spider_got(run: Run, sampled: Path) -> None:
    from scrapy_tps import prune

    done = run("sample:2", "--html")
    assert (done.returncode, done.stderr) == (0, "")
    pruned = prune(SHOP.encode(), settings={"TPS_STRATEGY": "paper", "TPS_MIN_NODES": 5})
    assert pruned.pruned
    assert done.stdout.rstrip() == pruned.html.rstrip()
