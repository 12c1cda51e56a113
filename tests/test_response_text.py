"""The base URL and the text of a pruned response, in every encoding."""

from __future__ import annotations

import codecs
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.utils.response import get_base_url
from w3lib.html import get_base_url as base_url_of

from scrapy_tps.engine.html.serializer import base_url_of as found_base_url
from tests.support.responses import is_pruned_page, page, pruned
from tests.support.shop_pages import listing

FILLER = "<style>" + "a{b:c}" * 1000 + "</style>"
BASES = {
    "none": "",
    "early": '<base href="http://base.example/dir/">',
    "relative": '<base href="../other/">',
    "without address": '<base target="_blank">',
    "empty": '<base href="">',
    "late": FILLER + '<base href="http://late.example/">',
    "in a comment": '<!-- <base href="http://comment.example/"> -->' + FILLER,
    "in a script": '<script type="application/json">{"a": "<base href=\'http://script.example/\'>"}</script>',
    "in capitals": '<BaSe HREF="http://base.example/">',
    "behind many bytes": "<!-- " + 3000 * "\u0436" + ' --><base href="http://base.example/">',
    "two": '<base href="http://base.example/"><base href="http://second.example/">',
    "behind what goes": "<style>" + "a{b:c}" * 600 + '</style><base href="http://base.example/">',
    "in a late script": FILLER
    + '<script type="application/json">{"a": "<base href=\'http://script.example/\'>"}</script>',
    "with an apostrophe": FILLER + '<base href="http://late.example/it\'s/">',
}


@pytest.mark.parametrize("name", BASES)
def test_base_url_is_that_of_the_original(name: str) -> None:
    response = page(listing(head=BASES[name]))
    expected = get_base_url(response)
    result = pruned(response)
    assert is_pruned_page(result)
    assert get_base_url(result) == expected
    assert result.urljoin("a.html") == response.urljoin("a.html")
    assert [link.url for link in LinkExtractor(restrict_css="h2").extract_links(result)] == [
        link.url for link in LinkExtractor(restrict_css="h2").extract_links(response)
    ]
    # what FormRequest.from_response resolves against
    assert result.selector.root.base_url == expected
    for other in (result.copy(), pickle.loads(pickle.dumps(result)), result.replace(cls=HtmlResponse)):
        assert get_base_url(other) == expected


@pytest.mark.parametrize("top", ["", '<base href="http://body.example/">'])
def test_base_in_a_region_that_goes(top: str) -> None:
    response = page(listing(top=top))
    result = pruned(response)
    assert result.selector.root.find(".//header//a") is None
    assert get_base_url(result) == get_base_url(response)


def test_late_base_can_still_be_selected() -> None:
    result = pruned(page(listing(head=BASES["late"])))
    assert b"<base" in result.body
    assert result.css("base::attr(href)").getall() == ["http://late.example/"]


def test_base_url_of_a_page_kept_whole() -> None:
    response = page('<base href="http://base.example/dir/"><form action=x></form>')
    result = pruned(response)
    assert not result.tps.pruned
    assert get_base_url(result) == "http://base.example/dir/"
    assert result.selector.root.base_url == "http://base.example/dir/"


ENCODINGS = {
    "utf-8": "Größe — 日本語",
    "cp1252": "Größe — €",
    "iso-8859-1": "Größe",
    "shift_jis": "日本語の説明",
    "gb18030": "中文说明 𠀀",
    "euc-jp": "日本語",
    "iso-2022-jp": "日本語の説明",
    "big5": "中文說明",
    "koi8-r": "описание",
    "utf-16": "Größe — 日本語",
    "utf-16-le": "Größe — 日本語",
}


@pytest.mark.parametrize("declared", ["header", "meta", "nothing"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_text_survives_in_every_encoding(encoding: str, declared: str) -> None:
    meta = f'<meta charset="{encoding}">' if declared == "meta" else ""
    text = listing().replace('<meta charset="utf-8">', meta).replace("solid oak", ENCODINGS[encoding])
    # a character that most of these encodings lack, as markup can write it
    text = text.replace("warranty", "&#9731; warranty")
    header = f"text/html; charset={encoding}" if declared == "header" else "text/html"
    response = page(text.encode(encoding), headers={"Content-Type": header})
    if "product" not in response.text:
        pytest.skip("Scrapy itself reads this page otherwise")
    expected = response.css("p.text::text").get()
    result = pruned(response)
    assert is_pruned_page(result)
    assert result.css("p.text::text").get() == expected
    # Scrapy before 2.18 reads the copy of a page without declaration otherwise than the page, which is why copies may
    # be answered so, too
    assert result.original.text in (response.text, response.copy().text)
    # the body says the same, to this response and to all made of it
    for other in (result.copy(), result.replace(cls=HtmlResponse), pickle.loads(pickle.dumps(result))):
        assert other.css("p.text::text").get() in (expected, response.copy().css("p.text::text").get())
        assert is_pruned_page(other)
    assert ENCODINGS[encoding] in expected or declared != "header"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_bytes_keep_their_byte_order_mark(encoding: str) -> None:
    """Without it, parsers of bytes take the page for another encoding."""
    response = page(listing().encode(encoding), headers={"Content-Type": "text/html"})
    result = pruned(response)
    assert is_pruned_page(result)
    assert result.body[:4].startswith(response.body[:2])
    assert result.body.decode(encoding) == result.text
    for other in (result.copy(), result.replace(cls=HtmlResponse), pickle.loads(pickle.dumps(result))):
        assert other.text == result.text
        assert is_pruned_page(other)


def test_encoding_that_can_only_be_read_is_written_as_utf8() -> None:
    def find(name: str) -> codecs.CodecInfo | None:
        return (
            codecs.CodecInfo(no_encoder, codecs.utf_8_decode, name=name) if name == "reading_only" else None
        )

    def no_encoder(text: str, errors: str = "strict") -> tuple[bytes, int]:
        raise UnicodeError("it can only be read")

    codecs.register(find)
    try:
        text = listing().replace("warranty", "&#9731;")
        result = pruned(page(text, encoding="reading_only", headers={}))
        assert is_pruned_page(result)
        assert "Product 24" in result.text
        assert result.original.body == text.encode()
    finally:
        codecs.unregister(find)


@pytest.mark.parametrize("header", ["text/html; charset=utf-8", "text/html; charset=no-such", "text/html"])
def test_wrong_or_missing_declaration_reads_as_without_scrapy_tps(header: str) -> None:
    text = listing().replace("solid oak", "massive Größe").replace('<meta charset="utf-8">', "")
    response = page(text.encode("cp1252"), headers={"Content-Type": header})
    result = pruned(response)
    assert result.css("p.text::text").getall() == response.css("p.text::text").getall()
    assert result.original.body == response.body


@given(
    st.tuples(
        st.sampled_from(("http://", "https://")),
        st.text("ab9.-", max_size=9),
        st.text("aZ9/._~-", max_size=9).map("/{}".format),
        st.one_of(st.just(""), st.text("aZ9=&._~-", max_size=9).map("?{}".format)),
    ).map("".join)
)
def test_plain_urls_are_their_own_base_urls(url: str) -> None:
    assert found_base_url(b"", url, "utf-8") == base_url_of("", url, "utf-8")


@pytest.mark.parametrize("before", ["", FILLER])
def test_a_wrong_base_costs_nothing(before: str) -> None:
    response = page(listing(head=f"{before}<base href='http://['>"))
    result = pruned(response)
    assert is_pruned_page(result)
    assert result.selector.root.base_url == response.url
