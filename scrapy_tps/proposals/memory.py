"""What is remembered of the selectors of a spider's callbacks: a few values, and the looks of their elements."""

from __future__ import annotations

import json
import re
from dataclasses import astuple, dataclass, field
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from lxml import etree

from scrapy_tps.proposals.values import ELEMENT, STRING, TEXT, label_of, plain, read, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy_tps.engine.fallback.usage import SelectorUse

#: The most values of a selector, and of those on one page; of a row only the first is kept.
MOST_VALUES: Final = 20
MOST_OF_PAGE: Final = 5
#: The most selectors of a callback that are remembered, and the most characters of one.
MOST_SELECTORS: Final = 50
LONGEST_SELECTOR: Final = 200
#: The most pages of a callback and site that are read in one crawl.
MOST_PAGES: Final = 10
#: The most results of one use among which rows are looked up.
_MOST_ROWS: Final = 50

_TEXT_END: Final = re.compile(r"/(?:descendant-or-self::)?text\(\)$")
_ATTRIBUTE_END: Final = re.compile(r"/@([\w-]+)$")


@dataclass(slots=True)
class SelectorMemory:
    """What is remembered of one selector.

    :ivar row: the selector of the elements in which it selects; empty for the page.
    :ivar css: whether it is a CSS selector.
    :ivar reading: what it reads from its elements; empty if they are rows.
    :ivar tag: tag of its elements; `words`: the words in their class and other names; `label`: the text before them.
    :ivar results: results of a use.
    :ivar pages: pages on which it was used; `found_pages`: those on which it found something.
    :ivar used: its uses; `found`: those that found something.
    :ivar values: values by the mark of their row or page: the same in all selectors of a callback.
    """

    row: str
    css: bool
    reading: str = ""
    tag: str = ""
    words: set[str] = field(default_factory=set)
    label: str | None = None
    results: int = 1
    pages: int = 0
    found_pages: int = 0
    used: int = 0
    found: int = 0
    values: dict[int, list[str]] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """The share of its uses that found something."""
        return min(self.found / self.used, 1.0) if self.used else 0.0

    @property
    def page_rate(self) -> float:
        """The share of pages on which it found something."""
        return self.found_pages / self.pages if self.pages else 0.0


#: What is remembered of a callback on a site, by selector.
CallbackMemory = dict[str, SelectorMemory]


def mark_of(url: str, row: str = "") -> int:
    """Return the mark of a page, or of one of its rows in one crawl: lists change, so the row has another one then."""
    return crc32(f"{url}\n{row}".encode("utf-8", "replace"))


def to_json(memory: CallbackMemory) -> str:
    """Return it as JSON."""
    entries = {
        name: [*astuple(one)[:4], sorted(one.words), *astuple(one)[5:]] for name, one in memory.items()
    }
    return json.dumps(entries, ensure_ascii=False, separators=(",", ":"))


def from_json(text: str) -> CallbackMemory:
    """Return the memory in a text; raise ``ValueError`` or ``TypeError`` if it can't be read."""
    memory = {}
    for name, (row, css, reading, tag, known, label, results, *counts, values) in json.loads(text).items():
        by_mark = {int(mark): list(map(str, some)) for mark, some in values.items()}
        pages, found_pages, used, found = map(int, counts)
        memory[name] = SelectorMemory(
            row, css, reading, tag, set(known), label, int(results), pages, found_pages, used, found, by_mark
        )
    return memory


