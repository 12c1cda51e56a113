"""The first sight of a view: boxes and scroll positions in a real browser."""

from __future__ import annotations

import pytest

from tests.support.views import render_view

from .pages import SETTINGS, SHOP

LONG = SHOP.replace("<style>", "<style>.entry { height: 120px } ")

#: Rectangles in the window of all letters that the frame shows, of all boxes, and of all numbers.
RECTANGLES = """() => {
  const frame = document.querySelector(".pane iframe"), away = frame.getBoundingClientRect();
  const inner = frame.contentDocument, range = inner.createRange(), letters = [];
  const texts = inner.createTreeWalker(inner.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    range.selectNodeContents(texts.currentNode);
    for (const one of range.getClientRects()) {
      letters.push([one.left + away.left, one.top + away.top, one.right + away.left, one.bottom + away.top]);
    }
  }
  const outer = (selector) => [...document.querySelectorAll(selector)].map((one) => {
    const { left, top, right, bottom } = one.getBoundingClientRect();
    return [left, top, right, bottom];
  });
  return { letters, badges: outer(".badge"), panes: outer(".viewport") };
}"""


def meet(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def first_kept(shown):
    frame = shown.page.locator(".pane iframe").element_handle().content_frame()
    top = frame.query_selector(".results").bounding_box()["y"]
    pane = shown.page.locator(".viewport").bounding_box()
    return top - pane["y"], pane["height"]


@pytest.mark.parametrize("width", [1200, 400])
def test_it_opens_at_what_stays(show, width):
    shown = show(render_view(LONG, settings=SETTINGS), viewport={"width": width, "height": 800})
    assert shown.page.evaluate("() => document.querySelector('.viewport').scrollTop") > 500
    top, height = first_kept(shown)
    assert 0 <= top < height / 4


def test_it_opens_at_the_main_heading_even_if_that_is_in_no_region(show):
    page = LONG.replace(
        '<section class="results">', "<p>Free delivery<h1>The shop</h1><section class=results>"
    )
    shown = show(render_view(page, settings=SETTINGS | {"TPS_KEEP": "h1, p"}))
    frame = shown.page.locator(".pane iframe").element_handle().content_frame()
    top = frame.query_selector("h1").bounding_box()["y"] - shown.page.locator(".viewport").bounding_box()["y"]
    assert 0 <= top < 40


def test_a_page_kept_whole_opens_at_its_top(show):
    shown = show(render_view(LONG, settings={"TPS_MIN_NODES": 100_000}))
    assert shown.page.evaluate("() => document.querySelector('.viewport').scrollTop") == 0


def test_it_opens_there_even_if_images_come_late(show):
    drawing = "<svg xmlns='http://www.w3.org/2000/svg' width='300' height='900'></svg>"
    page = LONG.replace(
        "<body>", f'<body><ul class="menu"><li class="entry"><img src="data:image/svg+xml,{drawing}"></ul>'
    )
    shown = show(render_view(page, settings=SETTINGS))
    shown.page.wait_for_timeout(1200)
    top, height = first_kept(shown)
    assert 0 <= top < height / 4


@pytest.mark.parametrize("options", [{}, {"records": True}], ids=["regions", "records"])
@pytest.mark.parametrize("width", [1200, 400])
def test_numbers_cover_no_letter_and_no_other_number(show, width, options):
    shown = show(render_view(SHOP, settings=SETTINGS, **options), viewport={"width": width, "height": 800})
    found = shown.page.evaluate(RECTANGLES)
    badges = found["badges"]
    assert len(badges) >= (20 if options else 3)
    assert len(found["letters"]) > 60
    assert [(badge, letter) for badge in badges for letter in found["letters"] if meet(badge, letter)] == []
    assert [(a, b) for a in badges for b in badges if a is not b and meet(a, b)] == []


def test_regions_at_the_same_place_share_a_number(show):
    small = "".join(f"<{tag}>{tag}</{tag}>" for tag in ("b", "i", "u", "s", "em", "tt"))
    page = SHOP.replace("<body>", f"<body><nav class=a>{small * 2}</nav><nav class=b hidden></nav>")
    shown = show(render_view(page, settings=SETTINGS | {"TPS_DROP": []}))
    found = shown.page.evaluate(RECTANGLES)["badges"]
    assert [(a, b) for a in found for b in found if a is not b and meet(a, b)] == []


def test_on_a_phone_the_page_comes_before_the_regions(show):
    shown = show(render_view(LONG, settings=SETTINGS), viewport={"width": 400, "height": 800})
    page, regions = (shown.page.locator(one).bounding_box() for one in (".viewport", "#regions"))
    assert page["y"] + page["height"] <= regions["y"]
    assert page["y"] < 300
    assert page["width"] > 370
    assert shown.page.evaluate("() => document.documentElement.scrollWidth") == 400


def test_long_words_wrap_beside_the_page(show):
    words = "w" * 300
    page = LONG.replace("<body>", f'<body><nav id="{words}"><h2>{words}</h2><a href="/">{words}</a></nav>')
    shown = show(render_view(page, settings=SETTINGS), viewport={"width": 1200, "height": 800})
    width = shown.page.evaluate("() => document.querySelector('aside').clientWidth")
    assert shown.page.evaluate("() => document.querySelector('aside').scrollWidth") == width
