"""Runs the meetings' tests in one way, for ``benchmarks.real_sites``: prints JSON, (case, what is lost, cut) each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

BENCH, DATA, HALF, WAY, SETTINGS = sys.argv[1:6]
sys.path.insert(0, BENCH)

import run  # type: ignore[import-not-found]  # noqa: E402 (the bench's)


def with_plugin(command: list[str], *, env: dict[str, str], **more: Any) -> Any:
    """Run pytest with the plugin that is beside this file instead of the bench's."""
    own = ["meetings_plugin_with_sites" if part == "meetings_plugin" else part for part in command]
    env["PYTHONPATH"] += os.pathsep + os.pathsep.join(
        [str(Path(__file__).parent), os.environ["REAL_PROJECT"]]
    )
    return subprocess.run(own, check=False, env=env, **more)


run.subprocess = SimpleNamespace(
    run=with_plugin, DEVNULL=subprocess.DEVNULL, TimeoutExpired=subprocess.TimeoutExpired
)
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
