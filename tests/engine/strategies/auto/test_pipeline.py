"""The tables of rules and what runs them: rules decide, the pipeline alone writes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import scrapy_tps
from scrapy_tps import prune
from scrapy_tps.engine import native
from scrapy_tps.engine.cues.reading import HIDDEN, MENU
from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.sequence import walking
from scrapy_tps.engine.strategies.auto.decisions import Phase
from scrapy_tps.engine.strategies.auto.page import Page, selection
from scrapy_tps.engine.strategies.auto.pipeline import (
    AGGRESSIVE,
    AUTO,
    TPS,
    UNLABELLED,
    AutoStrategy,
    Condition,
    Pipeline,
    Rule,
    Step,
)
from scrapy_tps.engine.strategies.auto.thresholds import powers
from tests.engine.strategies.made import SENTENCE, article, listing, menu

PACKAGE = Path(scrapy_tps.__file__).parent / "engine" / "strategies" / "auto"
TABLES = {"auto": AUTO, "aggressive": AGGRESSIVE, "tps": TPS}
COLUMNS = (
    "cues",
    "alive",
    "protected",
    "removed",
    "doubtful",
    "records",
    "best",
    "splits",
    "retained",
    "first_heading",
)
WALKS = [walking.walk_tree] + [native.walk] * native.AVAILABLE


def decided(phase: Phase, decision: object, name: str = "a rule", when: tuple[Condition, ...] = ()) -> Rule:
    return Rule(name, phase, (Step(lambda page, thresholds: decision),), when)


def ran(*rules: Rule, html: str = "<body><nav>a b c</nav><p>text that stays<p>more</body>") -> Page:
    return Pipeline(rules).run(Page(walking.walk_tree(parse(html).body)))


def columns(page: Page) -> list[object]:
    return [list(value) if hasattr(value := getattr(page, name), "__len__") else value for name in COLUMNS]


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("html", [listing(), listing(semantic=False), article()])
def test_no_rule_writes(html, table, walk):
    pipeline = TABLES[table]
    page = Page(walk(parse(html).body), read=pipeline.reads, size_ratio=0.5)
    for rule in pipeline.rules:
        before = columns(page)
        for decide, limits in rule.steps:
            decide(page, limits)
            assert columns(page) == before, rule.name
        Pipeline((rule,)).run(page)


def test_rules_know_nothing_of_what_runs_them_and_writes_what_they_decide():
    running = {"pipeline", "strategy", "writing"}
    forbidden = {f"scrapy_tps.engine.strategies.auto.{name}" for name in running}
    for path in (path for path in PACKAGE.glob("*.py") if path.stem not in running):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not isinstance(node, ast.ImportFrom) or node.module not in forbidden, path.name


@pytest.mark.parametrize("table", TABLES.values())
def test_every_rule_has_a_name_of_its_own(table):
    assert len({rule.name for rule in table.rules}) == len(table.rules)


@pytest.mark.parametrize("table", TABLES.values())
@pytest.mark.parametrize("other", [UNLABELLED, UNLABELLED.fails()])
def test_no_rule_looks_twice_at_a_page(table, other):
    rules = (rule for rule in table.rules if other.fails() not in rule.when)
    running = [decide for rule in rules for decide, _ in rule.steps]
    assert len(set(running)) == len(running)


@pytest.mark.parametrize("table", TABLES.values())
def test_a_row_of_one_step_has_its_name_and_steps_of_others_have_their_own(table):
    steps = [step.name for rule in table.rules for step in rule.steps]
    assert len(set(steps)) == len(steps)
    for rule in table.rules:
        assert [step.name for step in rule.steps] == [rule.name] or rule.name not in steps


@pytest.mark.parametrize("name", sorted({*AUTO.steps(), *(rule.name for rule in AUTO.rules)}))
@pytest.mark.parametrize("html", [listing(), article()])
def test_every_rule_and_step_can_be_switched_off(name, html):
    strategy = AutoStrategy(pipeline=AUTO.without(name))
    assert prune(html, settings={"TPS_STRATEGY": strategy, "TPS_MIN_NODES": 0}).outcome != "error"


def test_a_rule_that_is_switched_off_decides_nothing():
    text = f"<p>{SENTENCE * 3}</p>" * 4
    html = (
        f"<h1>The mill</h1><article>{text}<div hidden>A secret passage</div>{text}</article>{menu(30, 'nav')}"
    )
    without = {"TPS_STRATEGY": AutoStrategy(pipeline=AUTO.without("certain-boilerplate"))}
    assert "secret" not in prune(html).html
    assert "secret" in prune(html, settings=without).html


def test_a_step_that_is_switched_off_leaves_the_other_steps_of_its_row():
    table = AUTO.without("next-links", "old-listings")
    assert [step.name for step in table.part("promises", "promises")[0].steps] == [
        "landmarks",
        "pagination",
        "labelled",
        "counts",
    ]
    assert {"record-surroundings", "split-sides"}.isdisjoint(table.steps())


def test_an_unknown_rule_can_t_be_switched_off():
    with pytest.raises(ValueError, match="no rule is called 'splitt'"):
        AUTO.without("splitt")


def test_corrections_change_cues():
    page = ran(decided(Phase.CORRECT, [(1, 0, HIDDEN | MENU), (1, MENU, 0)]))
    assert page.cues[1] & HIDDEN
    assert not page.cues[1] & MENU
    assert page.all_with(HIDDEN) == [1]


def test_what_is_removed_counts_no_more_for_the_next_rule():
    seen = []
    looks = Step(lambda page, thresholds: seen.append(page.text_before[3]))
    ran(decided(Phase.REMOVE, [(1, 3, "gone", "why")]), Rule("looks", Phase.REMOVE, (looks,)))
    assert seen == [0]


def test_a_veto_puts_back_what_no_other_removal_holds():
    page = ran(decided(Phase.REMOVE, [(1, 5, "one", "why"), (3, 5, "two", "why")]), decided(Phase.VETO, [0]))
    assert page.removed == [(3, 5, "two", "why")]
    assert list(page.alive[1:5]) == [1, 1, 0, 0]


def test_a_veto_with_a_reason_makes_the_page_ambiguous():
    page = ran(decided(Phase.REMOVE, [(1, 5, "one", "why")]), decided(Phase.VETO, "too weak"))
    assert selection(page).outcome == "ambiguous"
    assert selection(page).spans[0].reason == "too weak"


def test_nothing_is_retained_of_a_page_that_lost_nothing():
    assert ran(decided(Phase.RETAIN, [(1, "")])).retained == []


def test_a_condition_is_asked_once_before_the_first_rule_that_has_it():
    asked = []
    condition = Condition("asked", lambda page, thresholds: not asked.append(sum(page.alive)))
    one = (1, 2, "gone", "why")
    page = ran(
        decided(Phase.REMOVE, [one], when=(condition,)),
        decided(Phase.REMOVE, [one], when=(condition,)),
        decided(Phase.REMOVE, [one], when=(condition.fails(),)),
    )
    assert len(asked) == 1
    assert page.removed == [one, one]


@pytest.mark.parametrize(
    "limits", [limits for rule in AUTO.rules for _, limits in rule.steps if powers(type(limits))]
)
@pytest.mark.parametrize("slack", [0.5, 2.0])
def test_slack_moves_the_thresholds_that_say_so_and_no_other(limits, slack):
    moved = limits.scaled(slack)
    for name in type(moved).__slots__:
        before, power = getattr(limits, name), powers(type(moved)).get(name, 0)
        if isinstance(before, (int, float)):
            after = before * slack**power
            assert getattr(moved, name) == (round(after) if isinstance(before, int) else after)
    assert limits.scaled(1.0) == limits
