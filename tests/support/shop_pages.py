"""Pages of a made-up shop, as every strategy prunes them: a long uniform listing between two menus."""

from __future__ import annotations

PRODUCTS = 24
MENU = 40


def menu(name: str, size: int = MENU, start: int = 0) -> str:
    """A menu of links to ``/category/…``, two levels deep."""
    entries = "".join(
        f'<li class="menu-item"><a class="menu-link" href="/category/{number}">Category {number}</a></li>'
        for number in range(start, start + size)
    )
    return f'<nav class="{name}"><ul class="menu-list">{entries}</ul></nav>'


def product(number: int) -> str:
    return (
        f'<div class="product"><h2 class="title"><a href="/product/{number}">Product {number}</a></h2>'
        f'<p class="text">Product {number} is made of solid oak and comes with a warranty of two years.</p>'
        f'<span class="price">{number}.99</span><span class="stock">in stock</span></div>'
    )


def listing(page: int = 1, *, head: str = "", top: str = "", products: int = PRODUCTS, last: int = 3) -> str:
    """A listing page; `head` goes into its head, `top` into the region above the listing.

    The top menu alone links to ``/only/…``.
    """
    first = (page - 1) * products
    found = "".join(product(number) for number in range(first + 1, first + products + 1))
    following = f'<a class="next" rel="next" href="/shop?page={page + 1}">Next</a>' if page < last else ""
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Shop, page {page}</title>{head}</head>'
        f'<body><header class="top"><a class="only" href="/only/{page}">Only here</a>{top}{menu("mega")}</header>'
        f'<main class="content"><div class="products">{found}</div>'
        f'<div class="pagination">{following}</div></main>'
        f'<footer class="bottom">{menu("foot", 12, 100)}</footer></body></html>'
    )


def detail(number: int) -> str:
    rows = "".join(
        f"<tr><th>Property {row}</th><td>Value {row} of product {number}</td></tr>" for row in range(30)
    )
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Product {number}</title></head><body>'
        f'<header class="top">{menu("mega")}</header><main><h1>Product {number}</h1>'
        f'<span class="price">{number}.99</span><table class="data">{rows}</table></main>'
        f'<footer class="bottom">{menu("foot", 12, 100)}</footer></body></html>'
    )
