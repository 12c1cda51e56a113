"""What models of sites are worth to spiders that others wrote: their scrapers on the pages recorded for them.

    python -m benchmarks.real_sites --bench ../shared/bench/real --data ../shared/data/real --half A
        --scrapers ENV/bin/python --news NEWS/bin/python [--suites recipes no-data courts news meetings]
        [--ways first veto full] [--strategy auto] [--template-pages 2] [--pages]

`--bench` is the folder with the runners, `--data` the one with pages, `--scrapers` and `--news` are interpreters that
have what those need. Only sites of which two or more pages are recorded count. `alone`: no model; `first`: a model that
knows nothing yet; `veto` and `full`: one that knows the site's other pages. A case is the same if its scraper gives for
the pruned page what it gives for the page as downloaded; worse (better) if something is lost that stays (stays that is
lost) `alone`. Where nothing but pictures is lost, in news, a case is the same, and is counted beside.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.real_sites.meetings import meetings
from scrapy_tps import prune
from scrapy_tps.sites import SiteModel
from scrapy_tps.sites.reference import page_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_tps.sites.reference import Reference

ALONE = "alone"
WAYS = {"first": "full", "veto": "veto", "full": "full"}
_HERE = Path(__file__).parent


@dataclass
class Outcome:
    """What became of a case in one way: the fields that are lost, and the share of nodes that went."""

    lost: set[str]
    cut: float


@dataclass
class Score:
    """The outcomes of a suite's cases, by way and name."""

    ways: dict[str, dict[str, Outcome]] = field(default_factory=lambda: defaultdict(dict))

    def report(self, suite: str, *, pages: bool) -> bool:
        """Print a line for each way; return whether any case got worse."""
        got_worse = False
        alone = self.ways[ALONE]
        for way, cases in self.ways.items():
            worse = sorted(name for name, found in cases.items() if found.lost - alone[name].lost)
            better = sorted(name for name, found in cases.items() if alone[name].lost - found.lost)
            got_worse |= bool(worse)
            same = sum(not found.lost - {"images"} for found in cases.values())
            images = sum("images" in found.lost for found in cases.values())
            cut = sum(found.cut for found in cases.values()) / max(1, len(cases))
            print(
                f"{suite:8} {way:5} cases {len(cases):3}  the same {same:3} ({same / max(1, len(cases)):6.1%})"
                f"  DOM cut {cut:5.1%}  worse {len(worse)}, better {len(better)}"
                + (f", pictures lost {images}" if images else ""),
                flush=True,
            )
            if pages:
                for sign, names in (("-", worse), ("+", better)):
                    for name in names:
                        print(f"    {sign} {name}: {', '.join(sorted(cases[name].lost ^ alone[name].lost))}")
        return got_worse


