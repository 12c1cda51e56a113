"""The native core and its pure Python twin: the same results, bit for bit."""

from __future__ import annotations

import gc
import os
import random
import subprocess
import sys
import weakref
from dataclasses import fields
from itertools import product
from string import ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from benchmarks.check_native import check_pages
from scrapy_tps.engine import native
from scrapy_tps.engine.cutting import cut, matching
from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.html.serializer import serialise
from scrapy_tps.engine.page_settings import PageSettings
from scrapy_tps.engine.sequence import region_search, walking
from scrapy_tps.engine.sequence.columns import ELEMENT, TagPathSequence
from scrapy_tps.engine.strategies import load_strategy
from tests.engine.test_cutting import random_mask
from tests.fuzz.mutations import mutate, seed_page
from tests.support.pages import listing, markup
from tests.support.sequences import hostile_sequences

needs_core = pytest.mark.skipif(not native.AVAILABLE, reason=f"no native core: {native.REASON}")
RATIOS = (0.0, 0.1, 0.2, 0.5, 0.9)


def columns(found):
    """All columns of a sequence; nodes by their place among all nodes of the tree."""
    values = {one.name: getattr(found, one.name) for one in fields(TagPathSequence) if one.compare}
    places = {node: place for place, node in enumerate(found.nodes[0].iter())}
    values["nodes"] = [places[node] for node in found.nodes]
    values["data_scripts"] = [(index, places[script]) for index, script in found.data_scripts]
    return values


def check_walk(html):
    body = parse(html).body
    if body is None:
        return
    slow, fast = walking.walk_tree(body), native.walk(body)
    assert isinstance(fast, native.NativeSequence)
    assert columns(fast) == columns(slow)
    assert len(fast) == len(slow)
    assert fast.visible() == slow.visible()
    tags = {"a", "form", "li", "#text", "nothing"}
    assert list(fast.find(tags - {"#text"})) == slow.find(tags - {"#text"})
    assert fast.count_symbols() == slow.count_symbols()
    stems = [fast.stem_of(place) for place in range(len(slow))]
    assert [stem if stem is None else stem.decode() for stem in stems] == list(
        map(slow.stem_of, range(len(slow)))
    )
    elements = [place for place, kind in enumerate(slow.kinds) if kind == ELEMENT]
    for place in elements:
        for name in ("class", "id", "name", "hidden"):
            assert fast.value_of(place, name) == slow.value_of(place, name)
    some = frozenset({"class", "id", "type", "name", "hidden"})
    assert fast.attributes(some) == slow.attributes(some)
    for name in ("itemprop", "itemtype"):
        assert fast.labels(name) == slow.labels(name)
    texts = [index for index, kind in enumerate(slow.kinds) if kind != ELEMENT]
    assert [fast.text_of(index) for index in texts] == [slow.text_of(index) for index in texts]
    masks = [bytearray(len(slow)) for _ in range(2)]
    fast.keep_data(masks[0])
    slow.keep_data(masks[1])
    assert masks[0] == masks[1]
    nodes = list(body.iter())
    assert fast.locate(nodes) == slow.locate(nodes)
    assert fast.search_region(0.2) == slow.search_region(0.2)


@needs_core
@given(markup())
def test_walks_of_arbitrary_markup(html):
    check_walk(html)


@needs_core
@given(st.randoms(use_true_random=False))
def test_walks_of_mutated_pages(rng):
    check_walk(mutate(seed_page(rng), rng).decode("utf-8", "replace"))


@needs_core
@pytest.mark.parametrize(
    "html",
    [
        listing(),
        "<body></body>",
        "<p>" * 300,
        "<p class>x<p class=''>y<p style>z<p>u",
        "<p class='ü 漢' style='ÿ'>x</p>" * 3,
        "<o:p>a</o:p><svg:rect/><x-y>b",
        "".join(f"<p class=c{number}>{number}" for number in range(3000)),
        "<script>" + "x" * 3000 + " __STATE__ = 1</script><script>" + "ü" * 1990 + "__STATE__=</script>z",
        "<p>a<script type='application/LD+JSON'>{}</script><script type='text/jſon'>{}</script>",
        "<body><!-- a --><?b c?>text</body>",
        "<p>漢字 kana カナ 한국</p>\u3000<b>\u3000x\u3000</b><i>ü</i>",
        "<p id=a hidden class='x'>a<p id name=''>b",
        "<p class='a17 b'>x<p class=' 00a'>y<p class='\u00a0a1'>z<p class=' '>u<p class=''>v<p class='a\u0663'>w",
        f"<p class='{'a1' * 40} b'>x<p class='{'9' * 90}'>y",
        "<p><a rel=author>x</a><p><a rel='me author'>x</a><p><a rel='author\tme'>y</a><p><a rel=authors>z</a>",
        "<p><a href=/author/x>x</a><p><a href=/authors/>x</a><p><a href=/author>y</a>",
        "<div><p itemprop>x</p></div><div><noscript><p itemprop=a>x</p></noscript></div><div>z</div>",
    ],
)
def test_walks_of_special_pages(html):
    check_walk(html)


