"""Sphinx configuration: ``sphinx-build -W docs docs/_build``."""

from __future__ import annotations

import sys
from importlib.metadata import version as installed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "scrapy-tps"
author = "the scrapy-tps developers"
project_copyright = "2026, the scrapy-tps developers"
release = version = installed("scrapy-tps")

extensions = ["myst_parser", "sphinx.ext.autodoc", "setting_role"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "_ext"]
html_theme = "furo"
html_title = f"scrapy-tps {release}"
nitpicky = False
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_default_options = {"members": True}
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
