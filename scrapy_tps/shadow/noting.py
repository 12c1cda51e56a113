"""A page as downloaded whose selectors note which of their answers the pruned page would not have given.

A callback that reads a page through selectors alone runs once on it: nothing that it does happens twice.
"""

from __future__ import annotations

import sys
from copy import deepcopy
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

from lxml import etree
from parsel import Selector as ParselSelector
from scrapy.selector import Selector
from scrapy.utils.response import get_base_url

from scrapy_tps.response import PrunedMixin
from scrapy_tps.selector import OriginalSelector, PrunedSelector
from scrapy_tps.shadow.runs import whole_page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.http import Request, TextResponse

_ROOT: Any = vars(ParselSelector)["root"]  # the slot behind the property below

#: Modules that read trees and texts for selections, and for addresses of links: not for what is in them.
_READERS: Final = frozenset({"parsel.selector", "scrapy.http.response.text", "scrapy.utils.response"})


class Notes:
    """The values that a callback read of a page through selectors.

    :param counterparts: elements of the page that is read, by those of the joined tree of the pruned page.
    :ivar missing: texts that the pruned page would not have given, white space collapsed; `given`: those it would.
    :ivar missed: results that it would not have given, or that it alone would have; `used`: how many of them were
        read, or asked further.
    :ivar emptied: queries of which it would have given nothing.
    :ivar read_text: whether the callback read the text, the bytes or the tree itself, past the selectors.
    """

    def __init__(self, counterparts: Mapping[Any, Any]) -> None:
        self._counterparts = counterparts
        self.missing: dict[str, None] = {}
        self.given: dict[str, None] = {}
        self.missed = self.used = self.emptied = 0
        self.read_text = False

    def pair(self, found: Any, given: Any) -> bool:
        """Give each of the results of the whole page the result of the pruned page that it is; return whether there
        are some that only one of the pages gives: of the pruned page alone are those whose positions have shifted.
        """
        twins: dict[Any, Any] = {}
        others: dict[Any, list[Any]] = {}
        for one in given:
            root = one.root
            if etree.iselement(root):
                mine = self._counterparts.get(root)
                if mine is not None:
                    twins[mine] = one
                    continue
            others.setdefault(_key(root), []).append(one)
        missed, more = self.missed, len(given)
        for one in found:
            root = _ROOT.__get__(one)
            twin = twins.get(root) if etree.iselement(root) else None
            if twin is None and (same := others.get(_key(root))):
                twin = same.pop(0)
            one._tps_notes, one._tps_twin = self, twin
            if isinstance(root, str):
                self.read(root, missing=twin is None)
            elif twin is None and etree.iselement(root) and (address := root.get("href")):
                self.missing[collapsed(address)] = None  # response.follow() reads it
            self.missed += twin is None
            more -= twin is not None
        self.missed += max(0, more)
        return self.missed > missed

    def read(self, text: str, missing: bool) -> None:
        """Note a text that the callback may have read."""
        (self.missing if missing else self.given)[collapsed(text)] = None


class NotingSelector(Selector):
    """A selector of the whole page, with the results that the pruned page would have given."""

    __slots__ = ("_tps_notes", "_tps_twin")
    _tps_notes: Notes
    _tps_twin: Any

    @property
    def root(self) -> Any:
        """The element, or what was selected."""
        notes = getattr(self, "_tps_notes", None)
        if notes is not None and not _is_reader(sys._getframe(1).f_globals):
            notes.read_text = True
        return _ROOT.__get__(self)

    @root.setter
    def root(self, value: Any) -> None:
        _ROOT.__set__(self, value)

    def xpath(self, query: str, namespaces: Mapping[str, str] | None = None, **kwargs: Any) -> Any:
        """Select from the whole page, and from the pruned page to note what that has."""
        found: Any = super().xpath(query, namespaces, **kwargs)
        notes = getattr(self, "_tps_notes", None)
        if notes is not None:
            if self._tps_twin is None:
                notes.used += 1
                notes.pair(found, ())
            else:
                self._tps_twin.namespaces = self.namespaces
                given = self._tps_twin.xpath(query, namespaces, **kwargs)
                notes.emptied += notes.pair(found, given) and not given
        return found

    def css(self, query: str) -> Any:
        """Select by a CSS selector."""
        twin = getattr(self, "_tps_twin", None)
        page = getattr(twin, "_tps_page", None)
        if page is not None:
            page.asked.queries.note_css(self._css2xpath(query), query)
        return super().css(query)

    def get(self) -> Any:
        """The text, or the markup."""
        text = super().get()
        notes = getattr(self, "_tps_notes", None)
        if notes is not None and isinstance(text, str):
            if self._tps_twin is None:
                notes.used += 1
                notes.read(text, missing=True)
            else:
                given = self._tps_twin.get()
                notes.read(text, missing=collapsed(text) != collapsed(given))
                notes.read(given, missing=False)
        return text

    extract = get

    @property
    def attrib(self) -> dict[str, str]:
        """The attributes."""
        attributes: dict[str, str] = super().attrib
        notes = getattr(self, "_tps_notes", None)
        if notes is not None:
            notes.used += self._tps_twin is None
            for value in attributes.values():
                notes.read(value, missing=self._tps_twin is None)
        return attributes

    def drop(self) -> None:
        """Drop the element, from both pages."""
        twin = getattr(self, "_tps_twin", None)
        if isinstance(twin, (PrunedSelector, OriginalSelector)):
            twin.drop()
        super().drop()


