"""The kinds of removed parts that comparisons of a callback have judged: whether a page has others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlsplit

from lxml import etree

from scrapy_tps.engine import native
from scrapy_tps.engine.arrays import flipped
from scrapy_tps.engine.html.elements import plain_elements
from scrapy_tps.engine.pruned_page import page_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.engine.pruned_page import Pruning
    from scrapy_tps.engine.sequence.columns import TagPathSequence

#: A kind of removed part, and the value of one of its parts.
Part = tuple[Hashable, str | int]

#: The number of values of a kind that are judged. A kind with more has free text, or any number of parts. With 3,
#: 36 of 168 notes that were one of five labels were lost on made-up sites; with 8 none was, for at most one comparison
#: more on a demo site.
MOST_VALUES: Final = 8

#: The most kinds of a callback and site; real sites have a few hundred.
MOST_KINDS: Final = 5000

#: Classes and identifiers in generated names (``post-1234``) differ from page to page in numbers.
_DIGITS: Final = re.compile(r"\d+")

#: The code before the first value: ``window.dataLayer = ``.
_CODE_START: Final = re.compile(r"""[^"'\[{\d\r\n]{0,80}""")

#: Attributes that name what an element holds.
_LABELS: Final = ("id", "itemprop", "role", "name", "property")


def code_start(code: str) -> str:
    """Return the start of a script up to its first value, by which it is recognised on other pages."""
    found = _CODE_START.match(code.lstrip())
    return found[0].rstrip() if found else ""


def removed_parts(pruning: Pruning) -> set[Part] | None:
    """Return the removed parts of a page by kind: their number, texts and attributes, comments and code.

    None if the page cannot be read: its removed parts were dropped, or other code has changed its tree.
    """
    page = page_of(pruning)
    journal, mask = page.journal, page.mask
    if journal is None:
        return None
    root = pruning.root
    with journal.lock:
        staying = set(_unseen(root))
    with journal:
        # what TPS_DROP matches is in no journal
        body = next(root.iterchildren("body"))
        sequence = page.walk_again()[1] if page.settings.drop else native.walk(body)
        if len(sequence) != len(mask):
            return None
        with plain_elements(sequence.nodes[0]):
            parts = set(_parts(sequence, mask))
        gone = (one.text or "" for one in _unseen(root) if one not in staying)
        parts.update((("code", code_start(code)), code) for code in gone)
    return parts


def asked(request: Any) -> Iterator[Part]:
    """Yield what a request tells its callback, without numbers: the same parts of a page may then be read or not."""
    callback = request.callback
    query = parse_qsl(urlsplit(request.url).query, keep_blank_values=True)
    told = [request.cb_kwargs, request.meta, dict(query)]
    while isinstance(callback, partial):
        told += [callback.keywords, dict(enumerate(callback.args))]
        callback = callback.func
    yield ("callback", getattr(callback, "__code__", None)), ""  # all lambdas have the same name
    for where, values in enumerate(told):
        for name, value in values.items():
            yield ("told", where, name), _DIGITS.sub("0", str(value)) if isinstance(value, (str, int)) else ""


def _unseen(root: Any) -> Iterator[Any]:
    yield from root.iter("script", "style", etree.Comment)


def _parts(sequence: TagPathSequence, mask: bytes) -> Iterator[Part]:
    kinds, symbols, nodes, parent = _kinds(sequence), sequence.symbols, sequence.nodes, sequence.parent
    staying: dict[int, int] = {}
    for symbol, chars in zip(compress(symbols, mask), compress(sequence.chars, mask), strict=True):
        if chars:
            staying[symbol] = staying.get(symbol, 0) + chars
    # another kind of page, whose callback may read the same removed parts otherwise
    yield ("around", kinds[max(staying, key=staying.__getitem__, default=0)]), ""
    gone = flipped(bytearray(mask))
    for symbol, number in Counter(compress(symbols, gone)).items():
        yield kinds[symbol], number
    labels: dict[int, str] = {}
    is_text = sequence.text_mask()
    for index in compress(range(len(gone)), gone):
        kind = kinds[symbols[index]]
        if is_text[index]:
            text = " ".join(sequence.text_of(index).split())
            if text:
                yield (kind, labels.get(parent[index])), text
            continue
        attributes = nodes[index].items()
        label = " ".join(
            [f"{name}={_DIGITS.sub('0', value)}" for name, value in attributes if value and name in _LABELS]
        )
        if label:
            labels[index] = label
            yield (kind, label), ""
        for name, value in attributes:
            yield (kind, label, name), value


def _kinds(sequence: TagPathSequence) -> list[int]:
    """Return a hash of the path of tags and classes of each symbol."""
    kinds: list[int] = []
    for above, tag, classes in zip(
        sequence.symbol_parent, sequence.symbol_tag, sequence.symbol_class, strict=True
    ):
        stable = classes
        if classes and _DIGITS.search(classes):
            stable = " ".join([one for one in classes.split() if not _DIGITS.search(one)])
        kinds.append(hash((kinds[above] if above >= 0 else 0, tag, stable)))
    return kinds


class Judged:
    """The kinds of removed parts on the compared pages of a callback and site, with their first values, as hashes."""

    def __init__(self) -> None:
        self._values: dict[int, tuple[int, ...]] = {}

    def has_all(self, parts: set[Part]) -> bool:
        """Whether a page was compared that had each of these parts."""
        return not any(self._is_new(hash(kind), hash(value)) for kind, value in parts)

    def add(self, parts: set[Part]) -> None:
        """Add the parts of a compared page."""
        for one, value in parts:
            kind, number = hash(one), hash(value)
            if self._is_new(kind, number):
                self._values[kind] = (*self._values.get(kind, ()), number)

    def _is_new(self, kind: int, value: int) -> bool:
        known = self._values.get(kind, ())
        return value not in known and len(known) < MOST_VALUES

    @property
    def is_full(self) -> bool:
        """Whether the site has too many kinds of parts to judge them."""
        return len(self._values) > MOST_KINDS
