"""Runs other people's scrapers for ``benchmarks.real_sites``, in the environment that has them, by lines of JSON.

    PYTHON scraping.py BENCH DATA SUITE

Each line is a list of the case and the page; the answer is what the scraper gives: a list of records.
"""

from __future__ import annotations

import datetime
import json
import sys
from importlib import import_module
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def scraper(bench: Path, data: Path, suite: str) -> Callable[[dict[str, Any], str], list[dict[str, Any]]]:
    """Return what runs the scrapers of a suite."""
    sys.path.insert(0, str(bench))
    if suite != "news":
        import_module("scrapers").prepare(data)
        # remembers what a scraper gave for a page
        cache = import_module("run").Cache(Path(gettempdir()) / "real-cache")
        return lambda about, html: cache.scrape(html, about)
    sys.path.insert(0, str(data / "news" / "code"))
    import_module("warnings").filterwarnings("ignore")
    import_module("logging").disable()
    news = import_module("news")
    publishers = {one.__name__: one for one in import_module("fundus").PublisherCollection}

    def parsed(about: dict[str, Any], html: str) -> list[dict[str, Any]]:
        if about["publisher"] not in publishers:
            return []
        date = datetime.datetime.fromisoformat(about["date"])
        found = news.parse(publishers[about["publisher"]], date, html)
        given = {name: value for name, value in found.items() if value not in news.NOTHING}
        if '"sections": []' in given.get("body", ""):
            del given["body"]
        images = given.pop("images", None)
        return [{**given, **({"images": json.loads(images)} if images else {})}] if given else []

    return parsed


if __name__ == "__main__":
    answers = sys.stdout
    sys.stdout = sys.stderr  # scrapers print
    scrape = scraper(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
    for line in sys.stdin:
        print(json.dumps(scrape(*json.loads(line))), file=answers, flush=True)
