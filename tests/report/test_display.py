"""The copy of the page that a view shows: inert, annotated, and made of any markup."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html as lxml_html

from scrapy_tps.document import parse
from scrapy_tps.report.display import clean_css, make_display
from scrapy_tps.report.view import render_view
from scrapy_tps.sequence import TagPathSequence, walk

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
    page = parse(text)
    sequence = TagPathSequence() if page.body is None else walk(page.body)
    return make_display(page.root, sequence, [n for n, kind in enumerate(sequence.kinds) if kind], **options)


@given(MARKUP)
@settings(max_examples=300, deadline=None)
def test_no_markup_gets_a_script_a_handler_or_an_address_through(text):
    copy = lxml_html.document_fromstring(display("<p>" + text))
    assert (
        copy.xpath(
            "//script | //noscript | //template | //*[@http-equiv][not(@content[contains(., 'none')])]"
        )
        == []
    )
    for element in copy.iter("*"):
        for name, value in element.items():
            assert not name.startswith("on")
            assert name not in {"action", "formaction", "srcdoc", "data", "background", "xlink:href"}
            assert name != "href" or value == "#"
            assert name != "src" or value.startswith("data:image/")
    marks = copy.xpath("//@data-tps-n")
    assert len(marks) == len(set(marks))


@given(MARKUP)
@settings(max_examples=60, deadline=None)
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
        ("a { background: url( 'http://x/y.png' ) }", "a { background: none }"),
        (
            "a { background: url(data:image/png;base64,AA) }",
            "a { background: url(data:image/png;base64,AA) }",
        ),
        ("a { fill: url(#gradient) }", "a { fill: url(#gradient) }"),
        ("a { content: '</style>' }", "a { content: '<\\/style>' }"),
    ],
)
def test_css_keeps_its_looks_and_loses_its_addresses(css, clean):
    assert clean_css(css) == clean


def test_with_the_network_addresses_of_looks_stay_and_no_others():
    page = """<link rel=stylesheet href=a.css><link rel=preload href=p><link rel=stylesheet href=javascript:x>
    <img src=a.png srcset='b.png 2x'><img src=javascript:x><a href=x>a</a><div style='background: url(c.png)'>d</div>"""
    copy = lxml_html.document_fromstring(display(page, url="http://e.example/", network=True))
    assert copy.xpath("//link/@href") == ["a.css"]
    assert copy.xpath("//@src | //@srcset") == ["a.png", "b.png 2x"]
    assert copy.xpath("//base/@href") == ["http://e.example/"]
    assert copy.xpath("//a/@href") == ["#"]
    assert "url(c.png)" in copy.xpath("//div/@style")[0]
