"""The settings reference, made from ``scrapy_tps.settings.SETTINGS``: defined once, documented once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from docutils.statemachine import StringList

from scrapy_tps.settings import SETTINGS

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class SettingsReference(Directive):
    """``.. tps-settings:: page`` (overridable per domain and request) or ``crawl``."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"class": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        per_page = self.arguments[0] == "page"
        lines: list[str] = []
        for setting in SETTINGS.values():
            if setting.per_page == per_page:
                default = (
                    sorted(setting.default) if isinstance(setting.default, frozenset) else setting.default
                )
                lines += [
                    f".. setting:: {setting.name}",
                    "",
                    f"``{setting.name}``",
                    f"    Default: ``{default!r}``. Allowed: {setting.allowed}.",
                    "",
                    f"    {setting.help}",
                    "",
                ]
        parent = nodes.container()
        self.state.nested_parse(StringList(lines, source="settings"), self.content_offset, parent)
        return parent.children


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_crossref_type("setting", "setting", "single: %s; setting")
    app.add_directive("tps-settings", SettingsReference)
    return {"parallel_read_safe": True}
