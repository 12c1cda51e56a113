from __future__ import annotations

import random
from math import inf

import pytest

from scrapy_tps.engine.prune import prune_page
from scrapy_tps.engine.pruned_page import Pruning
from scrapy_tps.literature.memory import SitePages, digest
from scrapy_tps.literature.node_patterns import (
    NodePatterns,
    best_match,
    cluster,
    label,
    passages,
    pattern_of,
    tree_of,
)
from scrapy_tps.literature.patterns import MOST_CELLS, Mapping, Match, Tree, compose, rtdm, similarity
from scrapy_tps.settings.definitions import page_settings
from tests.literature.pages import article, sequence_of


def tree(written: str) -> Tree[str]:
    """A tree from how it is written: a(b(c)d)."""
    labels, end, opened = [], [], []
    for sign in written:
        if sign == "(":
            opened.append(len(labels) - 1)
        elif sign == ")":
            end[opened.pop()] = len(labels)
        else:
            labels.append(sign)
            end.append(len(labels))
    return Tree(labels, [max(stop, stop) for node, stop in enumerate(end)])


def written(one: Tree[str], node: int = 0) -> str:
    inside = "".join(written(one, child) for child in one.children[node])
    return one.labels[node] + (f"({inside})" if inside else "")


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("a(bc)", "a(bc)", 0),
        ("a(bc)", "a(b)", 1),  # a leaf removed
        ("a(b)", "a(bc)", 1),  # a leaf inserted
        ("a(bc)", "a(bd)", 1),  # a leaf replaced
        ("a(b(cd)e)", "a(e)", 3),  # a subtree removed, leaf by leaf
        (
            "a(b(cd))",
            "a(x(cd))",
            5,
        ),  # different labels: nothing below them is mapped, unlike in top-down mapping
        ("a(b)", "x(b)", 3),
        ("a(p(q)p(r)p(s))", "a(p(q)p(s))", 2),
    ],
)
def test_distances_of_small_trees(one, other, distance):
    assert rtdm(tree(one), tree(other)) == distance
    assert rtdm(tree(other), tree(one)) == distance


def plain_distance(one, other, first=0, second=0):
    """The definition, without shortcuts."""
    if one.labels[first] != other.labels[second]:
        return one.size(first) + other.size(second) - 1
    below, beside = one.children[first], other.children[second]
    rows = [[sum(other.size(child) for child in beside[:place]) for place in range(len(beside) + 1)]]
    for child in below:
        row = [rows[-1][0] + one.size(child)]
        for place, sibling in enumerate(beside):
            row.append(
                min(
                    rows[-1][place + 1] + one.size(child),
                    row[place] + other.size(sibling),
                    rows[-1][place] + plain_distance(one, other, child, sibling),
                )
            )
        rows.append(row)
    return rows[-1][-1]


def random_tree(randomly, most):
    labels, end = ["a"], [1]
    opened = [0]
    while len(labels) < most:
        while len(opened) > 1 and randomly.random() < 0.45:
            opened.pop()
        labels.append(randomly.choice("abc"))
        end.append(len(labels))
        for node in opened:
            end[node] = len(labels)
        opened.append(len(labels) - 1)
    return Tree(labels, end)


@pytest.mark.parametrize("seed", range(40))
def test_shortcuts_do_not_change_the_distance(seed):
    randomly = random.Random(seed)
    one, other = random_tree(randomly, 14), random_tree(randomly, 11)
    assert rtdm(one, other) == plain_distance(one, other)
    assert rtdm(one, one) == 0


@pytest.mark.parametrize("seed", range(20))
def test_the_mapping_costs_what_the_distance_is_and_keeps_order_and_parents(seed):
    randomly = random.Random(seed)
    one, other = random_tree(randomly, 15), random_tree(randomly, 15)
    mapping = Mapping(one, other)
    pairs = mapping.pairs()
    replaced = sum(one.labels[left] != other.labels[right] for left, right in pairs)
    assert len(one) + len(other) - 2 * len(pairs) + replaced == mapping.distance()
    assert sorted(right for _, right in pairs) == [right for _, right in pairs]
    parents = [{child: node for node in range(len(of)) for child in of.children[node]} for of in (one, other)]
    assert all((parents[0][left], parents[1][right]) in pairs for left, right in pairs if left)


class Compared(str):
    """A label that counts how often labels are compared."""

    times = 0

    def __ne__(self, other):
        Compared.times += 1
        return str.__ne__(self, other)

    def __eq__(self, other):
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_work_is_bounded_whatever_the_trees():
    wide = [
        Tree([Compared("a"), *(Compared(f"{make}{leaf}") for leaf in range(3000))], [3001, *range(2, 3002)])
        for make in "xy"
    ]
    assert rtdm(*wide) == 6000
    assert Compared.times <= MOST_CELLS


