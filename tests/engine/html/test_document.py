from __future__ import annotations

from encodings import aliases

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parsel import Selector
from scrapy.http import HtmlResponse

from scrapy_tps import prune
from scrapy_tps.engine import native
from scrapy_tps.engine.html import document
from scrapy_tps.engine.html.document import decode, is_html, parse, parser_input, recode, start_of
from scrapy_tps.engine.html.serializer import serialise
from tests.support.pages import markup


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "shift_jis", "gb18030", "euc-jp", "utf-16"])
def test_decodes_like_scrapy(encoding):
    text = "<html><body><p>naïve</p></body></html>" if encoding == "cp1252" else "<html><p>漢字 ok</p></html>"
    body = text.encode(encoding)
    declared = HtmlResponse(
        "http://a.example", body=body, headers={"Content-Type": f"text/html; charset={encoding}"}
    )
    assert decode(body, encoding) == declared.text == text


@given(st.binary(max_size=200))
def test_any_bytes_decode(body):
    decode(body)
    assert decode(body, "cp1252") == HtmlResponse("http://a.example", body=body, encoding="cp1252").text


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=100))
def test_undeclared_utf_8_decodes_as_in_scrapy(text):
    body = b"<p>" + text.encode()
    assert decode(body) == HtmlResponse("http://a.example", body=body).text


@pytest.mark.parametrize("encoding", ["no-such-encoding", "utf-7", "", "\u0130"])
def test_a_wrong_declaration_does_not_raise(encoding):
    assert "x" in decode(b"<p>x</p>", encoding)


CODECS = sorted(
    {*aliases.aliases, *aliases.aliases.values(), "idna", "punycode", "undefined", "unicode_escape"}
)


@pytest.mark.parametrize("where", ["server", "meta"])
def test_no_codec_of_python_makes_a_page_fail(where):
    for codec in CODECS:
        markup = f'<html><meta charset="{codec if where == "meta" else "utf-8"}"><p>x&#8364;\xe4</p></html>'
        declared = codec if where == "server" else None
        for body in (markup.encode(), bytes(range(256)) + markup.encode()):
            pruning = prune(body, encoding=declared, settings={"TPS_MIN_NODES": 0})
            assert pruning.outcome != "error", (codec, pruning.error)
            assert pruning.html == decode(body, declared)
            document.recode(pruning.html.encode(), document.writable_encoding(codec))


def test_text_is_taken_as_it_is():
    assert decode("\ud800") == "\ud800"


@given(markup())
def test_the_tree_is_the_one_that_parsel_builds(html):
    page = parse(html)
    if not page.folded:
        clean = html.encode("utf-8", "replace").decode()
        assert serialise(page.root) == serialise(Selector(clean, type="html").root)


@given(markup())
def test_no_text_is_lost_on_the_way(html):
    clean = html.encode("utf-8", "replace").decode()
    seen = Selector(clean, type="html").xpath("//text()").getall()
    page = parse(html)
    if page.body is not None:
        assert "".join(page.root.xpath(".//text()")) == "".join(seen)


def test_second_roots_are_folded_into_the_body():
    page = parse(
        "<html><body><p>one</p></body></html>two<html><head><title>three</title></head>four"
        "<body class=b>five<p>six</p></body></html>seven<!-- c -->eight"
    )
    assert page.folded
    assert page.body is not None
    assert "".join(page.root.itertext()) == "onetwothreefourfivesixseveneight"
    assert not [root for root in page.root.itersiblings() if len(root) or root.text]


def test_pages_without_a_body():
    for html in ("", " ", "\0", "<!-- c -->", "<frameset><frame src=a></frameset>", "<title>t</title>"):
        page = parse(html)
        assert page.root.tag == "html"
        assert page.body is None


def test_lone_surrogates_do_not_raise():
    assert parse("<p>\ud800a\udfff</p>").body is not None


def test_serialises_with_its_doctype_and_what_stands_around_the_root():
    html = "<!-- a --><!DOCTYPE html>\n<html><body><p>ü &amp; &lt;</p></body></html><!-- b -->"
    assert serialise(parse(html).root) == (
        "<!DOCTYPE html>\n<!-- a --><html><body><p>ü &amp; &lt;</p></body></html><!-- b -->"
    )


