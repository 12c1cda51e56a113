"""The shown page is hostile: the view holds it and still works around it."""

from __future__ import annotations

import pytest

from scrapy_tps import prune
from tests.support.views import render_view

from .attacks import attacks
from .pages import SETTINGS

pytestmark = pytest.mark.slow


def provoke(shown):
    """Do to the page what a reader would, and wait for what it does by itself."""
    page = shown.page
    for x in range(40, 700, 110):
        for y in range(200, 700, 90):
            page.mouse.move(x, y)
            page.mouse.click(x, y)
    page.mouse.click(300, 400, button="middle")
    page.focus("[data-mode=original]")
    for _ in range(60):
        page.keyboard.press("Tab")
        inside = page.evaluate("() => document.activeElement.tagName === 'IFRAME'")
        assert not inside, "the keyboard got into the page"
    for mode in ("original", "pruned", "both"):
        page.click(f"[data-mode={mode}]")
    for selector in ("a", "//img/@src", "script", "form input"):
        page.fill("#expression", selector)
        page.press("#expression", "Enter")
    page.wait_for_timeout(1500)


def assert_held(shown, web):
    page = shown.page
    assert page.url == shown.url
    assert page.title().startswith("What was removed")
    assert page.evaluate("() => window.attacked") is None
    assert web.paths == []
    assert [url for url in shown.responses if url.startswith("http")] == []
    assert shown.dialogs == []
    assert shown.popups == []
    frame = page.locator(".pane iframe").element_handle().content_frame()
    assert frame.url.removesuffix("#") == "about:srcdoc"
    assert "Record 19" in frame.text_content("body")


@pytest.fixture
def hostile(web):
    return attacks(web.url)


def test_a_page_full_of_attacks_does_nothing(show, web, hostile):
    address = f"{web.url}/page?'\"></script><script>window.attacked = 30</script>"
    shown = show(render_view(hostile, url=address, settings=SETTINGS))
    provoke(shown)
    assert_held(shown, web)


def test_the_sandbox_allows_neither_scripts_nor_forms_nor_navigation(show, hostile):
    shown = show(render_view(hostile, settings=SETTINGS))
    assert shown.page.get_attribute(".pane iframe", "sandbox") == "allow-same-origin"


def test_a_link_leads_nowhere_even_without_the_layer_over_it(show, hostile):
    shown = show(render_view(hostile, settings=SETTINGS))
    frame = shown.page.locator(".pane iframe").element_handle().content_frame()
    frame.evaluate("() => document.querySelector('.entry a').click()")
    shown.page.wait_for_timeout(300)
    assert frame.url.removesuffix("#") == "about:srcdoc"
    assert "Record 19" in frame.text_content("body")


def test_forged_marks_lead_nowhere(show, web, hostile):
    shown = show(render_view(hostile, settings=SETTINGS))
    frame = shown.page.locator(".pane iframe").element_handle().content_frame()
    marks = frame.evaluate(
        "() => [...document.querySelectorAll('[data-tps-n]')].map(one => +one.dataset.tpsN)"
    )
    assert len(marks) == len(set(marks))
    assert frame.get_attribute("body", "data-tps-n") == "0"


def test_the_regions_of_a_hostile_page_can_be_pointed_at(show, hostile):
    pruning = prune(hostile, settings=SETTINGS)
    shown = show(render_view(hostile, settings=SETTINGS))
    assert shown.page.locator("#regions li button").count() == len(pruning.regions)
    shown.page.locator("#regions li button").first.click()
    assert "Region 1" in shown.page.inner_text("#chosen")


def test_images_load_with_the_flag_and_scripts_still_do_not(show, web):
    page = (
        f"<body><ul class=m>{'<li>a</li>' * 8}</ul><img src='a.png'><img src='{web.url}/b.png'>"
        "<img src=x onerror='top.attacked = 1'><a href='c'>link</a>"
        f"<script>top.attacked = 2</script>{'<p>record</p>' * 30}"
    )
    shown = show(render_view(page, url=f"{web.url}/shop/", settings=SETTINGS, network=True))
    shown.page.wait_for_timeout(500)
    assert sorted(web.paths) == ["/b.png", "/shop/a.png", "/shop/x"]
    assert shown.page.evaluate("() => window.attacked") is None
