"""``scrapy tps-check`` on the command line of a project."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.crawler import Crawler
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoader

from scrapy_tps.commands.tps_check import Command
from tests.support.crawling import scrapy
from tests.support.shadow_site import Site
from tests.support.steering import steers

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path


SETTINGS = """
SPIDER_MODULES = ["tests.support.shadow_program"]
# the package need not be installed for its tests: Scrapy finds the command by its module
COMMANDS_MODULE = "scrapy_tps.commands"
ADDONS = {addons}
TPS_FALLBACK = False  # so that something is lost
TPS_STRATEGY = "tests.support.shadow_site.DropSide"
TPS_MIN_NODES = 5
REMOTE_CONTROL_ENABLED = False
TELNETCONSOLE_ENABLED = False
FEEDS = {{"items.json": {{"format": "json"}}}}
"""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with Site() as running:
        yield running.url


@pytest.fixture
def check(tmp_path: Path) -> Any:
    """Run the command in a project of its own."""

    def run(
        *arguments: str, addons: str = "{'scrapy_tps.Addon': 500}", traceback: bool = False
    ) -> subprocess.CompletedProcess[str]:
        (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = checked_settings\n")
        (tmp_path / "checked_settings.py").write_text(SETTINGS.format(addons=addons))
        done = scrapy("tps_check", *arguments, cwd=tmp_path, check=False)
        assert ("Traceback" in done.stderr) is traceback, done.stderr
        assert not (tmp_path / "items.json").exists()
        assert not (tmp_path / ".scrapy").exists()
        return done

    return run


def as_json(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    data = json.loads(done.stdout)
    assert data["exit_status"] == done.returncode
    return data["pages"]


def test_nothing_lost_is_exit_status_0(check: Any, site: str) -> None:
    done = check("generator", f"{site}/list?page=1", f"{site}/list?page=2")
    assert done.returncode == 0, done.stderr
    assert "0 of 10 items lost, 0 changed; 0 of 1 requests lost" in done.stdout
    assert "2 pages: 2 the same with and without pruning, 0 lost something, 0 not checked" in done.stdout


def test_loss_is_shown_with_cause_and_remedy_and_exit_status_1(check: Any, site: str) -> None:
    done = check("coroutine", f"{site}/list?page=1", f"{site}/list?page=8")
    assert done.returncode == 1
    output = done.stdout
    assert output.index("list?page=1\n") < output.index("list?page=8\n")
    assert "- {'name': 'Record 8-6', 'price': '806.50'}" in output
    assert "removed: /html/body/ul[2] (looks like a side bar; rule side) held name 'Record 8-6'" in output
    assert "to keep it, add to TPS_KEEP: ['li.record'] (tried: with it nothing is lost)" in output


def test_setting_it_names_mends_it(check: Any, site: str) -> None:
    done = check("generator", f"{site}/list?page=8", "-s", "TPS_KEEP=li.record")
    assert done.returncode == 0, done.stdout


def test_json_has_both_sides(check: Any, site: str) -> None:
    [page] = as_json(check("async_generator", f"{site}/list?page=8", "--format", "json"))
    assert (page["verdict"], page["outcome"], page["callback"]) == ("loss", "pruned", "parse")
    assert len([output for output in page["without_pruning"] if "name" in output]) == 10
    assert len([output for output in page["with_pruning"] if "name" in output]) == 6
    assert page["items"]["number"] == 10
    assert len(page["items"]["lost"]) == 4
    explanation = page["explanation"]
    assert explanation["keep"] == ["li.record"]
    assert explanation["works"] is True
    missing = explanation["missing"][0]
    assert (missing["field"], missing["value"]) == ("name", "Record 8-6")
    assert (missing["place"]["removed"], missing["place"]["rule"]) == ("/html/body/ul[2]", "side")


def test_each_selector_is_told_with_what_it_found_where(check: Any, site: str) -> None:
    done = check("generator", f"{site}/list?page=8", "-s", "TPS_FALLBACK=True")
    told = done.stdout[done.stdout.index("  selectors:") :].splitlines()
    assert told[1].split(maxsplit=1) == [
        "li.record",
        "found in part, the original answers; removed: /html/body/ul[2] (rule side)",
    ]
    assert told[2].split(maxsplit=1) == [
        "a.name::text",
        "found on the original only 10 of 10 times",
    ]
    done = check("rules", f"{site}/record?page=8&record=0")
    assert (
        ".amount::text  found nothing; without pruning it finds something 1 time more (TPS_FALLBACK is off)"
        in done.stdout
    )
    [page] = as_json(
        check("rules", f"{site}/record?page=8&record=0", "-s", "TPS_FALLBACK=True", "--format", "json")
    )
    use = next(one for one in page["selectors"] if one["selector"] == ".amount::text")
    assert (use["used"], use["found"], use["original"]) == (1, 0, 1)
    assert use["places"] == {"/html/body/div[2]": "side"}


def test_callback_by_name_shows_changed_items(check: Any, site: str) -> None:
    done = check("rules", f"{site}/record?page=8&record=3", "-c", "parse_record", "--format", "json")
    # the method wants an argument that its rule gives
    assert done.returncode == 2
    [page] = as_json(check("rules", f"{site}/record?page=8&record=0", "--format", "json"))
    assert page["callback"] == "parse_record"
    [change] = page["items"]["changed"]
    assert change["fields"] == ["price"]
    assert page["explanation"]["missing"][0]["place"]["removed"] == "/html/body/div[2]"
    assert (change["original"]["fields"]["price"], change["pruned"]["fields"]["price"]) == ("800.50", None)


def test_callback_that_fails_when_pruned_is_a_loss(check: Any, site: str) -> None:
    done = check("raises", f"{site}/list?page=8")
    assert done.returncode == 1
    assert "with pruning the callback fails: IndexError" in done.stdout


def test_callback_that_yields_nothing_was_not_checked(check: Any, site: str) -> None:
    done = check("generator", f"{site}/record?page=1&record=0")
    assert done.returncode == 2
    assert "not checked: the callback yields nothing here; -c names another one\n" in done.stdout
    assert "0 of 0 items" not in done.stdout


def test_losses_that_a_crawl_restores_are_told_as_such(check: Any, site: str) -> None:
    told = "in a crawl, TPS_COMPARE restores such losses"
    done = check("reads_text", f"{site}/list?page=8")
    assert done.returncode == 1
    assert told in done.stdout
    assert told not in check("generator", f"{site}/list?page=8").stdout


def test_callback_that_fails_on_both_pages_is_told_as_such(check: Any, site: str) -> None:
    done = check("generator", "-c", "from_crawler", f"{site}/list?page=1")
    assert done.returncode == 2
    assert "not checked: the callback fails on the original: AttributeError" in done.stdout


def test_spider_can_be_checked_before_the_addon_is_enabled(check: Any, site: str) -> None:
    assert check("generator", f"{site}/list?page=8", addons="{}").returncode == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give a spider"),
        (["generator"], "give a spider"),
        (["nobody", "https://a.example/"], "no spider nobody"),
        (["generator", "a.example"], "not a URL: a.example"),
        (["generator", "https://a.example/", "-a", "x"], "NAME=VALUE"),
        (["generator", "https://a.example/", "-c", "nothing"], "no callback nothing"),
        (["generator", "https://a.example/", "-m", "{"], "-m/--meta is '{'; allowed: a JSON object"),
        (
            ["generator", "https://a.example/", "--cbkwargs", "[1]"],
            "--cbkwargs is '\\[1\\]'; allowed: a JSON object",
        ),
        (["https://a.example/"], "the URLs belong to no spider, or to several: name one"),
        (["https://a.example/", "http://localhost:1/"], "the URLs belong to different spiders: name one"),
        (["generator", "https://a.example/", "-s", "TPS_SIZE_RATIO=5"], "TPS_SIZE_RATIO is '5'; allowed: "),
        (["generator", "https://a.example/", "-s", "TPS_SHADOW=often"], "TPS_SHADOW is 'often'; allowed: "),
        (["generator", "https://a.example/", "-s", "TPS_NONE=1"], "TPS_NONE is not a setting"),
    ],
)
def test_wrong_use_says_what_is_wrong(arguments: list[str], message: str) -> None:
    command = Command()
    command.settings = Settings({"SPIDER_MODULES": ["tests.support.shadow_program"]})
    loader = SpiderLoader.from_settings(command.settings)
    command.crawler_process = SimpleNamespace(  # type: ignore[assignment]
        spider_loader=loader, create_crawler=lambda spider_class: Crawler(spider_class, command.settings)
    )
    parser = ArgumentParser()
    command.add_options(parser)
    options, rest = parser.parse_known_args(arguments)
    with pytest.raises(UsageError, match=message):  # noqa: PT012 -- either of them says it
        command.process_options(rest, options)
        command.run(rest, options)


def test_wrong_setting_of_the_spider_is_exit_status_2(check: Any) -> None:
    done = check("wrong_settings", "https://a.example/")
    assert (done.returncode, done.stdout) == (2, "")


def test_spider_that_cannot_start_is_not_a_loss(check: Any) -> None:
    done = check("needs_argument", "https://a.example/", traceback=True)
    assert done.returncode == 2
    assert "needs an argument" in done.stderr
    assert "not checked: the crawl ended before" in done.stdout


@pytest.mark.parametrize(
    ("path", "arguments", "problem"),
    [
        ("/picture", (), "it is not an HTML page"),
        (
            "/list?page=8",
            ("-s", 'TPS_DOMAINS={"127.0.0.1": false}'),
            "excluded by TPS_DOMAINS['127.0.0.1']",
        ),
        ("/list?page=8", ("-m", '{"tps": false}'), "excluded by Request.meta['tps']"),
        ("/list?page=8", ("-m", '{"tps": {"TPS_NONE": 1}}'), "TPS_NONE is not a setting"),
        ("/list?page=8", ("-s", "TPS_STATUS_CODES=404"), "excluded by TPS_STATUS_CODES"),
        ("/list?page=8", ("-s", "TPS_MAX_BYTES=9"), "more bytes than TPS_MAX_BYTES"),
        ("/list?page=8", ("-s", "TPS_ENABLED=False"), "it is excluded by TPS_ENABLED"),
        ("/nothing", (), "HTTP status 404"),
    ],
)
def test_page_that_was_not_judged_is_not_the_same(
    check: Any, site: str, path: str, arguments: tuple[str, ...], problem: str
) -> None:
    [page] = as_json(check("generator", site + path, "--format", "json", *arguments))
    assert page["verdict"] == "unchecked"
    assert problem in page["problem"]


def test_host_that_cannot_be_reached_is_exit_status_2(check: Any) -> None:
    done = check("generator", "http://127.0.0.1:1/", "-s", "RETRY_ENABLED=False")
    assert done.returncode == 2
    assert "not checked: it was not fetched: " in done.stdout


def test_callback_gets_its_arguments_as_from_scrapy_parse(check: Any, site: str) -> None:
    url = f"{site}/record?page=8&record=3"
    done = check("carries", url, "-c", "parse_record", "--cbkwargs", '{"item": {"name": "Given"}}')
    assert done.returncode == 1
    assert "~ {'name': 'Given', 'price': '803.50'}" in done.stdout
    assert (
        "\n      price: '803.50' -> None  (was in /html/body/div[2]/div/span/text(), removed with /html/body/div[2])\n"
    ) in done.stdout


def test_meta_reaches_the_callback_and_changed_fields_are_named(check: Any, site: str) -> None:
    url = f"{site}/record?page=8&record=3"
    [page] = as_json(check("carries_meta", url, "--meta", '{"name": "Given"}', "--format", "json"))
    [change] = page["items"]["changed"]
    assert change["fields"] == ["price", "text"]
    missing = next(one for one in page["explanation"]["missing"] if one["field"] == "price")
    assert (missing["what"], missing["value"]) == ("changed", "803.50")
    place = {name: missing["place"][name] for name in ("xpath", "removed", "reason", "rule")}
    assert place == {
        "xpath": "/html/body/div[2]/div/span/text()",
        "removed": "/html/body/div[2]",
        "reason": "looks like a side bar",
        "rule": "side",
    }
    # long values are shown from where they differ
    shown = check("carries_meta", url, "--meta", '{"name": "Given"}').stdout
    assert "It costs 803.50' -> …" in shown
    assert "It costs None'" in shown


def test_spider_is_named_or_found_by_its_domain(check: Any, site: str) -> None:
    assert check("generator", f"{site}/list?page=1").returncode == 0
    local = site.replace("127.0.0.1", "localhost")
    [page] = as_json(check(f"{local}/list?page=8", "--format", "json"))
    assert page["verdict"] == "loss"


def test_items_cannot_steer_the_terminal(check: Any, site: str) -> None:
    done = check("raises_hostile", f"{site}/list?page=8")
    assert done.returncode == 1
    assert "owned" in done.stdout
    assert not steers(done.stdout)


def test_page_objects_are_made_from_both_pages(check: Any, site: str) -> None:
    pytest.importorskip("scrapy_poet")
    addons = "{'scrapy_poet.Addon': 300, 'scrapy_tps.Addon': 500}"
    for options in (["poet"], ["page_objects", "-c", "parse_page"]):
        done = check(
            *options, f"{site}/list?page=1", "-s", "SPIDER_MODULES=tests.support.poet_pages", addons=addons
        )
        assert "0 not checked" in done.stdout, done.stdout
