"""The values missing from the results of a pruned page, their places, and the setting that would keep them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from scrapy_tps.engine.explanation import describe_removed
from scrapy_tps.engine.pruned_page import page_of
from scrapy_tps.engine.selectors import compile_selector
from scrapy_tps.engine.sequence.columns import ELEMENT, TEXT
from scrapy_tps.engine.xpaths import XPaths, literal
from scrapy_tps.records.next_page import absolute_address, base_url
from scrapy_tps.shadow.differences import Change, values
from scrapy_tps.shadow.judged import code_start

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_tps.engine.pruned_page import Pruning
    from scrapy_tps.shadow.differences import Difference, Form, Ignored

#: Classes and identifiers that need no escaping in a selector. Those with digits may differ from page to page
#: (``post-1234``).
_NAME = re.compile(r"[A-Za-z_][A-Za-z_-]*")
_TAG = re.compile(r"[a-z][a-z0-9-]*")

_NUMBER = re.compile(r"\d(?:[\d.,'\u00a0\u202f ]*\d)?")
_FLOAT = re.compile(r"\d+(?:\.\d+)?")
_URLS = ("href", "src", "action", "data-src")
_SHORTEST = 2  # characters of a value that may be recognised as a part of a text
_SHORTEST_PIECE = 4  # characters of a text that may be recognised as a piece of a value
_MOST_REMOVED = 20_000  # removed texts and attributes that are searched
_MOST_CLASSES = 2  # of an element in a selector: enough to identify it, few enough to match on other pages
_MOST_STEPS = 4  # elements above that a selector may name


@dataclass(frozen=True, slots=True)
class Place:
    """A removed value.

    :ivar xpath: the element or text of the original page that held it.
    :ivar removed: the XPath of the whole removed part.
    :ivar reason, rule: why it was removed.
    :ivar index, top: the places of both in the original's tag path sequence; -1 if it was code that no setting keeps.
    """

    xpath: str
    removed: str
    reason: str
    rule: str
    index: int
    top: int

    @property
    def part(self) -> str:
        """The whole removed part, and the reason."""
        return f"{self.removed} ({self.reason}; rule {self.rule})"


class RemovedParts:
    """The removed parts of a page, to search for values.

    :ivar url: the page's address.

    The original is parsed again, because an account does not hold it. Raises ``ValueError`` if its bytes were dropped.
    """

    def __init__(self, pruning: Pruning) -> None:
        self.url = pruning.url
        page = page_of(pruning)
        self._root, self._sequence = page.walk_again()
        self._paths = XPaths(self._sequence)
        self._mask = page.mask or b"\x01" * len(self._sequence)
        self._parts = dict(describe_removed(self._sequence, self._mask, page.spans, self._paths))
        base, kinds = base_url(self._root, pruning.url or ""), self._sequence.kinds
        self._values = list(islice(self._removed_values(base), _MOST_REMOVED))
        self._texts = [(index, text) for index, text in self._values if kinds[index] != ELEMENT]
        self._code = list(self._removed_code())

    def _removed_values(self, base: str) -> Iterable[tuple[int, str]]:
        """Yield the removed texts, and the values of the attributes of removed elements."""
        sequence = self._sequence
        for index, kind in enumerate(sequence.kinds):
            if self._mask[index]:
                continue
            if kind != ELEMENT:
                yield index, " ".join(sequence.text_of(index).split())
                continue
            for name, value in sequence.nodes[index].attrib.items():
                text = " ".join(value.split())
                yield index, text
                if name in _URLS and (address := absolute_address(base, text)):
                    yield index, address

    def _removed_code(self) -> Iterable[tuple[str, Place]]:
        """Yield the scripts removed with the part around them, and their places: those of their parents."""
        sequence = self._sequence
        data = {script for _, script in sequence.data_scripts}
        scripts = list(self._root.iter("script"))
        places = sequence.places([script.getparent() for script in scripts])
        for script, above in zip(scripts, places, strict=True):
            # an element that lost nothing still has its scripts; the whole body is not a remedy
            went = above < 0 or 0 in self._mask[above : sequence.end[above]]
            if script.text and script not in data and went:
                path, index = script.getroottree().getpath(script), above if above > 0 else -1
                yield script.text, Place(path, path, "code, not data", "script", index, index)

    def find(self, value: Any, near: int | None = None) -> Place | None:
        """Return the place of a value of an item, or None if no removed part holds it.

        The search tries in this order: an equal text or attribute, a text that holds it or an equal number, the longest
        text inside it (for a value joined from several texts), a script that holds it.

        :param near: index of another value of the item; of several places the nearest is taken.
        """
        wanted = " ".join(str(value).split())
        equal = [index for index, text in self._values if text == wanted]
        found = equal or self._similar(value, wanted)
        if found:
            return self._place(min(found, key=lambda index: abs(index - (near or 0))))
        holding = (place for text, place in self._code if wanted in text)
        return next(holding, None) if len(wanted) >= _SHORTEST_PIECE else None

    def matches(self, selector: str) -> tuple[int, list[str]]:
        """Return how many elements of the original a selector matches, and the removed parts of those that went."""
        found = compile_selector(selector)(self._root)
        went = [index for index in self._sequence.locate(found) if not self._mask[index]]
        return len(found), list(dict.fromkeys(self._place(index).part for index in went))

    def _place(self, index: int) -> Place:
        top = index
        while top not in self._parts:
            top = self._sequence.parent[top]
        part = self._parts[top]
        return Place(self._paths.of(index), part.xpath, part.reason, part.rule, index, top)

    def remedy(self, outputs: Iterable[Sequence[Place]]) -> tuple[str, ...]:
        """Return selectors for ``TPS_KEEP`` that should keep the values of these outputs: those of the smallest
        elements that hold the values of one output in one removed part.
        """
        by_part = attrgetter("top")
        held = [sorted((place for place in places if place.top >= 0), key=by_part) for places in outputs]
        narrow = [self._common(same) for places in held for _, same in groupby(places, by_part)]
        return tuple(dict.fromkeys(map(self._selector, narrow)))

    def selectors(self) -> Iterable[str]:
        """Return selectors for ``TPS_KEEP`` of removed scripts, and of all removed parts."""
        starts = (code_start(code) for code, _ in self._code)
        named = (f"//script[contains(., {literal(start)})]" for start in starts if start)
        return dict.fromkeys((*named, *map(self._selector, self._parts)))

    def _common(self, places: Iterable[Place]) -> int:
        indexes = [place.index for place in places]
        low, high = min(indexes), max(indexes)
        while self._sequence.end[low] <= high:
            low = self._sequence.parent[low]
        return low

    def _similar(self, value: Any, wanted: str) -> list[int]:
        """Return the texts that hold a value or an equal number; otherwise the longest ones inside it."""
        if len(wanted) < _SHORTEST:  # it would be found everywhere
            return []
        if isinstance(value, (int, float)):
            return [index for index, text in self._texts if float(value) in _readings(text)]
        holding = [index for index, text in self._texts if wanted in text]
        if holding:
            return holding
        pieces = [
            (index, text) for index, text in self._texts if len(text) >= _SHORTEST_PIECE and text in wanted
        ]
        longest = max((len(text) for _, text in pieces), default=0)
        return [index for index, text in pieces if len(text) == longest]

    def _selector(self, index: int) -> str:
        """Return a selector for the element at `index` (for a text, the element around it), as general as is safe."""
        sequence = self._sequence
        if sequence.symbol_tag[sequence.symbols[index]] == TEXT:
            index = sequence.parent[index]
        tail, at = "", index
        for _ in range(_MOST_STEPS + 1):
            node = sequence.nodes[at]
            if name := _named(node):
                return name + tail
            if at == 0 or not _TAG.fullmatch(str(node.tag)):  # `body > div` would keep nearly everything
                break
            tail = f" > {node.tag!s}{tail}"
            at = sequence.parent[at]
        return self._paths.of(index)


def _named(node: Any) -> str | None:
    tag = node.tag
    if not _TAG.fullmatch(tag):
        return None
    identifier = (node.get("id") or "").strip()
    if _NAME.fullmatch(identifier):
        return f"{tag}#{identifier}"
    classes = [name for name in (node.get("class") or "").split() if _NAME.fullmatch(name)]
    if classes:
        return ".".join([tag, *classes[:_MOST_CLASSES]])
    for attribute in ("itemprop", "role"):
        value = (node.get(attribute) or "").strip()
        if _NAME.fullmatch(value):
            return f"{tag}[{attribute}={value}]"
    return tag if tag in {"main", "article", "aside", "nav", "header", "footer"} else None


def _readings(text: str) -> set[float]:
    """Return the numbers in a text, by all readings of separators: ``1.299,00`` is 1299 in one half of the world."""
    bare = [re.sub(r"['\u00a0\u202f ]", "", match[0]) for match in _NUMBER.finditer(text)]
    readings = (
        one for number in bare for one in (number.replace(",", ""), number.replace(".", "").replace(",", "."))
    )
    return {float(one) for one in readings if _FLOAT.fullmatch(one)}


#: The number of outputs of each kind, and of values of an output, to search for: they mostly share a cause.
MOST_SEARCHED = 20
MOST_VALUES = 12


@dataclass(frozen=True, slots=True)
class Missing:
    """A value that is missing from the results of the pruned page.

    :ivar what: ``lost``, ``changed``, ``lost request`` or ``changed request``: the fate of its output.
    :ivar form: that output, from the original; `field`: its field that had the value.
    :ivar place: its place, or None if no removed part holds it.
    """

    what: str
    form: Form
    field: str
    value: Any
    place: Place | None


@dataclass(slots=True)
class LossExplanation:
    """The causes of a page's losses.

    :ivar missing: the values of the first outputs of each kind, up to :data:`MOST_SEARCHED`.
    :ivar keep: selectors for ``TPS_KEEP`` that should help; empty if there are none.
    :ivar works: whether the callback loses nothing with it; None if it was not tried.
    :ivar parts: selectors of all removed parts, to be tried.
    """

    missing: list[Missing]
    keep: tuple[str, ...]
    parts: tuple[str, ...] = ()
    works: bool | None = None


def explain_losses(
    difference: Difference, pruning: Pruning, ignored: Ignored = frozenset()
) -> LossExplanation:
    """Search the parts removed by `pruning` for the values missing in `difference`.

    :param ignored: (kind, field) pairs that were not compared.

    Raises ``ValueError`` if the original's bytes were dropped.
    """
    parts = RemovedParts(pruning)
    outputs = [
        list(_missing(fate + noun, output, parts, ignored))
        for noun, losses in zip(("", " request"), difference, strict=True)
        for fate, found in (("lost", losses.lost), ("changed", losses.changed))
        for output in found[:MOST_SEARCHED]
    ]
    keep = parts.remedy([one.place for one in missing if one.place] for missing in outputs)
    return LossExplanation(
        [one for missing in outputs for one in missing], keep, parts=tuple(parts.selectors())
    )


def _missing(what: str, output: Form | Change, parts: RemovedParts, ignored: Ignored) -> Iterator[Missing]:
    names: Iterable[str]
    if isinstance(output, Change):
        form, there, names = output.original, output.pruned.fields, output.fields
    else:
        form, there, names = output, {}, output.compared(ignored)
        if form.identity is not None:  # only these data of a request come from the page
            names = [name for name in names if name == "url" or name.startswith("cb_kwargs.")]
    wanted = [
        (name, value)
        for name in names
        for value in values(form.fields.get(name))
        if value not in values(there.get(name))
    ][:MOST_VALUES]
    # the longest value is the least likely to occur elsewhere
    anchor = max((value for _, value in wanted), key=lambda value: len(str(value)), default=None)
    near = parts.find(anchor) if anchor is not None else None
    for name, value in wanted:
        place = parts.find(value, near.index if near else None)
        if place or value != parts.url:  # spiders have the page's address from the response
            yield Missing(what, form, name, value, place)
