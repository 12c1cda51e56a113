"""Write the settings reference, ``docs/reference/settings.md``, from ``scrapy_tps.settings.definitions.SETTINGS``.

Run ``python docs/make_settings.py`` when a setting changes. A setting is defined and documented once. The page is
committed so that it can be read without Sphinx, and a test compares the two.
"""

from __future__ import annotations

from pathlib import Path

from scrapy_tps.settings.definitions import SETTINGS, Setting

PAGE = Path(__file__).parent / "reference" / "settings.md"

_HEAD = """\
<!-- Made by docs/make_settings.py from scrapy_tps.settings.definitions.SETTINGS: change it there. -->

# Settings

A wrong value or an unknown name stops the crawl at start-up with a message that names the setting, its value and the
allowed values.

Every setting can be given as a string, as with `scrapy crawl -s`. Lists and dicts are written as JSON. A plain
string is a list of one entry (`-s TPS_KEEP="div.price, span.offer"` is one CSS selector). If None is allowed, the
string `None` and the empty string mean None (`-s TPS_STATS_FILE=None`); for a list they mean an empty one.
"""
_PER_PAGE = """\
In `settings.py` these apply to the whole crawl. They can be overridden [per domain](#tps_domains) and
[per request](meta.md).
"""


def _default(setting: Setting) -> str:
    value = setting.default
    if type(value) in {frozenset, tuple}:
        return repr(sorted(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:_}"
    return repr(value)


def _entry(setting: Setting) -> str:
    return (
        f"### `{setting.name}`\n\n{setting.help.replace('``', '`')}\n\n"
        f"Default: `{_default(setting)}`. Allowed: {setting.allowed}.\n"
    )


def _part(title: str, text: str, settings: list[Setting]) -> str:
    return "\n".join([f"## {title}\n", *([text] if text else []), *map(_entry, settings)])


def page() -> str:
    """Return the whole page, as Markdown."""
    per_page = [setting for setting in SETTINGS.values() if setting.per_page]
    of_crawl = [setting for setting in SETTINGS.values() if not setting.per_page]
    return "\n".join(
        [_HEAD, _part("Per page", _PER_PAGE, per_page), _part("For the whole crawl", "", of_crawl)]
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