def test_above_the_threshold_the_distance_is_infinite():
    assert rtdm(tree("a(bcde)"), tree("a(xyzw)"), threshold=2) == inf
    assert rtdm(tree("a(bcde)"), tree("a(bcdx)"), threshold=2) == 1


def test_a_pattern_accepts_the_trees_it_was_composed_of():
    for seed in range(30):
        randomly = random.Random(seed)
        trees = [random_tree(randomly, 12) for _ in range(4)]
        pattern = pattern_of(trees)
        assert all(Match(pattern, one).cost < inf for one in trees), (seed, written(pattern))


@pytest.mark.parametrize(
    ("one", "other", "pattern"),
    [
        ("a(b)", "a(c)", "a(.)"),
        ("a(bc)", "a(b)", "a(b?)"),
        ("a(b)", "a(bcd)", "a(b*)"),  # options in a row become one of any number
        ("a(x)", "a(ycd)", "a(+)"),  # a wildcard followed by options becomes one of variable size
        ("a(.)", "a(b)", "a(.)"),
        ("a(xby)", "a(zbw)", "a(+)"),  # with few vertices between them, these included
        ("a(xbbbby)", "a(zbbbbw)", "a(.bbbb.)"),
        ("a(p(x)p(y))", "a(p(z)p(w))", "a(+)"),
    ],
)
def test_composition_and_promotion_of_wildcards(one, other, pattern):
    assert written(compose(tree(one), tree(other))) == pattern


def test_the_pattern_that_discards_nothing_is_the_better_one():
    # the paper's figure: both accept the page, the first discards its wildcard, the third accepts nothing
    page = tree("a(bc)")
    costs = [Match(tree(pattern), page).cost for pattern in ("a(bc*)", "a(b.)", "a(bx)")]
    assert costs == [1, 0, inf]


def test_what_a_wildcard_takes():
    match = Match(tree("a(+x?)"), tree("a(bcx)"))
    assert [roots for _, roots in match.taken()] == [[1, 2]]


def test_pages_are_clustered_by_template():
    listing = "<body><table>" + "<tr><td><a href=/>x</a></td><td>1</td></tr>" * 12 + "</table>"
    pages = [article(1), listing, article(2), listing.replace("<tr>", "<tr class=r>", 3), article(3)]
    first, second, *rest = cluster([tree_of(digest(sequence_of(page))) for page in pages])
    assert first != second
    assert rest == [first, second, first]


def test_title_and_body_of_a_page_that_the_pattern_was_not_made_of():
    pages = [digest(sequence_of(article(number))) for number in range(5)]
    trees = [tree_of(page) for page in pages]
    news = label(passages(pages[4], best_match([pattern_of(trees[:4])], trees[4])))
    sequence = sequence_of(article(4))
    title, body = ("".join(sequence.text_of(node) for node in part.nodes) for part in news)
    assert title.startswith("Headline number4")
    assert body.count("number4 part") == 6


def test_a_body_of_texts_and_line_breaks_is_one_passage():
    def page(number):
        body = "<br><br>".join(f"{word} story{number}" for word in ("first", "second", "third"))
        return digest(sequence_of(f"<body><p>menu</p><h1>title{number}</h1><div>{body}</div><p>foot</p>"))

    pages = [page(number) for number in range(3)]
    pattern = pattern_of([tree_of(one) for one in pages[:2]])
    found = passages(pages[2], best_match([pattern], tree_of(pages[2])))
    assert [len(passage.words) for passage in found] == [1, 6]


def test_a_page_that_no_pattern_accepts_joins_the_pages_of_its_layout():
    def byline(number):
        return article(number).replace("</h1>", f"</h1><p>By {'Anna' if number < 3 else 'Bob'}</p>")

    site = SitePages()

    def pruned(page, strategy):
        return Pruning(prune_page(page, page_settings({"TPS_STRATEGY": strategy}), memory=site))

    for number in (1, 2, 3):
        pruning = pruned(byline(number), NodePatterns(parts="all"))
    assert "By Bob" in pruning.html
    assert "Section" not in pruning.html
    unlike = "<body><table>" + "<tr><td>another layout</td></tr>" * 30
    assert pruned(unlike, "node-patterns").outcome == "no_region"


def test_identical_pages_are_as_similar_as_can_be():
    one = tree_of(digest(sequence_of(article(1))))
    assert similarity(one, one) == 1
