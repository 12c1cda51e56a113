"""Further dependencies of page objects: the account of the pruned page, and the page as downloaded.

For scrapy-poet (the extra ``poet``). The add-on lists :class:`TpsProvider` among the ``SCRAPY_POET_PROVIDERS``; nothing
else of scrapy-tps imports this module.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence  # noqa: TC003 (scrapy-poet reads annotations at run time)
from typing import Any, ClassVar, Final

from scrapy.http import HtmlResponse, Response
from scrapy_poet import PageObjectInputProvider
from web_poet import HttpResponse, HttpResponseHeaders
from web_poet.serialization import register_serialization

from scrapy_tps.engine.outcomes import EXCLUDED, NOT_HTML
from scrapy_tps.engine.pruned_page import Origin, PrunedPage, Pruning, account_data, page_of, restore_account
from scrapy_tps.engine.strategies import Selection
from scrapy_tps.response import PrunedMixin


class OriginalResponse(HttpResponse):
    """The page as downloaded, as a dependency of page objects; ``web_poet.HttpResponse`` is the pruned page.

    Has everything that ``web_poet.HttpResponse`` has. If the page was not pruned, both hold the same.
    """


class TpsProvider(PageObjectInputProvider):
    """Gives page objects and callbacks :class:`scrapy_tps.Pruning` and :class:`OriginalResponse`.

    Pages that did not go through scrapy-tps have an account, too: its outcome is ``excluded``, or ``not_html`` if they
    are not HTML, and they are their own original. Raises ``ValueError`` if the original is requested and
    it was dropped, because no setting needs it.
    """

    provided_classes: ClassVar[set[Callable[..., Any]]] = {Pruning, OriginalResponse}
    #: The name of these dependencies in scrapy-poet's cache.
    name = "scrapy_tps"

    def __call__(self, to_provide: set[Callable[..., Any]], response: Response) -> Sequence[Any]:
        """Return the requested dependencies, made from `response`."""
        made: list[Any] = []
        if Pruning in to_provide:
            made.append(_account(response))
        if OriginalResponse in to_provide:
            made.append(_original(response))
        return made


def _account(response: Response) -> Pruning:
    if isinstance(response, PrunedMixin):
        return response.tps
    outcome = EXCLUDED if isinstance(response, HtmlResponse) else NOT_HTML
    origin = Origin(response.body, response.url, getattr(response, "encoding", None))
    return Pruning(PrunedPage(origin, Selection(outcome)))


def _original(response: Response) -> OriginalResponse:
    page: Any = response.original if isinstance(response, PrunedMixin) else response
    return OriginalResponse(
        url=page.url,
        body=page.body,
        status=page.status,
        headers=HttpResponseHeaders.from_bytes_dict(page.headers),
        encoding=getattr(page, "encoding", None),
    )


# Fixtures (``scrapy savefixture``) and scrapy-poet's cache store the dependencies of page objects in files.


_UTF_8: Final = ("utf-8", "surrogatepass")  # a page given as text may hold any character


def _serialise(o: Pruning) -> dict[str, bytes]:
    account = account_data(o)
    files = {"mask.bin": account.pop("mask")}
    source = page_of(o).origin.source
    account["source"] = None if source is None else type(source).__name__
    if source is not None:
        files["original.html"] = source.encode(*_UTF_8) if isinstance(source, str) else source
    if o.pruned:
        files["pruned.html"] = o.html.encode(*_UTF_8)
    files["account.json"] = json.dumps(account, indent=2).encode()
    return files


def _deserialise(_cls: type[Pruning], data: Mapping[str, bytes]) -> Pruning:
    account = json.loads(data["account.json"])
    source: bytes | str | None = data.get("original.html")
    if isinstance(source, bytes) and account["source"] == "str":
        source = source.decode(*_UTF_8)
    html = data.get("pruned.html")
    return restore_account(
        account | {"mask": data["mask.bin"]},
        source=source,
        html=None if html is None else html.decode(*_UTF_8),
    )


register_serialization(_serialise, _deserialise)
