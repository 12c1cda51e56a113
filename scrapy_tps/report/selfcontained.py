"""One self-contained HTML file from a template: styles, scripts and data inside, nothing fetched."""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from array import array
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: What a machine's byte order must be for columns of numbers; others are swapped.
_LITTLE = sys.byteorder == "little"


class MissingExtra(ImportError):
    """The extra ``report`` is not installed."""


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
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 (an extra)
        from markupsafe import Markup  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtra("HTML files need the extra `report`: pip install scrapy-tps[report]") from error
    loader = PackageLoader("scrapy_tps.report")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)

    def together(names: Iterable[str]) -> str:
        return "\n".join(loader.get_source(environment, name)[0] for name in names)

    script = f'"use strict";\n(() => {{\n{together(scripts)}\n}})();\n'
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return environment.get_template(template).render(
        script=Markup(script),
        script_hash=f"sha256-{digest}",
        style=Markup(together(styles)),
        data=Markup(_json_in_html(data)),  # every `<` is escaped
        **context,
    )


def _json_in_html(data: Any) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # no `<` can end the script element; lone surrogates can't be written to a file
    return text.replace("<", "\\u003c").encode("utf-8", "replace").decode("utf-8")


def pack(numbers: Iterable[int]) -> str:
    """Return whole numbers (0 to 2**32 - 1) as base64 of little-endian 32-bit words."""
    words = array("I" if array("I").itemsize == 4 else "L", numbers)
    if not _LITTLE:
        words.byteswap()
    return base64.b64encode(words.tobytes()).decode("ascii")
