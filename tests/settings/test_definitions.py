from __future__ import annotations

import re
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps.engine.page_settings import PageSettings
from scrapy_tps.settings.definitions import SETTINGS, check_name, page_settings


@pytest.mark.parametrize("name", SETTINGS)
def test_a_default_is_a_value_that_the_user_may_write(name):
    setting = SETTINGS[name]
    assert setting.parse(setting.default) == setting.default


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_is_explained(name):
    setting = SETTINGS[name]
    assert setting.name.startswith("TPS_")
    assert setting.help.endswith(".")
    assert setting.allowed


def test_per_page_settings_are_the_fields_of_page_settings():
    names = {setting.attribute for setting in SETTINGS.values() if setting.per_page}
    assert names | {"switch", "needs_original"} == {one.name for one in fields(PageSettings) if one.init}
    defaults = PageSettings()
    assert all(
        getattr(defaults, setting.attribute) == setting.default
        for setting in SETTINGS.values()
        if setting.per_page
    )


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("TPS_ENABLED", "False", False),
        ("TPS_ENABLED", 1, True),
        ("TPS_STRATEGY", " paper ", "paper"),
        ("TPS_SIZE_RATIO", "0.35", 0.35),
        ("TPS_SIZE_RATIO", "", None),
        ("TPS_SIZE_RATIO", None, None),
        ("TPS_MIN_NODES", "0", 0),
        ("TPS_KEEP", "h1, h2", ("h1, h2",)),
        ("TPS_KEEP", '["h1", "//h2"]', ("h1", "//h2")),
        ("TPS_KEEP", ["h1", "h2"], ("h1", "h2")),
        ("TPS_KEEP", "", ()),
        ("TPS_DROP", None, ()),
        ("TPS_STATUS_CODES", "200, 404", frozenset({200, 404})),
        ("TPS_STATUS_CODES", "[200, 404]", frozenset({200, 404})),
        ("TPS_STATUS_CODES", 404, frozenset({404})),
        ("TPS_KEEP_INVISIBLE", "forms, head", ("head", "forms")),
        ("TPS_KEEP_INVISIBLE", '["data"]', ("data",)),
        ("TPS_KEEP_INVISIBLE", "", ()),
        ("TPS_SHADOW", "0.05", (0.05, 0.0, ())),
        ("TPS_SHADOW", '{"share": 0.1, "limit": 0.2, "ignore": ["html"]}', (0.1, 0.2, ("html",))),
        ("TPS_DOMAINS", '{"a.example": {"TPS_ENABLED": false}}', {"a.example": {"TPS_ENABLED": False}}),
    ],
)
def test_values_as_from_the_command_line(name, value, expected):
    assert SETTINGS[name].parse(value) == expected


@pytest.mark.parametrize("value", [None, "None", " None ", ""])
@pytest.mark.parametrize("name", SETTINGS)
def test_none_may_be_written_as_a_string_wherever_it_is_allowed(name, value):
    setting = SETTINGS[name]
    try:
        expected = setting.parse(None)
    except ValueError:
        return
    assert setting.parse(value) == expected


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TPS_ENABLED", "maybe"),
        ("TPS_KEEP", {"a": 1}),
        ("TPS_KEEP", b"a"),
        ("TPS_KEEP", ["a\0b"]),
        ("TPS_DROP", "a\ud800"),
        ("TPS_STATS_FILE", "a\0b"),
        ("TPS_ENABLED", 2),
        ("TPS_STRATEGY", "best"),
        ("TPS_STRATEGY", "no.such.module.Strategy"),
        ("TPS_STRATEGY", object()),
        ("TPS_SIZE_RATIO", 1),
        ("TPS_SIZE_RATIO", -0.1),
        ("TPS_SIZE_RATIO", float("nan")),
        ("TPS_SIZE_RATIO", True),
        ("TPS_SIZE_RATIO", "much"),
        ("TPS_MIN_NODES", -1),
        ("TPS_MIN_NODES", 1.5),
        ("TPS_MAX_BYTES", float("inf")),
        ("TPS_KEEP", "h1["),
        ("TPS_KEEP", "//h1["),
        ("TPS_KEEP", [1]),
        ("TPS_KEEP", 7),
        ("TPS_DROP", "["),
        ("TPS_STATUS_CODES", [99]),
        ("TPS_REPORT", "out/%(nam)s.csv"),
        ("TPS_STATUS_CODES", "ok"),
        ("TPS_LINKS", "none"),
        ("TPS_KEEP_INVISIBLE", "scripts"),
        ("TPS_KEEP_INVISIBLE", True),
        ("TPS_SHADOW", 1.5),
        ("TPS_SHADOW", {"share": 0.1, "limits": 0.2}),
        ("TPS_SHADOW", {"share": 0.1, "limit": 2}),
        ("TPS_DOMAINS", "{"),
        ("TPS_DOMAINS", {1: {}}),
    ],
)
def test_a_wrong_value_is_refused_with_name_value_and_what_is_allowed(name, value):
    setting = SETTINGS[name]
    with pytest.raises(ValueError, match=re.escape(f"{name} is {value!r}; allowed: {setting.allowed}")):
        setting.parse(value)


