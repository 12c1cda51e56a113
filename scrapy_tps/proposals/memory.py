"""What is remembered of the selectors of a spider's callbacks: a few values, and what tells of their elements."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, fields
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zlib import crc32

from lxml import etree

from scrapy_tps.engine.fallback.fallback_page import is_nothing
from scrapy_tps.proposals.values import (
    ELEMENT,
    STRING,
    TEXT,
    label_of,
    plain,
    read,
    shape,
    tags_between,
    value_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.engine.fallback.usage import Fallbacks

#: The most values of a selector, and the most uses and results of a page that are read.
MOST_VALUES: Final = 20
MOST_OF_PAGE: Final = 5
#: The most selectors of a callback that are remembered, and the most characters of one.
MOST_SELECTORS: Final = 50
LONGEST_SELECTOR: Final = 200

#: The end of an XPath of texts or of an attribute.
_READING: Final = re.compile(r"/(?:descendant-or-self::)?(?:text\(\)|(@[\w-]+))$")


@dataclass(slots=True)
class SelectorMemory:
    """What is remembered of one selector.

    :ivar row: the selector of the elements in which it selects; empty for the page.
    :ivar kind: ``css`` or ``xpath``.
    :ivar reading: what it reads from its elements: ``text``, ``string``, ``element``, ``@href``; empty for rows.
    :ivar label: the text before the first of its elements.
    :ivar place: the tags from the row down to its element, if no other one with a value of such a shape has the same.
    :ivar uses: by the mark of a page, how often it was used there, how often it found something, and the most results.
    :ivar values: values by the mark of their page or row, which are empty if it found nothing there.
    """

    row: str
    kind: str
    reading: str = ""
    label: str = ""
    place: str = ""
    uses: dict[str, list[int]] = field(default_factory=dict)
    values: dict[str, list[str]] = field(default_factory=dict)

    @property
    def page_rate(self) -> float:
        """The share of pages on which it found something."""
        return sum(found > 0 for _, found, _ in self.uses.values()) / len(self.uses)

    @property
    def rate(self) -> float:
        """The share of rows, or pages, in which it found something."""
        used, found, _ = map(sum, zip(*self.uses.values(), strict=True))
        return found / used

    @property
    def results(self) -> int:
        """The most results of a use."""
        return max(most for _, _, most in self.uses.values())

    @property
    def shapes(self) -> set[str]:
        """The shapes of the values."""
        return {shape(value) for values in self.values.values() for value in values}

    @property
    def first(self) -> int:
        """The number of values of a row, or page, that count."""
        return 1 if self.row else MOST_OF_PAGE

    def add(self, mark: str, results: Sequence[Any]) -> None:
        """Add the values of a use."""
        texts = [value for result in results[: self.first] if (value := value_of(result))]
        if sum(len(values) or 1 for values in self.values.values()) + len(texts) <= MOST_VALUES:
            self.values[mark] = texts

    def describe(self, xpath: str, use: Use) -> None:
        """Note what tells of its element, of one use of each page."""
        if not self.reading:
            self.reading = _reading(xpath, use.first[0])
            element = _element(xpath, use)
            if element is not None:
                self.label = label_of(element, use.context)
                self.place = tags_between(use.context, element)
        if self.place and self._is_ambiguous(use.context):
            self.place = ""

    def _is_ambiguous(self, context: Any) -> bool:
        """Whether several elements at the same tags have a value of such a shape."""
        shapes, attribute = self.shapes, self.reading.removeprefix("@")
        values = (
            plain(element.get(attribute, "")) if attribute != self.reading else read(element, self.reading)
            for element in context.iterfind(self.place)
        )
        alike = (value for value in values if value and shape(value) in shapes)
        return next(alike, None) is not None and next(alike, None) is not None


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
    # asdict() copies each value
    names = [one.name for one in fields(SelectorMemory)]
    entries = {name: {part: getattr(one, part) for part in names} for name, one in memory.items()}
    return json.dumps(entries, ensure_ascii=False, separators=(",", ":"))


def memory_from_json(text: str) -> CallbackMemory:
    """Return the memory in a text; raise one of :data:`DAMAGED` if it is none."""
    memory = {name: SelectorMemory(**entry) for name, entry in json.loads(text).items()}
    for one in memory.values():
        _ = one.page_rate, one.rate, one.results, one.shapes  # what counts or compares raises
    return memory


class Use(NamedTuple):
    """A use of a selector: the element in which it selects, the first results, and their number."""

    context: Any
    first: list[Any]
    results: int


class Trace:
    """The uses of selectors on one page, as they happen; it holds elements of the page."""

    def __init__(self) -> None:
        self._uses: dict[tuple[str, str], list[Use]] = {}

    def __call__(self, written: str, xpath: str, context: Any, results: Any) -> None:
        """Note a use.

        :param written: the selector as its user wrote it; `xpath`: as XPath.
        :param context: the element in which it selects; `results`: selectors of elements, texts or numbers.
        """
        uses = self._uses.get((written, xpath))
        if uses is None:
            is_one = isinstance(context, etree._Element) and len(written) <= LONGEST_SELECTOR
            if not is_one or len(self._uses) >= MOST_SELECTORS:
                return
            uses = self._uses[written, xpath] = []
        if len(uses) < MOST_OF_PAGE:
            # a slice would be a list of selectors
            first = [one.root for one in islice(results, MOST_OF_PAGE)]
            # blank texts are no match: a selector with no other results would seem lost
            if is_nothing(first):
                first = []
            uses.append(Use(context, first, len(results)))

    def remember(self, memory: CallbackMemory, url: str, usage: Fallbacks) -> None:
        """Add the page to what is remembered of its callback.

        :param usage: counts the uses.
        """
        rows, page = self._rows(), mark_of(url)
        contexts = {use.context for uses in self._uses.values() for use in uses}
        of_rows = {name for element, (name, _) in rows.items() if element in contexts}
        for (name, xpath), uses in self._uses.items():
            context = uses[0].context
            if context.tag != "html" and context not in rows:
                continue
            if name not in memory and len(memory) >= MOST_SELECTORS:
                continue
            row = "" if context.tag == "html" else rows[context][0]
            one = memory.setdefault(name, SelectorMemory(row, "xpath" if name == xpath else "css"))
            count, most = usage.use_of(name), max(use.results for use in uses)
            one.uses[page] = [count.used, count.found + count.original, most]
            if name in of_rows:
                continue
            for use in uses:
                one.add(page + rows.get(use.context, ("", ""))[1], use.first)
            if (found := next((use for use in uses if use.first), None)) is not None:
                one.describe(xpath, found)

    def _rows(self) -> dict[Any, tuple[str, str]]:
        """Return the selector of each element that was selected, and the end of its mark."""
        rows: dict[Any, tuple[str, str]] = {}
        for (name, _), uses in self._uses.items():
            found = [result for use in uses for result in use.first]
            for number, result in enumerate(found, 1):
                # the only row of a page is the page
                rows.setdefault(result, (name, f".{number}" if len(found) > 1 else ""))
        return rows


def _reading(xpath: str, result: Any) -> str:
    if isinstance(result, etree._Element):
        return ELEMENT
    end = _READING.search(xpath)
    return STRING if end is None else end[1] or TEXT


def _element(xpath: str, use: Use) -> Any:
    """Return the element of the first result; None if it can't be found again."""
    element = use.first[0]
    if not isinstance(element, etree._Element):
        try:
            return use.context.xpath(f"({xpath})[1]/..")[0]
        except (etree.XPathError, IndexError):  # with variables, of a text, or answered by the original
            return None
    return element
