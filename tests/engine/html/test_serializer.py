from __future__ import annotations

import pytest
from bs4 import BeautifulSoup
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from scrapy_tps import prune
from scrapy_tps.engine import native
from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.html.serializer import serialise
from tests.support.pages import listing, markup

needs_core = pytest.mark.skipif(not native.AVAILABLE, reason="no native writer")

ATTRIBUTES = st.sampled_from(["href", "src", "action", "name", "title", "class", "selected", "alt"])
VALUES = st.text(st.sampled_from("ab &<>\"'{}!-%?=;ü漢\t\n\r\x01\x7f\ufffe"), max_size=12)


def in_python(root):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "write", None)
        return serialise(root)


def contents(root):
    """Everything that a selector can read: tags, attributes, texts, in document order."""
    return [
        (
            str(node.tag),
            list(node.items()) if isinstance(node.tag, str) else [],
            node.text or "",
            node.tail or "",
        )
        for node in root.iter()
    ]


@needs_core
@given(markup())
@example(listing())
@example("<!-- a --><!DOCTYPE html SYSTEM 'a\"b'><!-- b --><html><p>a</html><!-- c --><?pi d>")
@example(
    "<html><head><base href=' a b '><script>a < b && c</script></head><ul><li><li>a</ul><img src='ü ä.png'>"
)
@example("<br></br><p>a<frameset><frame src=a></frameset><svg xmlns='x' xmlns:y='z' y:a=b><y:path /></svg>")
@example("")
def test_both_writers_write_the_same_markup(html):
    root = parse(html).root
    assert serialise(root) == in_python(root)


@needs_core
@given(st.sampled_from(["a", "img", "p", "input", "option"]), st.dictionaries(ATTRIBUTES, VALUES, max_size=4))
def test_both_writers_write_the_same_attributes(tag, attributes):
    escaped = {
        name: value.replace("&", "&amp;").replace('"', "&quot;").replace("\r", "&#13;")
        for name, value in attributes.items()
    }
    written = " ".join(f'{name}="{value}"' for name, value in escaped.items())
    root = parse(f"<body><{tag} {written}>x").root
    assert serialise(root) == in_python(root)


@needs_core
def test_native_writer_writes_pages_of_any_size():
    root = parse(100 * '<p title="a &lt; b">a &lt; b</p>' + 40_000 * "&lt;" + f"<p {40_000 * 'a'}>").root
    written = native.write(root)
    assert len(written) > 2 * (1 << 16)
    assert written.decode() == in_python(root)


@needs_core
def test_native_writer_leaves_to_python_what_no_html_parser_makes():
    root = parse("<body><p>x").root
    etree.SubElement(root.find("body"), "{http://a.example}b")
    assert native.write(root) is None
    assert serialise(root) == in_python(root)
    assert native.write(etree.Element("p")) is not None
    detached = root.find("body")[0]
    root.find("body").remove(detached)
    assert native.write(detached) is None


@needs_core
def test_native_writer_tells_apart_names_that_share_a_slot():
    names = " ".join(f"a{number}=b" for number in range(600))
    root = parse(f"<body><p {names}>c</p><br {names}><script {names}>d < e</script>").root
    assert serialise(root) == in_python(root)


@pytest.mark.parametrize("write", [serialise, in_python])
def test_what_user_code_puts_into_a_line_break_is_written(write):
    root = parse("<body><p>a<br>b").root
    line_break = root.find(".//br")
    line_break.text = "c"
    etree.SubElement(line_break, "b").text = "d"
    assert "a<br>c<b>d</b>b" in write(root)


@pytest.mark.parametrize("write", [serialise, in_python])
@pytest.mark.parametrize("name", ["href", "title"])
def test_control_characters_and_openings_of_comments_stay_in_values(write, name):
    root = parse(f"<body><a {name}='&#1; a&#32;b \u00fc &{{c}} <!-- d'>e</a><p {{{name}}}>f").root
    assert contents(parse(write(root)).root) == contents(root)


