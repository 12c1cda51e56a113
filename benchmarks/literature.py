"""The methods of the literature beside ours, on the same pages: one table.

    python -m benchmarks.literature                         methods x sets, on the pages that ship with the project
    python -m benchmarks.literature --data FOLDER           on labelled pages of your own: a folder for each set
    python -m benchmarks.literature --strategy cetr --strategy auto
    python -m benchmarks.literature --sites 20              of each set no more than so many sites, spread evenly
    python -m benchmarks.literature --data FOLDER --evaluations     the papers' own, see literature_evaluations

Sets in FOLDER: `testbed` (``*.html.gz`` with a CSV of records beside each: content present, record recall, text
removed) and `wcxb` (`html` and `ground-truth` with the main content as text: F1 of words). Methods of many pages judge
each page with a model of the site's other pages. Times are of the whole way of a page, in milliseconds of this process;
memory is what a method remembers of a site, in KB.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import html
import io
import json
import re
import statistics
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from benchmarks.quality.labels import labelled_pages
from benchmarks.quality.measures import parsed, plain, score, summary
from scrapy_tps import prune
from scrapy_tps.engine.html import document
from scrapy_tps.engine.strategies import GUARDED, LITERATURE
from scrapy_tps.sites import SiteModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from benchmarks.quality.labels import LabelledPage

NOTHING = "nothing"
#: Ours, and what to give to `prune` besides: with `site` a model of the site's other pages.
OURS = ("auto", "aggressive", "tps", "paper", "auto, site", "tps, site")
_SITE = ", site"
_FIELD = 40  # letters and digits of a field's value that are looked for
_SHORT = 4  # values of fewer are anywhere


@dataclass(frozen=True)
class Page:
    """A page with what it is scored by."""

    name: str
    site: str
    body: bytes
    url: str = ""
    kind: str = ""
    records: tuple[tuple[str, ...], ...] = ()
    main: str = ""
    labelled: LabelledPage | None = None


@dataclass
class Row:
    """The figures of a strategy on a set."""

    figures: Mapping[str, float]
    milliseconds: float
    kilobytes: float
    errors: Counter[str] = field(default_factory=Counter)


def shipped() -> Iterator[Page]:
    """The labelled pages of the project, each a site of its own."""
    for page in labelled_pages():
        yield Page(page.name, page.name, page.body, page.url or "", page.kind, labelled=page)


def testbed(folder: Path) -> Iterator[Page]:
    """Result pages with a CSV of records beside each; a site is what names share up to their third part."""
    for path in sorted(folder.glob("*.html.gz")):
        raw = path.with_name(path.name.removesuffix(".html.gz") + ".csv").read_bytes()
        rows = csv.reader(io.StringIO(table_text(raw)))
        records = tuple(
            fields
            for row in rows
            if (
                fields := tuple(
                    key for value in row if len(key := plain(html.unescape(value))[:_FIELD]) >= _SHORT
                )
            )
        )
        parts = path.name.split("_")
        yield Page(path.name, "_".join(parts[:4]), read(path), kind=parts[1], records=records)


def table_text(raw: bytes) -> str:
    """A CSV as text: in UTF-8, or as it was written on Windows."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")


def wcxb(folder: Path) -> Iterator[Page]:
    """Pages with their main content as text."""
    for path in sorted((folder / "ground-truth").glob("*.json")):
        label = json.loads(path.read_text(encoding="utf-8"))
        kind = ((label.get("_internal") or {}).get("page_type") or {}).get("primary", "article")
        body = read(folder / "html" / f"{path.stem}.html.gz")
        url = label.get("url", "")
        main = label["ground_truth"].get("main_content") or ""
        yield Page(path.stem, urlsplit(url).hostname or path.stem, body, url, kind, main=main)


def read(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes())


def decoded(body: bytes) -> str:
    page = document.read(body)
    return page if isinstance(page, str) else page.decode("utf-8", "replace")