@needs_core
@given(
    st.sampled_from(("", " ", "\n\u00a0 ", "\x1f", "\u200b")),
    st.sampled_from(("var", "let", "window", "self", "va", "function", "_", "__", "ü", "")),
    st.sampled_from((" x = {", ".y = [", "['a'] = JSON.parse(", " __A_B__ ", "__", "_x_", " = 1")),
    st.sampled_from((0, 1900, 1981, 1985, *range(1988, 2001), 9000)),
)
def test_scripts_that_hold_data(space, word, rest, length):
    for script in (
        f"{space}{word}{rest}",
        f"{word}{'ü' * length}{rest}",
        f"{'x ' * (length // 2)}__STATE__ = 1",
        f"{' ' * length}{word}{rest}",
        f"ü{' ' * length};__abc__def;",  # where what Python looks at ends, `__abc__` may
    ):
        body = parse(f"<p>a<script>{script}</script>b").body
        found = [native.walk(body), walking.walk_tree(body)]
        assert len(found[0].data_scripts) == len(found[1].data_scripts)


@needs_core
@given(markup(), st.randoms(use_true_random=False), st.booleans())
def test_cuts(html, rng, keep_data):
    trees = []
    mask = None
    for walk in (walking.walk_tree, native.walk):
        page = parse(html)
        if page.body is None:
            return
        found = walk(page.body)
        mask = random_mask(found, rng) if mask is None else mask
        copy = bytearray(mask)
        found.add_ancestors(copy)
        assert copy == mask
        assert found.visible(mask) == sum(
            size for size, stays in zip(found.chars, mask, strict=True) if stays
        )
        cut(found, mask, PageSettings(keep_invisible=("head", "data") if keep_data else ("head",)))
        trees.append(serialise(page.root))
    assert trees[0] == trees[1]


@needs_core
@given(markup(), st.sampled_from(["paper", "tps", "auto", "aggressive"]))
def test_strategies_choose_the_same(html, strategy):
    body = parse(listing().replace("</main>", f"</main><div>{html}</div>")).body
    chosen = load_strategy(strategy)
    slow, fast = walking.walk_tree(body), native.walk(body)
    assert chosen.select(fast, 0.5, PageSettings()) == chosen.select(slow, 0.5, PageSettings())


def check_search(symbols, ratio, inclusive, visits):
    options = {"inclusive": inclusive, "visits_per_node": visits}
    found = native.walk(parse("<body>" + "".join(f"<p class=c{symbol}>" for symbol in symbols)).body)
    assert len(found) == len(symbols) + 1
    assert found.search_region(ratio, **options) == region_search.search_region(
        found.symbols, ratio, **options
    )


@needs_core
@given(
    st.lists(st.integers(0, 12), max_size=80),
    st.sampled_from(RATIOS),
    st.booleans(),
    st.sampled_from([1, 3, 32]),
)
def test_searches(symbols, ratio, inclusive, visits):
    check_search(symbols, ratio, inclusive, visits)


@needs_core
@pytest.mark.parametrize("name", hostile_sequences(10))
@pytest.mark.parametrize("inclusive", [False, True])
def test_searches_of_hostile_sequences(name, inclusive):
    for ratio in (0.0, 0.2):
        # more than the cap allows of some: both stop at the same split
        check_search(hostile_sequences(3000)[name], ratio, inclusive, 32)


@needs_core
def test_a_sequence_of_a_cut_tree_holds_no_nodes():
    page = parse(listing())
    found = native.walk(page.body)
    nodes = found.nodes
    mask = bytearray(b"\x01") * len(found)
    mask[1 : found.end[1]] = bytes(found.end[1] - 1)
    cut(found, mask, PageSettings())
    with pytest.raises(RuntimeError, match="has been cut"):
        nodes[1]
    with pytest.raises(RuntimeError, match="has been cut"):
        found.symbol_class  # noqa: B018


