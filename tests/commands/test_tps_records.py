"""``scrapy tps-records``, run in this process on files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from parsel import Selector
from scrapy import cmdline
from scrapy.http import HtmlResponse
from scrapy.settings import Settings

from scrapy_tps import prune_response
from scrapy_tps.commands.tps_records import Command
from tests.records.pages import card, page, sentence
from tests.support.steering import HOSTILE, needs_controls, steers

if TYPE_CHECKING:
    from pathlib import Path

Run = Callable[..., tuple[int, str, str]]

HTML = page("".join(card(n, f"<ul class='tags'>{'<li>tag</li>' * (n % 3)}</ul>") for n in range(9)))


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    (tmp_path / "page.html").write_text(HTML, encoding="utf-8")
    (tmp_path / "empty.html").write_text("<p>nothing", encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    (tmp_path / "hostile.html").write_text(HTML.replace("Product ", HOSTILE), encoding="utf-8")
    monkeypatch.setattr(cmdline, "_get_commands_dict", lambda *_: {"tps-records": Command()})
    monkeypatch.chdir(tmp_path)
    # files need none; it would install a reactor for the rest of this process
    monkeypatch.setattr(Command, "requires_crawler_process", False)

    def run_command(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            cmdline.execute(
                ["scrapy", "tps-records", *arguments], Settings({"REMOTE_CONTROL_ENABLED": False})
            )
        output, errors = capsys.readouterr()
        assert isinstance(end.value.code, int)
        return end.value.code, output, errors

    return run_command


def test_records_as_a_table(run: Run) -> None:
    code, output, _ = run("page.html")
    lines = output.splitlines()
    assert code == 0
    assert lines[0].startswith("9 records, 5 columns, confidence 0.")
    assert lines[2].split() == ["title", "description", "price", "tags", "url"]
    assert lines[3].startswith("Product 0  ")
    assert len(lines) == 3 + 9


def test_records_as_csv(run: Run) -> None:
    _, output, _ = run("page.html", "--format", "csv", "-s", "TPS_ENABLED=False")
    rows = list(csv.DictReader(io.StringIO(output)))
    assert [row["price"] for row in rows] == [f"£{n}.50" for n in range(9)]


def test_records_as_json_lines_with_their_sublists(run: Run) -> None:
    _, output, _ = run("page.html", "--format", "jsonl", "--all")
    rows = [json.loads(line) for line in output.splitlines()]
    assert rows[2]["tags"] == "tag, tag"
    assert len(rows[2]["sublists"][0]) == 2


def test_selectors_can_be_pasted(run: Run) -> None:
    _, output, _ = run("page.html", "--selectors")

    source = "def parse(response):\n" + "".join(f"    {line}\n" for line in output.splitlines())
    names: dict[str, Callable[..., object]] = {}
    exec(source, names)
    made = list(names["parse"](Selector(HTML)))  # type: ignore[call-overload]
    assert [one["title"] for one in made] == [f"Product {n}" for n in range(9)]
    assert [one["url"] for one in made] == [f"/p/{n}" for n in range(9)]
    assert [len(one["tags"]) for one in made] == [n % 3 for n in range(9)]


def test_selectors_of_few_records_say_so(run: Run, tmp_path: Path) -> None:
    some = "".join(card(n, f"<p class='note'>Note {n}</p>" if n % 3 == 0 else "") for n in range(12))
    (tmp_path / "some.html").write_text(page(some), encoding="utf-8")
    _, output, _ = run("some.html", "--selectors")
    assert "'note': record.css('p.note::text').get(),  # 4 of 12 records\n" in output
    assert output.count("#") == 1


def test_columns_that_no_selector_selects_are_named(run: Run, tmp_path: Path) -> None:
    split = "".join(card(n, f"<div class='q'>Left {n}<br>Right {n}</div>") for n in range(12))
    (tmp_path / "split.html").write_text(page(split), encoding="utf-8")
    _, output, _ = run("split.html", "--selectors")
    assert "        # text: no selector selects exactly this\n" in output


def test_lists_are_listed(run: Run) -> None:
    _, output, _ = run("page.html", "--list")
    assert output.startswith("0  9 records  confidence 0.")
    assert "   title, description, price, tags, url\n" in output


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        (("empty.html",), 1, "no list of records found"),
        (("page.html", "--region", "99"), 1, "the last is 0"),
        (("missing.html",), 1, "missing.html can't be read: No such file"),
        (("picture.png",), 1, "picture.png is not HTML"),
        (("page.html", "--region", "-1"), 2, "--region is '-1'; allowed: a whole number from 0"),
        (("page.html", "--region", "x"), 2, "--region is 'x'; allowed: a whole number from 0"),
        (("page.html", "--url", "foo"), 2, "--url is 'foo'; allowed: a URL with its scheme"),
        (("page.html", "--list", "--selectors"), 2, "--selectors: not allowed with argument --list"),
        (("page.html", "--all", "--region", "1"), 2, "--region: not allowed with argument --all"),
        (("page.html", "--timeout", "-1"), 2, "--timeout is -1.0; allowed: 0 or more"),
        (("page.html", "--min-confidence", "2"), 2, "--min-confidence is 2.0; allowed: 0 to 1"),
        (("page.html", "--min-confidence", "1"), 1, "no list of records found"),
        (("page.html", "--encoding", "none"), 2, "--encoding none: no such encoding"),
        (
            ("page.html", "--spider", "no body"),
            2,
            "--spider is 'no body'; allowed: the name of a spider, or a new one",
        ),
        (("page.html", "--spider", "new"), 1, "no spider: a file needs --url"),
    ],
)
def test_what_goes_wrong_is_said(run: Run, arguments: tuple[str, ...], exit_code: int, message: str) -> None:
    code, _, errors = run(*arguments)
    assert code == exit_code
    assert message in errors


def test_one_page_at_a_time(run: Run) -> None:
    code, _, _ = run()
    assert code == 2


@pytest.mark.parametrize("arguments", [(), ("--format", "jsonl")], ids=["table", "json lines"])
def test_page_cannot_steer_the_terminal(run: Run, arguments: tuple[str, ...]) -> None:
    code, output, _ = run("hostile.html", *arguments)
    assert code == 0
    assert "owned" in output
    assert not steers(output)


@needs_controls
def test_json_lines_and_csv_hold_what_the_page_says(run: Run) -> None:
    says = " ".join(f"{HOSTILE}3".split())
    _, output, _ = run("hostile.html", "--format", "jsonl")
    assert json.loads(output.split("\n")[3])["title"] == says
    _, output, _ = run("hostile.html", "--format", "csv")
    assert list(csv.DictReader(io.StringIO(output)))[3]["title"] == says


def test_csv_on_a_terminal_cannot_steer_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    _, output, _ = run("hostile.html", "--format", "csv")
    assert "owned" in output
    assert not steers(output)


def test_a_new_spider_yields_the_records_of_the_page(run: Run) -> None:
    code, output, _ = run("page.html", "--spider", "shop", "--url", "https://shop.example/list")
    assert code == 0
    names: dict[str, Any] = {}
    exec(compile(output, "spider.py", "exec"), names)
    spider = names["RecordSpider"]()
    response = prune_response(HtmlResponse("https://shop.example/list", body=HTML.encode(), encoding="utf-8"))
    items = list(spider.parse(response))
    assert [item["title"] for item in items] == [f"Product {n}" for n in range(9)]
    assert items[3]["url"] == "https://shop.example/p/3"
    assert items[2]["tags"] == ["tag", "tag"]


def test_a_spider_names_the_fields_that_it_lacks(run: Run, tmp_path: Path) -> None:
    rows = "".join(f"<b>No. {n}</b><br><a href='/c/{n}'>Case {n}</a><br>{sentence(n)}<hr>" for n in range(9))
    (tmp_path / "rows.html").write_text(page(rows), encoding="utf-8")
    code, output, errors = run("rows.html", "--spider", "shop", "--url", "https://shop.example/list")
    assert (code, errors) == (0, "")
    assert "# description: no selector selects exactly this" in output
    assert ".xpath('following-sibling::*[" in output


def test_lists_of_a_low_confidence_are_named(run: Run) -> None:
    code, output, errors = run("page.html", "--list", "--min-confidence", "1")
    assert (code, output) == (1, "")
    assert "--min-confidence 0 also shows unlikely ones" in errors
    assert run("page.html", "--list", "--min-confidence", "0")[1].startswith("0  9 records")


def test_an_address_cannot_add_code_to_a_spider(run: Run) -> None:
    code, output, _ = run(
        "page.html", "--spider", "shop", "--url", 'https://a.example/"""\nraise ValueError(1)\n"""'
    )
    assert code == 0
    compile(output, "spider.py", "exec")
    assert "raise ValueError" not in output
