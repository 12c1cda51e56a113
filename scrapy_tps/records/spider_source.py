"""The source of a spider for a list of records: row selector, fields by role, next page and contracts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from scrapy_tps.records.record_selectors import region_selectors

if TYPE_CHECKING:
    from scrapy_tps.records.regions import DataRegion

_SOURCE: Final = '''\
import scrapy


def text(strings):
    return " ".join(" ".join(strings).split()) or None


def address(response, links):
    return " ".join(response.urljoin(link.strip()).replace(" ", "%20") for link in links) or None


class RecordSpider(scrapy.Spider):
    """The list of {records} records at {url}; made by scrapy tps-records --spider."""

    name = {name!r}
    start_urls = [{url!r}]
    custom_settings = {{"ADDONS": {{"scrapy_tps.Addon": 500}}}}

    def parse(self, response):
        """Yield the records, then the request for the next page.

        @url {url}
        @returns items {records}
        @tps_finds {row}
        """
        for record in response.css({row!r}):
            yield {{
{fields}
            }}
        if (page := response.tps.next_page()) is not None:
            yield response.follow(page)
'''
#: How the results of a selector make a text, or an address.
_TEXTS: Final = {"first": "text({}.getall()[:1])", "joined": "text({}.getall())", "list": "{}.getall()"}
_ADDRESSES: Final = {
    "first": "address(response, {}.getall()[:1])",
    "joined": "address(response, {}.getall())",
}
_OF_ADDRESSES: Final = "%/:?#[]@!$&'()*+,;=~-._"
_INDENT: Final = " " * 16


def spider_source(region: DataRegion, url: str, name: str) -> str | None:
    """Return the source of a spider; None if no selector selects exactly these records.

    :param url: the address of the page on which the list was found.
    :param name: the name of the spider, an identifier.
    """
    selectors = region_selectors(region)
    url = quote(url, safe=_OF_ADDRESSES)  # it cannot end a string of the source
    if not selectors.exact:
        return None
    fields = []
    for column in region.columns:
        selector = selectors.columns.get(column.key)
        if selector is None:
            fields.append(f"{_INDENT}# {column.key}: no selector selects exactly this")
        else:
            readings = _TEXTS if column.attribute is None else _ADDRESSES
            fields.append(f"{_INDENT}{column.key!r}: {readings[selector.reading].format(selector.code)},")
    return _SOURCE.format(
        name=name, url=url, records=len(region.records), row=selectors.record, fields="\n".join(fields)
    )


def is_spider_name(text: str) -> bool:
    """Whether a text can be the name of a new spider."""
    return re.fullmatch(r"[A-Za-z][\w.-]*", text, re.ASCII) is not None
