"""Write the table of rules into ``docs/auto.md``, between its markers, from the tables that run.

Run ``python docs/make_rules.py`` when a rule, a threshold or its evidence changes; a test compares the two.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_tps.engine.strategies.auto.pipeline import AGGRESSIVE, AUTO, TPS
from scrapy_tps.engine.strategies.auto.scaling import Thresholds, scaled_names

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.pipeline import Pipeline
    from scrapy_tps.engine.strategies.auto.rule import Condition, Rule

PAGE = Path(__file__).parent / "auto.md"
START = "<!-- rules: made by docs/make_rules.py -->"
END = "<!-- end of rules -->"


def _value(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _thresholds(thresholds: Thresholds) -> str:
    found = []
    for one in fields(thresholds):
        value = getattr(thresholds, one.name)
        if isinstance(value, Thresholds):
            if not any(value == rule.thresholds for rule in (*AUTO.rules, *AGGRESSIVE.rules)):
                found.append(_thresholds(value))
        else:
            star = "*" if one.name in scaled_names(type(thresholds)) else ""
            found.append(f"{one.name} {_value(value)}{star}")
    return ", ".join(filter(None, found))


def _condition(condition: Condition) -> str:
    limits = _thresholds(condition.thresholds)
    return f"{'not ' if condition.negated else ''}{condition.name}" + (f" ({limits})" if limits else "")


def _own(rule: Rule, pipeline: Pipeline) -> str:
    same = [
        one.name for one in pipeline.rules if one.thresholds == rule.thresholds and fields(one.thresholds)
    ]
    return f"those of `{same[-1]}`" if same[1:] and rule.name != same[-1] else _thresholds(rule.thresholds)


def _row(rule: Rule, pipeline: Pipeline) -> str:
    cells = (
        f"`{rule.name}`",
        rule.phase.value,
        "; ".join(map(_condition, rule.when)),
        "yes" if rule.by_position else "",
        _own(rule, pipeline),
        rule.evidence,
    )
    return f"| {' | '.join(cells)} |"


def _table(pipeline: Pipeline, *, beside: Pipeline | None = None) -> list[str]:
    known = () if beside is None else beside.rules
    rows = [_row(rule, pipeline) for rule in pipeline.rules if rule not in known]
    return [
        "| rule | phase | when | by position | thresholds | evidence |",
        "|---|---|---|---|---|---|",
        *rows,
        "",
    ]


def table() -> str:
    """Return the tables of the strategies, as Markdown."""
    missing = [
        f"`{rule.name}`" for rule in AUTO.rules if rule.name not in {one.name for one in AGGRESSIVE.rules}
    ]
    tps = ", ".join(f"`{rule.name}`" for rule in TPS.rules)
    lines = [
        START,
        "",
        "The rows of `auto` run from the top to the bottom. Thresholds with * shrink where `TPS_SIZE_RATIO` is raised.",
        "",
        *_table(AUTO),
        f"`aggressive` is the same table without {', '.join(missing)}, and with these rows, those of the same names "
        "in their places:",
        "",
        *_table(AGGRESSIVE, beside=AUTO),
        f"`tps` has {tps}, and reads no hints but those of headings, breadcrumbs and pagination.",
        "",
        END,
    ]
    return "\n".join(lines)


def page() -> str:
    """Return the whole page, with the table as it should be."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    return before + table() + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
