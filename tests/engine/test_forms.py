"""Parts of removed forms that stay."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import FormRequest
from scrapy.http import HtmlResponse

from scrapy_tps.engine import native
from scrapy_tps.engine.cutting import cut, kept_mask
from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.html.serializer import serialise
from scrapy_tps.engine.outcomes import PRUNED
from scrapy_tps.engine.page_settings import PageSettings
from scrapy_tps.engine.sequence.walking import walk_tree
from scrapy_tps.engine.strategies import Selection, Span

pytestmark = pytest.mark.filterwarnings("ignore:FormRequest.from_response")
TOKEN = "<input type=hidden name=token value=abc>"


def page_of(html: str) -> str:
    return f"<html><body><div>{html}</div><p>text</p></body></html>"


def pruned(html: str, *, core: bool = native.AVAILABLE) -> str:
    """Return a page after the removal of everything except the last paragraph."""
    page = parse(page_of(html))
    sequence = native.walk(page.body) if core else walk_tree(page.body)
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
    "</label><select name=year><option>2025<option selected>2026</select><div><input id=cue value=x></div>"
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


@pytest.mark.parametrize("html", [SEARCH, LOGIN, COMMENT, NEWSLETTER])
def test_scrapy_sends_of_a_removed_form_what_it_sends_of_the_whole_page(html: str) -> None:
    for options in ({}, {"formdata": {"q": "tea", "new": "1", "p": "x"}}, {"dont_click": True}):
        assert sent(pruned(html), **options) == sent(page_of(html), **options)


def test_of_a_removed_form_only_its_controls_stay() -> None:
    left = pruned(SEARCH)
    for gone in ("2025", "Words", "Clear"):
        assert gone not in left
    for stays in ("cue", "clear", 'name="new"'):
        assert stays in left


@pytest.mark.parametrize(
    ("controls", "options"),
    [
        ("<input type=button name=act value=Search>", {}),
        (
            "<button type=button name=export value=1>E</button><input type=submit name=go value=Go>",
            {"clickdata": {"name": "export"}},
        ),
        (
            "<input id=cue><input type=button name=b value=B><input type=submit name=go value=Go>",
            {"clickdata": {"nr": 3}},
        ),
        ("<input id=cue><input type=submit name=go value=Go>", {"clickdata": {"nr": 2}}),
        ("<select name=s><option disabled value=''>Choose<option value=S>S<option value=M>M</select>", {}),
        ("<select name=s><option disabled value=1>Choose<option disabled value=2>S</select>", {}),
        ("<input name=' ' value=1>", {}),
        ("<input type=' checkbox' name=c value=1>", {}),
        ("<input name=a value=1><button type=' submit' name=b value=1>B</button>", {}),
    ],
)
def test_what_scrapy_takes_for_a_control_is_sent(controls: str, options: dict[str, Any]) -> None:
    html = f"<form action=/s method=post>{TOKEN}{controls}</form>"
    assert sent(pruned(html), **options) == sent(page_of(html), **options)


def test_a_form_around_content_keeps_all_that_it_sends() -> None:
    html = f"<form method=post action=/all>{TOKEN}<p><input type=email name=news></p><h1>Title</h1></form>"
    page = parse(f"<html><body>{html}</body></html>")
    sequence = walk_tree(page.body)
    place = sequence.find({"p"})[0]
    selection = Selection(PRUNED, [Span(place, sequence.stop(place), False, "test", "test")])
    assert kept_mask(sequence, selection, PageSettings())[place + 1]


TYPES: tuple[str, ...] = (
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
    " submit",
    "submit\n",
    "checkbox ",
    "search",
)
TYPES = (
    *TYPES,
    "radio",
    "text",
    "chec\u212abox",
    "\u00a0hidden",
    "\u2003submit",
    "\u017fubmit",
    "\u0130mage",
)


def one_of(*parts: str) -> st.SearchStrategy[str]:
    return st.sampled_from(parts)


named = one_of("", "", "", " name=''", " name=' '", " name=a", " name=b", " name=c", " name=d")
given_values = one_of("", " value=''", " value=v", " value='w x'")
disabled = one_of("", "", " disabled")
option = st.builds(
    "<option{}{}{}>{}</option>".format,
    one_of("", " value=''", " value=1", " value=2"),
    one_of("", "", " selected"),
    disabled,
    one_of("", "one", " two  x "),
)
options_of = st.lists(option, max_size=4).map("".join)
any_control = st.one_of(
    st.builds(
        "<input{}{}{}{}{}>".format,
        st.sampled_from((*TYPES, "number", "file", "CheckBox", "RADIO")).map(" type='{}'".format)
        | st.just(""),
        named,
        given_values,
        one_of("", "", " checked"),
        disabled,
    ),
    st.builds(
        "<button{}{}{}>B</button>".format,
        one_of("", " type=submit", " type=Submit", " type=button", " type=reset", " type=''", " type=menu"),
        named,
        given_values,
    ),
    st.builds("<textarea{}>{}</textarea>".format, named, one_of("", "t", " x ")),
    st.builds(
        "<select{}{}>{}</select>".format,
        named,
        one_of("", "", " multiple"),
        options_of | options_of.map("<optgroup label=g>{}</optgroup>".format),
    ),
)
placed = st.builds(str.format, one_of("{}", "<p>x {}</p>", "<div><label>l {}</label></div>"), any_control)
asked = (
    st.sampled_from(({}, {"dont_click": True}, {"formdata": {"a": "1"}}, {"formdata": {"a": "1", "x": "z"}}))
    | st.builds(lambda number: {"clickdata": {"nr": number}}, st.integers(0, 8))
    | st.builds(lambda name: {"clickdata": {"name": name}}, st.sampled_from("abcd"))
)
BUTTON = "self::button|self::input[re:test(@type, '^(submit|image|button|reset)$', 'i')]"


def clicks_a_button(html: str, number: int, clickdata: dict[str, Any]) -> bool:
    """Whether `clickdata` is for one button of a form."""
    form = HtmlResponse("http://a.example", body=html.encode(), encoding="utf-8").css(f"#f{number}")
    if "nr" in clickdata:
        found = form.xpath(".//input|.//select|.//textarea")[clickdata["nr"] :][:1]
    else:
        found = form.xpath(".//*[@name=$name]", name=clickdata["name"])
    return len(found) == 1 and bool(found[0].xpath(BUTTON))


@pytest.mark.parametrize(
    "core", [pytest.param(True, marks=pytest.mark.skipif(not native.AVAILABLE, reason="no core")), False]
)
@given(
    st.lists(st.tuples(one_of("post", "get", "POST"), st.lists(placed, max_size=6)), min_size=1, max_size=3),
    st.lists(any_control, max_size=2),
    st.lists(asked, min_size=1, max_size=6),
)
def test_scrapy_sends_of_any_removed_form_what_it_sends_of_the_whole_page(
    core: bool, forms_: list[tuple[str, list[str]]], outside: list[str], asking: list[dict[str, Any]]
) -> None:
    parts = [
        f"<form id=f{number} action=/x{number} method={method}>{TOKEN}{''.join(controls)}</form>"
        for number, (method, controls) in enumerate(forms_)
    ]
    html = "".join(parts + [part.replace(" name", " form=f0 name", 1) for part in outside])
    whole, left = page_of(html), pruned(html, core=core)
    for number in range(len(forms_)):
        if f"id=f{number} " not in html:
            continue
        for options in asking:
            if "clickdata" not in options or clicks_a_button(whole, number, options["clickdata"]):
                which = f"f{number}"
                assert sent(left, formid=which, **options) == sent(whole, formid=which, **options)
