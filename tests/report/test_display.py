"""The copy of the page that a view shows: inert, annotated, and made of any markup."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.sequence.columns import TagPathSequence
from scrapy_tps.engine.sequence.walking import walk_tree
from scrapy_tps.report.display import HTML, NOWHERE, SVG, clean_css, make_display
from scrapy_tps.report.page_data import PageWalk
from tests.support.views import render_view

PIECES = [
    "<script>x()</script>", "<svg onload=x>", "<math><mi//xlink:href='javascript:x'>", "<a href=javascript:x>", "</a>",
    "<img src=x onerror=x>", "<img src='data:image/png;base64,AA'>", "<style>@import 'x'; a{b:url(x)}", "</style>",
    "<table>", "<tr>", "<td>", "</table>", "<select><option>", "<textarea>", "</textarea>", "<title>", "<plaintext>",
    "<xmp>", "<iframe srcdoc='<script>'>", "<noscript>", "</noscript>", "<template>", "<form action=x>",
    "<base href=x>",
    "<meta http-equiv=refresh content='0'>", "<link rel=stylesheet href=x>", "<object data=x>", "<p>", "text", " & ",
    "<!-- c -->", "<?php x ?>", "<html onload=x>", "<body onload=x>", "<frameset>", "<b:c d:e=f>", "<x<y =z>", "\x00",
    "<p data-tps-n=0>", "<div style='background:url(x);height:9vh'>", "</div>", "]]>", "<![CDATA[", "<li>" * 9,
]  # fmt: skip
STRING = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)
MARKUP = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


def display(text, **options):
    """Return the copy of a page: namespace, tag and attributes of each node that is shown, and texts by number."""
    page = parse(text)
    sequence = TagPathSequence() if page.body is None else walk_tree(page.body)
    made = make_display(
        PageWalk(page.root, sequence), [n for n, kind in enumerate(sequence.kinds) if kind], **options
    )
    names = made["names"]
    nodes = []
    for namespace, tag, found in filter(None, made["nodes"]):
        flat = found or []
        attributes = {names[name]: value for name, value in zip(flat[::2], flat[1::2], strict=True)}
        nodes.append((namespace, made["tags"][tag], attributes))
    return nodes, made


@given(MARKUP)
def test_no_markup_gets_a_script_a_handler_or_an_address_through(text):
    nodes, made = display("<p>" + text)
    for _namespace, tag, attributes in nodes:
        assert tag not in {
            "script",
            "noscript",
            "template",
            "iframe",
            "object",
            "embed",
            "form",
            "use",
            "image",
            "set",
        }
        for name, value in attributes.items():
            assert not name.startswith("on")
            assert name not in {
                "action",
                "formaction",
                "srcdoc",
                "data",
                "background",
                "xlink:href",
                "http-equiv",
            }
            assert name != "href" or value == NOWHERE
            assert name != "src" or value.startswith("data:image/")
            assert name != "style" or "url(" not in value
    for css in made["texts"].values():
        bare = STRING.sub("", css)
        assert "url(" not in bare
        assert "@import" not in bare
    assert len(made["nodes"]) == len(list(parse("<p>" + text).root.iter()))


@given(MARKUP)
@settings(max_examples=60)
def test_a_view_is_made_of_any_markup(text):
    pytest.importorskip("jinja2", reason="the extra `report` is not installed")
    view = render_view(text, settings={"TPS_STRATEGY": "paper", "TPS_MIN_NODES": 2}, records=True)
    assert view.count("<script") == view.count("</script>") == 2


@pytest.mark.parametrize(
    ("css", "clean"),
    [
        ("a { height: 100vh }", "a { height: 800px }"),
        ("a { height: calc(50dvh - .5vh) }", "a { height: calc(400px - 4px) }"),
        ("#a1vh, .x-2vh { color: red }", "#a1vh, .x-2vh { color: red }"),
        ("@import url(x.css); b { c: d }", " b { c: d }"),
        ("@\\69mport'x.css'; b { c: d }", " b { c: d }"),
        ("@new-rule 'x.css' { b { c: d } } e { f: g }", " e { f: g }"),
        ("@media print { b { c: d } }", "@media print { b { c: d } }"),
        ("a { background: url( 'http://x/y.png' ) }", "a { background: none }"),
        ("a { background: red \\75rl(y.png) repeat }", "a { background: red none repeat }"),
        ("a { background: u/**/rl(y.png) }", "a { background: u/**/none }"),
        (
            "a { --x: \\75rl(y); b: image-set('y' 1x); c: new-image('y') }",
            "a { --x: none; b: none; c: none }",
        ),
        (
            "a { background: url('data:image/png;base64,AA') }",
            'a { background: url("data:image/png;base64,AA") }',
        ),
        ("a { background: url(data:text/html,x) }", "a { background: none }"),
        ("a { fill: url(#gradient) }", "a { fill: url(#gradient) }"),
        ("a:not(.b) { c: rgb(1 2 3 / calc(1 / 2)) }", "a:not(.b) { c: rgb(1 2 3 / calc(1 / 2)) }"),
        ("a { z-index: " + "1" * 5000 + " }", ""),
    ],
)
def test_css_keeps_its_looks_and_loses_its_addresses(css, clean):
    assert clean_css(css) == clean


def test_brackets_without_end_are_cut_off():
    assert len(clean_css("(" * 100_000)) < 200
    assert clean_css("a { b: " + "(" * 60 + "url(x)").count("url") == 0


def test_drawings_and_formulas_keep_their_shapes():
    nodes, _made = display(
        "<svg viewBox='0 0 9 9'><linearGradient id=g gradientUnits=u /><use href=#x /><foreignObject><p>p</p>"
        "</foreignObject></svg><math><mfrac><mi>a</mi></mfrac></math>"
    )
    assert nodes[2:] == [
        (SVG, "svg", {"viewBox": "0 0 9 9"}),
        (SVG, "linearGradient", {"id": "g", "gradientUnits": "u"}),
        (SVG, "g", {}),
        (SVG, "foreignObject", {}),
        (HTML, "p", {}),
        *[(HTML, "tps-other", {})] * 3,
    ]


def test_text_in_a_drawing_that_was_never_closed_is_shown():
    nodes, _made = display("<svg><path d=m><p>words</p>")
    assert {namespace for namespace, _tag, _attributes in nodes} == {HTML}


def test_buttons_and_fields_send_nothing():
    nodes, _made = display(
        "<form action=x><button formaction=y>b</button><input type=image src=x><input type=password>"
    )
    assert [(tag, attributes) for _namespace, tag, attributes in nodes[2:]] == [
        ("tps-form", {}),
        ("button", {"type": "button"}),
        ("input", {"type": "button"}),
        ("input", {"type": "text"}),
    ]


def test_with_the_network_addresses_of_looks_stay_and_no_others():
    page = """<link rel=stylesheet href=a.css><link rel=preload href=p><link rel=stylesheet href=javascript:x>
    <img src=a.png srcset='b.png 2x'><img src=javascript:x><a href=x>a</a><div style='background: url(c.png)'>d</div>"""
    nodes, made = display(page, url="http://e.example/", network=True)
    found = [
        (tag, attributes) for _namespace, tag, attributes in nodes if tag not in {"html", "head", "body"}
    ]
    assert found == [
        ("link", {"rel": "stylesheet", "media": "all", "href": "a.css"}),
        ("img", {"src": "a.png", "srcset": "b.png 2x"}),
        ("img", {}),
        ("a", {"href": NOWHERE}),
        ("div", {"style": "background: url(c.png)"}),
    ]
    assert made["base"] == "http://e.example/"
