"""The bench's plugin for the meetings' tests, with models of sites: a module and its pages are a site.

Without a model each page leaves what it teaches in the folder REAL_LESSONS; with one, the module's other pages are
known.
"""

from __future__ import annotations

import os
from dataclasses import replace
from hashlib import sha1
from pathlib import Path
from typing import Any

import meetings_plugin  # type: ignore[import-not-found]
from meetings_plugin import *  # noqa: F403 (the hooks)

from scrapy_tps import prune_response
from scrapy_tps.sites import SiteModel
from scrapy_tps.sites.reference import Reference

_LESSONS = Path(os.environ["REAL_LESSONS"])


def pruned(response: Any, settings: dict[str, Any]) -> Any:
    """Prune a page in the way that the settings name."""
    if (way := settings.pop("way", None)) is None:
        return prune_response(response, settings)
    folder = _LESSONS / meetings_plugin._state["module"]
    own = folder / sha1(response.body).hexdigest()
    if way == "alone":
        model = SiteModel()
        prune_response(response, {**settings, "TPS_SITE": "full"}, site=model)
        folder.mkdir(exist_ok=True)
        for reference in model.references:
            own.write_bytes(replace(reference, key=sha1(response.body).digest()[:8]).to_bytes())
        return prune_response(response, settings)
    others = [path for path in folder.iterdir() if path != own] if folder.exists() else []
    model = SiteModel.of(
        [] if way == "first" else [Reference.from_bytes(path.read_bytes()) for path in others]
    )
    model.read_only = True
    return prune_response(response, {**settings, "TPS_SITE": "veto" if way == "veto" else "full"}, site=model)


meetings_plugin.prune_response = pruned
