"""The sets of pages on which methods are compared, each page with its score function."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from benchmarks.quality.labels import labelled_pages
from benchmarks.quality.measures import score as quality_score
from benchmarks.scrapers import NOTHING, Scraping
from scrapy_tps.engine.html import document
from scrapy_tps.engine.native import walk

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterator, Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence

#: The score of a page: named figures, or None if it can't be scored.
Measures = dict[str, Any]


@dataclass(frozen=True)
class Page:
    """A page of a set.

    :ivar site: pages with the same one are of one site.
    :ivar kind: its category, where the set has such.
    :ivar query: words it was found with, where the set tells them.
    :ivar records: the values of its records, letters and digits alone, where the set tells them.
    :ivar score: from the HTML that a method leaves to figures; None where the labels can't be found in the page.
    """

    name: str
    site: str
    body: bytes
    score: Callable[[str], Measures | None]
    url: str = ""
    encoding: str | None = None
    kind: str = ""
    query: str = ""
    records: Sequence[Sequence[str]] = ()


def walked(html: bytes | str) -> TagPathSequence:
    """Return the tag path sequence of a page that has a body."""
    body = document.parse(html).body
    assert body is not None
    return walk(body)


def add_options(parser: ArgumentParser) -> None:
    """Add the options that say where the sets are."""
    parser.add_argument(
        "--data", type=Path, help="folder of labelled sets; without, the pages of the project"
    )
    parser.add_argument(
        "--bench", type=Path, help="folder of their measures (datasets.py, evaluate.py, real)"
    )
    parser.add_argument("--scraper-python", help="interpreter that has the scrapers of the real sets")
    parser.add_argument("--news-python", help="interpreter that has the news parsers")


def sets_of(chosen: Namespace) -> dict[str, Callable[[], list[Page]]]:
    """The sets by name, each read when it is called for."""
    if chosen.data is None:
        return {"shipped": lambda: list(shipped())}
    import_from(chosen.bench)
    datasets, evaluate = import_module("datasets"), import_module("evaluate")
    data: Path = chosen.data.resolve()

    def labelled(pages: Any, about: Callable[[Any], dict[str, str]]) -> list[Page]:
        return [
            Page(
                page.name,
                body=page.body,
                score=partial(evaluate.score, page),
                encoding=page.encoding,
                records=page.records,
                **{"url": page.url, "kind": page.kind, **about(page)},
            )
            for page in pages
        ]

    def of_wcxb(page: Any) -> dict[str, str]:
        return {"site": urlsplit(page.url).hostname or page.name}

    def alone(page: Any) -> dict[str, str]:
        return {"site": page.name}

    found: dict[str, Callable[[], list[Page]]] = {
        "testbed": lambda: labelled(datasets.labelled_by_fields(data / "testbed"), of_testbed),
        "paper": lambda: labelled(datasets.labelled_by_xpath(data / "paper", tbody=False), alone),
        "vints": lambda: labelled(datasets.labelled_by_xpath(data / "vints"), alone),
        "wcxb": lambda: labelled(datasets.labelled_by_text(data / "wcxb"), of_wcxb),
        "unlabelled": lambda: list(unlabelled(data)),
    }
    if chosen.scraper_python:
        scraping = Scraping(chosen.scraper_python, "scrapers", chosen.bench, data / "real")
        for suite in ("recipes", "courts"):
            found[suite] = partial(scraped, data / "real", suite, scraping)
    if chosen.news_python:
        found["news"] = lambda: list(news(data / "real", news_parsing(chosen)))
    there = {path.name for at in (data, data / "real") for path in at.iterdir()} | {"unlabelled"}
    return {name: pages for name, pages in found.items() if name in there}


def import_from(bench: Path) -> None:
    """Let the modules of the measures be imported."""
    sys.path[:0] = [str(bench.resolve()), str(bench.resolve() / "real")]


def news_parsing(chosen: Namespace) -> Scraping:
    """The parsers of the publishers, in the interpreter that has them."""
    import_from(chosen.bench)
    return Scraping(chosen.news_python, "news", chosen.bench, chosen.data.resolve() / "real")


def shipped() -> Iterator[Page]:
    """The labelled pages of the project, each a site of its own."""
    for page in labelled_pages():

        def scored(kept: str, page: Any = page) -> Measures:
            measures = asdict(quality_score(page, kept))
            return {name: measures[name] for name in ("records", "survived", "noise_removed")}

        yield Page(page.name, page.name, page.body, scored, page.url or "", page.encoding, page.kind)


def of_testbed(page: Any) -> dict[str, str]:
    """Site, category and query from a name such as ``10_Reference_1_Archive.org_2_some_words_keyword.html.gz``."""
    parts = page.name.split(".html")[0].split("_")
    return {"site": "_".join(parts[:4]), "kind": parts[1], "query": " ".join(parts[5:-1])}


def unlabelled(data: Path) -> Iterator[Page]:
    """The pages below the folder that no other set has: to see that they are no error."""
    read = import_module("datasets").read
    labelled = {
        data / name / line.split("\t")[0]
        for name in ("paper", "vints")
        for line in (data / name / "labels.tsv").read_text(encoding="utf-8").splitlines()
    }
    for folder in ("paper", "vints", "real/meetings"):
        for path in sorted((data / folder).rglob("*.html.gz")):
            if path not in labelled:
                name = str(path.relative_to(data))
                site = name.removesuffix(".html.gz").rsplit("_", 1)[0]
                yield Page(name, site, read(path), lambda _: None)


def scraped(data: Path, suite: str, scraping: Scraping) -> list[Page]:
    """Pages of recipes (without their JSON-LD, so that the selectors have to work) and of courts."""
    scrapers, run = import_module("scrapers"), import_module("run")
    found = []
    for path in sorted((data / suite / "A").glob("*.json")):
        about = json.loads(path.read_text(encoding="utf-8"))
        html = run.page_of(data, about, "no-data" if suite == "recipes" else "as-is")
        before: list[Any] = []

        def equal(
            kept: str, about: Any = about, html: str = html, before: list[Any] = before
        ) -> Measures | None:
            if not before:
                before.append(scraping(html, about))
            if not before[0]:
                return None
            lost = scrapers.differences(before[0], before[0] if kept == html else scraping(kept, about))
            return {"equal": float(not lost["items"] and not lost["fields"])}

        url = f"{run.address(about)}?{about['case']}"  # pages of one host are told apart
        found.append(Page(about["case"], about["site"], html.encode(), equal, url, "utf-8"))
    return found


def news(data: Path, parsing: Scraping) -> Iterator[Page]:
    """Articles, with the parsers of their publishers; images are not compared."""
    read = import_module("datasets").read
    for name, about in json.loads((data / "news/A/cases.json").read_text(encoding="utf-8")).items():
        html = read(data / "news/A" / name).decode("utf-8", "replace")
        before: list[dict[str, str]] = []

        def equal(
            kept: str, about: Any = about, html: str = html, before: list[dict[str, str]] = before
        ) -> Measures | None:
            if not before:
                given = parsing(html, about) or {}
                before.append({field: value for field, value in given.items() if value not in NOTHING})
                before[0].pop("images", None)
                if '"sections": []' in before[0].get("body", ""):
                    del before[0]["body"]
            if not before[0]:
                return None
            after = before[0] if kept == html else parsing(kept, about) or {}
            return {"equal": float(all(after.get(field) == value for field, value in before[0].items()))}

        yield Page(name, about["publisher"], html.encode(), equal, about["url"], "utf-8")