class Trace:
    """The uses of selectors on one page, as they happen; it holds elements of the page."""

    def __init__(self) -> None:
        self._uses: dict[str, list[tuple[Any, list[Any]]]] = {}
        self._xpaths: dict[str, str] = {}

    def __call__(self, written: str, xpath: str, context: Any, results: list[Any]) -> None:
        """Note a use.

        :param written: the selector as its user wrote it; `xpath`: as XPath.
        :param context: the element in which it selects; `results`: elements, texts or numbers.
        """
        uses = self._uses.get(written)
        if uses is None:
            if not isinstance(context, etree._Element):
                return
            if len(self._uses) >= MOST_SELECTORS or len(written) > LONGEST_SELECTOR:
                return
            uses = self._uses[written] = []
            self._xpaths[written] = xpath
        if len(uses) < MOST_OF_PAGE:
            uses.append((context, results))

    def remember(self, memory: CallbackMemory, url: str, uses: Mapping[str, SelectorUse], crawl: int) -> None:
        """Add the page to what is remembered of its callback.

        :param crawl: tells its rows from those of other crawls.
        """
        rows = self._rows()
        # the only row of a page is the page
        single = {name for name, some in self._uses.items() if sum(len(found) for _, found in some) == 1}
        contexts = {context for some in self._uses.values() for context, _ in some}
        for name, some in self._uses.items():
            context = some[0][0]
            row = "" if context.tag == "html" else rows.get(context, (None,))[0]
            if row is None:
                continue
            one = memory.get(name)
            if one is None:
                if len(memory) >= MOST_SELECTORS:
                    continue
                one = memory[name] = SelectorMemory(row, self._xpaths[name] != name)
            use = uses[name]
            one.pages += 1
            one.used += use.used
            if not (use.found or use.original):
                continue
            one.found_pages += 1
            one.found += use.found + use.original
            if any(
                isinstance(result, etree._Element) and result in contexts
                for _, found in some
                for result in found
            ):
                one.results = max(len(found) for _, found in some)
                continue
            for context, found in some:
                number = f"{rows[context][1]} {crawl}" if context in rows and row not in single else ""
                if found and sum(map(len, one.values.values())) < MOST_VALUES:
                    self._add(one, name, mark_of(url, number), (context, found))

    def _rows(self) -> dict[Any, tuple[str, int]]:
        """Return the selector of each element that was selected, and its number among those."""
        rows: dict[Any, tuple[str, int]] = {}
        for name, some in self._uses.items():
            numbers = iter(range(MOST_OF_PAGE * _MOST_ROWS))
            for _, found in some:
                for result in found[:_MOST_ROWS]:
                    if isinstance(result, etree._Element):
                        rows.setdefault(result, (name, next(numbers)))
        return rows

    def _add(self, one: SelectorMemory, name: str, mark: int, use: tuple[Any, list[Any]]) -> None:
        context, found = use
        xpath = self._xpaths[name]
        if not one.reading:
            one.reading = _reading(xpath, found[0])
        texts = (
            plain(str(result)) if isinstance(result, str) else read(result, STRING)
            for result in found[: 1 if one.row else MOST_OF_PAGE]
        )
        if not isinstance(found[0], (str, etree._Element)) or not (
            values := [text for text in texts if text]
        ):
            return
        one.values[mark] = values
        one.results = len(found)
        if one.label == "" and one.tag:
            return
        element = _element(xpath, context, found[0])
        if element is not None:
            one.tag = one.tag or element.tag
            one.words = one.words or words_of(name, element)
            label = label_of(element, context)
            one.label = label if one.label in {None, label} else ""


def _reading(xpath: str, result: Any) -> str:
    if isinstance(result, etree._Element):
        return ELEMENT
    if attribute := _ATTRIBUTE_END.search(xpath):
        return f"@{attribute[1]}"
    return TEXT if _TEXT_END.search(xpath) else STRING


def element_path(xpath: str) -> str:
    """Return the XPath of the elements whose texts or attributes another one selects; the same if there are none."""
    return _TEXT_END.sub("", _ATTRIBUTE_END.sub("", xpath))


def _element(xpath: str, context: Any, result: Any) -> Any:
    """Return the element of a result."""
    if isinstance(result, etree._Element):
        return result
    path = element_path(xpath)
    if path == xpath:
        return None
    try:
        found = context.xpath(path)
    except etree.XPathError:  # it may need variables or namespaces
        return None
    return next((one for one in found if isinstance(one, etree._Element)), None)
