"""``scrapy tps-view`` in other forms than a view: ``--text``, ``--json``, ``--html``."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from scrapy.cmdline import execute
from scrapy.settings import Settings

from scrapy_tps.commands.tps_view import Command
from tests.support.crawling import project, scrapy
from tests.support.shop_pages import listing
from tests.support.steering import HOSTILE, needs_controls, steers

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.mockserver import MockServer

SPIDER = """
class Shop(scrapy.Spider):
    name = "shop"
    custom_settings = {"TPS_KEEP": "nav.mega"}
    def parse(self, response):
        raise AssertionError
"""


class Output(NamedTuple):
    """Output and exit code of the command."""

    code: int
    out: bytes
    errors: str

    @property
    def text(self) -> str:
        assert not self.errors
        return self.out.decode()


@pytest.fixture
def view(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command here, on a file."""
    monkeypatch.chdir(tmp_path)
    # files need none; it would set up logging and an event loop for the rest of this process
    monkeypatch.setattr(Command, "requires_crawler_process", False)

    def run(*arguments: str, stdin: bytes = b"", terminal: bool = False) -> Output:
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
        monkeypatch.setattr(out, "isatty", lambda: terminal, raising=False)
        monkeypatch.setattr("sys.stdout", out)
        monkeypatch.setattr("sys.stderr", err)
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        settings = Settings({"COMMANDS_MODULE": "scrapy_tps.commands"})
        with pytest.raises(SystemExit) as ended:
            execute(["scrapy", "tps_view", *arguments], settings)
        out.flush()
        return Output(int(ended.value.code or 0), out.buffer.getvalue(), err.getvalue())  # type: ignore[attr-defined]

    return run


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(listing(), encoding="utf-8")
    return path


PAPER = ("-s", "TPS_STRATEGY=paper")


def test_html_is_the_page_as_spiders_get_it(view: Any, page: Path, tmp_path: Path) -> None:
    done = view("page.html", "--html", *PAPER)
    assert done.code == 0
    assert "Product 24" in done.text
    assert "<nav" not in done.text
    assert view("page.html", "--html", *PAPER, "-o", "pruned.html") == (0, b"", "")
    assert (tmp_path / "pruned.html").read_bytes() == done.out
    assert (
        view("page.html", "--html", "--set", "TPS_STRATEGY=paper", "-s", "TPS_KEEP=nav.mega").out.count(
            b"<nav"
        )
        == 1
    )


def test_text_lists_what_went_and_why(view: Any, page: Path) -> None:
    account = view("page.html", "--text", *PAPER).text
    assert "outcome    pruned" in account
    assert "strategy   paper, size ratio 0.2" in account
    assert "nodes      410 -> 243 (40.7% removed)" in account
    assert "  kept     /html/body" in account
    assert "\nremoved\n  /html/body/header: " in account
    assert "'Only here Category 0 Category 1" in account


def test_json_has_the_same(view: Any, page: Path, tmp_path: Path) -> None:
    assert view("page.html", "--json", *PAPER, "-o", "account.json") == (0, b"", "")
    account = json.loads((tmp_path / "account.json").read_text())
    assert (account["outcome"], account["strategy"], account["kept_nodes"]) == ("pruned", "paper", 243)
    assert account["encoding"] == "utf-8"
    assert sum(one["nodes"] for one in account["removed"]) == account["raw_nodes"] - account["kept_nodes"]
    assert {"xpath", "kept", "reason", "nodes"} <= account["regions"][0].keys()


def test_account_speaks_of_one_node_in_the_singular(view: Any, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(listing().replace("<main", "<p hidden>x</p><iframe></iframe><main"))
    account = view("page.html", "--text").text
    assert re.search(r"^  removed  /html/body/iframe: 1 node, 0 characters, 0 links; ", account, re.MULTILINE)
    assert re.search(r"^  /html/body/iframe: 1 node, ", account, re.MULTILINE)
    assert not re.search(r"\b1 (nodes|characters|links)\b", account)


def test_account_says_what_stays_of_a_region_that_was_to_go(view: Any, page: Path) -> None:
    assert "\n  removed  /html/body: 125 of 126 nodes" in view("page.html", "--text", *PAPER).text
    whole = view("page.html", "--text", *PAPER, "-s", "TPS_KEEP=header").text
    assert "removed  /html/body: 126 nodes" not in whole
    assert re.search(
        r"^  kept     /html/body: 126 nodes.*; would be removed \(.*\), but all of it stays$",
        whole,
        re.MULTILINE,
    )
    partly = view("page.html", "--text", *PAPER, "-s", "TPS_KEEP=nav.mega").text
    assert "\n  removed  /html/body: 2 of 126 nodes" in partly
    regions = json.loads(view("page.html", "--json", *PAPER).text)["regions"]
    assert [region["stays"] for region in regions] == [1, 242, 0]


def test_page_kept_whole_is_written_byte_by_byte(view: Any, tmp_path: Path) -> None:
    raw = b"<p>few\x00 \xe4 <b>"
    (tmp_path / "small.html").write_bytes(raw)
    assert view("small.html", "--html") == (0, raw, "")
    assert "outcome    too_small" in view("small.html", "--text").text


def test_standard_input_with_an_address(view: Any) -> None:
    off = ("-", "--url=http://www.off.example/x", "-s", 'TPS_DOMAINS={"off.example": false}')
    assert view(*off, "--html", stdin=listing().encode()).text == listing()
    account = view(*off, "--text", stdin=listing().encode()).text
    assert "page       http://www.off.example/x\noutcome    excluded by TPS_DOMAINS['off.example']" in account


def test_encoding(view: Any, tmp_path: Path) -> None:
    text = listing().replace('<meta charset="utf-8">', "").replace("solid oak", "日本語の説明")
    (tmp_path / "page.html").write_bytes(text.encode("shift_jis"))
    done = view("page.html", "--html", *PAPER, "--encoding=shift_jis")
    assert "日本語の説明" in done.out.decode("shift_jis")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "give one URL or FILE"),
        (("a", "b"), 2, "give one URL or FILE, not a b"),
        (("page.html", "--no-such"), 2, "give one URL or FILE"),
        (("page.html", "-s", "TPS_STRATEGY=papers"), 2, "TPS_STRATEGY is 'papers'; allowed: auto"),
        (
            ("page.html", "--compare=auto"),
            2,
            "--text can't be used with --compare or --network",
        ),
        (("page.html", "-s", "TPS_SIZE_RATIO=3"), 2, "TPS_SIZE_RATIO is '3'; allowed: a number"),
        (("page.html", "-s", "TPS_NONE=3"), 2, "TPS_NONE is not a setting of scrapy-tps"),
        (("page.html", "--encoding=none"), 2, "--encoding none: no such encoding"),
        (("https://a.example/", "--spider=none"), 2, "Spider not found: none"),
        (("none.html",), 1, "none.html can't be read: No such file"),
        (("page.html", "-o", "none/page.txt"), 1, "none/page.txt: No such file"),
    ],
)
def test_exit_codes(view: Any, page: Path, arguments: tuple[str, ...], code: int, message: str) -> None:
    done = view(*arguments, "--text")
    assert done.code == code
    assert message in done.errors + done.out.decode()


