from __future__ import annotations

import asyncio
import pickle
import re
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request, Spider
from scrapy.http import HtmlResponse, JsonResponse, Response, TextResponse, XmlResponse
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.misc import build_from_crawler
from scrapy.utils.test import get_crawler

from scrapy_tps.downloadermiddlewares.pruning import THREAD_BYTES, TpsMiddleware
from scrapy_tps.engine.pruned_page import page_of
from scrapy_tps.engine.strategies.paper import PaperStrategy
from scrapy_tps.response import PrunedHtmlResponse, PrunedMixin
from tests.support.shop_pages import PRODUCTS, listing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.engine.strategies import Selection

URL = "http://www.shop.example/"


class Broken(PaperStrategy):
    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:
        raise AttributeError("no luck")


class Threads:
    """Remembers in which threads it ran; long pages wait for a short one."""

    size_ratio = 0.2

    def __init__(self) -> None:
        self.names: list[str] = []
        self.short_is_done = threading.Event()

    def select(self, sequence: TagPathSequence, size_ratio: float, settings: PageSettings) -> Selection:
        self.names.append(threading.current_thread().name)
        if len(sequence) > 1000:
            assert self.short_is_done.wait(10)
        return PaperStrategy().select(sequence, size_ratio, settings)


PADDING = b" " * THREAD_BYTES
LONG = listing(products=200).encode() + PADDING


class StubbornResponse(HtmlResponse):
    """A class that can't be combined with another."""

    def __init_subclass__(cls) -> None:
        raise RuntimeError("final")


def middleware(settings: Mapping[str, Any] | None = None) -> TpsMiddleware:
    crawler = get_crawler(Spider, {"TPS_STRATEGY": "paper", **(settings or {})})
    crawler.spider = crawler.spidercls.from_crawler(crawler, name="shop")
    return build_from_crawler(TpsMiddleware, crawler)


def stats(one: TpsMiddleware) -> dict[str, Any]:
    assert one.crawler.stats is not None
    return {f"tps/{name}": number for name, number in one.figures.total.items()}


def shop(cls: type[Any] = HtmlResponse, url: str = URL, **kwargs: Any) -> Any:
    return cls(url, **{"body": listing().encode(), "encoding": "utf-8", **kwargs})


def process(one: TpsMiddleware, response: Response, **request: Any) -> Any:
    return asyncio.run(one.process_response(Request(response.url, **request), response))


def test_page_is_pruned_and_counted() -> None:
    one = middleware()
    response = process(one, shop())
    assert isinstance(response, PrunedHtmlResponse)
    assert len(response.css(".product")) == PRODUCTS
    assert "<nav" not in response.text
    found = stats(one)
    assert found["tps/outcome/pruned"] == found["tps/pages"] == 1
    assert found["tps/microseconds"] > 0


class WaitingStrategy(PaperStrategy):
    """Waits for a third of a second, without working."""

    def select(self, *args: Any) -> Any:
        time.sleep(0.3)
        return super().select(*args)


class WorkingStrategy(PaperStrategy):
    """Works for a tenth of a second."""

    def select(self, *args: Any) -> Any:
        end = time.thread_time() + 0.1
        while time.thread_time() < end:
            pass
        return super().select(*args)


@pytest.mark.parametrize("padding", [b"", PADDING], ids=["reactor", "thread"])
def test_the_time_of_a_page_is_the_work_of_its_thread(padding: bytes) -> None:
    body = listing().encode() + padding
    waiting = middleware({"TPS_STRATEGY": WaitingStrategy()})
    process(waiting, shop(body=body))
    assert stats(waiting)["tps/outcome/pruned"] == 1
    assert 0 < stats(waiting)["tps/microseconds"] < 300_000
    working = middleware({"TPS_STRATEGY": WorkingStrategy()})
    process(working, shop(body=body))
    assert stats(working)["tps/microseconds"] >= 100_000


def test_requests_of_scrapy_itself_are_left_alone() -> None:
    one = middleware()
    response = shop()
    assert process(one, response, callback=NO_CALLBACK) is response
    assert stats(one) == {}


@pytest.mark.parametrize("cls", [Response, TextResponse, XmlResponse, JsonResponse])
def test_other_content_types_are_left_alone(cls: type[Response]) -> None:
    one = middleware()
    response = cls(URL, body=listing().encode())
    assert process(one, response) is response
    assert stats(one) == {}


def test_page_that_was_here_before_is_left_alone() -> None:
    one = middleware()
    response = process(one, shop())
    assert process(one, response) is response
    assert stats(one)["tps/pages"] == 1


