"""The data of a view describe the pruned tree exactly as lxml has it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps import prune
from scrapy_tps.engine.pruned_page import page_of
from scrapy_tps.report.page_data import PageWalk, gone_data

MARKUP = [
    "a",
    "b c",
    " ",
    "<!-- c -->",
    "<nav>menu</nav>",
    "<i>kept</i>",
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<?p?>",
]


@given(st.lists(st.sampled_from(MARKUP), max_size=30), st.sampled_from([[], ["nav"]]))
def test_texts_of_the_view_are_the_text_nodes_of_the_pruned_page(markup: list[str], drop: list[str]) -> None:
    page = f"<!-- c --><body>{''.join(markup)}<p>end</p>"
    pruning = prune(page, settings={"TPS_MIN_NODES": 0, "TPS_DROP": drop})
    data = gone_data(pruning)
    gone = {*data["nodes"]}
    changed = {number: (text, tail) for number, text, tail in data["texts"]}
    shown: list[str] = []
    for number, node in enumerate(PageWalk(*page_of(pruning).walk_again()).nodes):
        if number not in gone:
            text, tail = changed.get(number, ([node.text], [node.tail]))
            shown += [
                *(text if isinstance(node.tag, str) else ()),
                *tail,
            ]  # the text of a comment is no text node
    assert sorted(filter(None, shown)) == sorted(pruning.root.xpath("//text()"))
