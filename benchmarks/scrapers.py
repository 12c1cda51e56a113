"""Other people's scrapers on their recorded pages: their outputs on pruned pages.

They come from PyPI and run in separate interpreters (`--scrapers`, `--news`), because they need other versions of
libraries than the project. The folder of measures (`--bench`) has the code to run them, in `real/`.
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DATA_SCRIPTS = re.compile(
    r"""<script[^>]*application/ld\+json[^>]*>.*?</script\s*>""", re.IGNORECASE | re.DOTALL
)
NOTHING = ("null", "[]", '""', "error", "{}", "false")

_WORKER = Path(__file__).with_name("scraper_worker.py")


@dataclass
class Case:
    """A recorded page, and what its scraper needs to know."""

    suite: str
    name: str
    html: str
    url: str
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        return self.suite


def read(path: Path) -> str:
    """A recorded page, as its project's tests read it."""
    content = gzip.decompress(path.read_bytes())
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        from charset_normalizer import from_bytes  # noqa: PLC0415 (few pages need it)

        return str(from_bytes(content).best())


def cases(data: Path) -> Iterator[Case]:
    """The pages of half A: recipes (twice, with and without JSON-LD), courts, news, and those of meetings."""
    for suite in ("recipes", "courts"):
        for path in sorted((data / suite / "A").glob("*.json")):
            about = json.loads(path.read_text("utf-8"))
            html, url = read(path.parent / about["page"]), about["url"]
            url = url if "://" in url or not url else f"https://{url}/"
            yield Case(suite, about["case"], html, url, about)
            if suite == "recipes":
                yield Case("no-data", about["case"], DATA_SCRIPTS.sub("", html), url, about)
    for name, about in json.loads((data / "news/A/cases.json").read_text("utf-8")).items():
        yield Case("news", name, read(data / "news/A" / name), about["url"], about)
    for path in sorted((data / "meetings/A").rglob("*.htm*.gz")):
        yield Case("meetings", str(path.relative_to(data)), read(path), "")


class Scraping:
    """Scrapers of other people in a separate interpreter, which starts with the first page.

    :param kind: `scrapers` or `news`.
    :param bench: folder of the measures.
    :param data: folder of the recorded pages.
    """

    def __init__(self, python: str, kind: str, bench: Path, data: Path) -> None:
        self._command = [python, str(_WORKER), kind, str(bench.resolve() / "real"), str(data)]
        self._process: subprocess.Popen[str] | None = None

    def __call__(self, html: str, about: Mapping[str, Any]) -> Any:
        """Return the output of the scraper of a page on this HTML; None if it fails."""
        if self._process is None:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
            )
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps({"html": html, "about": about}) + "\n")
        stdin.flush()
        return json.loads(stdout.readline())


class Scrapers:
    """The interpreters with the scrapers, started when first asked.

    :param bench: folder of the measures.
    :param data: folder of the recorded pages.
    :param pythons: interpreters by kind, `news` and `scrapers`; without one its suites have no outputs.
    """

    def __init__(self, bench: Path, data: Path, pythons: dict[str, str]) -> None:
        self._scraping = {
            kind: Scraping(python, kind, bench, data) for kind, python in pythons.items() if python
        }
        sys.path.insert(0, str(bench / "real"))

    def output(self, case: Case, html: str) -> Any:
        """Return the output of the case's scraper on a page; None if it is empty, or there is no scraper."""
        kind = "news" if case.suite == "news" else "scrapers"
        if case.suite == "meetings" or kind not in self._scraping:
            return None
        return self._scraping[kind](html, case.about)

    def equal(self, case: Case, before: Any, after: Any) -> bool:
        """Whether the output has everything from the page as downloaded, except pictures of news."""
        if case.suite != "news":
            import scrapers  # noqa: PLC0415 (of the folder that was named)

            lost = scrapers.differences(before, after or [])
            return not lost["items"] and not lost["fields"]
        after = after or {}
        return all(after.get(name) == value for name, value in before.items() if name != "images")

    def given(self, case: Case) -> Any:
        """Return the output of a scraper on the page as downloaded, without empty values; None if it is empty."""
        found = self.output(case, case.html)
        if case.suite == "news":
            found = {name: value for name, value in (found or {}).items() if value not in NOTHING}
            if '"sections": []' in found.get("body", ""):
                del found["body"]
        return found or None
