"""Write the measurements of `benchmarks.ablation` into the evidence of the rules, step by step.

    python -m benchmarks.evidence FIGURES.json && python docs/make_rules.py

`FIGURES.json` is the file of `--save`, with one strategy or more. A step's line has the gain of `auto`, or of
`aggressive` if `auto` does not have the step.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from scrapy_tps.engine.strategies.auto.pipeline import AGGRESSIVE, AUTO

TABLES = {"auto": AUTO, "aggressive": AGGRESSIVE}
LINES = Path(__file__).parents[1] / "docs" / "make_rules.py"
START, END = "# made by benchmarks/evidence.py\n", "# end\n"
#: Heading, set, and the figures of the set in a cell.
COLUMNS = (
    ("testbed", "testbed", ("records", "noise")),
    ("vints", "vints", ("records", "noise")),
    ("paper", "paper", ("records", "noise")),
    ("WCXB", "wcxb", ("recall", "f1")),
    ("recipes", "real recipes", ("equal", "cut")),
    ("no data", "real no-data", ("equal", "cut")),
    ("courts", "real courts", ("equal", "cut")),
    ("news", "real news", ("equal", "cut")),
    ("meetings", "real meetings", ("cut",)),
)
NAMES = {
    "records": "records",
    "noise": "noise",
    "f1": "F1",
    "recall": "recall",
    "equal": "equal",
    "cut": "cut",
}
#: The fewest points of a figure in a rule's line, and the number of figures.
LEAST, MOST = 0.1, 2


def together(found: dict[str, Any]) -> dict[str, Any]:
    """The figures with the page types of WCXB as one set, each page with the same weight."""
    kinds = {name: one for name, one in found.items() if name.startswith("wcxb ")}
    if not kinds:
        return found
    pages = sum(one["pages"] for one in kinds.values())
    rules = {rule for one in kinds.values() for rule in one["worth"]}
    worth = {}
    for rule in rules:
        of_kinds = [(one["pages"], one["worth"].get(rule, {})) for one in kinds.values()]
        worth[rule] = {"differ": sum(one.get("differ", 0) for _, one in of_kinds)} | {
            key: sum(count * one.get(key, 0.0) for count, one in of_kinds) / pages for key in ("f1", "recall")
        }
    whole = {
        key: sum(one["pages"] * one["all"][key] for one in kinds.values()) / pages for key in ("f1", "recall")
    }
    rest = {name: one for name, one in found.items() if name not in kinds}
    return rest | {"wcxb": {"pages": pages, "all": whole, "worth": worth}}


def points(value: float) -> str:
    """A difference, with its sign and without a zero before the point."""
    text = f"{abs(value):.1f}"
    if not float(text):
        return "0"
    return f"{'+' if value > 0 else '−'} {text.removeprefix('0')}"


def line(rule: str, found: dict[str, Any]) -> str:
    """Return the effect of a rule, in words: its largest figures, or the number of changed pages if they are small."""
    worth = {name: one["worth"].get(rule, {}) for name, one in found.items()}
    # pages of recipes count twice: those without JSON-LD say more
    points_of = [
        (abs(worth[name].get(key, 0.0)), heading, key, worth[name].get(key, 0.0))
        for heading, name, keys in COLUMNS
        for key in keys
        if name != "real recipes"
    ]
    largest = sorted((one for one in points_of if one[0] >= LEAST), reverse=True)[:MOST]
    said = []
    for heading, _, keys in COLUMNS:
        if parts := [
            f"{NAMES[key]} {points(value)}"
            for _, one, key, value in largest
            if one == heading and key in keys
        ]:
            said.append(f"{heading} {', '.join(parts)}")
    pages = sum(one.get("differ", 0) for one in worth.values())
    return "; ".join(said) or f"{pages:,} page{'s' * (pages != 1)}"


def between(text: str, start: str, end: str, new: str) -> str:
    before, _, rest = text.partition(start)
    return before + start + new + end + rest.partition(end)[2]


def main(file: Path) -> None:
    figures = {name: together(found) for name, found in json.loads(file.read_text("utf-8")).items()}
    lines: list[tuple[str, str]] = []
    for strategy in [name for name in TABLES if name in figures]:
        for step in TABLES[strategy].steps():
            if not any(name == step for name, _ in lines):  # `auto` comes first
                lines.append((step, line(step, figures[strategy])))
    new = "".join(f'    "{rule}": "{text}",\n' for rule, text in lines)
    LINES.write_text(between(LINES.read_text("utf-8"), START, "    " + END, new), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
