from __future__ import annotations

import pytest

from docs.make_literature import seen_by
from scrapy_tps.engine.strategies import load_strategy
from tests.literature.pages import article, sequence_of
from tests.literature.test_strategies import NAMES


@pytest.mark.parametrize("name", [name for name in NAMES if "+" not in name])
def test_what_a_method_sees_tells_a_story_from_a_menu(name):
    method = load_strategy(name)
    pages = [sequence_of(article(number).replace("<title>Article", "<title>Headline")) for number in range(5)]
    sequence = pages[-1]
    seen = seen_by(method, pages)
    assert len(seen) == len(sequence)
    texts = [(sequence.text_of(node), seen[node]) for node in range(len(sequence)) if sequence.chars[node]]
    menu = {value for text, value in texts if text.startswith("Section")}
    # segmentation compares blocks with the title, which the story does not repeat
    content = {
        value for text, value in texts if ("Headline" if name == "segmentation" else "number4 part") in text
    }
    assert max(menu) < min(content) or max(content) < min(menu)