@pytest.mark.parametrize(
    ("name", "near"), [("autoo", "auto"), ("agressive", "aggressive"), ("style_tree", "style-tree")]
)
def test_an_unknown_strategy_is_refused_with_those_that_are_like_it(name, near):
    with pytest.raises(ValueError, match=f"TPS_STRATEGY is '{name}'.*did you mean {near}"):
        SETTINGS["TPS_STRATEGY"].parse(name)


@pytest.mark.parametrize(
    ("name", "suggested"),
    [
        ("TPS_RATIO", "; did you mean TPS_SIZE_RATIO"),
        ("TPS_KEPP", r"; did you mean TPS_KEEP\?$"),
        ("strategy", r"; did you mean TPS_STRATEGY\?$"),
        ("TPS_XYZ", "$"),
    ],
)
def test_an_unknown_name_is_refused_with_those_that_are_like_it(name, suggested):
    with pytest.raises(ValueError, match=f"^{name} is not a setting of scrapy-tps{suggested}"):
        check_name(name)


def test_settings_are_laid_over_each_other():
    base = page_settings({"TPS_KEEP": "h1", "TPS_MIN_NODES": 5})
    over = page_settings({"TPS_MIN_NODES": 7}, base)
    assert (over.keep, over.min_nodes) == (("h1",), 7)
    assert page_settings(None, base) == base


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"TPS_DOMAINS": {"a.example": False}}, "TPS_DOMAINS applies to a whole crawl only"),
        ({"TPS_SHADOW": 1}, "TPS_SHADOW applies to a whole crawl only"),
        ({7: 1}, "7 is not a setting of scrapy-tps"),
        (5, r"settings is 5; allowed: a mapping of TPS_\* settings"),
    ],
)
def test_a_page_has_no_settings_of_a_crawl(given, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        page_settings(given)


@given(
    name=st.sampled_from(sorted(SETTINGS)),
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
        max_leaves=5,
    ),
)
def test_nonsense_is_a_value_error_and_nothing_else(name, value):
    setting = SETTINGS[name]
    try:
        parsed = setting.parse(value)
    except ValueError as error:
        message = str(error)
    else:
        message = name
        assert setting.parse(parsed) == parsed
    assert name in message


NUMBERS = [
    name
    for name, setting in SETTINGS.items()
    if type(setting.default) in {int, float} or name == "TPS_SIZE_RATIO"
]


@pytest.mark.parametrize(
    "value", ["9" * 30, "9" * 5000, 10**5000, -(10**30), 1e300, float("inf")], ids=range(6)
)
@pytest.mark.parametrize("name", NUMBERS)
def test_every_number_has_bounds(name, value):
    with pytest.raises(ValueError, match=f"^{name} is .*; allowed: ") as error:
        SETTINGS[name].parse(value)
    assert len(str(error.value)) < 600
