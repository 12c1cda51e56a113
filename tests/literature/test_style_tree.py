from __future__ import annotations

from math import log

import pytest

from scrapy_tps.literature.memory import digest
from scrapy_tps.literature.style_tree import SiteStyleTree, content_importance, leaves, node_importance
from tests.literature.pages import sequence_of


def tree_of(*pages, **options):
    return SiteStyleTree([digest(sequence_of(page)) for page in pages], **options)


def test_importance_of_the_papers_example():
    """Figure 5: 100 pages; the body has one style, the double-lined table four, on 35, 25, 25 and 15 pages."""
    assert node_importance([100], 100) == 0
    assert node_importance([35, 25, 25, 15], 100) == pytest.approx(0.292, abs=5e-4)
    assert node_importance([1], 1) == 1


def test_the_trees_of_the_papers_two_pages_part_in_the_right_table():
    pages = [
        "<body bgcolor=white><div width=800><p><b>1</b></p></div><img src=image.gif width=800>"
        f"<div bgcolor=red>{inside}</div>"
        for inside in ("<p><b>1</b></p><img src=a.gif><p><b>2</b></p>", "<p><b>1</b></p><br><p><b>2</b></p>")
    ]
    tree = tree_of(*pages, merge=False)
    assert tree.root.pages == 2
    (style,) = tree.root.styles.values()
    assert style.pages == 2
    assert [len(element.styles) for element in style.elements] == [1, 0, 2]
    assert [one.pages for one in style.elements[2].styles.values()] == [1, 1]


def test_content_that_all_pages_share_has_no_importance_and_content_of_one_page_has_all():
    assert content_importance([[1, 1, 1], [2, 2, 2]], 3) == pytest.approx(0)
    assert content_importance([[1], [4]], 3) == 1
    assert content_importance([[1, 1, 1], [1]], 3) == pytest.approx(0.5)
    assert content_importance([[1]], 1) == 1


def test_composite_importance_adds_up_the_importance_of_the_children():
    tree = tree_of(*(f"<body><div><p><b>same</b></p></div><div><p><b>{word}</b></p></div>" for word in "xyz"))
    (style,) = tree.root.styles.values()
    same, other = (element.importance for element in style.elements)
    assert same == pytest.approx(0, abs=1e-9)
    assert other == pytest.approx(0.9)  # one style: 1 - gamma of it is 0, gamma is that of the leaf
    assert tree.root.importance == pytest.approx(0.9 * (same + other) / 2)


def test_the_parents_of_leaf_tags_are_the_leaves():
    page = digest(sequence_of("<body><div><p>a<b>b</b></p><p>c</p></div>"))
    assert [tag for tag, leaf in zip(page.tags, leaves(page), strict=True) if leaf and tag != "#text"] == [
        "p",
        "b",
        "p",
    ]


def test_element_nodes_of_different_styles_are_merged_where_their_texts_are_the_same():
    menu = "<div class=m><p><b>home products service contact</b></p></div>"
    pages = (f"<body>{menu}<p><b>one</b></p>", f"<body>{menu}<h1>x</h1><p><b>two</b></p>")
    merged, parted = tree_of(*pages), tree_of(*pages, merge=False)
    assert [
        {style.elements[0].pages for style in tree.root.styles.values()} for tree in (merged, parted)
    ] == [{2}, {1}]


def test_the_base_of_the_entropy_is_the_number_of_pages():
    page = "<body><div><%s><b>x</b></%s></div>"
    tree = tree_of(*[page % ("p", "p")] * 4, page % ("h2", "h2"))
    (style,) = tree.root.styles.values()
    counts = sorted(one.pages for one in style.elements[0].styles.values())
    assert counts == [1, 4]
    assert node_importance(counts, 5) == pytest.approx(-(0.2 * log(0.2, 5) + 0.8 * log(0.8, 5)))
