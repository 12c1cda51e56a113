from __future__ import annotations

from hypothesis import given

from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.sequence.columns import ELEMENT, TAIL_OF
from scrapy_tps.engine.sequence.walking import walk_tree
from scrapy_tps.engine.xpaths import XPaths
from tests.support.pages import markup


@given(markup())
def test_an_xpath_selects_exactly_its_node(html):
    page = parse(html)
    if page.body is None or page.body.getparent() is not page.root or len(page.root.findall("body")) > 1:
        return
    sequence = walk_tree(page.body)
    paths = XPaths(sequence)
    for index in range(len(sequence)):
        (selected,) = page.root.xpath(paths.of(index))
        node, kind = sequence.nodes[index], sequence.kinds[index]
        if kind == ELEMENT:
            assert selected is node
        else:
            assert selected.getparent() is node
            assert selected.is_tail == (kind == TAIL_OF)


def test_xpath_of_one_node():
    sequence = walk_tree(parse("<body><ul><li>a</li><li>b <b>c</b> d</li></ul></body>").body)
    assert XPaths(sequence).of(0) == "/html/body"
    assert XPaths(sequence).of(len(sequence) - 1) == "/html/body/ul/li[2]/text()[2]"


def test_xpath_of_tags_that_are_no_names():
    page = parse("<body><o:p>a</o:p><x y>b</x><o:p>c</o:p></body>")
    sequence = walk_tree(page.body)
    index = len(sequence) - 1
    assert page.root.xpath(XPaths(sequence).of(index)) == ["c"]
