"""The selector of responses that went through scrapy-tps: it records its use, and falls back to the page as
downloaded."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import parsel
from scrapy.selector import Selector, SelectorList

from scrapy_tps.engine.fallback.analysis import analyse
from scrapy_tps.engine.fallback.fallback_page import FallbackPage, is_nothing
from scrapy_tps.engine.fallback.usage import OMITTED
from scrapy_tps.readers import reader, tree_reader

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy.http import TextResponse

    from scrapy_tps.engine.fallback.analysis import Analysis
    from scrapy_tps.engine.fallback.usage import SelectorUse
    from scrapy_tps.engine.html.elements import Element


#: Where parsel keeps the root of a selector.
_ROOT: Final[Any] = vars(parsel.Selector)["root"]


class _Query(NamedTuple):
    """An XPath and its analysis, the selector as its user wrote it (CSS or XPath), and namespaces and variables."""

    xpath: str
    written: str
    analysis: Analysis
    namespaces: Mapping[str, str] | None
    variables: dict[str, Any]


class Matches(SelectorList):
    """The matches of a selector. A regular expression makes tags specific, so it searches the page as downloaded.

    :ivar whole: returns the matches there, if the pruned page has answered a selector of tags alone.
    """

    whole: Callable[[], Matches] | None = None

    def re(self, *args: Any, **kwargs: Any) -> list[str]:
        """Return all that a regular expression finds in the matches."""
        return super(Matches, self.whole() if self.whole else self).re(*args, **kwargs)

    def re_first(self, *args: Any, **kwargs: Any) -> Any:
        """Return the first that a regular expression finds in the matches."""
        return super(Matches, self.whole() if self.whole else self).re_first(*args, **kwargs)


class PrunedSelector(Selector):
    """A selector that records its use (:class:`~scrapy_tps.engine.fallback.usage.SelectorUse`).

    If pruning left nothing, or a part of a list, the result is an :class:`OriginalSelector` of the page as downloaded;
    otherwise it comes from the pruned page. In all other respects this is Scrapy's selector. It knows its page, and so
    do the selectors that it creates. Several threads may select from one page.
    """

    __slots__ = ("_tps_page",)
    selectorlist_cls = Matches
    _tps_page: FallbackPage

    def belong_to(self, page: FallbackPage) -> None:
        """Make `page` the page that this selector belongs to."""
        self._tps_page = page

    def css(self, query: str) -> Any:
        """Select by a CSS selector."""
        if not hasattr(self, "_tps_page") or self.type != "html":
            return super().css(query)
        xpath = self._css2xpath(query)
        return self._find(_Query(xpath, query, analyse(xpath), None, {}))

    def xpath(self, query: str | bytes, namespaces: Mapping[str, str] | None = None, **kwargs: Any) -> Any:
        """Select by an XPath."""
        text = query.decode() if isinstance(query, bytes) else query  # as lxml does
        if not hasattr(self, "_tps_page"):
            return super().xpath(text, namespaces, **kwargs)
        return self._find(_Query(text, text, analyse(text), namespaces, kwargs))

    def _find(self, query: _Query) -> Any:
        """Return the matches, and count them."""
        page = self._tps_page
        with self._tree():
            use = page.usage.use_of(query.written)
            use.used += 1
            found, whole = self._resolve(query, use)
            says = bool(found) and not is_nothing(one.root for one in found)
            if whole is None:
                use.found += says
            elif not is_nothing(one.root for one in whole):
                use.found += says
                use.partly += says
                use.original += not says
        results = found if whole is None else whole
        if len(results) > 1 and hasattr(self.root, "getparent"):
            if self.root.getparent() is None:
                use.of_page += 1
            elif query.written[:1] == "/":
                use.absolute += 1
        if page.usage.trace is not None:
            with page.lock:
                page.usage.trace(query.written, query.xpath, self.root, results)
        if page.usage.tell is not None and whole is not None and not isinstance(self, OriginalSelector):
            page.usage.tell(query.written, use)  # without the lock, because it may run anything
        if results is found and query.analysis.generic and page.journal is not None and page.falls_back:
            results.whole = partial(self._whole, query)
        for one in results:
            one._tps_page = page
        return results

    def _whole(self, query: _Query) -> Any:
        """Return the matches on the page as downloaded."""
        with self._tree():
            results = self._results(OriginalSelector, query, self._compare(query, ())[2])
        for one in results:
            one._tps_page = self._tps_page
        return results

    def _tree(self) -> Any:
        """Return the context in which the tree is that of this selector, and no other thread changes it."""
        return self._tps_page.lock

    def _evaluate(self, query: _Query) -> Any:
        return super().xpath(query.xpath, query.namespaces, **query.variables)

    def _resolve(self, query: _Query, use: SelectorUse | None) -> tuple[Any, Any]:
        """Return the matches of the pruned page, and those of the page as downloaded if they are the answer, else
        None."""
        page, analysis = self._tps_page, query.analysis
        if not page.falls_back:
            return self._evaluate(query), None
        if page.journal is None:
            found = self._evaluate(query)
            page.usage.lost += is_nothing(one.root for one in found) and hasattr(self.root, "getroottree")
            return found, None
        nothing = analysis.whole or page.finds_nothing(analysis, self.root)
        found = self.selectorlist_cls([]) if nothing else self._evaluate(query)
        if not hasattr(self.root, "getroottree"):  # a text or a number
            return found, None
        if page.is_complete(analysis, self.root, [one.root for one in found]):
            return found, None
        return found, self._of_whole_page(query, use, found)

    def _of_whole_page(self, query: _Query, use: SelectorUse | None, found: Any) -> Any:
        """Return the matches of the page as downloaded; None if the pruned page answers."""
        kind, element, values = self._compare(query, found)
        if kind is not None:
            self._tps_page.note(use, kind, element)
        elif len(values) <= len(found):  # else only blank texts are missing, which code may count on
            return None
        if kind == OMITTED:
            return None
        return self._results(OriginalSelector, query, values)

    def _compare(self, query: _Query, found: Any) -> tuple[str | None, Element | None, list[Any]]:
        """Evaluate an XPath on the joined page; return the kind of answer, the place of its first new part, and the
        results.

        :param found: the results on the pruned page.
        """
        page = self._tps_page
        values = [one.root for one in found]
        shells = bool(values) and page.are_shells(values)
        page.usage.looked += 1
        with page.journal:
            selector = _KnowingSelector(root=self.root, type="html", namespaces=self.namespaces)
            whole = [one.root for one in selector.xpath(query.xpath, query.namespaces, **query.variables)]
            kind, element = page.judge(query.analysis, self.root, values, whole, shells=shells)
        return kind, element, whole

    def _results(self, kind: type[PrunedSelector], query: _Query, values: list[Any]) -> Any:
        plain = (str(value) if isinstance(value, str) else value for value in values)
        return self.selectorlist_cls(
            kind(root=value, _expr=query.xpath, namespaces=self.namespaces, type="html") for value in plain
        )

    def get(self) -> Any:
        """Return the markup of the element, or the text; of a removed element, all of it.

        The markup of an element that holds removed parts is a read of the page's text.
        """
        root = self.root
        if self.type == "html" and isinstance(root, str):
            return str(root)  # parsel tries to serialise it first, and catches the error
        if not hasattr(self, "_tps_page"):
            return super().get()
        page, tree = self._tps_page, self._tree()
        with page.lock:
            lacks_parts = tree is not page.journal and page.holds_removed(root)
        if lacks_parts:
            module = reader(sys._getframe(1))
            if module is not None and page.usage.read_text(module):
                tree = page.journal
        with tree:
            return super().get()

    extract = get

    def remove_namespaces(self) -> None:
        """Do the same as Scrapy's selector."""
        with self._tree() if hasattr(self, "_tps_page") else nullcontext():
            super().remove_namespaces()

    def drop(self) -> None:
        """Drop the element, from the pruned page and from the page as downloaded."""
        journal = self._tps_page.journal if hasattr(self, "_tps_page") else None
        if journal is None or not hasattr(self.root, "getparent") or not journal.drop([self.root]):
            super().drop()  # it raises parsel's error if the element is in no tree


