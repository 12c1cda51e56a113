"""The bench's runner of the meetings' tests with a plugin of ours; for scripts of the interpreter with the spiders."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def runner(bench: str, plugin: Path, *folders: str) -> Any:
    """Return the bench's module ``run``; its pytest loads `plugin` instead of the bench's.

    :param folders: what else the plugin imports from.
    """
    sys.path.insert(0, bench)
    import run  # type: ignore[import-not-found]  # noqa: PLC0415 (the bench's)

    def with_plugin(command: list[str], *, env: dict[str, str], **more: Any) -> Any:
        own = [plugin.stem if part == "meetings_plugin" else part for part in command]
        env["PYTHONPATH"] = os.pathsep.join([env["PYTHONPATH"], str(plugin.parent), *folders])
        return subprocess.run(own, check=False, env=env, **more)

    run.subprocess = SimpleNamespace(
        run=with_plugin, DEVNULL=subprocess.DEVNULL, TimeoutExpired=subprocess.TimeoutExpired
    )
    return run
