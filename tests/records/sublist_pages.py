"""Ten pages of our own with lists inside records, in the markup of several systems, labelled with their items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tests.records.pages import page, sentence

#: The number of items of each record: some have none, some one.
COUNTS: Final = (3, 1, 0, 2, 4, 1, 2, 3, 0, 2)


@dataclass(frozen=True)
class SublistPage:
    """A page with lists in its records.

    :ivar record: the markup of a record: ``@`` is its number, ``#`` a sentence, ``{}`` its items.
    :ivar item: the markup of an item: ``@`` is its text.
    :ivar between: what separates items.
    :ivar around: the markup around the items; records without items have none of it.
    """

    name: str
    record: str
    item: str
    between: str = ""
    around: str = "{}"

    @property
    def labels(self) -> list[list[str]]:
        """The texts of the items of each record."""
        return [[f"part {number} {place}" for place in range(count)] for number, count in enumerate(COUNTS)]

    @property
    def html(self) -> str:
        records = []
        for number, texts in enumerate(self.labels):
            items = self.between.join(self.item.replace("@", text) for text in texts)
            inner = self.around.replace("{}", items) if texts else ""
            record = self.record.replace("@", str(number)).replace("#", sentence(number))
            records.append(record.replace("{}", inner))
        return page("".join(records))


PAGES: Final = (
    SublistPage(
        "WordPress: tags of a post",
        "<article class='post'><h2 class='entry-title'><a href='/p/@'>Post @</a></h2><p>#</p>"
        "<footer class='entry-meta'>{}</footer></article>",
        "<a href='/tag' rel='tag'>@</a>",
        ", ",
        "<span class='tags-links'>{}</span>",
    ),
    SublistPage(
        "Shopify: variants of a product",
        "<li class='grid__item'><div class='card'><h3><a href='/products/@'>Desk @</a></h3><p>#</p>{}"
        "<span class='price'>£@9.00</span></div></li>",
        "<li class='variant'>@</li>",
        around="<ul class='card__variants'>{}</ul>",
    ),
    SublistPage(
        "Discourse: tags of a topic",
        "<tr class='topic-list-item'><td class='main-link'><a class='title' href='/t/@'>Topic @</a><p>#</p>{}</td>"
        "<td class='posts'>@7</td></tr>",
        "<a class='discourse-tag' href='/tag'>@</a>",
        around="<div class='discourse-tags'>{}</div>",
    ),
    SublistPage(
        "GitHub: topics of a repository",
        "<div class='Box-row'><h3><a href='/r/@'>owner/name@</a></h3><p>#</p>{}<span class='stars'>@1</span></div>",
        "<a class='topic-tag' href='/topics'>@</a>",
        " ",
        "<div class='topics-row'>{}</div>",
    ),
    SublistPage(
        "Drupal: terms of a node",
        "<div class='views-row'><h2 class='node__title'><a href='/node/@'>Node @</a></h2>"
        "<div class='field--body'>#</div>{}</div>",
        "<div class='field__item'><a href='/term'>@</a></div>",
        around="<div class='field--tags'><div class='field__items'>{}</div></div>",
    ),
    SublistPage(
        "Bootstrap: badges of a card",
        "<div class='card'><h5 class='card-title'>Card @</h5><p class='card-text'>#</p><p>{}</p></div>",
        "<span class='badge'>@</span>",
        " ",
    ),
    SublistPage(
        "search results: sitelinks",
        "<div class='g'><a href='/r/@'><h3>Result @</h3></a><span class='st'>#</span>{}</div>",
        "<li><a href='/s'>@</a></li>",
        around="<ul class='sitelinks'>{}</ul>",
    ),
    SublistPage(
        "recipes: ingredients",
        "<article class='recipe'><h2><a href='/r/@'>Recipe @</a></h2><p class='about'>#</p>{}</article>",
        "<li itemprop='recipeIngredient'>@</li>",
        around="<ul class='ingredients'>{}</ul>",
    ),
    SublistPage(
        "a library: authors of a book",
        "<div class='result'><div class='title'><a href='/b/@'>Book @</a></div><div class='authors'>{}</div>"
        "<div class='abstract'>#</div></div>",
        "<a class='author' href='/a'>@</a>",
        "; ",
    ),
    SublistPage(
        "a forum: answers below a question",
        "<section class='question'><h3><a href='/q/@'>Question @</a></h3><div class='body'>#</div>{}</section>",
        "<div class='answer'><p>@</p></div>",
        around="<div class='answers'>{}</div>",
    ),
)
