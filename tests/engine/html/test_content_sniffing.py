"""JSON, JSONP and scripts that servers call HTML, and pages that only look like them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Spider

from scrapy_tps import prune
from scrapy_tps.engine.html.document import is_html, parser_input
from tests.support.crawling import crawl
from tests.support.shop_pages import listing

if TYPE_CHECKING:
    from tests.support.mockserver import MockServer

PAGE = listing()
HELD = json.dumps(PAGE)
ROWS = "\n".join(json.dumps({"id": number, "html": PAGE}) for number in range(3))

DATA = {
    "object": json.dumps({"html": PAGE, "next": 2}, indent=2),
    "object, the markup first": json.dumps({PAGE: 1}),
    "list of objects": json.dumps([{"html": PAGE}]),
    "list of lists": json.dumps([[1, PAGE], [2, PAGE]]),
    "list": json.dumps([PAGE, PAGE]),
    "list of one": json.dumps([PAGE]),
    "list that starts with numbers": json.dumps([1, -2.5, None, PAGE]),
    "list that starts with an empty one": json.dumps([[], {}, PAGE]),
    "string": HELD,
    "JSON lines": ROWS,
    "JSON lines with a break at the end": ROWS + "\n",
    "JSON that is cut off": json.dumps({"html": PAGE})[:-20],
    "JSON with a comment of the server's cache": json.dumps({"html": PAGE})
    + "\n<!-- 0.3 s --> <!-- cached -->",
    "JSON behind a guard": ")]}',\n" + json.dumps({"html": PAGE}),
    "JSON behind a loop": "for(;;);" + json.dumps({"html": PAGE}),
    "an object literal": f"{{html: {HELD}, 'next': 2}}",
    "JSONP": f"jQuery17_42({json.dumps({'html': PAGE})});",
    "JSONP with a comment": f"/**/ shop.lists[3].add({HELD})",
    "variable": f"var page = {json.dumps({'html': PAGE})}",
    "assignment": f"window.__STATE__ = {json.dumps({'html': PAGE})};",
    "assignment to what there is": f"window.shop = window.shop || {{}}; shop.html = {HELD};",
    "jQuery": f'$("#list").html({HELD});',
    "writing": f"document.write({HELD});\n",
    "function": f"(function () {{ document.write({HELD}) }})()",
    "site map": '<?xml version="1.0"?><urlset/>',
    "feed": "<rss>",
    "numbers": "[1, 2]",
    "PDF": "%PDF-1.7",
    "picture": "\x89PNG\r\n",
    "archive": "PK\x03\x04",
    "script": f"// list\nfunction draw(list) {{ list.innerHTML = {HELD}; }}",
}

HTML = {
    "text before markup": "[News] " + PAGE,
    "a list in words": "[1, and 2] " + PAGE,
    "a quotation": '"Oak lasts," they say. ' + PAGE,
    "a quotation in brackets": '["Oak"] <p>lasts</p> ["they say"]',
    "footnotes": "[1] <b>one</b> [2] <b>two</b> [3]",
    "a template": "{{ title }} {% block main %}" + PAGE + "{% endblock %}",
    "a template's braces": "{literal}" + PAGE + "{/literal}",
    "a label in braces": "{note: draft} " + PAGE + "{end}",
    "a conditional": "[if IE]>" + PAGE,
    "a call in words": "render(page) gives <b>this</b> (or that)",
    "a call to action": "Call us (now)! <b>Really</b> (or not)",
    "JSON that leaked": '{"debug": true}\n' + PAGE,
    "a list that leaked": '["debug", true]\n' + PAGE,
    "a script that leaked": "var debug = true;\n" + PAGE + "<!-- 0.3 s -->",
    "a dump that leaked": "Array\n(\n    [0] => x\n)\n" + PAGE,
    "a warning": 'Warning: mysql_connect(): Can\'t connect in "x.php" ' + PAGE,
    "markup": PAGE,
    "XHTML": '<?xml version="1.0"?><html xmlns="x">',
    "words": "plain words",
    "nothing": "",
    "markup after a comment": "<!-- {} -->" + PAGE,
}


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("before", ["", "\ufeff", "\r\n\t "])
def test_data_that_holds_markup_is_no_html(name: str, before: str) -> None:
    body = before + DATA[name]
    assert not is_html(body)
    assert not is_html(parser_input(body.encode()))
    assert prune(body.encode(), settings={"TPS_STRATEGY": "paper"}).outcome == "not_html"


@pytest.mark.parametrize("name", HTML)
def test_pages_that_start_like_data_are_html(name: str) -> None:
    assert is_html(HTML[name])
    assert is_html(parser_input(HTML[name].encode()))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.just(PAGE[:300]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(json_values.filter(lambda value: isinstance(value, (dict, list))), st.sampled_from([None, 1]))
def test_every_object_and_every_list_with_markup_is_data(value: Any, indent: int | None) -> None:
    body = json.dumps([value, PAGE] if isinstance(value, list) else {"a": value, "b": PAGE}, indent=indent)
    assert not is_html(body)


@given(st.text(st.sampled_from("[{\"'\\:,(ax1 \n/*<>-!")))
def test_any_start_is_html_where_the_page_ends_with_a_tag(start: str) -> None:
    assert is_html(f"{start}<p>x</p>") or start.lstrip().startswith(("<rss", "<feed"))


@pytest.mark.parametrize(
    "start", ["[" * 5000, '["' + "\\" * 5001, "/*" * 5000, "//\n" * 5000, "a." * 5000, "{" * 5000]
)
def test_hostile_starts_end_in_a_judgement_that_markup_behind_them_settles(start: str) -> None:
    assert isinstance(is_html(start), bool)
    assert is_html(start + "<!---->" * 5000)


def test_json_served_as_html_reaches_the_spider_as_it_came(server: MockServer) -> None:
    class Api(Spider):
        name = "api"

        def parse(self, response: Any) -> Any:
            yield {**response.json(), "outcome": response.tps.outcome}

    crawled = crawl(Api, start_urls=[server("/bad/page_in_json")])
    assert crawled.items == [{"html": PAGE, "next": 2, "outcome": "not_html"}]
