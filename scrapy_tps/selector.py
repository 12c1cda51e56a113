"""Selectors of responses that went through scrapy-tps: they note what they are asked, and what the pruned page can't
answer, the page as downloaded answers."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Protocol

from lxml.html import HtmlElement
from scrapy.selector import Selector

from scrapy_tps.engine.asking.original import is_nothing
from scrapy_tps.engine.asking.queries import DOWN, NODES, NUMBER, TEXT, TRUTH, analyse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy_tps.engine.asking.heard import Asked, Heard
    from scrapy_tps.engine.asking.original import OriginalPage
    from scrapy_tps.engine.asking.queries import Query


class _Page(Protocol):
    """What was asked of a page is noted here."""

    @property
    def asked(self) -> Asked: ...


class HeardSelector(Selector):
    """A selector that notes what it is asked (:class:`~scrapy_tps.engine.asking.heard.HeardQueries`).

    It knows its page, and what it makes knows it, too; in all other respects it is Scrapy's.
    """

    __slots__ = ("_tps_page",)
    _tps_page: Any
    _of_original = False

    def belong_to(self, page: _Page) -> None:
        """Take `page` for the one that is asked."""
        self._tps_page = page

    def css(self, query: str) -> Any:
        """Select by a CSS selector."""
        page = getattr(self, "_tps_page", None)
        if page is None or self.type != "html":
            return super().css(query)
        xpath = self._css2xpath(query)
        if xpath not in page.asked.queries:
            page.asked.queries.note_css(xpath, query)
        return self.xpath(xpath)

    def xpath(self, query: str, namespaces: Mapping[str, str] | None = None, **kwargs: Any) -> Any:
        """Select by an XPath."""
        found: Any = super().xpath(query, namespaces, **kwargs)
        page = getattr(self, "_tps_page", None)
        if page is None:
            return found
        heard = page.asked.queries[query]
        heard.asked += 1
        for one in found:
            one._tps_page = page
        if found and (hasattr(found[0].root, "tag") or _says_something(found)):
            if self._of_original:
                heard.original += 1
            else:
                heard.found += 1
        return found


class PageSelector(HeardSelector):
    """A selector of one of two trees, the pruned page and the page as downloaded."""

    __slots__ = ()
    _tps_page: OriginalPage

    def drop(self) -> None:
        """Drop the element, from the pruned page, from what stays beside it, and from the page as downloaded."""
        page = getattr(self, "_tps_page", None)
        if page is None or not hasattr(self.root, "getparent"):
            super().drop()
            return
        pruned, whole = self._places(page)
        part = page.part_of_original(whole)
        with page.dropping(pruned, of_both=whole is not None):
            if self.root.getparent() is None:
                super().drop()  # parsel's error
            for twin in (self.root, pruned, whole, part):
                if twin is not None and twin.getparent() is not None:
                    HtmlElement.drop_tree(twin)  # parsel refuses elements of lxml's plain class

    @abstractmethod
    def _places(self, page: OriginalPage) -> tuple[Any, Any]:
        """Return this element of the pruned tree, and of the whole page; None where there is none."""


class OriginalSelector(PageSelector):
    """A selector of the page as downloaded: everything in it and around it is whole."""

    __slots__ = ()
    _of_original = True

    def _places(self, page: OriginalPage) -> tuple[Any, Any]:
        return page.counterpart_of_original(self.root), self.root


class KeptSelector(OriginalSelector):
    """A selector of a part that stays because the spider asks for it.

    The part is whole. What is around it comes from the page as downloaded.
    """

    __slots__ = ()

    def xpath(self, query: str, namespaces: Mapping[str, str] | None = None, **kwargs: Any) -> Any:
        """Select from the part, or from around it."""
        page = getattr(self, "_tps_page", None)
        if page is not None and hasattr(self.root, "getroottree") and analyse(query).reach != DOWN:
            place = page.original_of_part(self.root)
            if place is not None:
                around = OriginalSelector(root=place, type="html", namespaces=self.namespaces)
                around.belong_to(page)
                return around.xpath(query, namespaces, **kwargs)
        return super().xpath(query, namespaces, **kwargs)

    def _places(self, page: OriginalPage) -> tuple[Any, Any]:
        return None, page.original_of_part(self.root)


class PrunedSelector(PageSelector):
    """A selector of a pruned page.

    What queries find there is the answer, unless pruning left them nothing or a part of a list: then the page as
    downloaded answers, with an :class:`OriginalSelector`. Scrapy's own selectors behave alike in all other respects.
    """

    __slots__ = ()

    def xpath(self, query: str, namespaces: Mapping[str, str] | None = None, **kwargs: Any) -> Any:
        """Select from the pruned page; from the page as downloaded where pruning has taken the answer."""
        return self._select(query, namespaces, kwargs, heard=True)

    def _select(
        self, query: str, namespaces: Mapping[str, str] | None, variables: dict[str, Any], *, heard: bool
    ) -> Any:
        found: Any = super(HeardSelector, self).xpath(query, namespaces, **variables)
        page = getattr(self, "_tps_page", None)
        if page is None:
            return found
        if hasattr(self.root, "getroottree"):  # no text or number
            known = analyse(query)
            counts = page.asked.queries[query] if heard else None  # places are noted there
            answer = None
            if (not found or not page.has_all(query, known, found[0].root)) and page.is_affected(
                self.root, known
            ):
                answer = self._answer(page, known, query, found, (namespaces, variables))
            if counts is not None:
                self._count(counts, found, answer)
            if answer is not None:
                return answer
        for one in found:
            one._tps_page = page
        return found

    @staticmethod
    def _count(heard: Heard, found: Any, answer: Any) -> None:
        """Count a query; `answer` is the one from the page as downloaded, None where that was not needed."""
        heard.asked += 1
        says = _says_something(found)
        if answer is None:
            heard.found += says
        elif _says_something(answer):
            # a number may be the same
            original = len(answer) != 1 or len(found) != 1 or answer[0].root != found[0].root
            heard.found += says
            heard.partly += says and original
            heard.original += not says

    def _answer(
        self, page: OriginalPage, known: Query, query: str, found: Any, given: tuple[Any, Any]
    ) -> Any:
        namespaces, variables = given
        if known.counted:
            inner = query[query.index("(") + 1 : query.rindex(")")]
            number = float(len(self._select(inner, namespaces, variables, heard=False)))
            # blank texts are nothing to find, and something to count
            if number or not page.may_have_more(self.root, analyse(inner), nothing=True):
                return self._results(self.__class__, page, query, [number])
        values = [one.root for one in found]
        nothing = is_nothing(values) or known.kind in (NUMBER, TRUTH)
        if not nothing and known.kind == TEXT:
            return None
        hollow = not nothing and known.kind in (NODES, None) and page.may_be_hollow(values, known)

        def ask(place: Any) -> list[Any]:
            selector = _KnowingSelector(root=place, type="html", namespaces=self.namespaces)
            return [one.root for one in selector.xpath(query, namespaces, **variables)]

        answer = page.answer_of_parts(self.root, query, known, values, ask)
        if answer is not None:
            return self._results(KeptSelector, page, query, answer)
        if not hollow and not page.may_have_more(self.root, known, nothing=nothing):
            return None
        answer = page.answer(self.root, query, known, values, ask)
        return None if answer is None else self._results(OriginalSelector, page, query, answer)

    def _results(self, kind: type[PageSelector], page: OriginalPage, query: str, values: Any) -> Any:
        results = [kind(root=value, _expr=query, namespaces=self.namespaces, type="html") for value in values]
        for one in results:
            one.belong_to(page)
        return self.selectorlist_cls(results)

    def _places(self, page: OriginalPage) -> tuple[Any, Any]:
        return self.root, page.counterpart(self.root)


class _KnowingSelector(Selector):
    """A selector whose texts know where they stand."""

    __slots__ = ()
    _lxml_smart_strings = True


def _says_something(found: Any) -> bool:
    """Whether a query found something: a node, text that is not blank, a number but zero, true."""
    if not found:
        return False
    if isinstance(found[0].root, (str, bool, float)):
        return not is_nothing(
            [one.root for one in found]
        )  # texts may have elements among them: "text() | h2"
    return True
