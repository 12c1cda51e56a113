"""Every generated page by name: which content on which site."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from random import Random

from . import languages, listings, sites, texts
from .page import Content, Page

Maker = Callable[[Random], Page]


def _on(site: Callable[[Random, Content], Page], content: Callable[[Random], Content]) -> Maker:
    return lambda r: site(r, content(r))


GENERATED: Mapping[str, Maker] = {
    "grid-semantic": _on(sites.semantic, listings.grid),
    "grid-ads-per-item-classes": _on(sites.semantic, partial(listings.grid, per_item=True, ads=True)),
    "grid-rich-menu": _on(sites.rich_menu, partial(listings.grid, count=6)),
    "grid-consent-wall": _on(sites.consent_wall, partial(listings.grid, count=8)),
    "grid-utility-soup": _on(sites.utility_soup, listings.div_cards),
    "grid-load-more": _on(sites.utility_soup, listings.load_more),
    "grid-large": _on(sites.bootstrap, partial(listings.grid, count=60)),
    "rows-old-tables": _on(sites.tables, listings.table_rows),
    "rows-two-per-record": _on(sites.tables, listings.double_rows),
    "rows-few-old-tables": _on(sites.tables, partial(listings.table_rows, count=2)),
    "results-mixed": _on(sites.bootstrap, listings.results),
    "results-semantic": _on(sites.semantic, listings.results),
    "results-two": _on(sites.bootstrap, listings.few_results),
    "results-two-semantic": _on(sites.semantic, listings.few_results),
    "results-one": _on(sites.bootstrap, partial(listings.few_results, count=1)),
    "results-in-form": _on(sites.one_form, listings.selectable),
    "catalogue-form": _on(sites.bootstrap, listings.selectable),
    "jobs-hashed-classes": _on(sites.hashed_classes, listings.hashed_cards),
    "front-page": _on(sites.semantic, listings.teasers),
    "front-page-soup": _on(sites.utility_soup, listings.teasers),
    "columns-parallel": _on(sites.bootstrap, listings.columns),
    "columns-in-boxes": _on(sites.semantic, partial(listings.columns, deep=True)),
    "columns-rich-menu": _on(sites.rich_menu, partial(listings.columns, count=3, deep=True)),
    "table-statistics": _on(sites.bootstrap, listings.data_table),
    "table-one-form": _on(sites.one_form, listings.aspnet_grid),
    "calendar": _on(sites.semantic, listings.calendar),
    "definitions": _on(sites.weblog, listings.definitions),
    "definitions-old": _on(sites.tables, listings.definitions),
    "directory-nested": _on(sites.tables, listings.directory),
    "directory-semantic": _on(sites.semantic, listings.directory),
    "comments-nested": _on(sites.weblog, listings.comment_tree),
    "thread-old": _on(sites.tables, listings.posts),
    "thread-question": _on(sites.bootstrap, listings.question),
    "tabs-hidden": _on(sites.bootstrap, listings.tabs),
    "blog-front": _on(sites.weblog, listings.whole_articles),
    "homes-carousels": _on(sites.semantic, listings.carousel_cards),
    "homes-hashed-site": _on(sites.hashed_classes, listings.carousel_cards),
    "unclosed-tags": _on(sites.bare, listings.unclosed),
    "article-weblog": _on(sites.weblog, texts.article),
    "article-boxes": _on(sites.semantic, partial(texts.article, boxes=True)),
    "article-soup": _on(sites.utility_soup, texts.article),
    "article-consent-wall": _on(sites.consent_wall, texts.article),
    "article-line-breaks": _on(sites.tables, texts.plain_text),
    "article-streamed": _on(sites.bare, texts.streamed),
    "article-encyclopedia": _on(sites.bootstrap, texts.encyclopedia),
    "recipe": _on(sites.weblog, texts.recipe),
    "product-tabs": _on(sites.semantic, texts.product),
    "product-soup": _on(sites.utility_soup, texts.product),
    "product-one-form": _on(sites.one_form, texts.bare_product),
    "gallery-dialogs": _on(sites.bootstrap, texts.modal_content),
    "manual": _on(sites.bare, texts.manual),
    "landing": _on(sites.semantic, texts.landing),
    "landing-hashed": _on(sites.hashed_classes, texts.landing),
    "no-results": _on(sites.bootstrap, texts.nothing_found),
    "contact": _on(sites.semantic, texts.contact),
    "arabic-cards": lambda r: languages.cards(r, languages.ARABIC),
    "arabic-article": lambda r: languages.story(r, languages.ARABIC),
    "hebrew-headlines": lambda r: languages.dated_links(r, languages.HEBREW),
    "chinese-headlines": lambda r: languages.dated_links(r, languages.CHINESE),
    "chinese-article": lambda r: languages.story(r, languages.CHINESE),
    "japanese-shop": lambda r: languages.cards(r, languages.JAPANESE, encoding="shift_jis"),
    "korean-board": lambda r: languages.board(r, languages.KOREAN),
    "russian-classifieds": lambda r: languages.cards(r, languages.RUSSIAN, count=18, encoding="windows-1251"),
}


def make(name: str) -> Page:
    """Make the page of that name; the same page whenever and wherever it is made."""
    return GENERATED[name](Random(f"scrapy-tps quality {name}"))
