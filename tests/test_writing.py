from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree

from scrapy_tps import native, writing
from scrapy_tps.document import parse
from scrapy_tps.writing import serialise
from tests.pages import listing, markup

needs_core = pytest.mark.skipif(not writing._NATIVE_FITS, reason="no native writer")

ATTRIBUTES = st.sampled_from(["href", "src", "action", "name", "title", "class", "selected", "alt"])
VALUES = st.text(st.sampled_from("ab &<>\"'{}!-%?=;ü漢\t\n\x01\x7f\ufffe"), max_size=12)


def by_libxml2(root):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "_NATIVE_FITS", False)
        return serialise(root)


@needs_core
@given(markup())
@example(listing())
@example("<!-- a --><!DOCTYPE html SYSTEM 'a\"b'><!-- b --><html><p>a</html><!-- c --><?pi d>")
@example(
    "<html><head><base href=' a b '><script>a < b && c</script></head><ul><li><li>a</ul><img src='ü ä.png'>"
)
@example("<br></br><p>a<frameset><frame src=a></frameset><svg xmlns='x' xmlns:y='z' y:a=b><y:path /></svg>")
@example("")
@settings(max_examples=300, deadline=None)
def test_native_writer_writes_what_libxml2_writes(html):
    root = parse(html).root
    assert serialise(root) == by_libxml2(root)


@needs_core
@given(st.sampled_from(["a", "img", "p", "input", "option"]), st.dictionaries(ATTRIBUTES, VALUES, max_size=4))
@settings(max_examples=500, deadline=None)
def test_native_writer_writes_attributes_as_libxml2_does(tag, attributes):
    escaped = {name: value.replace("&", "&amp;").replace('"', "&quot;") for name, value in attributes.items()}
    written = " ".join(f'{name}="{value}"' for name, value in escaped.items())
    root = parse(f"<body><{tag} {written}>x").root
    assert serialise(root) == by_libxml2(root)


@needs_core
@pytest.mark.parametrize("room", [0, 5_000, 1_000_000])
def test_native_writer_needs_no_room(room):
    root = parse(100 * '<p title="a &lt; b">a &lt; b</p>' + 4_000 * "&lt;" + f"<p {4_000 * 'a'}>").root
    written = native.write(root, room)
    assert len(written) > 3 * 5_000
    assert written.decode() == by_libxml2(root)


@needs_core
def test_native_writer_leaves_to_libxml2_what_no_html_parser_makes():
    root = parse("<body><p>x").root
    etree.SubElement(root.find("body"), "{http://a.example}b")
    assert native.write(root) is None
    assert serialise(root) == by_libxml2(root)
    assert native.write(etree.Element("p")) is not None
    detached = root.find("body")[0]
    root.find("body").remove(detached)
    assert native.write(detached) is None


def test_addresses_are_written_as_they_are():
    html = "<html><body><a href=' /ü \"y\" ' name='ä'>x</a><img src='a b'></body></html>"
    root = parse(html).root
    again = parse(serialise(root)).root
    assert again.xpath("//@href | //@name | //@src") == root.xpath("//@href | //@name | //@src")
    assert serialise(root) == by_libxml2(root)
