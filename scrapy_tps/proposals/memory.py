"""What is remembered of the selectors of a spider's callbacks: a few values, and what tells of their elements."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zlib import crc32

from lxml import etree

from scrapy_tps.engine.fallback.fallback_page import is_nothing
from scrapy_tps.proposals.values import ELEMENT, STRING, TEXT, shape, tags_between, value_of

if TYPE_CHECKING:
    from scrapy_tps.engine.fallback.usage import Fallbacks

#: The most values of a selector, and the most uses and results of a page that are read.
MOST_VALUES: Final = 20
MOST_OF_PAGE: Final = 10
#: The most selectors of a callback that are remembered, and the most characters of one.
MOST_SELECTORS: Final = 50
LONGEST_SELECTOR: Final = 200

#: The end of an XPath of texts or of an attribute.
_READING: Final = re.compile(r"/(?:descendant-or-self::)?(?:text\(\)|(@[\w-]+))$")


@dataclass
class SelectorMemory:
    """What is remembered of one selector.

    :ivar row: the selector of the elements in which it selects; empty for the page.
    :ivar kind: ``css`` or ``xpath``.
    :ivar reading: what it reads from its elements: ``text``, ``string``, ``element``, ``@href``; empty for rows.
    :ivar place: the tags from the row down to the first of its elements.
    :ivar pages: pages on which it was used; `found_pages`: those on which it found something.
    :ivar used: rows, or pages, in which it was used; `found`: those in which it found something.
    :ivar results: the most results of a use.
    :ivar values: values by the mark of their page or row, which are empty if it found nothing there.
    """

    row: str
    kind: str
    reading: str = ""
    place: str = ""
    pages: int = 0
    found_pages: int = 0
    used: int = 0
    found: int = 0
    results: int = 0
    values: dict[str, list[str]] = field(default_factory=dict)

    @property
    def page_rate(self) -> float:
        """The share of pages on which it found something."""
        return self.found_pages / self.pages

    @property
    def rate(self) -> float:
        """The share of rows, or pages, in which it found something."""
        return self.found / self.used

    @property
    def shapes(self) -> set[str]:
        """The shapes of the values."""
        return {shape(value) for values in self.values.values() for value in values}

    @property
    def first(self) -> int:
        """The number of values of a row, or page, that count."""
        return 1 if self.row else MOST_OF_PAGE

    @property
    def known(self) -> int:
        """The number of values, and of marks without one."""
        return sum(len(values) or 1 for values in self.values.values())

    def add(self, mark: str, use: Use) -> None:
        """Add the values of a use."""
        texts = [value for result in use.first[: self.first] if (value := value_of(result))]
        if self.known + len(texts) <= MOST_VALUES:
            self.values[mark] = texts

    def describe(self, xpath: str, use: Use) -> None:
        """Note what it reads, and where."""
        element = use.first[0]
        if isinstance(element, etree._Element):
            self.reading = ELEMENT
        else:
            end = _READING.search(xpath)
            self.reading = STRING if end is None else end[1] or TEXT
            try:
                element = use.context.xpath(f"({xpath})[1]/..")[0]
            except (etree.XPathError, IndexError):  # with variables, of a text, or answered by the original
                return
        self.place = tags_between(use.context, element)


#: What a text raises that another program, or another version, has written.
DAMAGED: Final = (ValueError, TypeError, AttributeError, ArithmeticError, RecursionError)

#: What is remembered of a callback on a site, by selector.
CallbackMemory = dict[str, SelectorMemory]


class SampledPage(NamedTuple):
    """A page as downloaded."""

    url: str
    body: bytes
    encoding: str


def mark_of(url: str) -> str:
    """Return the mark of a page."""
    return f"{crc32(url.encode('utf-8', 'replace')):08x}"


def memory_as_json(memory: CallbackMemory) -> str:
    """Return it as JSON."""
    return json.dumps(memory, default=vars, ensure_ascii=False, separators=(",", ":"))


def memory_from_json(text: str) -> CallbackMemory:
    """Return the memory in a text; raise one of :data:`DAMAGED` if it is none."""
    memory = {name: SelectorMemory(**entry) for name, entry in json.loads(text).items()}
    for one in memory.values():
        _ = one.page_rate, one.rate, one.results + 1, one.shapes  # what counts or compares raises
    return memory


class Use(NamedTuple):
    """A use of a selector.

    :ivar context: the element in which it selects; `row`: the selector of that; `mark`: the end of its mark.
    :ivar first: the first results; `results`: their number.
    """

    context: Any
    row: str
    mark: str
    first: list[Any]
    results: int


class Trace:
    """The uses of selectors on one page, as they happen; it holds elements of the page."""

    def __init__(self) -> None:
        self._uses: dict[tuple[str, str], list[Use]] = {}
        self._rows: dict[Any, tuple[str, str]] = {}

    def __call__(self, written: str, xpath: str, context: Any, results: Any) -> None:
        """Note a use in the page, or in a row: an element that was selected before.

        :param written: the selector as its user wrote it; `xpath`: as XPath.
        :param context: the element in which it selects; `results`: selectors of elements, texts or numbers.
        """
        row = ("", "") if getattr(context, "tag", "") == "html" else self._rows.get(context)
        if row is None or len(written) > LONGEST_SELECTOR:
            return
        uses = self._uses.get((written, xpath), [])
        if len(uses) < MOST_OF_PAGE and (uses or len(self._uses) < MOST_SELECTORS):
            # a slice would be a list of selectors
            first = [one.root for one in islice(results, MOST_OF_PAGE)]
            # blank texts are no match: a selector with no other results would seem lost
            if is_nothing(first):
                first = []
            self._uses[written, xpath] = [*uses, Use(context, *row, first, len(results))]
            for number, result in enumerate(first, 1):
                if isinstance(result, etree._Element):
                    # the only row of a page is the page
                    self._rows.setdefault(result, (written, row[1] + f".{number}" * (len(first) > 1)))

    def remember(self, memory: CallbackMemory, url: str, usage: Fallbacks) -> None:
        """Add the page to what is remembered of its callback.

        :param usage: counts the uses.
        """
        of_rows = {use.row for uses in self._uses.values() for use in uses}
        for (name, xpath), uses in self._uses.items():
            if name not in memory and len(memory) >= MOST_SELECTORS:
                continue
            kind = "xpath" if name == xpath else "css"
            one, count = memory.setdefault(name, SelectorMemory(uses[0].row, kind)), usage.use_of(name)
            one.pages += 1
            one.found_pages += count.found + count.original > 0
            one.used += count.used
            one.found += count.found + count.original
            one.results = max(one.results, *(use.results for use in uses))
            for use in uses if name not in of_rows else ():
                one.add(mark_of(url) + use.mark, use)
                if use.first and not one.reading:
                    one.describe(xpath, use)
