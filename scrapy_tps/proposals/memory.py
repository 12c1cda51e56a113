"""What is remembered of the selectors of a spider's callbacks: a few values, and what tells of their elements."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zlib import crc32

from lxml import etree

from scrapy_tps.engine.fallback.fallback_page import is_nothing
from scrapy_tps.proposals.values import is_element, shape, tags_between, value_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_tps.engine.fallback.usage import Fallbacks

#: The most values of a selector, and the most uses and results of a page that are read.
MOST_VALUES: Final = 20
MOST_OF_PAGE: Final = 10
#: The most selectors of a callback that are remembered, and the most characters of one.
MOST_SELECTORS: Final = 50
LONGEST_SELECTOR: Final = 200


@dataclass
class SelectorMemory:
    """What is remembered of one selector.

    :ivar row: the selector of the elements in which it selects; empty for the page.
    :ivar kind: ``css`` or ``xpath``.
    :ivar is_element: whether it selects elements, not what they hold.
    :ivar place: the tags from the row down to the first of its elements.
    :ivar pages: pages on which it was used; `found_pages`: those on which it found something.
    :ivar results: the most results of a use.
    :ivar values: values by the mark of their page or row, which are empty if it found nothing there.
    """

    row: str
    kind: str
    is_element: bool = False
    place: str = ""
    pages: int = 0
    found_pages: int = 0
    results: int = 0
    values: dict[str, list[str]] = field(default_factory=dict)

    @property
    def page_rate(self) -> float:
        """The share of pages on which it found something."""
        return self.found_pages / self.pages

    @property
    def rate(self) -> float:
        """The share of the remembered rows, or pages, in which it found something; 1 for rows."""
        return sum(map(bool, self.values.values())) / len(self.values) if self.values else 1.0

    @property
    def shapes(self) -> set[str]:
        """The shapes of the values."""
        return {shape(value) for values in self.values.values() for value in values}

    @property
    def known(self) -> int:
        """The number of values, and of marks without one."""
        return sum(len(values) or 1 for values in self.values.values())

    def read(self, results: Iterable[Any]) -> list[str]:
        """Return the values among the first results that count: one of a row, several of a page."""
        first = islice(results, 1 if self.row else MOST_OF_PAGE)
        return [value for result in first if (value := value_of(result))]


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
        _ = one.page_rate, one.results + 1, one.shapes  # what counts or compares raises
    return memory


class Trace:
    """The uses of selectors on one page, as they happen; it holds elements of the page.

    An error costs no result of a selector: :meth:`remember` raises it.
    """

    def __init__(self) -> None:
        self._error: Exception | None = None
        self._memory: CallbackMemory = {}
        self._rows: dict[Any, tuple[str, str]] = {}

    def __call__(self, written: str, xpath: str, context: Any, results: Any) -> None:
        """Note a use in the page, or in a row: an element that was selected before.

        :param written: the selector as its user wrote it; `xpath`: as XPath.
        :param context: the element in which it selects; `results`: selectors of elements, texts or numbers.
        """
        if self._error is None:
            try:
                self._note(written, xpath, context, results)
            except Exception as error:  # results may be anything
                self._error = error

    def _note(self, written: str, xpath: str, context: Any, results: Any) -> None:
        row = ("", "") if getattr(context, "tag", "") == "html" else self._rows.get(context)
        is_full = written not in self._memory and len(self._memory) >= MOST_SELECTORS
        if row is None or is_full or len(written) > LONGEST_SELECTOR:
            return
        kind = "xpath" if written == xpath else "css"
        one = self._memory.setdefault(written, SelectorMemory(row[0], kind))
        if len(one.values) >= MOST_OF_PAGE:
            return
        # a slice would be a list of selectors
        first = [one.root for one in islice(results, MOST_OF_PAGE)]
        # blank texts are no match: a selector with no other results would seem lost
        if is_nothing(first):
            first = []
        one.results = max(one.results, len(results))
        one.values[row[1]] = one.read(first)
        if first and not one.place:
            one.is_element = is_element(first[0])
            # nothing with variables, of a text, or answered by the original
            with suppress(etree.XPathError, IndexError):
                element = first[0] if one.is_element else context.xpath(f"({xpath})[1]/..")[0]
                one.place = tags_between(context, element)
        for number, result in enumerate(first, 1):
            if is_element(result):
                # the only row of a page is the page
                self._rows.setdefault(result, (written, row[1] + f".{number}" * (len(first) > 1)))

    def remember(self, memory: CallbackMemory, url: str, usage: Fallbacks) -> None:
        """Add the page to what is remembered of its callback.

        :param usage: counts the uses.
        """
        if self._error is not None:
            raise self._error
        of_rows = {one.row for one in self._memory.values()}
        for name, new in self._memory.items():
            if name not in memory and len(memory) >= MOST_SELECTORS:
                continue
            one, count = memory.setdefault(name, SelectorMemory(new.row, new.kind)), usage.use_of(name)
            one.pages += 1
            one.found_pages += count.found + count.original > 0
            one.results = max(one.results, new.results)
            one.is_element, one.place = one.is_element or new.is_element, one.place or new.place
            if name not in of_rows:
                for mark, values in new.values.items():
                    if one.known + len(values) <= MOST_VALUES:
                        one.values[mark_of(url) + mark] = values
