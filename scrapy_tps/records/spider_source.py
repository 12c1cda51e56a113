"""The source of a spider for a list of records: row selector, fields by role, next page and contracts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from scrapy_tps.records.record_selectors import region_selectors

if TYPE_CHECKING:
    from scrapy_tps.records.record_selectors import ColumnSelector
    from scrapy_tps.records.regions import DataRegion

_SOURCE: Final = '''\
import scrapy


def text(strings):
    return " ".join(" ".join(strings).split()) or None


def address(response, link):
    return response.urljoin(link.strip()) if link else None


class {class_name}(scrapy.Spider):
    """The list of {records} records at {url}; made by scrapy tps-records --new-spider."""

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
#: How the results of a selector make a value.
_READINGS: Final = {"first": "text({}.getall()[:1])", "joined": "text({}.getall())", "list": "{}.getall()"}
_OF_ADDRESSES: Final = "%/:?#[]@!$&'()*+,;=~-._"
_INDENT: Final = " " * 16


def spider_source(region: DataRegion, url: str, name: str) -> str | None:
    """Return the source of a spider; None if no selector selects exactly these records.

    :param url: the address of the page on which the list was found.
    :param name: the name of the spider, an identifier.
    """
    selectors = region_selectors(region)
    url = quote(url, safe=_OF_ADDRESSES)  # it cannot end a string of the source
    if selectors.record is None or not selectors.exact:
        return None
    fields = [
        f"{_INDENT}{column.key!r}: {_code(selectors.columns[column.key], is_address=column.attribute is not None)},"
        for column in region.columns
        if column.key in selectors.columns
    ]
    return _SOURCE.format(
        class_name=_class_name(name),
        name=name,
        url=url,
        records=len(region.records),
        row=selectors.record,
        fields="\n".join(fields),
    )


def spider_name(text: str) -> str:
    """Return a name of a spider as it is; raise ``ValueError`` if it is none."""
    if not re.fullmatch(r"[A-Za-z][\w.-]*", text, re.ASCII):
        raise ValueError(text)
    return text


def _code(selector: ColumnSelector, *, is_address: bool) -> str:
    code = f"record.css({selector.css!r})"
    if is_address:
        return f"address(response, {code}.get())"
    return _READINGS[selector.reading].format(code)


def _class_name(name: str) -> str:
    words = re.findall(r"[A-Za-z0-9]+", name)
    return "".join(word[:1].upper() + word[1:] for word in words) + "Spider"
