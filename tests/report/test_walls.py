"""Each wall around a shown page, by itself, against each attack of the catalogue, in a real browser."""

from __future__ import annotations

import json

import pytest

from tests.support.views import render_view

from .attacks import VECTORS, mark, vector
from .walls import without_copy, without_policy, without_sandbox

pytest.importorskip("jinja2", reason="the extra `report` is not installed")

pytestmark = pytest.mark.slow

TOGETHER = 51  # views side by side in one file
NOTHING = {"script": [], "request": [], "away": [], "frame": [], "window": 0}

#: Shows views in frames, whose topmost window it is.
HARNESS = """<!DOCTYPE html><meta charset="utf-8"><script type="application/json" id="views">%s</script><script>
const frames = JSON.parse(document.getElementById("views").textContent).map((view) => {
  const frame = document.createElement("iframe");
  frame.srcdoc = view;
  frame.width = 500; frame.height = 300;
  document.documentElement.append(frame);
  return frame;
});
const panes = () => frames.map((one) => one.contentDocument?.querySelector(".pane[data-ready] iframe"));
</script>"""
READY = "() => panes().every(Boolean)"
#: Clicks and focuses everything, as a reader would if no layer were over it, and sends what browsers send some time.
PROVOKE = """() => panes().forEach((pane) => {
  const all = [...(pane.contentDocument?.querySelectorAll("*") ?? [])].slice(0, 700);
  for (const one of all) {
    one.focus?.();
    for (const name of ["mouseover", "focus", "toggle", "load"]) one.dispatchEvent(new Event(name));
  }
  for (const one of all.filter((one) => one.matches("a, area, button, input, p, svg *, math *"))) {
    one.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  }
})"""
#: Places of views whose inner frame shows another document.
LEFT = """() => panes().map((pane, i) => {
  try { return pane.contentWindow.location.href.startsWith("about:srcdoc") ? -1 : i; } catch { return i; }
}).filter((i) => i >= 0)"""


@pytest.fixture
def happened(new_context, web, tmp_path):
    """Show the views of attacks, changed; return what the attacks did, by kind."""

    def happened(change, *, provoke, names=tuple(VECTORS), together=TOGETHER):
        found = {"script": [], "away": [], "frame": [], "window": 0}
        for first in range(0, len(names), together):
            some = names[first : first + together]
            path = tmp_path / f"harness{first}.html"
            path.write_text(
                HARNESS % _json([_view(name, web.url, change) for name in some]), encoding="utf-8"
            )
            context = new_context()
            page = context.new_page()
            page.goto(path.as_uri())
            page.wait_for_function(READY)
            if provoke:
                page.evaluate(PROVOKE)
            page.wait_for_timeout(1500)
            if page.url == path.as_uri():
                marks = set(
                    page.evaluate("() => Object.keys(window).filter((one) => one.startsWith('attacked'))")
                )
                found["script"] += [name for name in some if mark(name) in marks]
                found["frame"] += [some[at] for at in page.evaluate(LEFT)]
            else:
                found["away"] += some
            found["window"] += len(context.pages) - 1
            context.close()
        called = {path.split("/")[1].split("?")[0] for path in web.paths}
        return found | {"request": [name for name in names if name in called]}

    return happened


def _view(name, home, change):
    page = f"<p>text</p>{vector(name, home)}"
    return change(render_view(page), page)


def _json(value):
    return json.dumps(value).replace("<", "\\u003c")


def test_all_walls_together_hold_everything(happened):
    assert happened(lambda view, _page: view, provoke=True) == NOTHING


def test_the_copy_holds_by_itself_scripts_navigation_and_requests_of_markup(happened):
    def change(view, page):
        return without_sandbox(without_policy(view))

    styles = ("css-", "svg-fill", "svg-style-import")  # copied as they are
    names = [name for name in VECTORS if not name.startswith(styles)]
    assert happened(change, provoke=True, names=names) == NOTHING


def test_the_sandbox_holds_by_itself_scripts_and_navigation(happened):
    def change(view, page):
        return without_copy(without_policy(view), page)

    found = happened(change, provoke=True)
    assert found["request"]  # images and style are not its matter
    assert found | {"request": [], "frame": []} == NOTHING


def test_the_policy_holds_by_itself_scripts_and_requests(happened):
    def change(view, page):
        return without_copy(without_sandbox(view), page)

    # it knows nothing of clicks: a link leads where it leads
    found = happened(change, provoke=False)
    assert found == NOTHING | {"frame": ["refresh", "refresh-body"]}  # to an empty page: nothing is fetched


#: Some of each kind that work in any browser; the rest of the catalogue is for others, and for those to come.
ALIVE = {
    "script": (
        "script", "onerror", "onload-svg", "onfocus", "javascript", "javascript-svg-a", "srcdoc", "svg-style-element",
        "svg-break-out", "svg-title-style", "comment-bang", "table-foster", "onanimationstart", "javascript-form",
    ),
    "request": (
        "img", "css-url-escaped", "css-import-escaped", "css-variable-escaped", "css-image-set", "svg-image-xlink",
        "link-stylesheet", "video", "css-attribute-entity", "css-font", "iframe", "background",
    ),
}  # fmt: skip


def test_without_walls_the_attacks_work(happened):
    def change(view, page):
        return without_copy(without_sandbox(without_policy(view)), page)

    for kind, names in ALIVE.items():
        assert set(happened(change, provoke=True, names=names)[kind]) == set(names), kind
    for name in ("target-top", "form", "base-target"):
        assert happened(change, provoke=True, names=(name,))["away"] == [name]
    assert happened(change, provoke=True, names=("refresh",))["frame"] == ["refresh"]
    assert happened(change, provoke=True, names=("target-blank",))["window"] == 1
