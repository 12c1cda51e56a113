"""Write the tables of rules into ``docs/explanation/auto.md``, between their markers.

Run ``python docs/make_rules.py`` when a rule or its evidence changes; a test compares the page with the tables that
run.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_tps.engine.strategies.auto.pipeline import AGGRESSIVE, AUTO, TPS

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.pipeline import Pipeline
    from scrapy_tps.engine.strategies.auto.rule import Condition, Rule

PAGE = Path(__file__).parent / "explanation" / "auto.md"
START = "<!-- rules: made by docs/make_rules.py -->"
END = "<!-- end of rules -->"


def _condition(condition: Condition) -> str:
    return f"{'not ' if condition.negated else ''}{condition.name}"


def _row(rule: Rule) -> tuple[str, ...]:
    when = "; ".join(_condition(one) for one in rule.when)
    when += "; elsewhere with other thresholds" if rule.otherwise is not None else ""
    return f"`{rule.name}`", rule.phase.value, when, rule.reason, rule.worth


def _table(rules: list[Rule]) -> list[str]:
    return [
        "| rule | phase | when | why | worth |",
        "|---|---|---|---|---|",
        *(f"| {' | '.join(_row(rule))} |" for rule in rules),
        "",
    ]


def _names(pipeline: Pipeline) -> set[str]:
    return {rule.name for rule in pipeline.rules}


def _aggressive() -> str:
    """What `aggressive` has, and does not have, of the rules of `auto`."""
    missing = ", ".join(f"`{rule.name}`" for rule in AUTO.rules if rule.name not in _names(AGGRESSIVE))
    conditions: dict[str, list[str]] = {}
    for rule in AGGRESSIVE.rules:
        if rule.name in _names(AUTO) and rule not in AUTO.rules:
            when = "; ".join(_condition(one) for one in rule.when)
            conditions.setdefault(f"if {when}" if when else "always", []).append(f"`{rule.name}`")
    changed = "; ".join(f"{', '.join(names)} {when}" for when, names in conditions.items())
    return f"`aggressive` is the same table without {missing}; it has {changed}; and these rows:"


def tables() -> str:
    """Return the tables of the strategies, as Markdown."""
    tps = ", ".join(f"`{rule.name}`" for rule in TPS.rules)
    lines = [
        START,
        "",
        f"The {len(AUTO.rules)} rows of `auto` run from the top to the bottom.",
        "",
        *_table(list(AUTO.rules)),
        _aggressive(),
        "",
        *_table([rule for rule in AGGRESSIVE.rules if rule.name not in _names(AUTO)]),
        f"`tps` has {tps}, and reads no markup cues but those of headings, breadcrumbs and pagination.",
        "",
        END,
    ]
    return "\n".join(lines)


def page() -> str:
    """Return the whole page, with its tables as they should be."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    return before + tables() + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