@needs_core
def test_nodes_are_addressed_like_a_list():
    found = native.walk(parse("<body><p>a<b>c</b></p></body>").body)
    assert [node.tag for node in found.nodes[1:3]] == ["p", "p"]
    assert found.nodes[-1].tag == "b"
    with pytest.raises(IndexError):
        found.nodes[len(found)]
    with pytest.raises(IndexError):
        found.nodes[-len(found) - 1]


@needs_core
def test_held_nodes_survive_what_others_do_to_the_tree():
    page = parse(listing())
    found = native.walk(page.body)
    found.hold()
    for child in list(page.body):
        page.body.remove(child)
    assert [node.tag for node in found.nodes][:4] == ["body", "nav", "ul", "li"]


@needs_core
def test_held_nodes_have_the_classes_and_styles_of_the_walk():
    body = parse("".join(f"<p class='byline-{n} author' style='color:red{n}'>x" for n in range(99))).body
    slow, fast = walking.walk_tree(body), native.walk(body)
    fast.hold()
    for element in fast.nodes[1::2]:
        element.set("class", "of-nobody" * 9)
        element.set("style", "of-nobody" * 9)
    fast.hold()
    assert fast.symbol_class == slow.symbol_class
    assert fast.symbol_style == slow.symbol_style
    assert [fast.stem_of(1), fast.class_of(1)] == [b"byline-0", "byline-0 author"]
    assert fast.value_of(1, "class") == "of-nobody" * 9


@needs_core
def test_a_held_sequence_is_freed_with_its_last_reference():
    gc.disable()
    found = native.walk(parse(listing()).body)
    found.hold()
    gone = weakref.ref(found)
    del found
    gc.enable()
    assert gone() is None


def run_python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


REPORT = "from scrapy_tps.engine import native; print(native.AVAILABLE, native.REASON)"


def test_the_environment_switches_it_off():
    found = run_python(REPORT, SCRAPY_TPS_NATIVE="0")
    assert found.stdout == "False switched off by SCRAPY_TPS_NATIVE=0\n"


MISSING = "import sys; sys.modules['scrapy_tps.engine._native.walk'] = None; "


@pytest.mark.parametrize("name", ["siblings", "walk"])
def test_without_one_of_its_modules_pure_python_does_the_work(name):
    work = "; from scrapy_tps import prune; print(prune('<p>x').outcome)"
    found = run_python(
        MISSING.replace("_native.walk", f"_native.{name}") + REPORT + work, SCRAPY_TPS_NATIVE=""
    )
    assert found.stdout.startswith("False not built")
    assert found.stdout.endswith("too_small\n")
    assert found.stderr == ""


LOG = """
import importlib, logging
logging.basicConfig(format="%(levelname)s %(message)s")
from scrapy.utils.test import get_crawler
from scrapy_tps.downloadermiddlewares.pruning import TpsMiddleware
from scrapy_tps.engine import native
importlib.reload(native)
TpsMiddleware(get_crawler())
"""
UNFIT = {
    "a module from another version": (
        "from scrapy_tps.engine._native import texts; texts.REVISION = 1",
        "compiled from another version of scrapy-tps. To use it, install scrapy-tps again.",
    ),
    "a loop from another source": (
        "from scrapy_tps.engine._native import siblings; siblings.SOURCE = 1",
        "compiled from another version of scrapy-tps. To use it, install scrapy-tps again.",
    ),
    "types that have shrunk": (
        "import sys; from lxml import etree; etree._Document = type('_Document', (), {})",
        "unfit for lxml ",
    ),
    "a function that is gone": (
        "from lxml import etree; del etree.__pyx_capi__['elementFactory']",
        "unfit for lxml ",
    ),
    "a tree that is read otherwise": (
        "from scrapy_tps.engine._native import sequence; sequence.parent_column = lambda walk: []",
        f"unfit for lxml {etree.__version__} (it reads a wrong tree). To use it, install lxml {{}}.",
    ),
    "a tree that is left otherwise": (
        "from scrapy_tps.engine._native import cutting; cutting.cut = lambda *args: None",
        f"unfit for lxml {etree.__version__} (it leaves a wrong tree). To use it, install lxml {{}}.",
    ),
}


