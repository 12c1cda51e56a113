"""What is called on a page after pruning, and on the figures of a crawl, for :mod:`benchmarks.growth`."""

from __future__ import annotations

import pickle
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from scrapy import FormRequest, Spider
from scrapy.exceptions import ContractFail
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

from scrapy_tps import extract_records, prune_response
from scrapy_tps.contracts import FindsContract, KeepsContract
from scrapy_tps.report.page_view import account_json, account_text, render_prunings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy.http import Response

_SETTINGS: Final = {"TPS_MAX_BYTES": 10**9}


class _Checked(Spider):
    name = "checked"

    def parse(self, response: Response) -> None:
        response.css("p")


def pruned(body: bytes) -> Any:
    """Return a page that nothing has read so far."""
    response = HtmlResponse("https://a.example/", body=body, encoding="utf-8")
    return prune_response(response, _SETTINGS)


def _form(page: Any) -> None:
    with suppress(ValueError), warnings.catch_warnings():  # most pages have none
        warnings.simplefilter("ignore")  # newer Scrapy advises another library
        FormRequest.from_response(page)


def _keeps(selector: str) -> Callable[[Any], None]:
    contract = KeepsContract(_Checked().parse, selector)

    def check(page: Any) -> None:
        with suppress(ContractFail):
            contract.pre_process(page)

    return check


def _finds(page: Any) -> None:
    spider = _Checked()
    contract = FindsContract(spider.parse)
    with suppress(ContractFail):
        contract.pre_process(page)
        spider.parse(page)
        contract.post_process([])


ON_PAGES: Final[Mapping[str, Callable[[Any], object]]] = {
    "body": lambda page: page.body,
    "text": lambda page: page.text,
    "original": lambda page: page.original.css("p"),
    "css": lambda page: page.css("p").getall(),
    "css, texts": lambda page: page.css("body *::text").getall(),
    "css, nothing": lambda page: page.css(".none").getall(),
    "xpath, own texts": lambda page: page.xpath("//body/text()").getall(),
    "xpath, string": lambda page: page.xpath("string(//body)").get(),
    "links": lambda page: LinkExtractor().extract_links(page),
    "form": _form,
    "replace": lambda page: page.replace(encoding="latin1"),
    "pickle": lambda page: pickle.loads(pickle.dumps(page)),
    "regions": lambda page: page.tps.regions,
    "removed": lambda page: page.tps.removed(),
    "html": lambda page: page.tps.html,
    "markdown": lambda page: page.tps.markdown(),
    "markdown, records": lambda page: page.tps.markdown(records=True),
    "records": lambda page: page.tps.records(),
    "extract_records": lambda page: extract_records(page.original.body),
    "tps_keeps": _keeps("p"),
    "tps_keeps, nothing": _keeps(".none"),
    "tps_finds": _finds,
    "view": lambda page: render_prunings([page.tps], records=True),
    "account, text": lambda page: account_text(page.tps),
    "account, JSON": lambda page: account_json(page.tps),
}


def _texts(page: Any) -> list[tuple[str | None, str | None]]:
    return [(element.text, element.tail) for element in page.tps.root.iter()]


#: The same by lxml alone, on the tree of the page.
LXML_ALONE: Final[Mapping[str, Callable[[Any], object]]] = {
    "css, texts": lambda page: page.tps.root.xpath("//body//text()"),
    "xpath, own texts": lambda page: page.tps.root.xpath("//body/text()"),
    "markdown": _texts,
    "markdown, records": _texts,
}
