"""Copies: what a template writes twice goes once; what is said again on purpose, and in records, stays."""

from __future__ import annotations

import pytest

from scrapy_tps import prune
from scrapy_tps.engine import native
from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.outcomes import AMBIGUOUS
from scrapy_tps.engine.sequence import walking
from scrapy_tps.engine.strategies.auto.page import Page
from scrapy_tps.engine.strategies.auto.remove import copies
from scrapy_tps.engine.strategies.auto.thresholds import Copies
from tests.engine.strategies.made import SENTENCE, record

OFFER = (
    "<h2>What we do for mills</h2><p>We repair wheels, stones and weirs wherever they are.</p>"
    "<p>Our carpenters come within a week and stay until it grinds again.</p>"
)
STORY = "".join(f"<p>{SENTENCE} It is told in chapter {number}.</p>" for number in range(6))


def kept(*parts: str, **settings: object) -> str:
    html = f"<html><body><h1>Mills</h1>{''.join(parts)}</body></html>"
    result = prune(html, settings={"TPS_MIN_NODES": 0, "TPS_STRATEGY": "aggressive", **settings})
    assert result.outcome != AMBIGUOUS
    return result.html


def test_the_second_copy_of_a_part_goes() -> None:
    html = kept(
        f"<div class=wide>{OFFER}</div>", f"<article>{STORY}</article>", f"<div class=slim>{OFFER}</div>"
    )
    assert html.count("Our carpenters come") == 1
    assert html.index("Our carpenters come") < html.index("chapter 0")
    assert html.count("It is told in chapter") == 6


def test_auto_keeps_copies() -> None:
    """A selector may name the second one."""
    html = kept(
        f"<div class=wide>{OFFER}</div>",
        f"<article>{STORY}</article>",
        f"<div class=slim>{OFFER}</div>",
        TPS_STRATEGY="auto",
    )
    assert html.count("Our carpenters come") == 2


def test_white_space_makes_no_difference() -> None:
    html = kept(
        f"<div class=wide>{OFFER}</div>",
        STORY,
        f"<div class=slim>{OFFER.replace('<p>', '<p>  ').replace('</p>', '   </p>')}</div>",
    )
    assert html.count("Our carpenters come") == 1


@pytest.mark.parametrize("classes", ["hidden md:block", "d-none d-lg-flex", "offer-desktop"])
def test_a_second_copy_for_wide_screens_stays(classes: str) -> None:
    html = kept(f"<div class=slim>{OFFER}</div>", STORY, f'<div class="{classes}">{OFFER}</div>')
    assert html.count("Our carpenters come") == 2


def test_part_of_a_text_that_says_more_is_no_copy() -> None:
    html = kept(
        f"<div class=wide>{OFFER}</div>", STORY, f"<div class=more>{OFFER}<p>{SENTENCE} Thrice.</p></div>"
    )
    assert html.count("Our carpenters come") == 2


def test_quotations_stay() -> None:
    html = kept(
        f"<div class=post>{OFFER}</div>", STORY, f"<div class=reply><blockquote>{OFFER}</blockquote></div>"
    )
    assert html.count("Our carpenters come") == 2


def test_code_stays() -> None:
    code = "<pre>for wheel in mill.wheels:\n    wheel.turn(until=mill.barley_is_ground(), hours=24, rest=0)</pre>"
    html = kept(f"<div class=one>{code}</div>", STORY, f"<div class=two>{code}</div>")
    assert html.count("wheel.turn") == 2


def test_records_with_the_same_description_stay() -> None:
    same = f"<p>{SENTENCE}</p><p>{SENTENCE.upper()}</p>"
    records = "".join(
        record(number).replace("</div>", f"<div class=about>{same}</div></div>") for number in range(12)
    )
    html = kept(f"<div class=grid>{records}</div>")
    assert html.count("The mill by the river") == 12


def test_items_that_are_no_record_group_may_share_a_text() -> None:
    items = "".join(f"<li class=fact><div class=fact-text>{OFFER}</div></li>" for _ in range(8))
    html = kept(STORY, f"<ul>{items}</ul>")
    assert html.count("Our carpenters come") == 8


def test_short_labels_are_no_copies() -> None:
    label = '<p class="buy">Order it now</p>'
    html = kept(f"<section class=a>{label}</section>", STORY, f"<section class=b>{label}</section>")
    assert html.count("Order it now") == 2


def test_a_size_ratio_near_one_keeps_copies() -> None:
    html = kept(
        f"<div class=wide>{OFFER}</div>", STORY, f"<div class=slim>{OFFER}</div>", TPS_SIZE_RATIO=0.9999
    )
    assert html.count("Our carpenters come") == 2


def test_the_reason_is_told() -> None:
    page = f"<h1>Mills</h1><div class=wide>{OFFER}</div>{STORY}<div class=slim>{OFFER}</div>"
    result = prune(page, settings={"TPS_MIN_NODES": 0, "TPS_STRATEGY": "aggressive"})
    assert any("word for word" in region.reason for region in result.regions if not region.kept)


@pytest.mark.skipif(not native.AVAILABLE, reason=f"no native core: {native.REASON}")
@pytest.mark.parametrize("copied", [1, 2, 11, 12, 30])
def test_the_core_finds_the_same_texts(copied: int) -> None:
    odd = "<p>Ein Text mit Umlauten äöü und\u00a0festen Leerzeichen,\n   über Zeilen</p>"
    texts = "".join(
        f"<div>{SENTENCE}<b>漢字かな交じり文の長いテキスト{n % 3}</b>{odd}</div>" for n in range(copied)
    )
    body = parse(f"<body>{texts}<p>{SENTENCE[:-1]}<!-- -->{SENTENCE}</p></body>").body
    slow, fast = Page(walking.walk(body)), Page(native.walk(body))
    assert copies._repeated_texts(fast, Copies()) == copies._repeated_texts(slow, Copies())
