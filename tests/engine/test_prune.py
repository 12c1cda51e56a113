from __future__ import annotations

import pickle
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from scrapy_tps import prune
from scrapy_tps.engine.html.document import decode, parse
from scrapy_tps.engine.outcomes import AMBIGUOUS, PRUNED
from scrapy_tps.engine.pruned_page import account_data, page_of
from scrapy_tps.engine.strategies import Selection, Span, load_strategy
from tests.fuzz.promises import check_promises
from tests.support.pages import listing, markup

STRATEGIES = ("paper", "tps", "auto", "aggressive")
EAGER = {"TPS_MIN_NODES": 0, "TPS_SIZE_RATIO": 0}


def test_a_listing_loses_its_boilerplate_and_keeps_its_records():
    pruning = prune(listing(records=12), settings={"TPS_STRATEGY": "paper"})
    assert pruning.outcome == "pruned"
    assert all(f"Product {number}" in pruning.html for number in range(12))
    assert "Imprint 3" not in pruning.html
    assert 0 < pruning.reduction < 1
    assert pruning.kept_nodes < pruning.raw_nodes
    assert pruning.kept_chars < pruning.raw_chars


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        (b"", "empty"),
        (b" \r\n", "empty"),
        (b"\0\0", "no_body"),
        (b"\xef\xbb\xbf", "empty"),
        (b'{"a": 1}', "not_html"),
        (b"<frameset><frame src=a></frameset>", "no_body"),
        (b"<p>short</p>", "too_small"),
        (b"<html><head><script>go()</script></head><body><div id=app></div></body></html>", "too_small"),
    ],
)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_pages_that_are_kept_whole(body, outcome, strategy):
    pruning = prune(body, settings={"TPS_STRATEGY": strategy})
    assert pruning.outcome == outcome
    assert pruning.html == decode(body)
    assert pruning.reduction == 0
    assert pruning.kept_nodes == pruning.raw_nodes
    assert list(pruning.removed()) == []
    assert pruning.root.tag == "html"


def test_switched_off():
    assert prune(listing(), settings={"TPS_ENABLED": False}).outcome == "excluded"


def test_limits():
    assert prune(listing(), settings={"TPS_MAX_BYTES": 100}).outcome == "too_large"
    assert prune("<p>a page</p>" + "<br>" * 1_000_000).outcome == "too_large"
    assert prune(listing(), settings={"TPS_MIN_NODES": 10_000}).outcome == "too_small"


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("wrapper", ["div", "noscript", "span"])
def test_pages_too_deep_for_the_parser_are_kept_whole(strategy, wrapper):
    deep = f"<{wrapper}>" + "<div>" * 200_000 + "deep"
    html = listing().replace("</body>", deep + "</body>")
    pruning = prune(html, settings={"TPS_STRATEGY": strategy})
    assert pruning.outcome == "too_deep"
    assert pruning.html == html


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    "unit", ["<p>x</p>", "<br>", "text<!-- c -->", "<p class=a{}>x</p>", "<a href=/{}>{}</a> ", "<x{}>"]
)
def test_wide_pages(strategy, unit):
    body = "".join(unit.format(number, number) for number in range(20_000))
    pruning = prune(
        listing().replace("</main>", f"</main><div>{body}</div>"), settings={"TPS_STRATEGY": strategy}
    )
    assert pruning.outcome in {"pruned", "no_region", "ambiguous", "too_deep"}
    assert sum(removed.nodes for removed in pruning.removed()) == pruning.raw_nodes - pruning.kept_nodes


def test_wrong_settings_and_bodies_are_refused():
    with pytest.raises(ValueError, match="TPS_SIZE_RATIO is 2; allowed"):
        prune("<p>", settings={"TPS_SIZE_RATIO": 2})
    with pytest.raises(ValueError, match="did you mean TPS_KEEP"):
        prune("<p>", settings={"TPS_KEEPS": "p"})
    with pytest.raises(TypeError, match="body must be bytes or str, not int"):
        prune(1)  # type: ignore[arg-type]


class Half:
    """Removes the second half of the sequence, or only informs about it."""

    size_ratio = 0.2

    def __init__(self, outcome=PRUNED):
        self.outcome = outcome

    def select(self, sequence, size_ratio, settings):
        half = len(sequence) // 2
        spans = [Span(0, half, True, "first", "half"), Span(half, len(sequence), False, "second", "half")]
        return Selection(self.outcome, spans)


class Broken(Half):
    def select(self, sequence, size_ratio, settings):
        raise ValueError("this strategy is broken")


class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError


@pytest.mark.parametrize(
    "error",
    [AttributeError, RuntimeError, OSError, RecursionError, StopIteration, GeneratorExit, Unprintable],
)
def test_an_exception_of_any_class_in_a_strategy_keeps_the_page(error):
    class Raising(Half):
        def select(self, sequence, size_ratio, settings):
            raise error

    pruning = prune(listing(), settings={"TPS_STRATEGY": Raising()})
    assert (pruning.outcome, pruning.html) == ("error", listing())
    assert pruning.error.startswith(error.__name__)


def test_an_error_keeps_the_page():
    pruning = prune(listing(), settings={"TPS_STRATEGY": Broken()})
    assert pruning.outcome == "error"
    assert "this strategy is broken" in pruning.error
    assert pruning.html == listing()
    assert list(pruning.removed()) == []
    assert pruning.reduction == 0


