from __future__ import annotations

import pytest

from scrapy_tps.literature.blocks import (
    ContentExtractor,
    FeatureEntropies,
    StoredBlocks,
    block_features,
    blocks,
    greedy_threshold,
)
from scrapy_tps.literature.memory import digest, stems, term_number
from scrapy_tps.literature.shingles import pagelets, sketch, windows
from tests.literature.pages import sequence_of


def digest_of(html, **options):
    return digest(sequence_of(html), **options)


def test_a_pagelet_is_an_element_none_of_whose_children_has_three_links():
    links = "<a href=/>x</a>"
    page = digest_of(f"<body><div><ul>{links * 3}</ul><ul>{links * 4}</ul></div><p>{links * 2}</p>")
    assert [page.tags[node] for node in pagelets(page, 3)] == ["ul", "ul", "p"]


def test_a_page_with_few_links_is_one_pagelet():
    page = digest_of("<body><div><a href=/>x</a></div><p>text</p>")
    assert pagelets(page, 3) == [0]


def test_small_changes_leave_most_of_a_shingle_as_it_is():
    terms = list(range(1000, 1400))
    changed = [*terms[:200], 5, *terms[201:]]
    same = sum(one == other for one, other in zip(sketch(terms, 10), sketch(changed, 10), strict=True))
    assert 5 <= same <= 8
    assert sketch(terms, 10) != sketch(list(range(2000, 2400)), 10)


def test_a_window_is_a_run_of_ten_words():
    assert len(windows(range(25), 10)) == 16
    assert len(windows(range(4), 10)) == 1
    assert windows(range(25), 10)[3] == windows(range(3, 13), 10)[0]


def test_blocks_are_split_by_the_tags_one_after_the_other():
    page = digest_of("<body>a<table><tr><td>b<p>c</p></td></tr></table><span>d</span>")
    inside = {page.tags[block]: len(held) for block, held in block_features(page, blocks(page)).items()}
    assert inside == {"body": 2, "td": 2, "p": 1}


def test_the_more_pages_have_a_block_the_smaller_its_ibdf():
    words = " ".join(f"word{place}" for place in range(40))
    page = digest_of(f"<body><p>{words}</p>")
    near, far = (digest_of(f"<body><p>{words.replace('word1', 'other', times)}</p>") for times in (1, 11))
    block = block_features(page, blocks(page))[1]
    assert StoredBlocks([near, near], 0.9).document_frequency(block) == 2
    assert StoredBlocks([far, far], 0.9).document_frequency(block) == 0
    assert ContentExtractor().threshold > 1 / 2


def test_the_entropy_of_a_word_is_1_where_all_pages_have_it_and_0_where_one_has():
    pages = [digest_of(f"<body><p>menu page{place}</p>") for place in range(4)]
    entropies = FeatureEntropies(pages[:3]).of_page(pages[3])
    assert entropies[term_number("menu")] == pytest.approx(1)
    assert entropies[term_number("page3")] == 0


def test_the_threshold_is_where_one_more_step_adds_nothing():
    assert greedy_threshold({1: (0.05, 5), 2: (0.25, 5), 3: (0.35, 5), 4: (0.95, 9)}) == pytest.approx(0.1)
    assert greedy_threshold({1: (0.05, 5), 2: (0.15, 5), 3: (0.25, 5), 4: (0.95, 9)}) == pytest.approx(0.3)


def test_stems_are_porters_without_stop_words():
    assert stems("The relational databases of the Connections") == ["relat", "databas", "connect"]
