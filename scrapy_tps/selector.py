"""Selectors of responses that went through scrapy-tps: they record their use, and fall back to the page as
downloaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from scrapy.selector import Selector

from scrapy_tps.engine.fallback.fallback_page import is_nothing
from scrapy_tps.engine.fallback.query import analyse
from scrapy_tps.engine.fallback.usage import LEFT, PARTIAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_tps.engine.fallback.fallback_page import FallbackPage
    from scrapy_tps.engine.fallback.query import Query
    from scrapy_tps.engine.fallback.usage import Fallbacks, SelectorUse
    from scrapy_tps.engine.journal import Journal


#: Namespaces and variables of an XPath.
_Given: TypeAlias = "tuple[Mapping[str, str] | None, dict[str, Any]]"


class _Page(Protocol):
    """The part of a page that records the selectors used on it."""

    @property
    def asked(self) -> Fallbacks: ...
    @property
    def journal(self) -> Journal | None: ...


class CountedSelector(Selector):
    """A selector that records its use (:class:`~scrapy_tps.engine.fallback.usage.SelectorUses`).

    It knows its page, and so do the selectors that it creates; otherwise it behaves like Scrapy's.
    """

    __slots__ = ("_tps_page",)
    _tps_page: Any
    _of_original = False

    def belong_to(self, page: _Page) -> None:
        """Make `page` the page that this selector belongs to."""
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

    def xpath(self, query: str | bytes, namespaces: Mapping[str, str] | None = None, **kwargs: Any) -> Any:
        """Select by an XPath."""
        text = query.decode() if isinstance(query, bytes) else query  # as lxml does
        page = getattr(self, "_tps_page", None)
        if page is None:
            return super().xpath(text, namespaces, **kwargs)
        found = self._select(text, namespaces, kwargs)
        for one in found:
            one._tps_page = page
        use = page.asked.queries[text]
        use.asked += 1
        if _says_something(found):
            if self._of_original:
                use.original += 1
            else:
                use.found += 1
        return found

    def _select(self, text: str, namespaces: Mapping[str, str] | None, variables: dict[str, Any]) -> Any:
        return super().xpath(text, namespaces, **variables)

    def drop(self) -> None:
        """Drop the element, from the pruned page and from the page as downloaded."""
        page = getattr(self, "_tps_page", None)
        if page is None or page.journal is None or not hasattr(self.root, "getparent"):
            super().drop()
        elif not page.journal.drop([self.root]):
            super().drop()  # parsel's error


class OriginalSelector(CountedSelector):
    """A selector of the page as downloaded: while it evaluates, the tree is the whole page."""

    __slots__ = ()
    _tps_page: FallbackPage
    _of_original = True

    def _select(self, text: str, namespaces: Mapping[str, str] | None, variables: dict[str, Any]) -> Any:
        with self._tps_page.journal:  # type: ignore[union-attr]
            return super()._select(text, namespaces, variables)

    def get(self) -> Any:
        """Return the markup of the whole element, or the text."""
        page = getattr(self, "_tps_page", None)
        if page is None or isinstance(self.root, str):
            return super().get()
        with page.journal:
            return super().get()

    extract = get


class PrunedSelector(CountedSelector):
    """A selector of a pruned page.

    If pruning left nothing, or a part of a list, the result is an :class:`OriginalSelector` of the page as downloaded;
    otherwise it comes from the pruned page. In all other respects this is Scrapy's selector.
    """

    __slots__ = ()
    _tps_page: FallbackPage

    def xpath(self, query: str | bytes, namespaces: Mapping[str, str] | None = None, **kwargs: Any) -> Any:
        """Select from the pruned page, or from the page as downloaded if pruning removed the matches."""
        page = getattr(self, "_tps_page", None)
        if page is None:
            return super().xpath(query, namespaces, **kwargs)
        text = query.decode() if isinstance(query, bytes) else query
        use = page.asked.queries[text]
        found, answer = self._resolve(page, text, use, (namespaces, kwargs))
        _count(use, found, answer)
        if answer is not None:
            return answer
        for one in found:
            one._tps_page = page
        return found

    def _select(self, text: str, namespaces: Mapping[str, str] | None, variables: dict[str, Any]) -> Any:
        with self._tps_page.lock:
            return super()._select(text, namespaces, variables)

    def _resolve(
        self, page: FallbackPage, text: str, use: SelectorUse | None, given: _Given
    ) -> tuple[Any, Any]:
        """Return the matches of the pruned page, and those of the page as downloaded if they are the answer, else
        None."""
        known = analyse(text)
        found = (
            self.selectorlist_cls([]) if page.finds_nothing(known, self.root) else self._select(text, *given)
        )
        if not hasattr(self.root, "getroottree"):  # a text or a number
            return found, None
        if page.journal is None:
            page.asked.lost += is_nothing([one.root for one in found])
            return found, None
        if known.whole:
            found = type(found)(one for one in found if not page.is_out(one.root))
        if page.is_complete(text, known, self.root, found):
            return found, None
        if known.counted:  # it counts the results of a path
            counted, whole = self._resolve(page, known.counted, None, given)
            number = float(len(counted if whole is None else whole))
            if number:  # blank texts are no match, but count as results
                return found, self._results(self.__class__, page, text, [number])
        return found, self._original(page, text, use, found, given)

    def _original(
        self, page: FallbackPage, text: str, use: SelectorUse | None, found: Any, given: _Given
    ) -> Any:
        """Return the matches of the page as downloaded; None if the pruned page answers."""
        known = analyse(text)
        kind, element, values = self._compare(page, text, known, found, given)
        paths = known.alternatives if kind == LEFT and len(known.alternatives) > 1 else ()
        alone = (self._compare(page, one.text, analyse(one.text), None, given)[0] for one in paths)
        if any(one not in (None, LEFT) for one in alone):
            kind = PARTIAL
        if kind == LEFT:
            page.asked.left += 1
            if use is not None:
                use.left += 1
        if kind in (None, LEFT):
            return None
        page.note(text, kind, (len(found), len(values)), element)
        plain = [str(value) if isinstance(value, str) else value for value in values]
        return self._results(OriginalSelector, page, text, plain)

    def _compare(
        self,
        page: FallbackPage,
        text: str,
        known: Query,
        found: Any,
        given: _Given,
    ) -> tuple[Any, Any, Sequence[Any]]:
        """Evaluate an XPath on the joined page; return the kind of answer, the place of its first new part, and the
        answer."""
        if found is None:
            found = self._select(text, *given)
        shells = bool(found) and page.are_shells(found)
        page.asked.looked += 1
        with page.journal:  # type: ignore[union-attr]
            selector = _KnowingSelector(root=self.root, type="html", namespaces=self.namespaces)
            whole = [one.root for one in selector.xpath(text, given[0], **given[1])]
            values = [one.root for one in found]
            kind, element = page.judge(known, self.root, values, whole, shells=shells)
        return kind, element, whole

    def _results(self, kind: type[CountedSelector], page: _Page, query: str, values: Any) -> Any:
        results = [kind(root=value, _expr=query, namespaces=self.namespaces, type="html") for value in values]
        for one in results:
            one.belong_to(page)
        return self.selectorlist_cls(results)

    def get(self) -> Any:
        """Return the markup of the pruned element, or the text."""
        page = getattr(self, "_tps_page", None)
        if page is None or isinstance(self.root, str):
            return super().get()
        with page.lock:
            return super().get()

    extract = get


class _KnowingSelector(Selector):
    """A selector whose texts know their place in the tree."""

    __slots__ = ()
    _lxml_smart_strings = True


def _count(use: SelectorUse, found: Any, answer: Any) -> None:
    """Count a selector; `answer` comes from the page as downloaded, None if the pruned page answered."""
    use.asked += 1
    says = _says_something(found)
    if answer is None:
        use.found += says
    elif _says_something(answer):
        # both numbers may be equal
        original = len(answer) != 1 or len(found) != 1 or answer[0].root != found[0].root
        use.found += says
        use.partly += says and original
        use.original += not says


def _says_something(found: Any) -> bool:
    """Whether a selector found something: a node, text that is not blank, a number other than zero, or true."""
    if not found:
        return False
    if isinstance(found[0].root, (str, bool, float)):
        # texts and elements may be mixed: "text() | h2"
        return not is_nothing([one.root for one in found])
    return True