def test_address_is_fetched_with_the_settings_of_project_and_spider(
    tmp_path: Path, server: MockServer
) -> None:
    directory = project(tmp_path, SPIDER, "FEEDS = {'out.json': {'format': 'json'}}\n", addon=True)
    done = scrapy("tps_view", server("/redirect"), "--spider=shop", "--html", cwd=directory)
    assert done.stdout.count("<nav") == 1
    assert "Product 24" in done.stdout
    account = json.loads(scrapy("tps_view", server("/redirect"), "--json", cwd=directory).stdout)
    assert (account["outcome"], account["url"]) == ("pruned", server("/shop"))
    assert not (directory / "out.json").exists()
    assert not (directory / ".scrapy" / "tps-stats.sqlite").exists()


def test_address_needs_neither_project_nor_add_on(tmp_path: Path, server: MockServer) -> None:
    directory = project(tmp_path, "", addon=False)
    done = scrapy("tps_view", server("/status/404"), "--text", "-s", "TPS_STATUS_CODES=404", cwd=directory)
    assert "outcome    pruned" in done.stdout


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/image_png", "is not HTML but image/png, so it is not pruned"),
        (None, "the page can't be fetched: "),
    ],
)
def test_address_that_gives_no_page(
    tmp_path: Path, server: MockServer, path: str | None, message: str
) -> None:
    directory = project(tmp_path, "", "RETRY_ENABLED = False\n")
    url = "http://127.0.0.1:1/" if path is None else server(path)
    done = scrapy("tps_view", url, "--text", cwd=directory, check=False)
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stdout == ""


def test_status_that_excludes_a_page_is_named(tmp_path: Path, server: MockServer) -> None:
    directory = project(tmp_path, "")
    done = scrapy("tps_view", server("/no-such-page"), "--text", cwd=directory)
    assert "outcome    excluded by TPS_STATUS_CODES" in done.stdout
    done = scrapy("tps_view", server("/no-such-page"), "--text", "-s", "TPS_ENABLED=False", cwd=directory)
    assert "outcome    excluded by TPS_ENABLED" in done.stdout


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256))),
        ("-", b"\x89PNG\r\n\x1a\n" + bytes(range(256))),
        ("page.html", b"\x1f\x8b\x08\x00" + bytes(range(256))),
        ("data.json", b'{"html": "<p>markup</p>"}'),
        ("feed.xml", b"<?xml version='1.0'?><rss><channel><title>News</title></channel></rss>"),
    ],
)
def test_what_is_not_html_is_not_printed(view: Any, tmp_path: Path, name: str, body: bytes) -> None:
    (tmp_path / name).write_bytes(body) if name != "-" else None
    done = view(name, "--html", "-o", "out", stdin=body)
    assert done == (1, b"", f"{name} is not HTML, so it is not pruned\n")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "body", [b"<p>a\x1b\x01b", "<html><p>\xe4".encode("utf-16"), b"", b"words alone", b"<div>\x08\x02"]
)
def test_odd_pages_are_pages(view: Any, tmp_path: Path, body: bytes) -> None:
    (tmp_path / "page.html").write_bytes(body)
    assert view("page.html", "--html").out == body
    if b"\x1b" not in body:
        assert view("-", "--html", stdin=body).out == body


@needs_controls
def test_page_cannot_steer_the_terminal(view: Any, tmp_path: Path) -> None:
    text = listing().replace("solid oak", HOSTILE).replace("Only here", HOSTILE)
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    for form in ("--html", "--text", "--json"):
        shown = view("page.html", form, *PAPER, terminal=True).text
        assert "owned" in shown
        assert not steers(shown)
    account = view("page.html", "--json", *PAPER).text
    assert not steers(account)
    assert any(HOSTILE.split("\x9b")[0] in one["text"] for one in json.loads(account)["removed"])
    # a file or pipe gets the page as it is
    assert HOSTILE in view("page.html", "--html", *PAPER).text