class Scrapers:
    """The scrapers of a suite, in the environment that has them."""

    def __init__(self, python: str, bench: Path, data: Path, suite: str) -> None:
        command = [python, str(_HERE / "scraping.py"), str(bench), str(data), suite]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=tempfile.gettempdir(),
        )

    def __enter__(self) -> Scrapers:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def __call__(self, about: dict[str, Any], html: str) -> list[dict[str, Any]]:
        """Return what the scraper of a case gives for a page."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([about, html]), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())  # type: ignore[no-any-return]


def cases(data: Path, suite: str, half: str) -> list[list[tuple[dict[str, Any], str]]]:
    """The cases of each site that has several, with their pages."""
    folder = data / suite.replace("no-data", "recipes") / half
    if suite == "news":
        found = [
            {**about, "case": name, "site": about["publisher"], "page": name}
            for name, about in json.loads((folder / "cases.json").read_text("utf-8")).items()
        ]
    else:
        found = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]
    scrapers = import_module("scrapers")
    sites = defaultdict(list)
    for about in found:
        content = gzip.decompress((folder / about["page"]).read_bytes())
        html = content.decode("utf-8", "replace") if suite == "news" else scrapers.read(content)
        if suite == "no-data":
            html = scrapers.DATA_SCRIPTS.sub("", html)
        sites[about["site"]].append((about, html))
    return [pages for pages in sites.values() if len(pages) > 1]


def learnt(html: str, about: dict[str, Any], settings: dict[str, Any]) -> Reference | None:
    """What a page teaches; several cases may have one address."""
    model = SiteModel()
    prune(html.encode(), url=address(about), encoding="utf-8", settings=settings, site=model)
    return next((replace(one, key=page_key(about["case"])) for one in model.references), None)


def address(about: dict[str, Any]) -> str:
    url: str = about["url"]
    return url if "://" in url or not url else f"https://{url}/"


def outcomes(
    sites: list[list[tuple[dict[str, Any], str]]],
    scrape: Scrapers,
    ways: Sequence[str],
    settings: dict[str, Any],
) -> Iterator[tuple[str, str, Outcome]]:
    """Yield the way, the case and what became of it."""
    differences = import_module("scrapers").differences
    for pages in sites:
        lessons = {
            about["case"]: learnt(html, about, {**settings, "TPS_SITE": "full"}) for about, html in pages
        }
        for about, html in pages:
            before = scrape(about, html)
            if not before:
                continue
            others = [one for case, one in lessons.items() if case != about["case"] and one is not None]
            seen: dict[str, list[dict[str, Any]]] = {html: before}
            for way in (ALONE, *ways):
                model = SiteModel.of([] if way == "first" else others)
                model.read_only = True
                pruning = prune(
                    html.encode(),
                    url=address(about),
                    encoding="utf-8",
                    settings={**settings, "TPS_SITE": WAYS.get(way, "off")},
                    site=None if way == ALONE else model,
                )
                if pruning.html not in seen:
                    seen[pruning.html] = scrape(about, pruning.html)
                after = before if pruning.html == html else seen[pruning.html]
                lost = differences(before, after)
                names = set(lost["fields"])
                if lost["items"]:
                    names.add(f"{lost['items']} of {len(before)} records")
                if (
                    "images" in names
                    and after
                    and set(before[0]["images"]) <= set(after[0].get("images", ()))
                ):
                    names.discard("images")
                yield way, about["case"], Outcome(names, pruning.reduction)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--half", default="A")
    parser.add_argument(
        "--scrapers", default=sys.executable, help="interpreter with recipe-scrapers and juriscraper"
    )
    parser.add_argument("--news", default=sys.executable, help="interpreter with fundus")
    parser.add_argument("--suites", nargs="+", default=["recipes", "no-data", "courts", "news", "meetings"])
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    parser.add_argument("--strategy", default="auto")
    parser.add_argument("--template-pages", type=int, default=2)
    parser.add_argument("--pages", action="store_true", help="list the cases that got worse or better")
    chosen = parser.parse_args(argv)
    bench, data = chosen.bench.resolve(), chosen.data.resolve()
    sys.path.insert(0, str(bench))
    settings = {"TPS_STRATEGY": chosen.strategy, "TPS_SITE_TEMPLATE_PAGES": chosen.template_pages}
    got_worse = False
    for suite in chosen.suites:
        score = Score()
        if suite == "meetings":
            found = meetings(chosen.scrapers, (bench, data), chosen.half, [ALONE, *chosen.ways], settings)
            for way, case, lost, cut in found:
                score.ways[way][case] = Outcome(lost, cut)
        else:
            python = chosen.news if suite == "news" else chosen.scrapers
            with Scrapers(python, bench, data, suite) as scrape:
                for way, case, outcome in outcomes(
                    cases(data, suite, chosen.half), scrape, chosen.ways, settings
                ):
                    score.ways[way][case] = outcome
        got_worse |= score.report(suite, pages=chosen.pages)
    return int(got_worse)


if __name__ == "__main__":
    sys.exit(main())
