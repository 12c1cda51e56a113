"""One self-contained HTML file from a template, with styles, scripts and data inside; it fetches nothing."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class MissingExtra(ImportError):
    """The extra ``report`` is not installed."""


def load_extra(module: str) -> Any:
    """Return a module of the extra ``report``; raise `MissingExtra` if it is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtra("HTML files need the extra `report`: pip install scrapy-tps[report]") from error


def render_file(
    template: str, *, scripts: Sequence[str], styles: Sequence[str], data: Any, **context: Any
) -> str:
    """Fill a template of ``scrapy_tps/report/templates``.

    :param template: file name of the Jinja template.
    :param scripts: files put together into one script; it alone may run, by its hash in the file's policy.
    :param styles: files put together into one style sheet.
    :param data: what the script reads from ``#tps-data``, as JSON.
    :param context: further variables of the template.
    :raises MissingExtra: without Jinja (``pip install scrapy-tps[report]``).
    """
    jinja = load_extra("jinja2")
    loader = jinja.PackageLoader("scrapy_tps.report")
    environment = jinja.Environment(
        loader=loader, autoescape=True, undefined=jinja.StrictUndefined, trim_blocks=True
    )
    safe = environment.filters["safe"]  # for text that this package wrote or escaped

    def together(names: Iterable[str]) -> str:
        return "\n".join(loader.get_source(environment, name)[0] for name in names)

    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # no `<`, which could end the script element; lone surrogates can't be written to a file
    inert = text.replace("<", "\\u003c").encode("utf-8", "replace").decode("utf-8")
    script = f'"use strict";\n(() => {{\n{together(scripts)}\n}})();\n'
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    filled: str = environment.get_template(template).render(
        script=safe(script),
        script_hash=f"sha256-{digest}",
        style=safe(together(styles)),
        data=safe(inert),
        **context,
    )
    return filled