class PageSelector(PrunedSelector):
    """The selector of a page. Code that reads the tree itself (``response.selector.root``) reads past the selectors.

    If it gets the page as downloaded, further selectors of the page do so, too, because it may change the tree.
    """

    __slots__ = ("_tps_top", "read_by")
    #: Notes that a module reads the tree; returns the page as downloaded if it gets that.
    read_by: Callable[[str], TextResponse | None]
    _tps_top: PrunedSelector  # selects for this one, whose root takes longer to read

    def belong_to(self, page: FallbackPage) -> None:
        """Make `page` the page that this selector belongs to."""
        super().belong_to(page)
        self._tps_top = PrunedSelector(root=page.root, type="html")
        self._tps_top.belong_to(page)

    def css(self, query: str) -> Any:
        """Select by a CSS selector."""
        self._tps_top.namespaces = self.namespaces
        return self._tps_top.css(query)

    def xpath(self, query: str | bytes, namespaces: Mapping[str, str] | None = None, **kwargs: Any) -> Any:
        """Select by an XPath."""
        self._tps_top.namespaces = self.namespaces
        return self._tps_top.xpath(query, namespaces, **kwargs)

    def jmespath(self, query: str, **kwargs: Any) -> Any:
        """Select by a JMESPath."""
        return self._tps_top.jmespath(query, **kwargs)

    @property
    def root(self) -> Any:
        """The ``html`` element of the pruned page, or of the page as downloaded: see ``PrunedMixin.body``."""
        module = tree_reader(sys._getframe(1))
        whole = None if module is None else self.read_by(module)
        if whole is not None and whole.selector.root is not _ROOT.__get__(self):
            self.root = whole.selector.root
            self.belong_to(FallbackPage(self.root, None, self._tps_page.usage, falls_back=False))
        return _ROOT.__get__(self)

    @root.setter
    def root(self, root: Any) -> None:
        _ROOT.__set__(self, root)


class OriginalSelector(PrunedSelector):
    """A selector of the page as downloaded: while it evaluates, the tree is the whole page."""

    __slots__ = ()

    def _tree(self) -> Any:
        return self._tps_page.journal

    def _resolve(self, query: _Query, _use: SelectorUse | None) -> tuple[Any, Any]:
        return (), self._evaluate(query)


class _KnowingSelector(Selector):
    """A selector whose texts know their place in the tree."""

    __slots__ = ()
    _lxml_smart_strings = True
