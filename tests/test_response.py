from __future__ import annotations

import copy
import gc
import pickle
import re
import weakref
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from scrapy.http import HtmlResponse, Request, Response, TextResponse, XmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.utils.trackref import live_refs

from scrapy_tps.engine.pruned_page import Pruning, account_data
from scrapy_tps.response import PrunedHtmlResponse, PrunedMixin, pruned_class
from scrapy_tps.settings.definitions import page_settings
from tests.support.responses import PAPER, URL, is_pruned_page, page, pruned
from tests.support.shop_pages import listing

needs_to_dict = pytest.mark.skipif(not hasattr(Response, "to_dict"), reason="Scrapy 2.19 and later")


class PluginResponse(HtmlResponse):
    """As another plugin makes them: an attribute of its own, state of its own, a constructor of its own."""

    attributes = (*HtmlResponse.attributes, "raw_api_response")
    __slots__ = ("__hidden", "_slot", "raw_api_response")

    def __init__(self, *args: Any, raw_api_response: dict[str, Any] | None = None, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.raw_api_response = raw_api_response
        self._slot = "slot"
        self.__hidden = "hidden"

    @property
    def hidden(self) -> str:
        return self.__hidden


class StatefulResponse(HtmlResponse):
    """One whose state is not in ``attributes``, and whose constructor wants something of its own."""

    def __init__(self, real_url: str, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.real_url = real_url

    @cached_property
    def first_link(self) -> str | None:
        return self.xpath("//a/@href").get()


def test_the_account_has_few_names_and_all_are_documented() -> None:
    names = {name for name in dir(Pruning) if not name.startswith("_")}
    reference = (Path(__file__).parents[1] / "docs" / "reference" / "response.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| (`[^|]*`) \|", reference.partition("### Outcomes")[0], re.MULTILINE))
    assert {name.rstrip("()") for row in documented for name in re.findall(r"`([^`]+)`", row)} == names
    assert len(names) <= 20


def test_selectors_body_and_text_are_those_of_the_pruned_page() -> None:
    response = pruned()
    assert is_pruned_page(response)
    assert b"<nav" not in response.body
    assert "Product 24" in response.text
    assert "<nav" not in response.text
    assert response.tps.pruned
    assert "tps" in response.flags
    assert (
        HtmlResponse(URL, body=response.body, encoding="utf-8").css("h2").getall()
        == response.css("h2").getall()
    )


def test_tree_of_the_engine_serves_the_selector_without_a_second_parse() -> None:
    response = pruned()
    assert response.selector.root is response.tps.root
    assert response.selector is response.selector
    assert response.selector.response is response


def test_original_is_the_page_as_downloaded_in_its_class() -> None:
    response = page(
        flags=["cached"], request=Request(URL, meta={"a": 1}), cls=PluginResponse, raw_api_response={"a": 1}
    )
    original = pruned(response).original
    assert type(original) is PluginResponse
    assert original.body == response.body
    assert original.encoding == response.encoding
    assert original.flags == ["cached"]
    assert original.meta == {"a": 1}
    assert original.raw_api_response == {"a": 1}
    assert (original._slot, original.hidden) == ("slot", "hidden")
    assert len(original.css("nav")) == 2


def test_original_is_made_once_while_someone_holds_it() -> None:
    response = pruned()
    original = response.original
    assert response.original is original


def test_original_that_was_dropped_is_an_error_that_names_the_setting() -> None:
    response = pruned(settings=page_settings({"TPS_FALLBACK": False, "TPS_LINKS": "pruned"}, PAPER))
    assert response.raw_body is None
    with pytest.raises(ValueError, match="TPS_FALLBACK"):
        _ = response.original
    assert is_pruned_page(response)


def test_page_kept_whole_has_the_same_bytes_and_is_its_own_original() -> None:
    raw = "<html><p>few\x00 ä</p>".encode("cp1252")
    response = pruned(page(raw, headers={"Content-Type": "text/html"}))
    assert not response.tps.pruned
    assert response.body == raw
    assert response.original is response
    assert response.flags == []
    assert response.css("p").getall() == page(raw, headers={"Content-Type": "text/html"}).css("p").getall()


def test_page_kept_whole_keeps_what_was_decoded_already() -> None:
    response = page("<p>few")
    text = response.text
    assert pruned(response).text is text


def test_copy_and_replace_stay_pruned() -> None:
    response = pruned()
    for other in (
        response.copy(),
        response.replace(status=201),
        response.replace(url="http://other.example/"),
    ):
        assert isinstance(other, PrunedHtmlResponse)
        assert is_pruned_page(other)
        assert other.body == response.body
        assert other.tps is response.tps
        assert other.original.body == page().body
    assert response.replace(url="http://other.example/").original.url == "http://other.example/"


def test_replaced_body_is_what_was_given() -> None:
    response = pruned().replace(body=b"<p>new</p>")
    assert response.css("p::text").getall() == ["new"]
    assert response.original.body == page().body
    whole = pruned(page("<p>few")).replace(body=b"<p>new</p>")
    assert whole.css("p::text").getall() == ["new"]
    assert whole.original.body == b"<p>few"


@pytest.mark.parametrize("cls", [HtmlResponse, TextResponse, XmlResponse, Response])
def test_replaced_class_gets_the_pruned_body_never_the_original(cls: type[Response]) -> None:
    response = pruned()
    other = response.replace(cls=cls)
    assert type(other) is cls
    assert other.body == response.body
    assert other.status == 200
    assert other.headers == response.headers


def test_replaced_class_may_be_another_pruned_one() -> None:
    other = pruned(page(cls=PluginResponse)).replace(cls=PrunedHtmlResponse)
    assert type(other) is PrunedHtmlResponse
    assert is_pruned_page(other)
    assert other.original.body == page().body


def test_replaced_encoding_is_that_of_the_page_as_downloaded() -> None:
    text = listing().replace("solid oak", "Größe Ünter Áccent ß").replace('<meta charset="utf-8">', "")
    wrong = pruned(page(text.encode(), headers={"Content-Type": "text/html; charset=iso-8859-1"}))
    assert "Größe" not in wrong.text
    right = wrong.replace(encoding="utf-8", status=201)
    assert right.status == 201
    assert right.encoding == "utf-8"
    assert is_pruned_page(right)
    assert right.css("p.text::text").get().count("Größe Ünter Áccent ß") == 1
    assert right.original.text == text
    assert wrong.copy().replace(encoding="utf-8").text == right.text


def test_deep_copy_and_shallow_copy() -> None:
    response = pruned()
    for other in (copy.copy(response), copy.deepcopy(response)):
        assert other.body == response.body
        assert other.tps.kept_nodes == response.tps.kept_nodes


@pytest.mark.parametrize("cls", [HtmlResponse, PluginResponse])
@pytest.mark.parametrize("text", [None, "<p>few</p>"])
def test_pickle_keeps_page_original_and_account(cls: type[Any], text: str | None) -> None:
    response = pruned(page(text, cls=cls))
    _ = response.selector  # selectors do not pickle
    again = pickle.loads(pickle.dumps(response))
    assert type(again) is type(response) is pruned_class(cls)
    assert again.body == response.body
    assert again.text == response.text
    assert again.original.body == page(text).body
    assert type(again.original) is (cls if text is None else type(response))
    assert account_data(again.tps) == account_data(response.tps)
    assert [*again.tps.removed()] == [*response.tps.removed()]
    assert again.flags == response.flags


def test_pickle_keeps_attributes_set_from_outside() -> None:
    response = pruned(page(cls=PluginResponse, raw_api_response={"a": 1}))
    response.note = "mine"
    again = pickle.loads(pickle.dumps(response))
    assert (again.note, again.raw_api_response) == ("mine", {"a": 1})


@needs_to_dict
@pytest.mark.parametrize("cls", [HtmlResponse, PluginResponse])
@pytest.mark.parametrize("text", [None, "<p>few</p>"])
def test_dictionary_and_back(cls: type[Any], text: str | None) -> None:
    from scrapy.utils.response import response_from_dict

    response = pruned(page(text, cls=cls))
    again: Any = response_from_dict(response.to_dict())
    assert type(again) is pruned_class(cls)
    assert again.body == response.body
    assert again.original.body == page(text).body
    assert account_data(again.tps) == account_data(response.tps)


class TwoWayResponse(HtmlResponse):
    """One whose attribute can't be stored as it is."""

    attributes = (*HtmlResponse.attributes, "tags")

    def __init__(self, *args: Any, tags: frozenset[str] = frozenset(), **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.tags = tags

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"tags": sorted(self.tags)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Any:
        return super().from_dict(data | {"tags": frozenset(data["tags"])})


@needs_to_dict
def test_dictionary_goes_through_the_methods_of_the_class() -> None:
    from scrapy.utils.response import response_from_dict

    response = pruned(page(cls=TwoWayResponse, tags=frozenset({"b", "a"})))
    stored = response.to_dict()
    assert stored["tags"] == ["a", "b"]
    again: Any = response_from_dict(stored)
    assert again.tags == {"a", "b"}
    assert is_pruned_page(again)


def test_response_of_another_plugin_keeps_class_attributes_and_state() -> None:
    response = pruned(page(cls=PluginResponse, raw_api_response={"a": 1}))
    assert isinstance(response, PluginResponse)
    assert isinstance(response, PrunedMixin)
    assert response.raw_api_response == {"a": 1}
    assert (response._slot, response.hidden) == ("slot", "hidden")
    assert response.replace(status=201).raw_api_response == {"a": 1}
    assert is_pruned_page(response)


def test_plugin_needs_no_constructor_known_to_scrapy() -> None:
    response = StatefulResponse("http://real.example/", URL, body=listing().encode(), encoding="utf-8")
    assert response.first_link == "/only/1"
    result = pruned(response)
    assert result.real_url == "http://real.example/"
    assert result.first_link == "/product/1"
    assert result.original.real_url == "http://real.example/"
    assert result.original.first_link == "/only/1"


class InstanceAttributesResponse(HtmlResponse):
    """As scrapy-zyte-api's: `attributes` grow with each instance, and ``replace()`` guards one of them."""

    def __init__(self, *args: Any, raw_api_response: dict[str, Any] | None = None, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._raw_api_response = raw_api_response
        self.attributes += ("raw_api_response",)

    @property
    def raw_api_response(self) -> dict[str, Any] | None:
        return self._raw_api_response

    def replace(self, *args: Any, **kwargs: Any) -> Any:
        assert not kwargs.get("raw_api_response")
        kwargs.setdefault("encoding", self.encoding)
        for attribute in self.attributes:
            kwargs.setdefault(attribute, getattr(self, attribute))
        return kwargs.pop("cls", self.__class__)(*args, **kwargs)


def test_plugin_may_extend_attributes_for_each_instance() -> None:
    response = pruned(page(cls=InstanceAttributesResponse, raw_api_response={"a": 1}))
    for other in (
        response,
        response.copy(),
        pickle.loads(pickle.dumps(response)),
        response.replace(status=201),
    ):
        assert isinstance(other, InstanceAttributesResponse)
        assert is_pruned_page(other)
        assert other.raw_api_response == {"a": 1}
        assert other.tps.outcome == "pruned"
        assert other.original.body == page().body
        assert type(other.original) is InstanceAttributesResponse
        assert other.original.raw_api_response == {"a": 1}
        assert other.original.copy().raw_api_response == {"a": 1}
    assert response.replace(cls=HtmlResponse).body == response.body


def test_combined_class_is_made_once() -> None:
    assert pruned_class(PluginResponse) is pruned_class(PluginResponse)
    assert pruned_class(HtmlResponse) is PrunedHtmlResponse


def test_account_is_always_there() -> None:
    response = PrunedHtmlResponse(URL, body=b"<p>x")
    assert response.tps.outcome == "excluded"
    assert response.original is response


def test_old_response_is_not_changed() -> None:
    response = page(flags=["a"])
    nav = len(response.css("nav"))
    result = pruned(response)
    result.flags.append("b")
    assert len(response.css("nav")) == nav == 2
    assert response.flags == ["a"]
    assert response.body == page().body


def test_follow_follow_all_and_links() -> None:
    response = pruned()
    response.request = Request(URL)
    assert response.follow(response.css("h2 a")[1]).url == "http://shop.example/product/2"
    followed = [request.url for request in response.follow_all(css="h2 a")]
    assert followed[:2] == ["http://shop.example/product/1", "http://shop.example/product/2"]
    links = [link.url for link in LinkExtractor(restrict_css="h2").extract_links(response)]
    assert links == followed
    assert response.urljoin("x") == "http://shop.example/list/x"


def test_trees_live_no_longer_than_the_response() -> None:
    gc.collect()
    response = pruned()
    _ = response.css("a"), response.body, response.original.css("a")
    alive = [weakref.ref(response), weakref.ref(response.original), weakref.ref(response.selector)]
    account = response.tps
    del response
    gc.collect()
    assert [reference() for reference in alive] == [None] * 3
    assert account.outcome == "pruned"


def test_scrapy_tracks_live_responses() -> None:
    gc.collect()
    before = len(live_refs[PrunedHtmlResponse])
    response = pruned()
    assert len(live_refs[PrunedHtmlResponse]) == before + 1
    del response
    gc.collect()
    assert len(live_refs[PrunedHtmlResponse]) == before


def test_released_response_goes_with_its_last_user() -> None:
    gc.collect()
    gc.disable()
    try:
        response = pruned()
        assert response.css("a")
        response.release_selector()
        alive = [weakref.ref(response), weakref.ref(response.tps.root)]
        del response
        assert [reference() for reference in alive] == [None, None]
    finally:
        gc.enable()


def test_released_response_can_be_selected_from() -> None:
    response = pruned()
    selector = response.selector
    selector.register_namespace("re2", "http://exslt.org/regular-expressions")
    wanted = response.css("a::attr(href)").getall()
    response.release_selector()
    assert response.selector is selector
    del selector
    assert response.css("a::attr(href)").getall() == wanted
    assert response.xpath("//a[re2:test(@href, '.')]")
    kept = response.selector
    assert kept is response.selector
    assert kept.response is response
    response.release_selector()
    assert kept is response.selector
