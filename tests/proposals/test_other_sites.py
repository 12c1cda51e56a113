"""The twelve redesigns on sites in other styles than the demo's: tables, description lists, a forum, an index of news,
and other languages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from lxml import html
from parsel.csstranslator import HTMLTranslator
from scrapy.http import HtmlResponse

from scrapy_tps.proposals.crawl import CrawlMemory
from scrapy_tps.proposals.memory import SampledPage
from scrapy_tps.proposals.values import key
from scrapy_tps.settings.definitions import page_settings
from tests.support.redesigned_sites import REDESIGNS
from tests.support.responses import pruned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.proposals.proposal import Proposal
    from tests.support.redesigned_sites import Page, Redesign

PLACE = ("site.example", "parse")


def crawled(redesign: Redesign, pages: list[Page], memory: CrawlMemory) -> dict[str, Proposal]:
    """Let the callback parse pages; return the proposals at the end."""
    for url, body in pages:
        response = pruned(HtmlResponse(url, body=body.encode(), encoding="utf-8"), page_settings({}))
        usage = response.tps.selector_usage
        memory.begin(PLACE, usage)
        redesign.callback(response)
        memory.end(PLACE, url, usage, partial(SampledPage, url, body.encode(), "utf-8"), well=True)
    return {name: one for (*_, name), one in memory.proposals().items()}


def proposed(redesign: Redesign) -> dict[str, Proposal]:
    """Crawl before and after a redesign; return the proposals of the second crawl."""
    first, second = CrawlMemory(), CrawlMemory()
    assert not crawled(redesign, redesign.pages, first)
    second.load(first.entries())
    return crawled(redesign, redesign.after(), second)


@pytest.mark.parametrize("selector", ["//h1/text()", "//comment()"])
def test_a_selector_that_finds_only_blank_texts_or_comments_is_not_lost(selector: str) -> None:
    memory = CrawlMemory()
    for number in range(3):
        url, body = f"http://site.example/{number}", b"<h1> </h1><p>A text of the page<!-- a comment --></p>"
        response = pruned(HtmlResponse(url, body=body, encoding="utf-8"), page_settings({}))
        usage = response.tps.selector_usage
        memory.begin(PLACE, usage)
        assert response.xpath(selector).getall()
        memory.end(PLACE, url, usage, partial(SampledPage, url, body, "utf-8"), well=True)
    assert not memory.proposals()


def found_by(selector: str, context: Any) -> list[Any]:
    if not selector:
        return [context]
    is_xpath = "::text" not in selector and "/" in selector
    found = context.xpath(selector if is_xpath else HTMLTranslator().css_to_xpath(selector))
    return found if isinstance(found, list) else [found]


def rights(redesign: Redesign, name: str, row: str, proposals: dict[str, Proposal]) -> Iterator[bool]:
    """Yield for each row of all pages whether a proposal finds what the lost selector found before."""
    new_row = proposals[row].selector if row in proposals else row
    for (_, before), (_, after) in zip(redesign.later or redesign.pages, redesign.after(), strict=True):
        old = found_by(row, html.document_fromstring(before))
        new = found_by(new_row, html.document_fromstring(after))
        for one, other in zip(old, new, strict=True):
            values, new_values = found_by(name, one), found_by(proposals[name].selector, other)
            if isinstance(values[0], str):
                yield key(values[0]) == key(new_values[0])
            else:  # rows
                yield len(values) == len(new_values)


@pytest.mark.parametrize("redesign", REDESIGNS, ids=lambda one: one.name)
def test_a_lost_selector_gets_the_right_proposal_or_none(redesign: Redesign) -> None:
    proposals = proposed(redesign)
    for name, row in redesign.lost.items():
        assert proposals[name].selector
        assert all(rights(redesign, name, row, proposals))
    assert set(redesign.gone) == {name for name, one in proposals.items() if not one.selector}