class NotingMixin(PrunedMixin):
    """A whole page that notes what is read of it."""

    _tps_notes: Notes | None = None
    _tps_noting: NotingSelector | None = None
    _tps_pruned: PrunedMixin | None = None

    @property
    def selector(self) -> Selector:
        """The selector of the whole page."""
        return super().selector if self._tps_noting is None else self._tps_noting

    @property
    def original(self) -> TextResponse:
        """The page as downloaded, of which nothing is noted."""
        return super().original if self._tps_pruned is None else self._tps_pruned.original

    @property
    def text(self) -> str:
        """The page as text."""
        self._note_reader()
        text: str = super().text
        return text

    @property
    def body(self) -> bytes:
        """The page as bytes."""
        self._note_reader()
        body: bytes = super().body
        return body

    def json(self) -> Any:
        """The page as data."""
        if self._tps_notes is not None:
            self._tps_notes.read_text = True
        return super().json()

    def _note_reader(self) -> None:
        if self._tps_notes is not None and not _is_reader(sys._getframe(2).f_globals):
            self._tps_notes.read_text = True


def _is_reader(names: dict[str, Any]) -> bool:
    module = str(names.get("__name__", ""))
    return module in _READERS or module.startswith("scrapy_tps.")


def noting_page(response: PrunedMixin, request: Request) -> tuple[PrunedMixin, Notes] | None:
    """Return the original of a pruned page for `request`, whose selectors note what the pruned page would not give.

    None where the two trees can't be compared. Raises ``ValueError`` where the original's bytes were
    dropped.
    """
    journal, pruning, twin = response.tps.journal, response.tps, response.selector
    if pruning.source is None:
        raise ValueError(f"The original of {response} was dropped: TPS_KEEP_ORIGINAL is False for it.")
    if journal is None:
        return None
    with journal:
        root = deepcopy(twin.root.getroottree()).getroot()
        counterparts = dict(zip(twin.root.iter(), root.iter(), strict=True))
    whole = whole_page(response, request)
    get_base_url(whole)  # which Scrapy keeps: no text is read for it later
    noting = NotingSelector(root=root, type="html")
    noting.response = whole
    notes = Notes(counterparts)
    noting._tps_notes, noting._tps_twin = notes, twin
    whole.__class__ = _noting_class(cast("Any", type(whole)))
    assert isinstance(whole, NotingMixin)
    whole.tps = response.tps  # what spiders write into items is the same on all pages
    whole._tps_pruned, whole._tps_noting, whole._tps_notes = response, noting, notes
    return whole, notes


@cache
def _noting_class(kind: Any) -> Any:
    return type(kind.__name__, (NotingMixin, kind), {"__module__": kind.__module__})


def collapsed(text: str) -> str:
    """A text with its white space collapsed."""
    return " ".join(text.split())


def _key(root: Any) -> Any:
    """By what results of two pages are paired that are no elements, or of which none knows which is which."""
    if isinstance(root, str):
        return collapsed(root)
    if etree.iselement(root):
        return etree.tostring(root, with_tail=False)
    return (type(root).__name__, str(root))
