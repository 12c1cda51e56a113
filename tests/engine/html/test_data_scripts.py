"""Scripts that hold data stay; those that are code go, and all that go are listed."""

from __future__ import annotations

import pytest

from scrapy_tps import prune
from tests.engine.strategies.made import listing

CODE = (
    "<script>(function(a){var e=['x','y'],t={'k':1};window.go=function(){return e}})()</script>",
    "<script>window.dataLayer = window.dataLayer || []; gtag('js', new Date());</script>",
    "<script>if (a == ['b']) { run({'a': 1}); }</script>",
)


def page(script: str, *, where: str = "</h1>") -> str:
    return listing().replace(where, f"{where}{script}")


@pytest.mark.parametrize(
    "body",
    [
        'var data = [{"name": "A"}, {"name": "B"}];',
        '$(function () {\n  var markers = [\n    [51.5, -0.1, "Mill"],\n  ];\n  draw(markers);\n});',
        '/* <![CDATA[ */\nvar wc_stock = {"42": {"price": "9.95"}};\n/* ]]> */',
        "<!--\nvar years = [1999, 2001];\n//-->",
        "import x from 'y'; const rows = ['a', 'b'];",
        "jQuery.noConflict(); window.shop.items = [ { id: 7 } ];",
        "function initMap() { let places = [{lat: 1, lng: 2}]; }",
    ],
)
def test_a_script_that_assigns_literal_data_stays(body: str) -> None:
    pruning = prune(page(f"<script>{body}</script>", where="<body>"))
    assert pruning.pruned
    assert body in pruning.html


@pytest.mark.parametrize("script", CODE)
def test_code_goes(script: str) -> None:
    assert script not in prune(page(script, where="<body>")).html


@pytest.mark.parametrize("keep_original", [True, False])
def test_every_script_that_goes_is_listed(keep_original: bool) -> None:
    scripts = "".join(CODE) + "<style>p { color: red }</style>"
    html = page(scripts, where="<body>").replace("<html>", f"<html><head>{CODE[1]}<title>t</title></head>")
    html = html.replace("</nav>", "<script>inNav()</script></nav><script>var rows = [{'a': 1}]</script>")
    removed = list(prune(html, settings={"TPS_FALLBACK": keep_original, "TPS_LINKS": "pruned"}).removed())
    listed = [one for one in removed if one.rule in ("script", "style")]
    assert [one.xpath for one in listed] == [
        "/html/head/script",
        "/html/body/script[1]",
        "/html/body/script[2]",
        "/html/body/script[3]",
        "/html/body/style",
    ]
    assert listed[1].text.startswith("(function(a){var e=['x','y']")
    assert all(one.nodes == 0 and one.chars == 0 for one in listed)


def test_scripts_that_a_setting_keeps_are_not_listed() -> None:
    html = page(CODE[0] + CODE[1], where="<body>")
    removed = prune(html, settings={"TPS_KEEP": ["script:first-of-type"]}).removed()
    assert [one.xpath for one in removed if one.rule in ("script", "style")] == ["/html/body/script[2]"]
    with_json = html.replace("<h1>", '<script type="application/json">{}</script><h1>')
    removed = prune(with_json, settings={"TPS_KEEP_INVISIBLE": ["head", "forms"]}).removed()
    assert [one.xpath for one in removed if one.rule in ("script", "style")][-1] == "/html/body/script[3]"
