from __future__ import annotations

import pytest

from benchmarks.literature.retrieval import combined_ranks
from scrapy_tps.literature.blocks import coverage_tree, maximal_blocks, structure_information_index
from scrapy_tps.literature.memory import children_of, digest
from scrapy_tps.literature.segmentation import Ranking, expanded, segments
from scrapy_tps.literature.style_tree import StructureTree, presentation_style
from tests.literature.pages import sequence_of


def texts_of(html, way):
    sequence = sequence_of(html)
    return [" ".join(sequence.text_of(node) for node in block) for block in segments(sequence, way)]


def test_fixed_windows_have_up_to_200_words():
    page = "<body>" + "".join(f"<p>{'word ' * 60}" for _ in range(7))
    assert [len(block.split()) for block in texts_of(page, "fixed")] == [180, 180, 60]


def test_a_text_without_words_is_in_a_window_as_well():
    assert texts_of("<body><p>–</p><p>word</p>", "fixed") == ["– word"]


def test_structural_tags_cut_a_page():
    page = "<body><h1>one</h1><div>two <b>three</b></div><p>four</p>five<ul><li>six<li>seven</ul>"
    assert texts_of(page, "dom") == ["one", "two  three", "four", "five", "six seven"]


def test_what_is_large_or_has_separators_is_divided_and_what_is_coherent_is_not():
    small = "<div><p>a few</p><p>words</p></div>"
    large = "<div>" + "<p>a longer paragraph of the page, of which there are some</p>" * 4 + "</div>"
    titled = "<div><h2>title</h2><p>of it</p></div>"
    found = texts_of(f"<body>{small}{large}{titled}", "vision")
    assert found[0] == "a few words"
    assert len(found) == 1 + 4 + 2


def test_combined_blocks_are_those_of_vision_cut_into_windows():
    page = f"<body><p>{'<b>word </b>' * 450}</p><p>short</p>"
    assert [len(block.split()) for block in texts_of(page, "combined")] == [200, 200, 50, 1]


def test_every_text_is_in_one_block():
    page = "<body>a<div>b<p>c<table><tr><td>d<td>e</table></div><a>f</a><section><h2>g</h2>h</section>"
    for way in ("fixed", "dom", "vision", "combined"):
        assert sorted("".join(texts_of(page, way)).replace(" ", "")) == list("abcdefgh"), way


def test_a_block_with_the_rarer_word_of_the_query_is_first():
    scores = Ranking([["red", "car"], ["red", "bike"], ["red", "bus"], []]).scores({"red": 1, "bike": 1})
    assert max(range(4), key=scores.__getitem__) == 1
    assert scores[3] == 0


def test_a_query_is_expanded_with_what_tells_the_relevant_texts_from_the_others():
    texts = [["car", "engine", "the"], ["car", "engine", "the"], ["tree", "the"], ["house", "the"]]
    assert list(expanded({"car": 1.0}, texts[:2], texts, 1)) == ["car", "engine"]


def test_a_page_is_ranked_by_itself_and_by_its_best_block():
    assert combined_ranks([3, 2, 1], [1, 3, 2], 1.0) == [0, -1, -2]
    assert combined_ranks([3, 2, 1], [1, 3, 2], 0.0) == [-2, 0, -1]


def test_sii_is_1_where_children_hold_the_same():
    assert structure_information_index([5, 5, 5]) == pytest.approx(1)
    assert structure_information_index([8, 0]) == 0
    assert 0 < structure_information_index([9, 1]) < 0.7


def test_the_informative_blocks_are_found_from_the_root_down():
    rows = "".join(f"<li>entry{place} alpha{place} beta{place}</li>" for place in range(6))
    page = digest(sequence_of(f"<body><div><p>menu</p></div><div><ul>{rows}</ul><p>menu</p></div>"))
    entropies = dict.fromkeys(page.terms, 0.0)
    entropies[page.terms[0]] = 1.0  # "menu", which all pages have
    tree = coverage_tree(page, entropies)
    assert tree.content_length[0] == 18
    assert tree.index[0] == pytest.approx(18 / 20)
    assert [page.tags[block] for block in maximal_blocks(page, tree.content_length, 3, 0.7)] == ["ul"]


def test_presentation_styles_and_the_compressed_tree_of_the_surveys_figures():
    """Figures 1 and 2: BODY has the style <(TABLE, width, height), (IMG, width), (TABLE, bgcolor)>; two pages merge."""
    first = "<div width=800 height=200><p>a</p></div><img src=image.gif width=800><div bgcolor=red>%s</div>"
    d1 = digest(sequence_of(f"<body bgcolor=white>{first % '<p>b</p><br><p>c</p>'}"))
    d2 = digest(
        sequence_of(
            f"<body bgcolor=white>{first % '<p>b</p><img><p>c</p>'}".replace("image.gif", "other.gif")
        )
    )
    of_body = [presentation_style(page, children_of(page.end)[0]) for page in (d1, d2)]
    assert len(of_body[0]) == 3
    assert of_body[0] == of_body[1]  # which picture is shown is no part of how it is presented
    wider = digest(sequence_of(f"<body bgcolor=white>{first.replace('800', '900', 1) % '<p>b</p>'}"))
    assert presentation_style(wider, children_of(wider.end)[0]) != of_body[0]
    root = StructureTree([d1, d2]).root
    (style,) = root.styles.values()
    assert (root.pages, style.pages) == (2, 2)
    _, _, right = style.elements
    assert (right.pages, [one.pages for one in right.styles.values()]) == (
        2,
        [1, 1],
    )  # they part in the right table
    assert (root.importance, right.importance) == (0, 1)


def test_texts_matter_by_how_much_pages_differ_around_them():
    pages = [
        digest(sequence_of(f"<body><div><p>menu</p></div><div>{inside}</div>"))
        for inside in ("<p>alpha</p>", "<h2>beta</h2>", "<ul><li>gamma</ul>")
    ]
    importance = StructureTree(pages).path_importance(pages[0])
    menu, alpha = (node for node, _ in pages[0].texts())
    assert importance[menu] == pytest.approx(0)
    assert importance[alpha] == pytest.approx(1)
