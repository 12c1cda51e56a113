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
from scrapy_tps.proposals.values import ELEMENT, STRING, TEXT, label_of, plain, read, shape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy_tps.engine.fallback.usage import SelectorUse

#: The most values of a selector, the most uses and results of a page that are read, and the most results of a row.
MOST_VALUES: Final = 20
MOST_OF_PAGE: Final = 5
MOST_OF_ROW: Final = 1
#: The most selectors of a callback that are remembered, and the most characters of one.
MOST_SELECTORS: Final = 50
LONGEST_SELECTOR: Final = 200

#: The end of an XPath of texts or of an attribute.
_READING: Final = re.compile(r"/(?:descendant-or-self::)?(?:text\(\)|(@[\w-]+))$")


@dataclass(slots=True)
class SelectorMemory:
    """What is remembered of one selector.

    :ivar row: the selector of the elements in which it selects; empty for the page.
    :ivar css: whether it is a CSS selector.
    :ivar reading: what it reads from its elements: ``text``, ``string``, ``element``, ``@href``; empty for rows.
    :ivar label: the text before the first of its elements.
    :ivar results: the most results of a use.
    :ivar pages: pages on which it was used; `found_pages`: those on which it found something.
    :ivar used: its uses; `found`: those that found something.
    :ivar values: values by the mark of their page; one of several rows has a number and its page's mark before it.
    """

    row: str
    css: bool
    reading: str = ""
    label: str = ""
    results: int = 0
    pages: int = 0
    found_pages: int = 0
    used: int = 0
    found: int = 0
    values: dict[str, list[str]] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """The share of its uses that found something."""
        return self.found / self.used if self.used else 0.0

    @property
    def page_rate(self) -> float:
        """The share of pages on which it found something."""
        return self.found_pages / self.pages if self.pages else 0.0

    @property
    def different(self) -> set[str]:
        """The values."""
        return {value for values in self.values.values() for value in values}

    @property
    def shapes(self) -> set[str]:
        """The shapes of the values."""
        return set(map(shape, self.different))


#: What is remembered of a callback on a site, by selector.
CallbackMemory = dict[str, SelectorMemory]


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
    """Return the memory in a text, without what is damaged or of another form; raise ``ValueError`` if it is none."""
    entries = json.loads(text)
    if not isinstance(entries, dict):
        raise ValueError(f"not a memory of selectors: {text:.80}")
    return {name: SelectorMemory(**one) for name, one in entries.items() if _is_sound(one)}


def add_memory(memory: CallbackMemory, other: CallbackMemory) -> None:
    """Add what another process remembers of a callback."""
    for name, theirs in other.items():
        if name not in memory and len(memory) < MOST_SELECTORS:
            memory[name] = theirs
        elif (ours := memory.get(name)) is not None:
            ours.pages += theirs.pages
            ours.found_pages += theirs.found_pages
            ours.used += theirs.used
            ours.found += theirs.found
            ours.results = max(ours.results, theirs.results)
            for mark, values in theirs.values.items():
                if sum(map(len, ours.values.values())) + len(values) <= MOST_VALUES:
                    ours.values.setdefault(mark, values)


def _is_sound(entry: Any) -> bool:
    """Whether an entry has all parts of a memory, each of its type, and values that are texts."""
    parts = {one.name: getattr(SelectorMemory("", css=True), one.name) for one in fields(SelectorMemory)}
    return (
        isinstance(entry, dict)
        and entry.keys() == parts.keys()
        and all(type(entry[name]) is type(part) for name, part in parts.items())
        and all(
            isinstance(values, list) and all(isinstance(value, str) for value in values)
            for values in entry["values"].values()
        )
    )


@dataclass(frozen=True, slots=True)
class Proposal:
    """A selector that may take the place of one that finds nothing any more.

    :ivar selector: empty if no element holds such values.
    :ivar kind: ``css`` or ``xpath``.
    :ivar pages: pages on which it was tried; `found`: those on which it found something.
    :ivar equal_values: values that are equal to those remembered of the same rows; `known_values`: those that are
        remembered.
    :ivar lost_pages: pages on which the lost selector found nothing; 0 if it was not used because its rows were lost.
    """

    selector: str = ""
    kind: str = "css"
    pages: int = 0
    found: int = 0
    equal_values: int = 0
    known_values: int = 0
    lost_pages: int = 0

    def note(self, lost: str) -> str:
        """Return what the lost selector found, and what to try, in words."""
        nothing = (
            f"found nothing on {_pages(self.lost_pages)}" if self.lost_pages else "is lost with its rows"
        )
        if not self.selector:
            return f"`{lost}` {nothing}; no element holds such values."
        sampled = "sampled " if self.pages < self.lost_pages else ""
        found = f"found on {self.found:,} of {_pages(self.pages, sampled)}"
        equal = f", {self.equal_values:,} of {self.known_values:,} values seen before equal"
        return f"`{lost}` {nothing}. Try `{self.selector}`: {found}{equal if self.known_values else ''}."

    def to_dict(self) -> dict[str, Any] | None:
        """Return it by name, ready for JSON; None if it proposes nothing."""
        names = ("selector", "kind", "pages", "found", "equal_values")
        return {name: getattr(self, name) for name in names} if self.selector else None


