"""Cues read by the native core: those of the pure Python twin, bit for bit."""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from scrapy_tps.engine import native
from scrapy_tps.engine.cues import reading
from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.sequence import walking
from tests.support.pages import listing

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason=f"no native core: {native.REASON}")

KNOWN = sorted(
    {
        *reading.WORDS,
        *reading._ANYWHERE,
        *reading._STRUCTURE,
        *reading._MODIFIERS,
        *reading._CONSENT_PREFIXES,
        *reading._WHOLE,
        *reading._REVEALED,
        *reading.DATES,
        *("author", "byline", "by-line"),
    }
)
#: Letters whose lower or upper case is ASCII, white space that strips, digits and letters that are none of ours.
ODD = "İıſKÅΣßéü漢カ\u00a0\u3000\u2028\u0085\x1c\x1f\x0b\x00\ud800\udfff\U0001f600٣"
SEPARATORS = ("-", "_", "__", " ", "  ", "\t", "\n", ":", "/", "1", "", "\u3000", "é")


def cased(word):
    return st.sampled_from([word, word.upper(), word.capitalize(), word.swapcase(), word + "s", word[:-1]])


pieces = st.one_of(
    st.sampled_from(KNOWN).flatmap(cased),
    st.sampled_from(KNOWN),
    st.sampled_from(SEPARATORS),
    st.text(st.sampled_from("aAbBzZ09-_: " + ODD), max_size=4),
    st.text(max_size=4),
)
names = st.lists(st.tuples(pieces, st.sampled_from(SEPARATORS)), max_size=20).map(
    lambda pairs: "".join(piece + separator for piece, separator in pairs)
)


@given(names)
def test_names(text):
    assert reading._READER.names(text) == reading._of_names(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "HTMLNavBar",
        "NAV",
        "navA",
        "siteNAVWrapper",
        "onetrust-x",
        "onetrust",
        "cookie-wrapper",
        "no-footer has-sidebar footer",
        "node-no-sidebar",
        "footer-no-margin modNoFooter",
        "cookie-with-nav",
        "navAndText",
        "wrapper-inner",
        "footer_inner-wrapper",
        "sr-only nav",
        "md:nav nav",
        "n" * 60 + " nav",
        "nav-" + "x" * 56,
        "nav-" + "x" * 57,
        "漢" * 58 + "nav",
        "a " * 11 + "nav",
        "a " * 12 + "nav",
        "nav\x00footer",
        "\ud800nav \udfff",
        "nav\u3000footer",
        "K-nav ſkip İnav",
    ],
)
def test_special_names(text):
    assert reading._READER.names(text) == reading._of_names(text)


def check_page(html):
    body = parse(html).body
    if body is not None:
        check_body(body)


def check_body(body):
    fast, slow = native.walk(body), walking.walk_tree(body)
    assert isinstance(fast, native.NativeSequence)
    found = [list(column) for column in reading.cue_columns(fast)]
    assert found == [list(column) for column in reading.cue_columns(slow)]


VALUES = (
    *reading._BY_ROLE,
    *reading._BY_ARIA_HIDDEN,
    *reading._BY_REL,
    *reading._BY_LABEL,
    reading._REVEALED_ROLE,
    "S:1f",
    "B:",
    "xS:1",
    "display: none",
    "DISPLAY\x1c:\u3000NONE",
    "display:\nblock;visibility :hidden",
    "vİsibility:hidden",
    "viſibility:hidden",
    "visibility:hıdden",
    "display none",
    "Breadcrumbs",
    "paginatİon",
    "paginatıon",
    "sKin paKinat",
    " NEXT nofollow",
    "next\u3000prev",
    "\u3000navigation\u00a0",
    "naviGation\x1f",
    "漢字 breadcrumb",
    "tabİ",
)
values = st.one_of(
    st.sampled_from(VALUES), st.sampled_from(VALUES).flatmap(cased), st.sampled_from(KNOWN), names
)
attribute = st.tuples(
    st.sampled_from(
        [
            "id",
            "role",
            "hidden",
            "aria-hidden",
            "aria-label",
            "rel",
            "class",
            "class",
            "style",
            "href",
            "o:id",
        ]
    ),
    values,
)
tag = st.sampled_from(
    [
        *sorted(reading._BY_TAG),
        *sorted(reading._PARTS),
        "a",
        "a",
        "p",
        "span",
        "x-é",
        "x-sidebar",
        "app-nav-bar",
    ]
)


def element(pair):
    name, attributes = pair
    written = "".join(f' {key}="{escape(value)}"' for key, value in attributes)
    return f"<{name}{written}>text 漢字</{name}>"


pages = st.lists(st.tuples(tag, st.lists(attribute, max_size=5)).map(element), max_size=8).map("".join)


@given(pages)
def test_pages_of_arbitrary_attributes(html):
    check_page(f"<body class=nav id=footer hidden>{html}")


@pytest.mark.parametrize(
    "html",
    [
        listing(),
        "<body></body>",
        "<div hidden id='S:0f'>x</div><div hidden id='S:0g'>x</div><div hidden role=tabpanel>x</div>",
        "<div role=tabpanel aria-hidden=true id='S:1'>x</div><button role=tabpanel id=more aria-hidden=true>x</button>",
        "<div class='sr-only more'>x</div><div hidden class=xTABx>x</div><div hidden id=Accordion>x</div>",
        "<div hidden class='漢 sİ carousel'>x</div><div hidden class='taB'>x</div>",
        "<ul id=pagination class=menu>x</ul><ul class=menu aria-label='Seiten-Paginatİon'>x</ul>",
        "<a rel='nofollow NEXT'>x</a><p rel=next>x</p><link rel=next><a rel='ünext next'>x</a>",
        "<li id=header class=footer>x</li><td id=xHeader>x</td>",
        "<div id>x</div><div class='' id='' role=''>x</div>",
        "<x-footer>x</x-footer><X-NavBar class=sidebar id=header>x</X-NavBar><a-ü-footer rel=next>x</a-ü-footer>",
        "<div hidden id='S:1' class=more>x</div><div hidden id='x:1' class=tab>x</div><x-menu hidden id=B:0>x</x-menu>",
        "<div style>x</div><div style='display:none'>x</div><div style='ü display : NONE'>x</div>",
    ],
)
def test_special_pages(html):
    check_page(html)


def test_attributes_of_several_nodes():
    text = '<!DOCTYPE body [<!ENTITY x "av">]><body><div id="n&x;" role="n&x;igation">x</div></body>'
    body = etree.fromstring(text, etree.XMLParser(resolve_entities=False))
    check_body(body)
    assert reading.cue_columns(native.walk(body))[0][1] == reading.MENU | reading.NAVIGATION


def test_letters_beyond_ascii_whose_lower_case_has_ascii_letters():
    """The core asks Python about texts with these, and about no others."""
    found = {chr(code) for code in range(128, 0x110000) if any(one < "\x80" for one in chr(code).lower())}
    assert found == {"\u0130", "\u212a"}


def test_a_cut_tree_has_no_cues():
    found = native.walk(parse(listing()).body)
    found.native_walk.close()
    with pytest.raises(RuntimeError, match="has been cut"):
        reading.cue_columns(found)
