"""``scrapy tps-check`` on the command line of a project."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoader

from scrapy_tps.commands.tps_check import Command
from tests.shadow_site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent.parent

SETTINGS = """
SPIDER_MODULES = ["tests.shadow_program"]
# the package need not be installed for its tests: Scrapy finds the command by its module
COMMANDS_MODULE = "scrapy_tps.commands"
ADDONS = {addons}
TPS_STRATEGY = "tests.shadow_site.DropSide"
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

    def run(*arguments: str, addons: str = "{'scrapy_tps.Addon': 500}") -> subprocess.CompletedProcess[str]:
        (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = checked_settings\n")
        (tmp_path / "checked_settings.py").write_text(SETTINGS.format(addons=addons))
        done = subprocess.run(
            [sys.executable, "-m", "scrapy", "tps_check", *arguments],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT), *sys.path])},
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
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
    assert "to keep it: TPS_KEEP = ['li.record'] (tried: with it nothing is lost)" in output


def test_setting_it_names_mends_it(check: Any, site: str) -> None:
    done = check("generator", f"{site}/list?page=8", "-s", "TPS_KEEP=li.record")
    assert done.returncode == 0, done.stdout


def test_json_has_both_sides(check: Any, site: str) -> None:
    [page] = as_json(check("async_generator", f"{site}/list?page=8", "--format", "json"))
    assert (page["verdict"], page["outcome"], page["callback"]) == ("loss", "pruned", "parse")
    assert len(page["without_pruning"]["items"]) == 10
    assert len(page["with_pruning"]["items"]) == 6
    assert len(page["lost_items"]) == 4
    assert page["setting"] == {"TPS_KEEP": ["li.record"]}
    assert page["setting_works"] is True
    missing = page["missing"][0]
    assert (missing["field"], missing["value"]) == ("name", "Record 8-6")
    assert (missing["removed"], missing["rule"]) == ("/html/body/ul[2]", "side")


def test_callback_by_name_shows_changed_items(check: Any, site: str) -> None:
    done = check("rules", f"{site}/record?page=8&record=3", "-c", "parse_record", "--format", "json")
    # the method wants an argument that its rule gives
    assert done.returncode == 2
    [page] = as_json(check("rules", f"{site}/record?page=8&record=0", "--format", "json"))
    assert page["callback"] == "parse_record"
    [change] = page["changed_items"]
    assert change["fields"] == ["price"]
    assert (change["without_pruning"]["price"], change["with_pruning"]["price"]) == ("800.50", None)


def test_callback_that_fails_when_pruned_is_a_loss(check: Any, site: str) -> None:
    done = check("raises", f"{site}/list?page=8")
    assert done.returncode == 1
    assert "with pruning the callback fails: IndexError" in done.stdout


def test_page_that_cannot_be_checked_is_exit_status_2(check: Any, site: str) -> None:
    [page] = as_json(check("generator", f"{site}/nothing", "--format", "json"))
    assert page["verdict"] == "unchecked"
    assert "404" in page["problem"]


def test_spider_can_be_checked_before_the_addon_is_enabled(check: Any, site: str) -> None:
    assert check("generator", f"{site}/list?page=8", addons="{}").returncode == 1


def test_spider_arguments_are_passed(check: Any, site: str) -> None:
    assert check("generator", f"{site}/list?page=1", "-a", "url=x", "-a", "other=y").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give a spider"),
        (["generator"], "give a spider"),
        (["nobody", "https://a.example/"], "no spider nobody"),
        (["generator", "a.example"], "not a URL: a.example"),
        (["generator", "https://a.example/", "-a", "x"], "NAME=VALUE"),
        (["generator", "https://a.example/", "-c", "nothing"], "no callback nothing"),
    ],
)
def test_wrong_use_says_what_is_wrong(arguments: list[str], message: str) -> None:
    command = Command()
    command.settings = Settings({"SPIDER_MODULES": ["tests.shadow_program"]})
    loader = SpiderLoader.from_settings(command.settings)
    command.crawler_process = SimpleNamespace(spider_loader=loader)  # type: ignore[assignment]
    parser = ArgumentParser()
    command.add_options(parser)
    options, rest = parser.parse_known_args(arguments)
    with pytest.raises(UsageError, match=message):  # noqa: PT012 -- either of them says it
        command.process_options(rest, options)
        command.run(rest, options)


def test_wrong_use_is_exit_status_2(check: Any) -> None:
    assert check("generator").returncode == 2