def test_what_a_strategy_only_informs_about_stays():
    pruning = prune(listing(), settings={"TPS_STRATEGY": Half(AMBIGUOUS)})
    assert pruning.outcome == "ambiguous"
    assert [region.kept for region in pruning.regions] == [True, True]
    dropped = prune(listing(), settings={"TPS_STRATEGY": Half(AMBIGUOUS), "TPS_DROP": "footer"})
    assert dropped.outcome == "pruned"
    assert [region.kept for region in dropped.regions] == [True, True]
    assert {(removed.rule, removed.xpath) for removed in dropped.removed()} == {
        ("script", "/html/head/script"),
        ("drop", "/html/body/footer"),
    }


def test_what_tps_drop_removes_is_listed_without_any_region():
    class Nothing(Half):
        def select(self, sequence, size_ratio, settings):
            return Selection("no_region")

    pruning = prune(listing(), settings={"TPS_STRATEGY": Nothing(), "TPS_DROP": ["footer", "nav"]})
    assert [removed.xpath for removed in pruning.removed()] == [
        "/html/head/script",
        "/html/body/nav",
        "/html/body/footer",
    ]
    assert pruning.regions == []


def test_own_strategies_may_take_scripts_out_of_the_tree():
    class Tidy(Half):
        def select(self, sequence, size_ratio, settings):
            for script in sequence.nodes[0].xpath("//script"):
                script.getparent().remove(script)
            return super().select(sequence, size_ratio, settings)

    scripts = '<script type="application/json">{}</script><script>var a = [1]</script>' * 50
    html = listing().replace("<nav", f"<div>{scripts}<p>Words</p></div><nav", 1)
    pruning = prune(html, settings={"TPS_STRATEGY": Tidy()})
    assert pruning.pruned
    assert "script" not in pruning.html


def test_own_strategies_may_change_classes_and_ask_another_strategy():
    class Asking(Half):
        def select(self, sequence, size_ratio, settings):
            return load_strategy("auto").select(sequence, size_ratio, settings)

    class Renaming(Asking):
        def select(self, sequence, size_ratio, settings):
            for element in sequence.nodes[0].iter("div", "p"):
                element.set("class", "of-nobody" * 9)
            return super().select(sequence, size_ratio, settings)

    marked = "".join(f"<div class='advertisement a{number}'><p>Buy now</p></div>" for number in range(9))
    html = listing().replace("<footer", f"{marked}<footer", 1)
    asked, renamed = (prune(html, settings={"TPS_STRATEGY": one}) for one in (Asking(), Renaming()))
    assert "marked" in {region.rule for region in asked.regions}
    assert renamed.regions == asked.regions


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("keep", ["nav", "footer a", "//nav/ul/li", "h1"])
def test_keep_beats_everything(strategy, keep):
    options = {"TPS_STRATEGY": strategy, "TPS_KEEP": keep, "TPS_DROP": ["nav", "footer", "main", "h1"]}
    pruning = prune(listing(), settings=options)
    wanted = select(parse(listing()).root, keep)
    found = select(pruning.root, keep)
    assert wanted
    assert [etree.tostring(one, with_tail=False) for one in found] == [
        etree.tostring(one, with_tail=False) for one in wanted
    ]


def select(root, selector):
    return root.xpath(selector) if selector.startswith("//") else root.cssselect(selector)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_account_survives_pickling(strategy):
    pruning = prune(listing().encode(), url="http://a.example/", settings={"TPS_STRATEGY": strategy})
    again = pickle.loads(pickle.dumps(pruning))
    assert account_data(again) == account_data(pruning)
    assert again.html == pruning.html
    assert again.regions == pruning.regions
    assert list(again.removed()) == list(pruning.removed())


def test_without_the_original_the_account_is_complete():
    options = {"TPS_STRATEGY": "paper"}
    with_original = prune(listing(), settings=options)
    without = prune(listing(), settings={**options, "TPS_FALLBACK": False, "TPS_LINKS": "pruned"})
    assert page_of(without).origin.source is None
    assert without.regions == with_original.regions
    assert list(without.removed()) == list(with_original.removed())


pages = st.one_of(
    markup(),
    st.tuples(st.integers(0, 12), markup()).map(
        lambda pair: listing(records=pair[0]).replace("</main>", f"</main>{pair[1]}")
    ),
)


@given(
    html=pages,
    strategy=st.sampled_from([*STRATEGIES, Half()]),
    ratio=st.sampled_from([None, 0, 0.5]),
    min_nodes=st.sampled_from([0, 30]),
)
def test_promises_of_every_strategy(html, strategy, ratio, min_nodes):
    options = {"TPS_STRATEGY": strategy, "TPS_SIZE_RATIO": ratio, "TPS_MIN_NODES": min_nodes}
    check_promises(html, options)


@given(html=pages, strategy=st.sampled_from(STRATEGIES))
def test_what_is_kept_by_selector_is_all_there(html, strategy):
    keep = ["a", "//li", ".a"]
    options = {**EAGER, "TPS_STRATEGY": strategy, "TPS_KEEP": keep, "TPS_DROP": "//body/*"}
    pruning = prune(html, settings=options)
    body, kept = parse(html).body, pruning.root.find("body")
    if body is None:
        return
    for path in (".//a", ".//li", './/*[@class="a"]'):
        assert shapes(kept, path) == shapes(body, path)


def shapes(body, path):
    inside_hidden = "ancestor-or-self::*[self::noscript or self::template or self::script or self::style]"
    return Counter(
        (element.tag, tuple(element.attrib.items()), "".join("".join(texts_below(element)).split()))
        for element in body.xpath(f"{path}[not({inside_hidden})]")
    )


def texts_below(element):
    return element.xpath(
        ".//text()[not(ancestor::noscript or ancestor::template or ancestor::script or ancestor::style)]"
    )