def by_site(pages: Iterable[Page], most: int | None) -> dict[str, list[Page]]:
    """The pages of each site; of no more than so many sites, spread evenly."""
    sites: dict[str, list[Page]] = defaultdict(list)
    for page in pages:
        sites[page.site].append(page)
    names = list(sites)
    step = max(1, len(names) // most) if most else 1
    return {name: sites[name] for name in names[::step][:most]}


def measured(sites: Mapping[str, Sequence[Page]], strategy: str) -> tuple[list[tuple[Page, str]], Row]:
    """Every page as a strategy leaves it, and what that took."""
    name = strategy.removesuffix(_SITE)
    learns = strategy.endswith(_SITE) or name.removesuffix(GUARDED) in LITERATURE
    settings = {"TPS_STRATEGY": name, "TPS_SITE_TEMPLATE_PAGES": 2}
    left: list[tuple[Page, str]] = []
    seconds: list[float] = []
    memory: list[int] = []
    errors: Counter[str] = Counter()
    for pages in sites.values():
        model = SiteModel() if learns else None
        if model is not None and len(pages) > 1:
            for page in pages:
                prune(page.body, url=page.url or page.name, settings=settings, site=model)
        for page in pages:
            if strategy == NOTHING:
                left.append((page, decoded(page.body)))
                continue
            started = time.process_time()
            pruning = prune(page.body, url=page.url or page.name, settings=settings, site=model)
            left.append((page, pruning.html))
            seconds.append(time.process_time() - started)
            if pruning.error:
                errors[pruning.error] += 1
        if model is not None:
            memory.append(sum(one.bytes() for one in model.memories.values()) or len(model.to_bytes()))
    row = Row(
        {},
        1e3 * statistics.median(seconds) if seconds else 0.0,
        statistics.median(memory) / 1024 if memory else 0.0,
        errors,
    )
    return left, row


def figures(left: Sequence[tuple[Page, str]]) -> dict[str, float]:
    """The measures of a set."""
    if left[0][0].labelled is not None:
        return dict(summary(score(page.labelled, kept) for page, kept in left if page.labelled is not None))
    if left[0][0].main:
        f1 = [word_f1(kept, page.main) for page, kept in left]
        articles = [one for one, (page, _) in zip(f1, left, strict=True) if page.kind == "article"]
        return {"F1": statistics.fmean(f1), "F1 articles": statistics.fmean(articles or [0.0])}
    present = records = survived = scored = 0
    removed: list[float] = []
    for page, kept in left:
        raw, rest = text_of(decoded(page.body)), text_of(kept)
        wanted = [fields for record in page.records if (fields := {one for one in record if one in raw})]
        if len(wanted) < 2:
            continue
        needed = Counter(chain.from_iterable(wanted))
        spare = {one: rest.count(one) + max(0, count - raw.count(one)) for one, count in needed.items()}
        whole = 0
        for fields in wanted:
            whole += all(spare[one] > 0 for one in fields)
            for one in fields:
                spare[one] -= 1
        scored += 1
        records += len(wanted)
        survived += whole
        present += whole == len(wanted)
        removed.append(max(0.0, 1 - len(rest) / len(raw)))
    return {
        "content present": present / max(1, scored),
        "record recall": survived / max(1, records),
        "text removed": statistics.fmean(removed or [0.0]),
    }


def text_of(page: str) -> str:
    return plain(html.unescape("".join(visible_texts(page))))


def visible_words(page: str) -> list[str]:
    return re.findall(r"\w+", " ".join(visible_texts(page)).lower())


def visible_texts(page: str) -> list[str]:
    return list(
        parsed(page).xpath(".//text()[not(ancestor::script or ancestor::style or ancestor::noscript)]")
    )


def word_f1(kept: str, main: str) -> float:
    """Word-level F1 of what is left against the main content, each word as often as it occurs."""
    found, wanted = Counter(visible_words(kept)), Counter(re.findall(r"\w+", main.lower()))
    common = (found & wanted).total()
    return 2 * common / (found.total() + wanted.total()) if common else float(found == wanted)


def sets_of(data: Path | None) -> dict[str, Callable[[], Iterator[Page]]]:
    if data is None:
        return {"shipped": shipped}
    known = {"testbed": lambda: testbed(data / "testbed"), "wcxb": lambda: wcxb(data / "wcxb")}
    return {name: pages for name, pages in known.items() if (data / name).is_dir()}


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder of labelled sets")
    parser.add_argument("--strategy", action="append", metavar="NAME", help="one of the rows")
    parser.add_argument("--sites", type=int, metavar="N", help="no more than so many sites of each set")
    parser.add_argument("--evaluations", action="store_true", help="clustering, classification and retrieval")
    chosen = parser.parse_args(argv)
    rows = chosen.strategy or [
        NOTHING,
        *OURS,
        *(f"{name}{guard}" for name in LITERATURE for guard in ("", GUARDED)),
    ]
    errors = 0
    for name, pages in sets_of(chosen.data).items():
        sites = by_site(pages(), chosen.sites)
        print(f"{name}: {sum(map(len, sites.values()))} pages of {len(sites)} sites")
        for strategy in rows:
            left, row = measured(sites, strategy)
            errors += row.errors.total()
            said = "  ".join(f"{measure} {figure:7.2%}" for measure, figure in figures(left).items())
            print(f"  {strategy:26}{said}  {row.milliseconds:6.1f} ms  {row.kilobytes:7.0f} KB", flush=True)
            for error, count in row.errors.items():
                print(f"    {count} pages: {error}")
            if chosen.evaluations:
                from benchmarks.literature_evaluations import evaluate  # noqa: PLC0415 (needs the extra)

                for line in evaluate(name, left):
                    print(f"      {line}", flush=True)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
