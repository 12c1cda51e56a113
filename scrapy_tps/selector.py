"""The selector of responses that went through scrapy-tps: it records its use, and falls back to the page as
downloaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from scrapy.selector import Selector

from scrapy_tps.engine.fallback.analysis import analyse
from scrapy_tps.engine.fallback.fallback_page import is_nothing
from scrapy_tps.engine.fallback.usage import LEFT, PARTIAL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy_tps.engine.fallback.fallback_page import FallbackPage
    from scrapy_tps.engine.fallback.usage import SelectorUse


#: Namespaces and variables of an XPath.
_Given: TypeAlias = "tuple[Mapping[str, str] | None, dict[str, Any]]"


class PrunedSelector(Selector):
    """A selector that records its use (:class:`~scrapy_tps.engine.fallback.usage.SelectorUse`).

    If pruning left nothing, or a part of a list, the result is an :class:`OriginalSelector` of the page as downloaded;
    otherwise it comes from the pruned page. In all other respects this is Scrapy's selector. It knows its page, and so
    do the selectors that it creates.
    """

    __slots__ = ("_tps_page",)
    _tps_page: FallbackPage

    def belong_to(self, page: FallbackPage) -> None:
        """Make `page` the page that this selector belongs to."""
        self._tps_page = page

    def css(self, query: str) -> Any:
        """Select by a CSS selector."""
        if not hasattr(self, "_tps_page") or self.type != "html":
            return super().css(query)
        return self._find(self._css2xpath(query), query, (None, {}))

    def xpath(self, query: str | bytes, namespaces: Mapping[str, str] | None = None, **kwargs: Any) -> Any:
        """Select by an XPath."""
        text = query.decode() if isinstance(query, bytes) else query  # as lxml does
        if not hasattr(self, "_tps_page"):
            return super().xpath(text, namespaces, **kwargs)
        return self._find(text, text, (namespaces, kwargs))

    def _find(self, xpath: str, written: str, given: _Given) -> Any:
        """Return the matches, and count them.

        :param written: the selector as its user wrote it: CSS or XPath.
        """
        page = self._tps_page
        use = page.usage.use_of(written)
        use.used += 1
        if page.falls_back:
            found, whole = self._resolve(xpath, written, use, given)
        else:
            found, whole = self._evaluate(xpath, given), None
        if page.usage.trace is not None:
            results = found if whole is None else whole
            page.usage.trace(written, xpath, self.root, [one.root for one in results])
        says = bool(found) and not is_nothing(one.root for one in found)
        if whole is not None:
            if not is_nothing(one.root for one in whole):
                use.found += says
                use.partly += says
                use.original += not says
            return whole
        use.found += says
        return self._owned(found)

    def _owned(self, found: Any) -> Any:
        for one in found:
            one._tps_page = self._tps_page
        return found

    def _held(self) -> Any:
        """Return the context in which the tree is that of this selector."""
        return self._tps_page.lock

    def _evaluate(self, xpath: str, given: _Given) -> Any:
        with self._held():
            return super().xpath(xpath, given[0], **given[1])

    def _resolve(self, xpath: str, written: str, use: SelectorUse | None, given: _Given) -> tuple[Any, Any]:
        """Return the matches of the pruned page, and those of the page as downloaded if they are the answer, else
        None."""
        page, analysis = self._tps_page, analyse(xpath)
        if page.journal is None:
            found = self._evaluate(xpath, given)
            page.usage.lost += is_nothing(one.root for one in found) and hasattr(self.root, "getroottree")
            return found, None
        nothing = page.finds_nothing(analysis, self.root)
        found = self.selectorlist_cls([]) if nothing else self._evaluate(xpath, given)
        if not hasattr(self.root, "getroottree"):  # a text or a number
            return found, None
        if analysis.whole:
            found = self.selectorlist_cls(one for one in found if not page.is_out(one.root))
        if page.is_complete(analysis, self.root, [one.root for one in found]):
            return found, None
        return found, self._of_whole_page(xpath, written, use, found, given)

    def _of_whole_page(
        self, xpath: str, written: str, use: SelectorUse | None, found: Any, given: _Given
    ) -> Any:
        """Return the matches of the page as downloaded; None if the pruned page answers."""
        page, analysis = self._tps_page, analyse(xpath)
        if analysis.counted:  # it counts the results of a path
            counted, whole = self._resolve(analysis.counted, analysis.counted, None, given)
            number = float(len(counted if whole is None else whole))
            if number:  # blank texts are no match, but count as results
                same = [one.root for one in found] == [number]
                return None if same else self._results(PrunedSelector, xpath, [number])
        kind, element, values = self._compare(xpath, found, given)
        if kind == LEFT and len(analysis.alternatives) > 1:
            alone = (self._compare(one.text, None, given)[0] for one in analysis.alternatives)
            kind = PARTIAL if any(one not in (None, LEFT) for one in alone) else LEFT
        if kind is None:
            return None
        page.note(written, use, kind, (len(found), len(values)), element)
        if kind == LEFT:
            return None
        plain = [str(value) if isinstance(value, str) else value for value in values]
        return self._results(OriginalSelector, xpath, plain)

    def _compare(self, xpath: str, found: Any, given: _Given) -> tuple[str | None, Any, list[Any]]:
        """Evaluate an XPath on the joined page; return the kind of answer, the place of its first new part, and the
        results.

        :param found: the results on the pruned page; None if they are not known.
        """
        page = self._tps_page
        values = [one.root for one in (self._evaluate(xpath, given) if found is None else found)]
        shells = bool(values) and page.are_shells(values)
        page.usage.looked += 1
        with page.journal:
            selector = _KnowingSelector(root=self.root, type="html", namespaces=self.namespaces)
            whole = [one.root for one in selector.xpath(xpath, given[0], **given[1])]
            kind, element = page.judge(analyse(xpath), self.root, values, whole, shells=shells)
        return kind, element, whole

    def _results(self, kind: type[PrunedSelector], xpath: str, values: list[Any]) -> Any:
        results = (kind(root=value, _expr=xpath, namespaces=self.namespaces, type="html") for value in values)
        return self._owned(self.selectorlist_cls(results))

    def get(self) -> Any:
        """Return the markup of the element, or the text; of a removed element, all of it."""
        if self.type == "html" and isinstance(self.root, str):
            return str(self.root)  # parsel tries to serialise it first, and catches the error
        if not hasattr(self, "_tps_page"):
            return super().get()
        with self._held():
            return super().get()

    extract = get

    def drop(self) -> None:
        """Drop the element, from the pruned page and from the page as downloaded."""
        journal = self._tps_page.journal if hasattr(self, "_tps_page") else None
        if journal is None or not hasattr(self.root, "getparent") or not journal.drop([self.root]):
            super().drop()  # it raises parsel's error if the element is in no tree


class OriginalSelector(PrunedSelector):
    """A selector of the page as downloaded: while it evaluates, the tree is the whole page."""

    __slots__ = ()

    def _held(self) -> Any:
        return self._tps_page.journal

    def _find(self, xpath: str, written: str, given: _Given) -> Any:
        usage = self._tps_page.usage
        use = usage.use_of(written)
        found = self._evaluate(xpath, given)
        if usage.trace is not None:
            usage.trace(written, xpath, self.root, [one.root for one in found])
        use.used += 1
        use.original += not is_nothing(one.root for one in found)
        return self._owned(found)


class _KnowingSelector(Selector):
    """A selector whose texts know their place in the tree."""

    __slots__ = ()
    _lxml_smart_strings = True