@pytest.mark.parametrize(
    ("settings", "status", "outcome"),
    [
        ({}, 200, "pruned"),
        ({}, 404, "excluded"),
        ({}, 203, "excluded"),
        ({"TPS_STATUS_CODES": "200,404"}, 404, "pruned"),
        ({"TPS_STATUS_CODES": [404]}, 200, "excluded"),
    ],
)
def test_status_codes(settings: dict[str, Any], status: int, outcome: str) -> None:
    response = process(middleware(settings), shop(status=status))
    assert response.tps.outcome == outcome
    assert response.status == status
    if outcome == "excluded":
        assert response.tps.excluded_by == "TPS_STATUS_CODES"
        assert response.body == listing().encode()


def test_meta_key_switches_a_page_off() -> None:
    one = middleware()
    response = process(one, shop(), meta={"tps": False})
    assert response.tps.outcome == "excluded"
    assert response.body == listing().encode()
    assert len(response.css("nav")) == 2
    assert response.tps.excluded_by == "Request.meta['tps']"
    assert stats(one)["tps/outcome/excluded"] == stats(one)["tps/excluded/Request.meta"] == 1


def test_meta_key_overrides_settings() -> None:
    response = process(middleware(), shop(), meta={"tps": {"TPS_KEEP": "nav.mega", "TPS_LINKS": "pruned"}})
    assert [nav.attrib["class"] for nav in response.css("nav")] == ["mega"]
    assert page_of(response.tps).settings.links == "pruned"


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        ({"TPS_SIZE_RATIO": 7}, r"Request.meta\['tps'\].*TPS_SIZE_RATIO is 7"),
        ({"TPS_STRATEGI": "paper"}, "TPS_STRATEGI is not a setting of scrapy-tps; did you mean TPS_STRATEGY"),
        ({"TPS_REPORT": "a.csv"}, "TPS_REPORT applies to a whole crawl only"),
        ("yes", "'yes'; allowed: True, False or a mapping"),
    ],
)
def test_wrong_meta_key_is_an_error_that_costs_no_page(
    meta: Any, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    one = middleware()
    response = process(one, shop(), meta={"tps": meta})
    assert response.tps.outcome == "error"
    assert response.body == listing().encode()
    assert stats(one)["tps/outcome/error"] == 1
    (warning,) = [record for record in caplog.records if record.levelname == "WARNING"]
    assert re.search(message, warning.getMessage())


def test_errors_are_logged_once_per_site(caplog: pytest.LogCaptureFixture) -> None:
    one = middleware({"TPS_STRATEGY": Broken})
    for url in (URL, URL, "http://other.example/"):
        response = process(one, shop(url=url))
        assert response.tps.outcome == "error"
        assert response.tps.error == "AttributeError: no luck"
        assert response.body == listing().encode()
        assert len(response.css("nav")) == 2
    assert stats(one)["tps/outcome/error"] == 3
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert len(warnings) == 2
    assert (
        "http://www.shop.example/ was not pruned because pruning failed: AttributeError: no luck"
        in warnings[0]
    )


def test_class_that_cannot_be_combined_costs_no_page(caplog: pytest.LogCaptureFixture) -> None:
    one = middleware()
    response = shop(StubbornResponse)
    assert process(one, response) is response
    assert stats(one)["tps/outcome/error"] == 1
    assert "RuntimeError: final" in caplog.text


def test_domains() -> None:
    one = middleware(
        {
            "TPS_FALLBACK": False,
            "TPS_DOMAINS": {
                "Shop.example": {"TPS_KEEP": "nav.foot"},
                "www.shop.example": {"TPS_KEEP": "nav.mega"},
                "off.example": False,
                "bücher.example": False,
            },
        }
    )
    navs = {
        host: [nav.attrib["class"] for nav in process(one, shop(url=f"http://{host}/")).css("nav")]
        for host in ("shop.example", "www.shop.example", "a.b.shop.example", "myshop.example")
    }
    assert navs == {
        "shop.example": ["foot"],
        "www.shop.example": ["mega"],
        "a.b.shop.example": ["foot"],
        "myshop.example": [],
    }
    off = process(one, shop(url="http://a.off.example:8000/"))
    assert (off.tps.outcome, off.tps.excluded_by) == ("excluded", "TPS_DOMAINS['off.example']")
    assert pickle.loads(pickle.dumps(off)).tps.excluded_by == off.tps.excluded_by
    assert stats(one)["tps/excluded/TPS_DOMAINS"] == 1
    assert process(one, shop(url="http://xn--bcher-kva.example./")).tps.outcome == "excluded"


def test_all_domains_but_one() -> None:
    one = middleware({"TPS_DOMAINS": {"*": False, "on.example": True}})
    assert process(one, shop(url="http://on.example/")).tps.outcome == "pruned"
    assert process(one, shop(url="http://any.example/")).tps.outcome == "excluded"


def test_meta_key_wins_over_domain() -> None:
    one = middleware({"TPS_DOMAINS": {"shop.example": False}})
    assert process(one, shop(), meta={"tps": True}).tps.outcome == "pruned"


def test_switched_off_altogether_it_prunes_no_domain_and_counts_nothing() -> None:
    one = middleware({"TPS_ENABLED": "no", "TPS_DOMAINS": {"shop.example": True}})
    page = process(one, shop(), meta={"tps": True})
    assert (page.tps.outcome, page.tps.excluded_by) == ("excluded", "TPS_ENABLED")
    one.process_exception(Request("http://shop.example/"), OSError())
    assert not one.figures.total


def test_large_pages_are_pruned_in_threads_and_counted_as_they_finish() -> None:
    strategy = Threads()
    meta = {"tps": {"TPS_STRATEGY": strategy}}
    one = middleware()
    order: list[str] = []

    async def both() -> None:
        async def fetch(url: str, body: bytes) -> PrunedMixin:
            response: Any = await one.process_response(Request(url, meta=meta), shop(url=url, body=body))
            order.append(url)
            if body is not LONG:
                strategy.short_is_done.set()
            return response

        first, second = await asyncio.gather(
            fetch("http://a.example/1", LONG), fetch("http://a.example/2", listing().encode() + PADDING)
        )
        assert first.tps.pruned
        assert second.tps.pruned

    asyncio.run(both())
    assert len(set(strategy.names)) == 2
    assert threading.main_thread().name not in strategy.names
    assert order == ["http://a.example/2", "http://a.example/1"]
    assert {site: figures.pruned for site, figures in one.figures.sites()} == {"a.example": 2}


def test_small_pages_are_pruned_where_they_are() -> None:
    strategy = Threads()
    process(middleware(), shop(), meta={"tps": {"TPS_STRATEGY": strategy}})
    assert strategy.names == [threading.main_thread().name]


def test_page_larger_than_the_limit_is_not_even_decoded() -> None:
    class Watched(HtmlResponse):
        @property
        def encoding(self) -> str:
            raise AssertionError

    response = process(middleware({"TPS_MAX_BYTES": 1000}), shop(Watched, encoding=None))
    assert response.tps.outcome == "too_large"
    assert response.body == listing().encode()


def test_binary_body_is_not_decoded_either() -> None:
    class Watched(HtmlResponse):
        @property
        def encoding(self) -> str:
            raise AssertionError

    body = b"\x1f\x8b\x08" + b"<p>x</p>" * 1000
    response = process(middleware(), shop(Watched, body=body, encoding=None))
    assert response.tps.outcome == "not_html"
    assert response.body == body


NO_ENCODINGS = ["hex", "base64", "quopri", "uu", "bz2", "zlib", "rot13", "idna", "punycode", "undefined"]


@pytest.mark.parametrize("declared", ["header", "meta"])
@pytest.mark.parametrize("charset", NO_ENCODINGS)
def test_charset_that_names_a_codec_of_no_pages_counts_for_none(charset: str, declared: str) -> None:
    body = listing().replace("solid oak", "Größe")
    header = "text/html" if declared == "meta" else f"text/html; charset={charset}"
    body = body.replace('<meta charset="utf-8">', f"<meta charset={charset}>" if declared == "meta" else "")
    for settings in ({}, {"TPS_ENABLED": False}, {"TPS_MIN_NODES": 10_000}):
        page = shop(body=body.encode(), encoding=None, headers={"Content-Type": header})
        response = process(middleware(), page, meta={"tps": settings})
        assert response.tps.outcome == ("pruned" if not settings else response.tps.outcome) != "error"
        assert "Größe" in response.css("p.text::text").get()
        assert "Größe" in response.text
        assert response.original.text == body
        assert "Größe" in response.copy().text
        assert response.follow("/ä").url == "http://www.shop.example/%C3%A4"


def test_cancelled_download_is_cancelled() -> None:
    strategy = Threads()
    one = middleware()

    async def cancel() -> None:
        request = Request(URL, meta={"tps": {"TPS_STRATEGY": strategy}})
        task = asyncio.ensure_future(one.process_response(request, shop(body=LONG)))
        await asyncio.sleep(0.05)
        task.cancel()
        strategy.short_is_done.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert stats(one) == {}
