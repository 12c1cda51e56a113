"""Write the tables of rules into ``docs/auto.md`` and ``docs/research/auto-rules.md``, between their markers.

Run ``python docs/make_rules.py`` when a rule, a threshold or its evidence changes; a test compares the pages with the
tables that run.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_tps.engine.strategies.auto.pipeline import AGGRESSIVE, AUTO, TPS
from scrapy_tps.engine.strategies.auto.scaling import Thresholds, scaled_names

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from scrapy_tps.engine.strategies.auto.pipeline import Pipeline
    from scrapy_tps.engine.strategies.auto.rule import Condition, Rule

DOCS = Path(__file__).parent
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


def _condition(condition: Condition, *, limits: bool) -> str:
    numbers = _thresholds(condition.thresholds) if limits else ""
    return f"{'not ' if condition.negated else ''}{condition.name}" + (f" ({numbers})" if numbers else "")


def _own(rule: Rule, pipeline: Pipeline) -> str:
    same = [
        one.name for one in pipeline.rules if one.thresholds == rule.thresholds and fields(one.thresholds)
    ]
    return f"those of `{same[-1]}`" if same[1:] and rule.name != same[-1] else _thresholds(rule.thresholds)


def _evidence(rule: Rule, _: Pipeline) -> tuple[str, ...]:
    when = "; ".join(_condition(one, limits=False) for one in rule.when)
    when += "; elsewhere with other thresholds" if rule.otherwise is not None else ""
    return f"`{rule.name}`", rule.phase.value, when, rule.reason, rule.worth


def _limits(rule: Rule, pipeline: Pipeline) -> tuple[str, ...]:
    when = "; ".join(_condition(one, limits=True) for one in rule.when)
    return f"`{rule.name}`", when, _own(rule, pipeline) + _otherwise(rule)


def _otherwise(rule: Rule) -> str:
    """What is different where a condition fails."""
    if rule.otherwise is None:
        return ""
    others = ", ".join(
        f"{one.name} {_value(value)}"
        for one in fields(rule.otherwise)
        if (value := getattr(rule.otherwise, one.name)) != getattr(rule.thresholds, one.name)
    )
    return f"; elsewhere {others}"


#: By page: the heading of its tables, a row, and whether rules without anything but a name are in it.
PAGES: dict[str, tuple[tuple[str, ...], Callable[[Rule, Pipeline], tuple[str, ...]]]] = {
    "auto.md": (("rule", "phase", "when", "why", "worth"), _evidence),
    "research/auto-rules.md": (("rule", "when", "thresholds"), _limits),
}


def _table(name: str, pipeline: Pipeline, *, beside: Pipeline | None = None) -> list[str]:
    heads, row = PAGES[name]
    known: Collection[str] = ()
    if beside is not None:
        known = (
            _names(beside)
            if row is _evidence
            else [rule.name for rule in pipeline.rules if rule in beside.rules]
        )
    rows = [row(rule, pipeline) for rule in pipeline.rules if rule.name not in known]
    return [
        f"| {' | '.join(heads)} |",
        "|---" * len(heads) + "|",
        *(f"| {' | '.join(cells)} |" for cells in rows if any(cells[1:])),
        "",
    ]


def _names(pipeline: Pipeline) -> set[str]:
    return {rule.name for rule in pipeline.rules}


def _aggressive(name: str) -> str:
    """What `aggressive` has, and does not have, of the rules of `auto`."""
    missing = ", ".join(f"`{rule.name}`" for rule in AUTO.rules if rule.name not in _names(AGGRESSIVE))
    if PAGES[name][1] is not _evidence:
        return (
            f"`aggressive` is the same table without {missing}, and with these rows, those of the same names in their "
            "places:"
        )
    conditions: dict[str, list[str]] = {}
    for rule in AGGRESSIVE.rules:
        if rule.name in _names(AUTO) and rule not in AUTO.rules:
            when = "; ".join(_condition(one, limits=False) for one in rule.when)
            conditions.setdefault(f"where {when}" if when else "always", []).append(f"`{rule.name}`")
    changed = "; ".join(f"{', '.join(names)} {when}" for when, names in conditions.items())
    return f"`aggressive` is the same table without {missing}; it has {changed}; and these rows:"


def thresholds() -> int:
    """How many numbers there are in the tables of `auto` and `aggressive`, those of conditions and shared ones once."""
    seen: set[tuple[type, str]] = set()

    def count(one: Thresholds) -> None:
        for part in fields(one):
            value = getattr(one, part.name)
            if isinstance(value, Thresholds):
                count(value)
            else:
                seen.add((type(one), part.name))

    for rule in (*AUTO.rules, *AGGRESSIVE.rules, *TPS.rules):
        count(rule.thresholds)
        for condition in rule.when:
            count(condition.thresholds)
    return len(seen)


def tables(name: str) -> str:
    """Return the tables of the strategies for a page, as Markdown."""
    tps = ", ".join(f"`{rule.name}`" for rule in TPS.rules)
    names = _names(AUTO) | _names(AGGRESSIVE) | _names(TPS)
    counts = f"{len(AUTO.rules)} rows of `auto` run from the top to the bottom"
    if name != "auto.md":
        counts += (
            f"; all strategies together have {len(names)} rules with {thresholds()} thresholds. Thresholds with * "
            "shrink where `TPS_SIZE_RATIO` is raised"
        )
    lines = [
        START,
        "",
        f"The {counts}.",
        "",
        *_table(name, AUTO),
        _aggressive(name),
        "",
        *_table(name, AGGRESSIVE, beside=AUTO),
        f"`tps` has {tps}, and reads no hints but those of headings, breadcrumbs and pagination.",
        "",
        END,
    ]
    return "\n".join(lines)


def page(name: str) -> str:
    """Return a whole page, with its tables as they should be."""
    text = (DOCS / name).read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    return before + tables(name) + rest.partition(END)[2]


if __name__ == "__main__":
    for one in PAGES:
        (DOCS / one).write_text(page(one), encoding="utf-8")
