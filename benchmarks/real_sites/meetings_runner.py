"""Runs the meetings' tests in one way, for ``benchmarks.real_sites``: prints JSON, (case, what is lost, cut) each."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

from plugged import runner  # type: ignore[import-not-found]  # beside this file

BENCH, DATA, HALF, WAY, SETTINGS = sys.argv[1:6]
run = runner(BENCH, Path(__file__).with_name("meetings_plugin_with_sites.py"), os.environ["REAL_PROJECT"])
out = Path(DATA)
args = SimpleNamespace(
    halves=HALF,
    again=None,
    strategy=[json.loads(SETTINGS)["TPS_STRATEGY"]],
    own={"way": WAY, **json.loads(SETTINGS)},
)
found = []
for about, _, row in run.meetings(out, args):
    if row is not None and row["pages"] > 1:
        lost = set(row["fields_lost"])
        if row["items_lost"]:
            lost.add(f"{row['items_lost']} of {row['records']} records")
        found.append((about["case"], sorted(lost), row["reduction"]))
print(json.dumps(found))