REFERENCES = [
    "&#13;",
    "&#13;&#10;",
    "&#10;",
    "&#9;",
    "&amp;lt;",
    "&lt;",
    "&nbsp;",
    "&#1;",
    "&#xFFFE;",
    "&#x80;",
    "&#0;",
    "\r",
    "\x00",
]
WORDS = st.sampled_from(
    [*REFERENCES, "a", " ", "\n", "\r\n", "<b>", "ü", "&", '"', "'", "<!-- c -->", "<br>", "<wbr>"]
)
NAMES = st.sampled_from(
    ["title", "href", "src", "value", "checked", "disabled", "selected", "data-a", "name", "hidden"]
)
QUOTED = st.lists(WORDS.filter(lambda word: word not in ('"', "\x00")), max_size=4).map("".join)
RAW = ["xmp", "iframe", "noembed", "noframes", "script", "style", "noscript", "template", "title", "textarea"]
ELEMENTS = st.sampled_from(
    [
        "div",
        "span",
        "a",
        "img",
        "input",
        "li",
        "ul",
        "pre",
        "svg",
        "select",
        "option",
        "td",
        "tr",
        "table",
        "o:p",
        *RAW,
    ]
)


@st.composite
def elements(draw, inside):
    tag = draw(ELEMENTS)
    attributes = "".join(
        f' {name}="{value}"' for name, value in draw(st.dictionaries(NAMES, QUOTED, max_size=3)).items()
    )
    return f"<{tag}{attributes}>{''.join(draw(st.lists(inside, max_size=4)))}</{tag}>"


PAGES = st.lists(st.recursive(WORDS, elements, max_leaves=12), max_size=6).map("".join)


@given(PAGES)
@example("<p>a&#13;b<p title='a&#13;b'><a href='a&#13; b' name=' &#13;'>c</a>")
@example("<ul><li></li>a<li title='&#13;'></li></ul>&#13;<script title='&#13;'>a</script>")
@example(
    "<iframe title='&#13;'><b>a</b>&lt;&amp;</iframe><xmp><p>&#13;</xmp><script>'<iframe>&lt;</iframe>'</script>"
)
@example(
    "<input checked=1 disabled='' readonly=readonly defer='\"'><!-- <input checked> &#13; <iframe>&lt;</iframe> -->"
)
@example("<textarea>\n\na</textarea><pre>\n&#10;a</pre><noscript>&#13;<img src='a b'></noscript>")
def test_written_and_parsed_again_a_page_says_the_same(html):
    # what the parser puts together its way (a link in a link) is as it will stay after one turn
    root = parse(serialise(parse(f"<html><body><main>{html}</main></body></html>").root)).root
    for write in (serialise, in_python):
        assert contents(parse(write(root)).root) == contents(root)


@given(PAGES)
def test_both_writers_write_the_same_pages(html):
    root = parse(f"<body><main>{html}").root
    assert serialise(root) == in_python(root)


TEXTS = ["a&#13;b", "a&#13;&#10;b", "a\r\nb&#13;"]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    "html", ["<p>{}</p>", "<p title='{}'>a</p>", "<a href='{}'>a</a>", "<textarea>{}</textarea>"]
)
def test_carriage_returns_are_read_again_by_every_parser(html, text):
    root = parse(f"<body>{html.format(text)}").root
    expected = [*root.xpath("//body//text()"), *root.xpath("//body//@*")]
    for write in (serialise, in_python):
        page = write(root)
        assert "\r" not in page
        soup = BeautifulSoup(page, "html.parser").body
        again = [*soup.strings, *(value for tag in soup.find_all(True) for value in tag.attrs.values())]
        assert again == expected


@pytest.mark.parametrize("strategy", ["auto", "paper"])
def test_a_pruned_page_says_the_same_in_its_text(strategy):
    html = (
        listing()
        .replace("Product", "Product&#13;\n")
        .replace("<li class=item>", "<li></li>&#13;<li class=item title='&#13;'>")
    )
    pruning = prune(html, settings={"TPS_STRATEGY": strategy})
    assert pruning.outcome == "pruned"
    assert "Product\r\n 3" in "".join(pruning.root.itertext())
    assert contents(parse(pruning.html).root) == contents(pruning.root)
