"""shop.example: a grid of products with filters, a mega-menu and advertisements between the records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any

from demo.sites.base import Site, chunk, links, slug

PAGE_SIZE = 12
LISTING = "/c/headphones"


class Shop(Site):
    host = "shop.example"

    def page(self, path: str, query: Mapping[str, str]) -> str | None:
        if path == LISTING:
            return self._listing(query)
        for product in self.data["products"]:
            if path == f"/p/{product['slug']}":
                return self._product(product)
        return None

    def _layout(self, title: str, main: str, structured: object) -> str:
        recent = self.data["products"][::5]
        return self.fill(
            "layout",
            {"title": title},
            menu="".join(self._department(name, groups) for name, groups in self.data["menu"].items()),
            main=main,
            structured=json.dumps(structured),
            recent=self.fill_each("mini", map(priced, recent)),
            stores=links(self.data["stores"], "/stores/"),
            help=links(self.data["help"], "/help/"),
            categories=links(
                (
                    text
                    for groups in self.data["menu"].values()
                    for texts in groups.values()
                    for text in texts
                ),
                "/c/",
            ),
        )

    def _department(self, name: str, groups: Mapping[str, list[str]]) -> str:
        columns = (
            self.fill("menu_column", {"name": group}, links=links(texts, "/c/", MENU_LINK))
            for group, texts in groups.items()
        )
        return self.fill("menu", {"name": name, "slug": slug(name)}, columns="".join(columns))

    def _listing(self, query: Mapping[str, str]) -> str:
        products, number, pages = chunk(self.data["products"], query, PAGE_SIZE)
        cards = []
        for position, product in enumerate(products):
            cards.append(self._card(product, position))
            if position % 5 == 3:
                cards.append(self.fill("advertisement", {"id": f"ad-{number}-{position}"}))
        facets = "".join(
            self.fill(
                "facet",
                {"name": name},
                options="".join(
                    self.fill(
                        "option", {"name": option, "id": slug(f"{name} {option}"), "count": 3 + 7 * at % 41}
                    )
                    for at, option in enumerate(options)
                ),
            )
            for name, options in self.data["facets"].items()
        )
        numbers = "".join(
            f'<li><a class="px-3 py-2 rounded-md text-sm{" bg-slate-900 text-white" if n == number else ""}" '
            f'href="{LISTING}?page={n}">{n}</a></li>'
            for n in range(1, pages + 1)
        )
        following = NEXT.format(url=f"{LISTING}?page={number + 1}") if number < pages else ""
        main = self.fill(
            "listing",
            {"total": len(self.data["products"]), "number": number, "pages": pages},
            cards="".join(cards),
            facets=facets,
            numbers=numbers,
            next=following,
        )
        return self._layout("Headphones", main, {"@context": "https://schema.org", "@type": "ItemList"})

    def _card(self, product: dict[str, Any], position: int) -> str:
        hue = int(product["sku"][3:]) % 360
        return self.fill(
            "card",
            priced(product) | {"hue": hue, "number": product["sku"][3:]},
            badge=optional(BADGE, product["badge"]),
            was=optional(WAS, product["was_price"] and f"{product['was_price']:,.2f}"),
            stars=self.fill("stars", product) if product["rating"] else "",
            loading="lazy" if position > 3 else "eager",
        )

    def _product(self, product: dict[str, Any]) -> str:
        rows = "".join(
            f'<tr class="odd:bg-slate-50"><th scope="row" class="py-2 pr-6 text-left">{escape(name)}</th>'
            f'<td class="py-2">{escape(value)}</td></tr>'
            for name, value in product["specifications"].items()
        )
        related = [
            one for one in self.data["products"] if one["brand"] == product["brand"] and one is not product
        ]
        main = self.fill(
            "product",
            priced(product),
            was=optional(WAS, product["was_price"] and f"{product['was_price']:,.2f}"),
            paragraphs="".join(f"<p>{escape(text)}</p>" for text in product["description"]),
            colours="".join(COLOUR.format(name=escape(name), id=slug(name)) for name in product["colours"]),
            rows=rows,
            related=self.fill_each("mini", map(priced, related)),
        )
        offer = {"@type": "Offer", "price": product["price"], "priceCurrency": "GBP"}
        structured = {
            "@context": "https://schema.org",
            "@type": "Product",
            "sku": product["sku"],
            "offers": offer,
        }
        return self._layout(product["name"], main, structured)


MENU_LINK = '<li><a class="block py-1 text-sm text-slate-600 hover:underline" href="{url}">{text}</a></li>'
BADGE = '<span class="badge absolute left-2 top-2 rounded bg-amber-300 px-2 text-xs font-bold">{}</span>'
WAS = '<s class="was-price ml-2 text-sm text-slate-400">£{}</s>'
COLOUR = (
    '<li><label class="flex items-center gap-1"><input type="radio" name="colour" value="{id}">'
    '<span class="colour-name">{name}</span></label></li>'
)
NEXT = '<li><a rel="next" class="next px-3 py-2 text-sm font-medium" href="{url}">Next page</a></li>'


def priced(product: dict[str, Any]) -> dict[str, Any]:
    """Return the product with its price in the format of shops."""
    return product | {"price": f"{product['price']:,.2f}"}


def optional(template: str, value: object) -> str:
    """Return the template filled with the escaped value, or an empty text if there is no value."""
    return template.format(escape(str(value))) if value else ""