@pytest.mark.parametrize(
    "address", [" /a b ", "/ü?x=1&y=%20", 'a"b ü', "a\nb.gif", "tps-address-0-0-ü", "<ü>", "&amp; ü"]
)
def test_addresses_are_written_as_they_are_in_the_tree(address: str) -> None:
    page = parse("<a href=x name=y>link</a><img src=x><form action=x>tps-address-0-0-</form>")
    link, picture, form = (next(page.root.iter(tag)) for tag in ("a", "img", "form"))
    for element, name in ((link, "href"), (link, "name"), (picture, "src"), (form, "action")):
        element.set(name, address)
    again = parse(serialise(page.root)).root
    values = [again.xpath(f"string(//@{name})") for name in ("href", "name", "src", "action")]
    assert values == [address] * 4
    assert link.get("href") == address
    assert again.xpath("string(//form)") == "tps-address-0-0-"


@pytest.mark.parametrize("character", ["\x01", "\x1b", "\x0c", "\uffff"])
def test_addresses_with_characters_that_lxml_refuses_to_set_are_written(character):
    page = parse(f'<a href="/ü {character}">x</a><a href="/ü y">y</a>')
    assert 'href="/ü y"' in serialise(page.root)
    assert [link.get("href") for link in page.root.iter("a")] == [f"/ü {character}", "/ü y"]


@given(st.binary(max_size=60) | st.text(max_size=30).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_utf_8_is_what_pythons_codec_reads(body):
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        assert not native.is_utf8(body)
    else:
        assert native.is_utf8(body)


@given(st.text("<bBaA\xe9\u212a ", max_size=12), st.integers(1, 12))
def test_a_base_among_the_first_characters_is_never_overlooked(text, characters):
    page = text.encode()
    found = native.may_name_base(page, characters)
    assert found or "<ba" not in text[:characters].lower()
    assert not found or b"<ba" in page.lower()


@given(
    st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass")) | st.binary(max_size=40),
    st.sampled_from(["", " ", "\ufeff", "\x00", "\xa0", "\x1c", "<!-- -->"]),
    st.sampled_from([None, "utf-8", "latin-1", "ascii", "utf-16", "shift_jis", "no-such-encoding"]),
    st.sampled_from(["", "<meta charset=utf-8>", "<meta charset=windows-1251>", "<meta charset=utf-16>"]),
)
def test_pages_read_as_bytes_parse_as_their_text_does(content, around, encoding, meta):
    body = f"{around}<html>{meta}<p>a".encode() + content + f"</p></html>{around}".encode()
    page, text = parser_input(body, encoding), decode(body, encoding)
    assert serialise(parse(page).root) == serialise(parse(text).root)
    assert is_html(page) == is_html(text)
    assert start_of(page, 20) == (text.strip() if isinstance(page, bytes) else text)[:20]


def test_utf_8_is_not_decoded_to_be_encoded_again():
    assert parser_input("<p>ü</p> ".encode()) == "<p>ü</p>".encode()
    assert parser_input("\ufeff<p>ü</p>".encode(), "latin-1") == "<p>ü</p>".encode()
    assert parser_input("<p>ü</p>".encode("cp1252")) == "<p>ü</p>"
    assert parser_input("<p>ü</p>".encode(), "latin-1") == "<p>Ã¼</p>"
    assert parser_input(b"<p>u</p>", "latin-1") == b"<p>u</p>"


@given(
    st.lists(st.tuples(st.text("ab é’слов中\U0001f600", max_size=8), st.integers(0, 1500)), max_size=5),
    st.sampled_from(
        ["ascii", "cp1252", "cp1251", "iso8859-1", "gb18030", "cp437", "utf-16-le", "iso2022_jp"]
    ),
)
def test_pages_are_recoded_as_python_encodes_them(parts, encoding):
    page = "".join(text + "." * dots for text, dots in parts)
    assert recode(page.encode(), encoding) == page.encode(encoding, "xmlcharrefreplace")