def _pages(number: int, kind: str = "") -> str:
    return f"{number:,} {kind}page{'s' * (number != 1)}"


#: Proposals by site, callback and lost selector.
Proposals = dict[tuple[str, str, str], Proposal]


class _Use(NamedTuple):
    """A use of a selector: the element in which it selects, the first results, and their number."""

    context: Any
    first: list[Any]
    results: int


class Trace:
    """The uses of selectors on one page, as they happen; it holds elements of the page."""

    def __init__(self) -> None:
        self._uses: dict[tuple[str, str], list[_Use]] = {}

    def __call__(self, written: str, xpath: str, context: Any, results: Any) -> None:
        """Note a use.

        :param written: the selector as its user wrote it; `xpath`: as XPath.
        :param context: the element in which it selects; `results`: selectors of elements, texts or numbers.
        """
        uses = self._uses.get((written, xpath))
        if uses is None:
            if len(self._uses) >= MOST_SELECTORS or len(written) > LONGEST_SELECTOR:
                return
            uses = self._uses[written, xpath] = []
        if len(uses) < MOST_OF_PAGE and isinstance(context, etree._Element):
            # a slice would be a list of selectors
            first = [one.root for one in islice(results, MOST_OF_PAGE)]
            if is_nothing(
                first
            ):  # blank texts are no match: a selector with no other results would seem lost
                first = []
            uses.append(_Use(context, first, len(results)))

    def remember(self, memory: CallbackMemory, url: str, uses: Mapping[str, SelectorUse]) -> None:
        """Add the page to what is remembered of its callback."""
        rows, mark = self._rows(), mark_of(url)
        contexts = {use.context for some in self._uses.values() for use in some}
        of_rows = {rows[context][0] for context in contexts if context in rows}
        for (name, xpath), some in self._uses.items():
            context = some[0].context if some else None
            row = "" if context is not None and context.tag == "html" else rows.get(context, (None,))[0]
            if row is None or (name not in memory and len(memory) >= MOST_SELECTORS):
                continue
            one = memory.setdefault(name, SelectorMemory(row, xpath != name))
            one.pages += 1
            one.used += uses[name].used
            one.found += uses[name].found + uses[name].original
            found = [use for use in some if use.first]
            one.found_pages += bool(found)
            one.results = max(one.results, *(use.results for use in some))
            if name in of_rows:
                continue
            room = MOST_VALUES - sum(map(len, one.values.values()))
            for use in found[: max(room, 0)]:
                _add(one, xpath, mark + rows.get(use.context, ("", ""))[1], use)

    def _rows(self) -> dict[Any, tuple[str, str]]:
        """Return the selector of each element that was selected, and the end of its mark."""
        rows: dict[Any, tuple[str, str]] = {}
        for (name, _), uses in self._uses.items():
            found = [result for use in uses for result in use.first]
            for number, result in enumerate(found, 1):
                # the only row of a page is the page
                rows.setdefault(result, (name, f".{number}" if len(found) > 1 else ""))
        return rows


def _add(one: SelectorMemory, xpath: str, mark: str, use: _Use) -> None:
    """Add the values of a use."""
    texts = use.first[: MOST_OF_ROW if one.row else MOST_OF_PAGE]
    values = [value for text in texts if (value := value_of(text))]
    if not values:
        return
    if not one.reading:
        one.reading = _reading(xpath, use.first[0])
        one.label = _label(xpath, use)
    one.values[mark] = values


def _reading(xpath: str, result: Any) -> str:
    if isinstance(result, etree._Element):
        return ELEMENT
    end = _READING.search(xpath)
    return STRING if end is None else end[1] or TEXT


def value_of(result: Any) -> str:
    """Return a result of a selector as it is kept; empty if it is no text and has none."""
    return read(result, STRING) if isinstance(result, etree._Element) else plain(str(result))


def _label(xpath: str, use: _Use) -> str:
    """Return the text before the element of the first result."""
    element = use.first[0]
    if not isinstance(element, etree._Element):
        try:
            element = use.context.xpath(f"({xpath})[1]/..")[0]
        except (etree.XPathError, IndexError):  # with variables, of a text, or answered by the original
            return ""
    return label_of(element, use.context)
