"""The role ``:setting:`TPS_KEEP``` of docstrings: a link to the setting's heading on the settings page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes

from scrapy_tps.settings.definitions import SETTINGS

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def _note_settings(app: Sphinx, doctree: nodes.document) -> None:
    if app.env.docname != "reference/settings":
        return
    for section in doctree.findall(nodes.section):
        name = section[0].astext()
        if name in SETTINGS:
            app.env.domains.standard_domain.note_object("setting", name, section["ids"][0])


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_crossref_type("setting", "setting", "single: %s; setting")
    app.connect("doctree-read", _note_settings)
    return {"parallel_read_safe": True}
