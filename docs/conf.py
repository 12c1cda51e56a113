"""Sphinx configuration: ``sphinx-build -W docs docs/_build``."""

from __future__ import annotations

import re
import sys
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "scrapy-tps"
author = "the scrapy-tps developers"
project_copyright = "2026, the scrapy-tps developers"
release = version = installed("scrapy-tps")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.intersphinx", "setting_role"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "_ext"]
html_theme = "furo"
html_title = f"scrapy-tps {release}"
nitpicky = True
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_default_options = {"members": True}
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

# Without network, references to other projects are resolved by a list that holds those which are used here.
_OTHERS = Path(__file__).parent / "_inventories"
intersphinx_mapping = {
    name: (address, (None, str(_OTHERS / f"{name}.inv")))
    for name, address in {
        "python": "https://docs.python.org/3",
        "scrapy": "https://docs.scrapy.org/en/latest",
    }.items()
}
intersphinx_timeout = 5
# Types that are imported for checks alone appear by their short names.
_FULL_NAMES = {
    "Crawler": "scrapy.crawler.Crawler",
    "Path": "pathlib.Path",
    "Response": "scrapy.http.Response",
    "TextResponse": "scrapy.http.TextResponse",
    "scrapy.http.request.Request": "scrapy.Request",
    "scrapy.http.response.text.TextResponse": "scrapy.http.TextResponse",
}
# Without a page: lxml's documentation has no list of its names, and users make none of the others.
_UNLISTED = (
    "Column|Columns|Cut|DataRegions|DataRegions.parse|Element|Fallbacks|HtmlElement|Moves|OUTCOMES|PageSettings|"
    "PrunedHtmlResponse|PrunedMixin|PrunedPage|Split|T|TEXT|search_region|stem"
)
nitpick_ignore_regex = [("py:.*", rf"(.*\.)?({_UNLISTED})")]


def _with_full_name(_: Any, __: Any, node: Any, ___: Any) -> None:
    node["reftarget"] = _FULL_NAMES.get(node["reftarget"], node["reftarget"])


def _one_by_one(_: Any, __: str, ___: str, ____: Any, _____: Any, lines: list[str]) -> None:
    """Write a field for several names (``:ivar nodes, chars: its size``) once for each: Sphinx takes one for a type."""
    single = []
    for line in lines:
        field = re.match(r"(\s*:(?:ivar|param) )(\w+(?:, \w+)+)(:.*)", line)
        names = field[2].split(", ") if field else ()
        single += [f"{field[1]}{name}{field[3]}" for name in names] if field else [line]
    lines[:] = single


def setup(app: Any) -> None:
    app.connect("missing-reference", _with_full_name, priority=400)  # before intersphinx
    app.connect("autodoc-process-docstring", _one_by_one)