@needs_core
@pytest.mark.parametrize(("change", "reason"), UNFIT.values(), ids=UNFIT)
def test_a_core_that_does_not_fit_is_not_used_and_a_warning_says_so(change, reason):
    found = run_python(f"{change}{LOG}", SCRAPY_TPS_NATIVE="")
    assert found.stderr.startswith(
        "WARNING scrapy-tps works in pure Python, several times slower: its native core is "
    )
    assert reason.format(native.extension("texts").LXML_VERSION) in found.stderr


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (MISSING.replace("_native.walk", "_native.columns"), "not built"),
        pytest.param(*UNFIT["types that have shrunk"], marks=needs_core),
    ],
)
def test_the_environment_can_demand_it(change, reason):
    found = run_python(f"{change}\n{REPORT}", SCRAPY_TPS_NATIVE="1")
    said = f"ImportError: SCRAPY_TPS_NATIVE=1, but the native core can't be used: {reason}"
    assert said in found.stderr


@needs_core
@given(markup(), st.booleans(), st.booleans())
def test_heads(html, keep_head, keep_data):
    head = (
        "<title>a</title>b<link rel='Icon x'><link><link rel=canonical><!-- c --><script>var a = {}</script>"
    )
    invisible = tuple(name for name, stays in (("head", keep_head), ("data", keep_data)) if stays)
    wished = PageSettings(keep_invisible=invisible, keep=("meta[name=kept]",))
    pages = []
    for with_core in (True, False):
        page = parse(f"<html><head>{head}<meta name=kept><style>a</style><x>{html}</x></head><body>{html}")
        sequence = (native.walk if with_core else walking.walk_tree)(page.body)
        cut(sequence, bytearray(b"\x01" * len(sequence)), wished, matching(page.root, wished.keep))
        pages.append(serialise(page.root))
    assert pages[0] == pages[1]


@needs_core
@given(markup(), st.sets(st.sampled_from(["a", "b", "p", "li", "div", "br"]), min_size=1), st.integers(0, 9))
def test_dropped_elements(html, drop, seed):
    wished = PageSettings(drop=tuple(sorted(drop)))
    found = []
    for with_core in (True, False):
        page = parse(f"<html><head></head><body>{html}")
        sequence = (native.walk if with_core else walking.walk_tree)(page.body)
        mask = random_mask(sequence, random.Random(seed))
        for place in sequence.locate(matching(page.body, wished.drop)):
            mask[place : sequence.stop(place)] = bytes(sequence.stop(place) - place)
        journal = cut(sequence, mask, wished)
        texts = [page.root.xpath("//text()")]
        with journal:
            texts.append(page.root.xpath("//text()"))
        texts.append(page.root.xpath("//text()"))
        found.append((texts, [journal.moves.touches(one) for one in page.root.iter(etree.Element)]))
    assert found[0] == found[1]


@pytest.mark.parametrize("core", [True, False])
def test_head_of_very_many_elements(core):
    page = parse("<head>" + "<link rel=stylesheet><meta name=a>" * 50_000 + "</head><body><p>a")
    sequence = (native.walk if core else walking.walk_tree)(page.body)
    cut(sequence, bytearray(b"\x01" * len(sequence)), PageSettings())
    assert len(page.root.find("head")) == 50_000


@needs_core
def test_no_page_makes_the_hashes_of_its_tags_equal():
    # the seed is the number of the tag path above, which a page decides: also that of a letter of the tag
    tags = ["".join(letters).encode() for letters in product(ascii_lowercase, repeat=3)]
    for seed in (0, ord("a"), ord("z"), ord("a") << 8 | ord("b")):
        assert len({native._WALK.text_hash(tag, seed) for tag in tags}) == len(tags)


@needs_core
def test_elements_that_somebody_holds_outlive_the_cut():
    found = native.walk(parse("<body><div><p>a<b>b</b></p>c</div><i>d</i>").body)
    found.hold()
    div, paragraph = found.nodes[1:3]
    mask = bytearray(b"\x01") * len(found)
    mask[2 : found.stop(2)] = bytes(found.stop(2) - 2)
    cut(found, mask, PageSettings())
    assert div.text_content() == "c"
    assert list(paragraph.itertext()) == ["a", "b"]


@needs_core
def test_pure_python_prunes_as_the_core_does(tmp_path):
    rng = random.Random(1)
    for number in range(60):
        page = seed_page(rng)
        (tmp_path / f"{number}.html").write_bytes(mutate(page, rng) if number % 2 else page)
    assert check_pages(tmp_path, None) == 0
