from __future__ import annotations

import numpy as np
import pytest

from scrapy_tps.literature.cetr import Cetr, jumps, lines, near_origin, smoothed
from tests.literature.pages import sequence_of

#: The example of the paper, as the survey (Shinde et al.) gives it.
EXAMPLE = (
    '<body><div id="topnav"><div id="author">James Smith</div>OKLAHOMA CITY – Police were told that'
    "<ul></ul>The Oklahoman reported Sunday. <br><br> Jones had</div>"
)


def test_tag_ratios_of_the_papers_example():
    found = lines(sequence_of(EXAMPLE))
    rows = list(zip(found.text, found.tags, found.ratios(), strict=True))
    assert rows[1] == (0, 1, 0)  # <div id="topnav">
    assert rows[2] == (11, 2, 5.5)
    assert rows[3] == (37, 0, 37)
    assert (41, 2, 20.5) in [(text, tags - 1, text / (tags - 1)) for text, tags, _ in rows if tags == 3]


def test_smoothing_keeps_the_sum_and_spreads_it_to_the_neighbours():
    smooth = smoothed(np.array([0.0, 0, 0, 10, 0, 0, 0]), 1)
    assert smooth.sum() == pytest.approx(10)
    assert smooth[2] == smooth[4] == pytest.approx(10 * np.exp(-0.5) / (1 + 2 * np.exp(-0.5)))
    assert smooth[1] == 0


def test_a_jump_is_how_far_a_line_is_from_the_mean_of_the_next_three():
    assert jumps(np.array([0.0, 3, 3, 3, 3]), 3, 0) == pytest.approx([3, 0, 0, 0, 0])


def test_one_cluster_stays_at_the_origin():
    points = np.array([[1.0], [2], [1], [40], [42], [90], [2]])
    assert near_origin(points, 3).tolist() == [True, True, True, False, False, False, True]


@pytest.mark.parametrize("by", ["2d", "k-means", "threshold"])
def test_text_stays_and_menus_go(by):
    page = (
        "<body><ul>" + "<li><a href=/>Menu</a></li>" * 20 + "</ul>"
        "<div>" + "<p>" + "A sentence that goes on for quite some time before it ends. " * 4 + "</p>" * 1
    )
    page += "<p>" + "Another sentence of about the same length, for the story goes on. " * 4 + "</p></div>"
    sequence = sequence_of(page)
    noise = Cetr(by=by).noise(sequence)
    said = " ".join(
        sequence.text_of(node) for node in range(len(sequence)) if sequence.chars[node] and not noise[node]
    )
    assert "A sentence" in said
    assert "Another sentence" in said
    assert said.count("Menu") <= 1  # a line beside a text may stay with it
