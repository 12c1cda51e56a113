"""What stays of forms that were removed."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy import FormRequest
from scrapy.http import HtmlResponse

from scrapy_tps.engine import forms, native
from scrapy_tps.engine.cutting import cut, kept_mask
from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.html.serializer import serialise
from scrapy_tps.engine.outcomes import PRUNED
from scrapy_tps.engine.page_settings import PageSettings
from scrapy_tps.engine.sequence.walking import walk
from scrapy_tps.engine.strategies import Selection, Span

pytestmark = pytest.mark.filterwarnings("ignore:FormRequest.from_response")
TOKEN = "<input type=hidden name=token value=abc>"


def page_of(html: str) -> str:
    return f"<html><body><div>{html}</div><p>text</p></body></html>"


def pruned(html: str) -> str:
    """What is left of a page after all but the last paragraph went."""
    page = parse(page_of(html))
    sequence = native.walk(page.body) if native.AVAILABLE else walk(page.body)
    selection = Selection(PRUNED, [Span(1, sequence.stop(1), False, "test", "test")])
    cut(sequence, kept_mask(sequence, selection, PageSettings()), PageSettings())
    return serialise(page.root)


def sent(html: str, **options: Any) -> tuple[str, str, list[tuple[str, str]]]:
    """Method, path and data of what Scrapy sends."""
    response = HtmlResponse("http://a.example/page", body=html.encode(), encoding="utf-8")
    request = FormRequest.from_response(response, **options)
    where = urlsplit(request.url)
    data = request.body.decode() if request.method == "POST" else where.query
    return request.method, where.path, parse_qsl(data, keep_blank_values=True)


SEARCH = (
    f"<form action=/search method=post>{TOKEN}<p>Words <input name=q> in <input name=place value=all></p>"
    "<label><input type=checkbox name=new value=1></label><label><input type=checkbox name=old value=1 checked>"
    "</label><select name=year><option>2025<option selected>2026</select><div><input id=hint value=x></div>"
    "<textarea name=more>words</textarea><span><button type=button name=clear>Clear</button></span>"
    "<input type=submit name=go value=Go></form>"
)
LOGIN = f"<form action=/in method=post>{TOKEN}<input type=email name=mail><input type=password name=p></form>"
COMMENT = (
    "<form action=/comment method=post id=reply><p><textarea name=comment></textarea></p><p><input name=author>"
    "</p><p><input name=e-mail></p><p><input type=submit name=send value=Send></p>"
    "<input type=hidden name=post value=77><input type=hidden name=trap value=''></form>"
)
NEWSLETTER = (
    f"<form action=/news method=post>{TOKEN}<div><input type=email name=to></div><button>Go</button></form>"
)


@pytest.mark.parametrize("html", [SEARCH, LOGIN])
def test_scrapy_sends_of_a_removed_form_what_it_sends_of_the_whole_page(html: str) -> None:
    for options in ({}, {"formdata": {"q": "tea", "new": "1", "p": "x"}}, {"dont_click": True}):
        assert sent(pruned(html), **options) == sent(page_of(html), **options)


def test_what_a_removed_form_would_not_send_goes_with_what_is_around_it() -> None:
    left = pruned(SEARCH)
    for gone in ('name="new"', "hint", "clear", "2025", "Words", "<span", "<div><input"):
        assert gone not in left


@pytest.mark.parametrize("kind", ["submit", "image"])
def test_controls_that_clickdata_counts_stay(kind: str) -> None:
    html = (
        f"<form action=/x>{TOKEN}<input value=unnamed><input type=radio name=r value=1>"
        f"<input type={kind} name=a value=A><input type={kind} name=b value=B></form>"
    )
    for number in (3, 4):
        options = {"clickdata": {"nr": number}}
        assert sent(pruned(html), **options) == sent(page_of(html), **options)
    assert sent(pruned(html), clickdata={"nr": 4})[2][-1] == ("b", "B")


@pytest.mark.parametrize(("html", "data"), [(COMMENT, ("post", "77")), (NEWSLETTER, ("token", "abc"))])
def test_of_forms_that_people_write_in_the_hidden_values_stay(html: str, data: tuple[str, str]) -> None:
    left = pruned(html)
    assert left.count("<input") == 1
    assert "textarea" not in left
    # who fills it in nevertheless, as when logging in begins with the address, sends its own and the hidden values
    assert sent(left, formdata={"to": "me@a.example"})[2] == [data, ("to", "me@a.example")]


@pytest.mark.parametrize(
    "html",
    [
        COMMENT.replace("method=post", ""),  # a search
        COMMENT.replace("e-mail", "web"),  # a text to search by
        COMMENT.replace("<textarea name=comment></textarea>", "<input name=department>"),  # of people
    ],
)
def test_masks_of_searches_keep_their_fields(html: str) -> None:
    assert sent(pruned(html)) == sent(page_of(html))


def test_a_form_around_content_keeps_all_that_it_sends() -> None:
    html = f"<form method=post action=/all>{TOKEN}<p><input type=email name=news></p><h1>Title</h1></form>"
    page = parse(f"<html><body>{html}</body></html>")
    sequence = walk(page.body)
    place = sequence.find({"p"})[0]
    selection = Selection(PRUNED, [Span(place, sequence.stop(place), False, "test", "test")])
    assert kept_mask(sequence, selection, PageSettings())[place + 1]


TYPES = (
    "",
    "hidden",
    " HIDDEN ",
    "password",
    "email",
    "Email",
    "submit",
    "image",
    "button",
    "reset",
    "checkbox",
)
TYPES = (*TYPES, "radio", "text", "chec\u212abox", "\u00a0hidden", "\u2003submit")
NAMES = ("", "q", " ", "e-Mail", "ma\u0130l", "\u00e9mail", "\u00a0")
control = st.builds(
    "<{} type='{}' name='{}' value='{}'{}>".format,
    st.sampled_from(("input", "input", "input", "button", "textarea", "select")),
    st.sampled_from(TYPES),
    st.sampled_from(NAMES),
    st.sampled_from(("", "v", " \u2003")),
    st.sampled_from(("", " checked", " form=f")),
)


@pytest.mark.skipif(not native.AVAILABLE, reason="no native core")
@given(
    st.lists(
        st.builds(
            "<form method='{}' id={}>{}</form>".format,
            st.sampled_from(("post", " POST ", "get", "", "p\u00f6st")),
            st.sampled_from("fg"),
            st.lists(control, max_size=6).map("</textarea></select></button><i>x</i>".join),
        ),
        max_size=3,
    ),
    st.integers(0, 40),
)
@settings(max_examples=300, deadline=None)
def test_the_core_and_python_keep_the_same(parts: list[str], kept: int) -> None:
    body = parse(page_of("".join(parts))).body
    slow, fast = walk(body), native.walk(body)
    masks = [bytearray(len(slow)) for _ in range(2)]
    for mask in masks:
        mask[min(kept, len(mask) - 1)] = 1
    forms.keep_forms(slow, masks[0])
    forms.keep_forms(fast, masks[1])
    assert masks[0] == masks[1]
