"""Elements that are looked up when they are asked for are those that a walk keeps."""

from __future__ import annotations

import gc
import random

from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.sequence import lazy, walking
from tests.support.pages import markup

NAMES = frozenset({"id", "class", "type"})


@given(markup(), st.integers(0, 99))
def test_elements_are_those_that_a_walk_keeps(html, seed):
    body = parse(html).body
    if body is None:
        return
    kept, looked_up = walking.walk(body), lazy.walk(body, NAMES)
    places = list(range(len(kept)))
    random.Random(seed).shuffle(places)
    assert all(looked_up.nodes[place] is kept.nodes[place] for place in places)
    assert list(lazy.walk(body, NAMES).nodes) == kept.nodes
    assert lazy.walk(body, NAMES).nodes[-2:] == kept.nodes[-2:]


@given(markup())
def test_attributes_read_on_the_way_are_those_read_afterwards(html):
    body = parse(html).body
    if body is None:
        return
    found = lazy.walk(body, NAMES)
    assert found.attributes(NAMES) == walking.walk(body).attributes(NAMES)
    assert found.attributes(frozenset({"id"})) == walking.walk(body).attributes(frozenset({"id"}))


def test_held_elements_stay_when_the_tree_changes():
    body = parse("<p>one</p><!-- c -->two<form><input type=hidden></form>").body
    found, kept = lazy.walk(body, frozenset()), walking.walk(body).nodes
    found.hold()
    for child in list(body):
        body.remove(child)
    assert found.nodes == kept


def test_forms_have_the_methods_of_lxml_html_as_soon_as_the_sequence_is_gone():
    page = parse("<form><input name=user value=me><select name=size><option selected>3</select></form>")
    gc.disable()
    try:
        found = lazy.walk(page.body, NAMES)
        assert [node.tag for node in found.nodes][:2] == ["body", "form"]
        del found
        assert page.root.forms[0].form_values() == [("user", "me"), ("size", "3")]
    finally:
        gc.enable()
