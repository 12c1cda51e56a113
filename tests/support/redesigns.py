"""Redesigns of the demo sites: each turns their pages into those of the day after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zlib import crc32

from lxml import etree, html

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class RedesignedSite:
    """A demo site whose pages are changed."""

    def __init__(self, site: Any, change: Callable[[Any], None]) -> None:
        self._site = site
        self._change = change

    def page(self, path: str, query: dict[str, str]) -> str | None:
        page = self._site.page(path, query)
        return None if page is None else redesigned(page, self._change)


def redesigned(page: str, change: Callable[[Any], None]) -> str:
    """Return a page after a redesign."""
    root = html.document_fromstring(page)
    change(root)
    return "<!DOCTYPE html>" + etree.tostring(root, method="html", encoding="unicode")


def find(root: Any, css: str) -> Iterator[Any]:
    return iter(root.cssselect(css))


def rename(root: Any, old: str, new: str) -> None:
    """Rename a class, everywhere."""
    for element in find(root, f".{old}"):
        names = element.get("class").split()
        element.set("class", " ".join(new if name == old else name for name in names))


def wrap(element: Any, tag: str, **attributes: str) -> Any:
    """Put an element into a new one."""
    outer = element.makeelement(tag, {name.rstrip("_"): value for name, value in attributes.items()})
    outer.tail, element.tail = element.tail, None
    element.getparent().replace(element, outer)
    outer.append(element)
    return outer


def drop(element: Any) -> None:
    parent, before, tail = element.getparent(), element.getprevious(), element.tail or ""
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    parent.remove(element)


# The redesigns.


def class_renamed(root: Any) -> None:
    rename(root, "price", "product-amount")


def wrapper_added(root: Any) -> None:
    for card in find(root, "ul.products > li"):
        card.tag = "div"
        wrap(card, "li", class_="cell")
    for paragraphs in find(root, "div.description"):
        paragraphs.set("class", "about")


def table_to_grid(root: Any) -> None:
    for table in find(root, "table.specifications"):
        table.tag = "dl"
        table.set("class", "technical-data")
        for row in list(table.iter("tr")):
            row.tag = "div"
            row.find("th").tag = "dt"
            row.find("td").tag = "dd"
            table.append(row)
        drop(table.find("tbody"))


def label_moved(root: Any) -> None:
    for facts in find(root, "dl.css-facts"):
        for row in facts:
            row.insert(0, row.find("dd"))
            row.find("dt").tag = "dd"
            row[0].tag = "dt"


def hashed_classes(root: Any) -> None:
    for element in root.iter(etree.Element):
        names = (element.get("class") or "").split()
        if names:
            element.set("class", " ".join(f"css-{crc32(name.encode()):x}" for name in names))


def columns_moved(root: Any) -> None:
    for row in find(root, "ul.topics > li.row > dl"):
        posts, views = row.find("dd[@class='posts']"), row.find("dd[@class='views']")
        row.insert(1, views)
        row.append(posts)
        for column in row.findall("dd"):
            column.set("class", "column")


def price_split(root: Any) -> None:
    for price in find(root, ".price"):
        whole, _, rest = (price.text or "").partition(".")
        price.text = None
        price.set("class", "cost")
        outer, inner = etree.SubElement(price, "span"), etree.SubElement(price, "sup")
        outer.text, inner.text = whole, f".{rest}"


def attribute_for_text(root: Any) -> None:
    for rating in find(root, ".rating"):
        rating.getparent().set("data-score", rating.text)
        drop(rating)
    for stars in find(root, "[title$='of 5']"):
        del stars.attrib["title"]


def rows_renamed(root: Any) -> None:
    for post in find(root, "div.post"):
        post.tag = "article"
        post.set("class", "message")


def field_gone(root: Any) -> None:
    for element in list(find(root, ".brand")):
        drop(element)
    for element in list(find(root, ".was-price")):
        drop(element)


def page_type_merged(root: Any) -> None:
    for job in find(root, "[data-testid=job]"):
        del job.attrib["data-testid"]
        job.set("class", "css-detail")
        for grid in find(root, ".css-grid"):
            cards = etree.SubElement(grid, "div", {"class": "css-list"})
            for number in range(6):
                card = etree.SubElement(cards, "div", {"class": "css-card"})
                etree.SubElement(card, "a", href=f"/job/{number}").text = f"Another job {number}"
                etree.SubElement(card, "p", {"data-testid": "company"}).text = f"Company {number}"
                etree.SubElement(card, "p", {"data-testid": "location"}).text = "Leeds"


GERMAN = {"Hours": "Arbeitszeit", "Pension": "Rente", "Holiday": "Urlaub", "Start": "Beginn"}


def language_changed(root: Any) -> None:
    root.set("lang", "de")
    for label in root.iter("dt", "h2", "h3", "a", "button", "label"):
        if label.text and label.text.strip():
            label.text = GERMAN.get(label.text.strip(), "Wort " + label.text[::-1])
