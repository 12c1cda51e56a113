"""Markdown of pages: read by a CommonMark parser it says what the tree says."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.markdown import links, rendered, tables, words
from scrapy_tps import prune
from tests.support.counting import calls_in
from tests.support.hostile import hostile_pages
from tests.support.pages import markup

pytest.importorskip("markdownify", reason="the extra `markdown` is not installed")

URL = "https://example.com/a/b"


def markdown(body: str, **options: bool) -> str:
    return prune(f"<html><body>{body}</body></html>", url=URL).markdown(**options)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<h2>A <b>b</b></h2><p>c", "## A **b**\n\nc\n"),
        ("<ul><li>a<ol start=3><li>b<li value=7>c</ol><li>d</ul>", "- a\n\n  3. b\n  7. c\n- d\n"),
        ("<blockquote><p>a<p>b</blockquote>", "> a\n>\n> b\n"),
        (
            '<pre><code class="language-py">if a:\n    b = "```"</code></pre>',
            '````py\nif a:\n    b = "```"\n````\n',
        ),
        ("<p>a <code>b`c</code> <i>d</i> <s>e</s>", "a `` b`c `` *d* ~~e~~\n"),
        ("<p>b<b>o</b>ld, <b>a:</b>b, H<sub>2</sub>O", "b**o**ld, <strong>a:</strong>b, H<sub>2</sub>O\n"),
        ("<p>a<br>b<br><br>c", "a\\\nb\n\nc\n"),
        ("<code><dl><dt>a</dt></dl></code>", "`a`\n"),
        ("<p>a \x1b<b>b</b>", "a **b**\n"),
        ("<dl><dt>a</dt><dd>b</dd><dd>c</dd></dl>", "**a**\n\n- b\n\n- c\n"),
        (
            "<p><a href='../c d'>x]</a> <img src=i.png alt='a [b]'>",
            "[x\\]](https://example.com/c%20d) ![a \\[b\\]](https://example.com/a/i.png)\n",
        ),
        ("<a href=/p><h3>Name</h3><p>About</p></a>", "### [Name](https://example.com/p)\n\nAbout\n"),
        ("<a href=/p><div>Name</div><div>£5</div></a>", "[Name £5](https://example.com/p)\n"),
        ("<a href=/next class=arrow></a>", "[](https://example.com/next)\n"),
        (
            "<table><tr><th>a<th>b<tr><td>1|2<td>c<br>d</table>",
            "| a | b |\n| --- | --- |\n| 1\\|2 | c<br>d |\n",
        ),
        ("<table><tr><td>a<td>b<tr><td>c</table>", "|  |  |\n| --- | --- |\n| a | b |\n| c |  |\n"),
        ("<table><tr><td><h2>a</h2><td>b</table>", "## a\n\nb\n"),
        ("<p>1. a<p># b<p>- c<p>*d* _e_ f_g <p>a &amp;lt; <p>&lt;b>", None),
    ],
)
def test_elements(body, expected):
    if expected is None:
        expected = "1\\. a\n\n\\# b\n\n\\- c\n\n\\*d\\* \\_e\\_ f_g\n\na \\&lt;\n\n\\<b>\n"
    assert markdown(body) == expected


def test_tables_with_spans_or_lists_are_html_around_markdown():
    table = "<table><tr><td colspan=2>a <b>b</b><tr><td>c<td><ul><li>d<li>e</ul></table>"
    text = markdown(table)
    assert '<td colspan="2">\n\na **b**\n\n</td>' in text
    assert "- d\n- e" in text
    assert tables(rendered(text), data=False) == [[["a b"], ["c", "d e"]]]


def test_without_addresses():
    body = "<p><a href=/x>link</a> <img src=i.png alt=picture>"
    assert markdown(body, links=False) == "link picture\n"


def test_front_matter_says_what_the_page_labels():
    page = (
        '<html lang="de"><head><title>T: "x"</title><link rel=canonical href=/c>'
        '<script type="application/ld+json">{"@graph": [{"author": [{"name": "A\\u0085B"}],'
        '"datePublished": "2026-01-02"}]}</script></head><body><p>a</p></body></html>'
    )
    assert prune(page, url=URL).markdown(front_matter=True) == (
        '---\ntitle: "T: \\"x\\""\naddress: "https://example.com/a/b"\ncanonical: "https://example.com/c"\n'
        'author: "A B"\ndate: "2026-01-02"\nlanguage: "de"\n---\n\na\n'
    )


@pytest.mark.parametrize(
    "head",
    [
        "<link rel=canonical href='//[x'>",
        "<script type='application/ld+json'>" + '{"author": [' * 50_000 + "</script>",
        "<script type='application/ld+json'>{author}</script>",
    ],
)
def test_front_matter_passes_over_labels_that_cannot_be_read(head):
    page = f"<html><head><title>T</title>{head}</head><body><p>a</p></body></html>"
    labels = 'title: "T"\naddress: "https://example.com/a/b"\n'
    assert prune(page, url=URL).markdown(front_matter=True) == f"---\n{labels}---\n\na\n"


def test_a_page_without_a_body_or_labels_gives_nothing():
    assert prune("").markdown(front_matter=True, records=True) == "\n"


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "java\nscript:alert(1)",
        " \x01javascript:x",
        "vbscript:x",
        "data:text/html,x",
        "//[x",
    ],
)
def test_no_address_is_run(address):
    body = f"<p><a href='{address}'>text</a><img src='{address}' alt=picture>"
    assert markdown(body) == "text![picture]()\n"


@pytest.mark.parametrize(
    "body",
    [
        "<p>&lt;script>alert(1)&lt;/script>",
        "<img alt='&lt;script>alert(1)&lt;/script>' src='/\"><script>alert(1)</script>'>",
        "<a href='/\"&gt;&lt;script>' title='&lt;script>'>a</a>",
        "<pre class='language-&quot;><script>'>&lt;/code>&lt;script></pre>",
        "<table><tr><td colspan='2\"><script>'>a<td rowspan=2>&lt;script><tr><td>c</table>",
        "<b>a</b>b<i>&lt;img src=x onerror=alert(1)></i>c",
    ],
)
def test_no_markup_of_the_page_is_markup_of_the_markdown(body):
    read = rendered(markdown(body))
    assert not list(read.iter("script"))
    assert not read.xpath("//@*[starts-with(name(), 'on')]")


@given(markup())
def test_every_word_stands_in_the_markdown_once_and_in_order(html):
    pruning = prune(html, settings={"TPS_MIN_NODES": 0})
    body = pruning.root.find("body")
    read = rendered(pruning.markdown())
    assert words(read) == ([] if body is None else words(body))
    assert links(read) == ([] if body is None else links(body))


_TAGS = "p div span b i s code a h2 ul ol li blockquote pre sub td tr table dl dt dd br img"
_TEXTS = st.text(alphabet="ab1 .)#*_-+=`~[]()<>!&;|\\:/\"'\n\té\u00a0", min_size=1, max_size=8)


@st.composite
def _trees(draw, depth=4):
    """Markup in which any element may stand in any other, its texts full of what Markdown takes for its own."""
    if not depth or draw(st.booleans()):
        text = draw(_TEXTS)
        return text.replace("&", "&amp;").replace("<", "&lt;")
    tag = draw(st.sampled_from(_TAGS.split()))
    inner = "".join(draw(st.lists(_trees(depth=depth - 1), max_size=3)))
    return f"<{tag}>{inner}</{tag}>" if tag != "a" else f"<a href='/x'>{inner}</a>"


@given(st.lists(_trees(), max_size=4).map("".join))
def test_texts_that_look_like_markdown_come_back(html):
    pruning = prune(f"<body>{html}</body>", settings={"TPS_ENABLED": False})
    body = pruning.root.find("body")
    assert words(rendered(pruning.markdown())) == words(body)


@pytest.mark.parametrize("name", hostile_pages(10))
def test_hostile_pages_take_calls_in_proportion(name):
    calls = []
    for nodes in (500, 2_000):
        pruning = prune(hostile_pages(nodes)[name], settings={"TPS_ENABLED": False})
        calls.append(calls_in(pruning.markdown))
        if nodes == 500:
            assert words(rendered(pruning.markdown())) == words(pruning.root.find("body"))
    assert calls[1] < 6 * max(calls[0], 1_000)


def test_without_the_extra_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "scrapy_tps.engine.markdown", None)
    with pytest.raises(ImportError, match=r"pip install scrapy-tps\[markdown\]"):
        markdown("<p>a")
