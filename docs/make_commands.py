"""Write the options of the commands into ``docs/reference/commands.md``, between markers.

Run ``python docs/make_commands.py`` when a command changes; a test compares the two.
"""

from __future__ import annotations

import argparse
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import Settings

if TYPE_CHECKING:
    from scrapy.commands import ScrapyCommand

PAGE = Path(__file__).parent / "reference" / "commands.md"
START = "<!-- {}: made by docs/make_commands.py -->"
END = "<!-- end -->"
#: The group of options that all commands about one page share.
SHARED = "Page"


def command(name: str) -> ScrapyCommand:
    (found,) = entry_points(group="scrapy.commands", name=name)
    made: ScrapyCommand = found.load()()
    made.settings = Settings()
    return made


def options(made: ScrapyCommand, *, shared: bool) -> str:
    """Return our options of a command as a table; those of Scrapy are left out."""
    parser = argparse.ArgumentParser()
    made.add_options(parser)
    rows = ["| option | meaning |", "|---|---|"]
    for group in parser._action_groups:
        ours = group.title == SHARED if shared else group.title not in (SHARED, "Global Options")
        rows += [_row(action) for action in group._group_actions if ours and action.dest != "help"]
    return "\n".join(rows)


def _row(action: argparse.Action) -> str:
    value = action.metavar or "\\|".join(action.choices or ())
    value = value if isinstance(value, str) else " ".join(value)
    value = {"?": f"[{value}]", "+": f"{value} …"}.get(str(action.nargs), value)
    return f"| `{', '.join(action.option_strings)}{f' {value}' if value else ''}` | {action.help} |"


def page() -> str:
    """Return the whole page with current tables."""
    text = PAGE.read_text(encoding="utf-8")
    tables = {SHARED: options(command("tps-view"), shared=True)}
    for found in entry_points(group="scrapy.commands"):
        if found.name.startswith("tps-"):
            tables[found.name] = options(command(found.name), shared=False)
    for name, table in tables.items():
        before, rest = text.split(START.format(name))
        text = f"{before}{START.format(name)}\n\n{table}\n\n{END}{rest.split(END, 1)[1]}"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
