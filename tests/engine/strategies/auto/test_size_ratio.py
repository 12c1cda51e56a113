"""TPS_SIZE_RATIO works over its whole range: the higher, the less goes, step by step."""

from __future__ import annotations

from statistics import fmean

import pytest

from scrapy_tps import prune
from tests.engine.strategies.made import SENTENCE, article, listing, menu

RATIOS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99)


def beside(sentences: int, part: str) -> str:
    """A page with so much text and this part below it."""
    text = "".join(f"<p>{SENTENCE}{number}</p>" for number in range(sentences))
    return (
        f"<html><body><header>{menu(20, 'nav')}</header><div class=page><h1>The mill</h1>"
        f"<div class=text>{text}</div>{part}</div></body></html>"
    )


def column(lines: int) -> str:
    return f"<div class=sidebar>{'<p>Open each day</p>' * lines}</div>"


def links(count: int) -> str:
    items = "".join(f"<li><a href=/l/{number}>Lemma {number}</a></li>" for number in range(count))
    return f"<div class=box><ul class=lemmas>{items}</ul></div>"


MORE = "<div class=more><p>Open each day, and on <a href=/h>holidays</a></p></div>"
#: Columns and lists of growing size, and small parts below texts of growing length.
PAGES = (
    *(beside(20, column(lines)) for lines in (1, 4, 10, 20, 40, 60, 90, 150)),
    *(beside(20, links(count)) for count in (3, 4, 5, 8, 10, 16, 20, 40)),
    *(beside(sentences, MORE) for sentences in (10, 14, 20, 30, 50)),
)


def reductions(strategy: str) -> list[float]:
    return [
        fmean(
            prune(page, settings={"TPS_STRATEGY": strategy, "TPS_SIZE_RATIO": ratio}).reduction
            for page in PAGES
        )
        for ratio in RATIOS
    ]


@pytest.mark.parametrize("strategy", ["auto", "aggressive", "tps"])
def test_the_reduction_falls_as_the_ratio_rises(strategy: str) -> None:
    found = reductions(strategy)
    assert found == sorted(found, reverse=True)
    assert found[0] >= found[RATIOS.index(0.8)] > found[-1]


@pytest.mark.parametrize("strategy", ["auto", "aggressive", "tps"])
def test_the_default_is_that_of_the_strategy(strategy: str) -> None:
    for page in (listing(), article(), PAGES[4]):
        given = prune(page, settings={"TPS_STRATEGY": strategy, "TPS_SIZE_RATIO": 0.8})
        assert given.html == prune(page, settings={"TPS_STRATEGY": strategy}).html


def test_where_a_lower_ratio_leaves_nothing_the_usual_one_holds() -> None:
    lemmas = links(12).replace("Lemma", "A lemma of the mill, number")
    lists = [lemmas.replace("ul", tag) for tag in ("ul", "ol", "menu")]
    top = f"<header>{menu(60, 'nav')}</header><div><h1>Lemmas</h1></div>"
    only_links = f"<html><body>{top}{''.join(lists)}</body></html>"
    usual, eager = (prune(only_links, settings={"TPS_SIZE_RATIO": ratio}) for ratio in (0.8, 0.0))
    assert usual.pruned
    assert usual.html.count("number 3") == 3
    assert eager.html == usual.html
