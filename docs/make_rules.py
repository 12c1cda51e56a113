"""Write the tables of rules into ``docs/explanation/auto.md``, between their markers.

Run ``python docs/make_rules.py`` when a rule or its evidence changes; a test compares the page with the tables that
run.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_tps.engine.strategies.auto.pipeline import AGGRESSIVE, AUTO, TPS

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies.auto.pipeline import Condition, Pipeline, Rule

PAGE = Path(__file__).parent / "explanation" / "auto.md"
START = "<!-- rules: made by docs/make_rules.py -->"
END = "<!-- end of rules -->"

REASONS = {
    "cues": "the place and the structure of a part tell whether its name means noise",
    "related-headings": "“You may also like” is the heading of links to other pages",
    "own-parts": "sidebars, menus and headers that hold text or topics belong to the content",
    "own-banners": "banners and headers of text alone belong to the content",
    "like-siblings": "a name that similar siblings do not have tells a record's subject",
    "revealed": "a click shows answers, tabs and the rest of a list",
    "certain-boilerplate": "a giant menu would distort all shares; dialogs at the end are shown on top of the page",
    "first-heading": "the content starts there",
    "record-groups": "records stay, with the headings and the short line right above them",
    "put-back-content": "hidden parts of records hold their values; streamed pages would lose their content",
    "marked-content": "forms and columns may hold prices, or results to choose from",
    "marked": "most parts with class names of noise are noise",
    "outside-main": "banners, columns and footers of pages with a main element",
    "link-lists": "lists of links whose markup occurs nowhere else",
    "other-pages": "lists of standing titles, comments and small parts around a text are not what it is about",
    "below-heading": "claim and byline below the heading, lines above the records",
    "old-listings": "on pages without names, position tells",
    "around-list": "menus, columns and texts around a list of pages and its heading",
    "record-surroundings": "small parts away from the list are its surroundings",
    "split-sides": "markup changes at the border between content and boilerplate",
    "alike-lists": "menu, column and footer may be alike",
    "next-to-text": "small parts next to the text; these may be author or specifications",
    "choices": "options of a search are controls, wherever they are",
    "promises": "spiders read these, regardless of the part around them",
    "landmarks": "headings, breadcrumbs and pagination with names",
    "pagination": "rows of page numbers",
    "labelled": "the first author, date, number and price that markup labels; documents",
    "counts": "the number of results above a list",
    "next-links": "links to the next and the previous page",
    "nothing-left": "a page of links alone would be empty",
}
EFFECTS = {
    # made by benchmarks/evidence.py
    "own-parts": "no data equal + 6.9; news equal + 3.8",
    "related-headings": "no data cut + .8",
    "own-banners": "38 pages",
    "like-siblings": "news equal + .8",
    "revealed": "no data cut − .3",
    "certain-boilerplate": "testbed noise + 4.4; paper noise + 4.7",
    "first-heading": "paper noise − 1.8; news equal − 1.5",
    "record-groups": "vints noise + 17.1; paper records + 6.8",
    "put-back-content": "paper records + 12.2, noise − 3.1",
    "marked-content": "vints records + 2.7; paper noise − 1.7",
    "marked": "testbed noise + 6.2; paper noise + 9.4",
    "outside-main": "paper noise + 4.3; meetings cut + 1.1",
    "link-lists": "35 pages",
    "other-pages": "no data cut + 7.1; news cut + 6.3",
    "around-list": "testbed noise + .6; paper noise + .4",
    "record-surroundings": "vints noise + 9.1; paper noise + 1.4",
    "split-sides": "vints noise + 8.2; paper noise + .6",
    "alike-lists": "vints noise + 1.5",
    "choices": "courts cut + .9",
    "landmarks": "no data cut − .5; meetings cut − .9",
    "pagination": "vints noise − .7; courts cut − .4",
    "labelled": "no data equal + 1.0; meetings cut − .9",
    "counts": "vints noise − .4; paper noise − .1",
    "next-links": "vints noise − .1",
    "nothing-left": "4 pages",
    "below-heading": "vints noise − .2",
    "next-to-text": "no data equal − 1.4; news cut + 1.2",
    # end
}


def _condition(condition: Condition) -> str:
    return f"{'not ' if condition.negated else ''}{condition.name}"


def _rows(rule: Rule) -> list[tuple[str, ...]]:
    """Return the row of a rule, and those of its steps if it has several."""
    when = "; ".join(_condition(one) for one in rule.when)
    own = f"`{rule.name}`", rule.phase.value, when, REASONS[rule.name], EFFECTS.get(rule.name, "")
    steps = [step.name for step in rule.steps] if len(rule.steps) > 1 else []
    return [own, *((f"– `{name}`", "", "", REASONS[name], EFFECTS.get(name, "")) for name in steps)]


def _table(rules: list[Rule]) -> list[str]:
    return [
        "| rule | phase | when | why | effect |",
        "|---|---|---|---|---|",
        *(f"| {' | '.join(row)} |" for rule in rules for row in _rows(rule)),
        "",
    ]


def _names(pipeline: Pipeline) -> set[str]:
    return {rule.name for rule in pipeline.rules}


def _aggressive() -> str:
    """Return the differences between the tables of `aggressive` and `auto`, in words."""
    usual = {rule.name: rule for rule in AUTO.rules}
    differing = [
        f"`{rule.name}` {'if ' + ' and '.join(map(_condition, rule.when)) if rule.when else 'with lower thresholds'}"
        for rule in AGGRESSIVE.rules
        if rule.name in usual and rule != usual[rule.name]
    ]
    return f"`aggressive` is the same table; it has {', '.join(differing)}; and these rows:"


def tables() -> str:
    """Return the tables of the strategies, as Markdown."""
    tps = ", ".join(f"`{rule.name}`" for rule in TPS.rules)
    lines = [
        START,
        "",
        f"The {len(AUTO.rules)} rules of `auto`, with {len(AUTO.steps())} steps, run from the top to the bottom.",
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
