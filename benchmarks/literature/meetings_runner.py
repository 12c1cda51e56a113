"""Runs the meetings' tests on pages that were pruned before, for ``benchmarks.literature.meetings``.

    PYTHON meetings_runner.py BENCH DATA WAY [MODULE …]

The folder MEETINGS_PAGES holds the pages of each way. ``whole`` prints the hashes of the pages of each module whose
tests work; other ways print the modules that lost nothing. Both as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent

from plugged import runner  # type: ignore[import-not-found]  # noqa: E402 (in that folder)

BENCH, DATA, WAY, *MODULES = sys.argv[1:]
run = runner(BENCH, _HERE / "meetings_plugin_with_pages.py")
known = Path(os.environ["MEETINGS_PAGES"]) / "before.json"
seen = run.run_tests(Path(DATA), "A", "left", {"way": WAY}, modules=MODULES or None)
if WAY == "whole":
    working = {
        case: found
        for case, found in seen.items()
        if not found["error"] and "passed" in found["tests"].values() and found["pages"]
    }
    known.write_text(json.dumps(working), encoding="utf-8")
    print(
        json.dumps(
            {case: [page["sha"] for page in found["pages"].values()] for case, found in working.items()}
        )
    )
else:
    nothing = {"pages": {}, "tests": {}, "items": {}, "error": "nothing ran"}
    before = json.loads(known.read_text(encoding="utf-8"))
    lost = {case: run.compare_tests(before[case], seen.get(case, nothing)) for case in MODULES}
    print(
        json.dumps(
            [case for case, what in lost.items() if not what["items_lost"] and not what["fields_lost"]]
        )
    )
