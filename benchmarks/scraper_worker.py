"""Runs scrapers of other people, in the interpreter that has them from PyPI: requests and answers are lines of JSON.

PYTHON scraper_worker.py scrapers|news FOLDER_OF_scrapers.py_AND_news.py DATA/real
"""

from __future__ import annotations

import datetime
import json
import logging
import os
import sys
import warnings
from pathlib import Path
from typing import Any


def main() -> None:
    which, modules, data = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    sys.path.insert(0, modules)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what scrapers print is no answer
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    if which == "scrapers":
        import scrapers  # noqa: PLC0415 (of the folder that is named)

        scrapers.prepare(data)
        answer = scrapers.scrape
    else:
        import news  # type: ignore[import-not-found]  # noqa: PLC0415
        from fundus import PublisherCollection  # type: ignore[import-not-found]  # noqa: PLC0415

        publishers = {publisher.__name__: publisher for publisher in PublisherCollection}

        def answer(html: str, about: dict[str, Any]) -> Any:
            publisher = publishers.get(about["publisher"])
            return publisher and news.parse(publisher, datetime.datetime.fromisoformat(about["date"]), html)

    for line in sys.stdin:
        try:
            found = answer(**json.loads(line))
        except Exception:
            found = None
        print(json.dumps(found), file=answers, flush=True)


if __name__ == "__main__":
    main()
