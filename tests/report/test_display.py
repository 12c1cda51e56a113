"""The copy of the page that a view shows: inert, annotated, and made of any markup."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.sequence.columns import TagPathSequence
from scrapy_tps.engine.sequence.walking import walk_tree
from scrapy_tps.report.display import HTML, NOWHERE, SVG, in_pixels, make_display
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
MARKUP = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


def display(text, **options):
    """Return the copy of a page: namespace, tag and attributes of each node that is shown, and texts by number."""
    page = parse(text)
    sequence = TagPathSequence() if page.body is None else walk_tree(page.body)
    made = make_display(
        PageWalk(page.root, sequence), [n for n, kind in enumerate(sequence.kinds) if kind], **options
    )
    return [(namespace, tag, dict(found)) for namespace, tag, found in filter(None, made["nodes"])], made


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
    assert len(made["nodes"]) == len(list(parse("<p>" + text).root.iter()))


@given(MARKUP)
@settings(max_examples=60)
def test_a_view_is_made_of_any_markup(text):
    pytest.importorskip("jinja2", reason="the extra `report` is not installed")
    view = render_view(text, settings={"TPS_STRATEGY": "paper", "TPS_MIN_NODES": 2}, records=True)
    assert view.count("<script") == view.count("</script>") == 2


@pytest.mark.parametrize(
    ("css", "shown"),
    [
        ("a { height: 100vh }", "a { height: 800px }"),
        (
            "a { height: calc(50dvh - .5VH); margin: -5vmax }",
            "a { height: calc(400px - 4px); margin: -60px }",
        ),
        ("#a1vh, .x-2vh { color: red }", "#a1vh, .x-2vh { color: red }"),
        ("1.5.5vh 10.25vb", "1.5.5vh 82px"),
        ("1" * 200_000, "1" * 200_000),  # in linear time
    ],
)
def test_lengths_relative_to_the_window_become_pixels(css, shown):
    assert in_pixels(css) == shown


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
