"""The measures of a labelled page, from its text before and after alone.

The measures are those of the field, so that figures can be compared:

content present
    share of the pages on which every labelled record survived;
record recall
    share of all labelled records that survived. A record survives when at least 90 % of the characters of
    its text nodes remain;
values kept
    share of the links, image sources and number-only texts inside the records that remain;
noise removed
    share of the characters outside the records that are gone, averaged over the pages that have any;
noise outside the list
    the same of the text before the first and behind the last record: between them, little can go.

Two more come from the snippets of a page:

must-stay snippets
    share of the snippets outside the records (headings, pagination, messages) that remain;
noise snippets gone
    share of the snippets of consent texts, footers and advertisements that are gone.

Text is compared as letters and digits in lower case, and with multiplicity: one of two equal texts left
does not count as both.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING

from lxml import etree, html

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .labels import LabelledPage

SURVIVES = 0.9
"""Share of a record's characters that must remain for it to count as surviving."""
DECIDES = 3
"""Text nodes of fewer characters (bullets, page numbers) occur anywhere, so they decide nothing."""

_UNSEEN = frozenset({"script", "style", "noscript", "template"})
_NOT_TEXT = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Score:
    """The measures of one page."""

    page: LabelledPage
    records: int
    survived: int
    values: int
    values_kept: int
    noise_removed: float | None
    noise_outside: float | None
    missing: list[str] = field(default_factory=list)
    remaining: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        """Share of the page's records that survived; 1 when it has none."""
        return _share(self.survived, self.records)


def plain(text: str) -> str:
    """Letters and digits, lower case: what is left when layout and punctuation go."""
    return _NOT_TEXT.sub("", text.lower())


def parsed(text: str) -> etree._Element:
    """The ``body`` of a page, without comments; an empty one when there is none."""
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        root = html.document_fromstring(text.encode(), parser=parser)
    except etree.ParserError:
        root = html.document_fromstring("<body></body>")
    body = root.find("body")
    return root if body is None else body


def _seen(element: etree._Element) -> Iterator[etree._Element]:
    """The element and what is below it, in document order, without scripts and the like."""
    pending = [element]
    while pending:
        node = pending.pop()
        if node.tag not in _UNSEEN:
            yield node
            pending.extend(reversed(node))


def shown_texts(element: etree._Element) -> list[str]:
    """The text nodes below an element that a browser shows, as they are; those of blanks left out."""
    found: list[str] = []
    for node in _seen(element):
        found += (node.text or "", *(child.tail or "" for child in node))
    return [text for text in found if text.strip()]


def texts(element: etree._Element) -> list[str]:
    """The plain texts of the text nodes below an element; those that are empty left out."""
    return [text for text in map(plain, shown_texts(element)) if text]


def values(element: etree._Element) -> list[str]:
    """Links, image sources and number-only texts below an element."""
    found = [text for text in texts(element) if text.isdigit()]
    for node in _seen(element):
        found += filter(None, (node.get("href"), node.get("src")))
    return found


def records_of(page: LabelledPage) -> list[etree._Element]:
    """The labelled nodes of a page, in document order."""
    body = parsed(page.body.decode(page.encoding))
    return list(body.getroottree().xpath(page.xpath)) if page.xpath else []


def score(page: LabelledPage, kept_html: str) -> Score:
    """Compare a page with what a pruner made of it."""
    raw = parsed(page.body.decode(page.encoding))
    kept = parsed(kept_html)
    nodes = raw.getroottree().xpath(page.xpath) if page.xpath else []
    records = [record for record in map(texts, nodes) if record]
    raw_text, kept_text = "".join(texts(raw)), "".join(texts(kept))
    survived, record_chars_kept = _surviving(records, kept_text)
    noise = len(raw_text) - sum(len(text) for record in records for text in record)
    wanted = Counter(value for node in nodes for value in values(node))
    return Score(
        page=page,
        records=len(records),
        survived=survived,
        values=wanted.total(),
        values_kept=(wanted & Counter(values(kept))).total(),
        noise_removed=min(1.0, max(0.0, 1 - (len(kept_text) - record_chars_kept) / noise))
        if noise > 0
        else None,
        noise_outside=_outside_removed(raw, kept, nodes),
        missing=[snippet for snippet in page.stay if plain(snippet) not in kept_text],
        remaining=[snippet for snippet in page.go if plain(snippet) in kept_text],
    )


def _outside_removed(
    raw: etree._Element, kept: etree._Element, nodes: Sequence[etree._Element]
) -> float | None:
    """The share of the characters before the first and behind the last record that are gone; None if there are none."""
    order = list(_seen(raw))
    places = {node: place for place, node in enumerate(order)}
    inside = [places[one] for node in nodes for one in _seen(node) if one in places]
    if not inside:
        return None
    first, last = min(inside), max(inside)
    outside = [
        plain(text)
        for place, node in enumerate(order)
        if not first <= place <= last
        for text in (node.text or "", node.tail or "" if place else "")
    ]
    whole = sum(map(len, outside))
    left = Counter(texts(kept)) - (Counter(texts(raw)) - Counter(outside))
    stays = Counter(outside) & left
    return 1 - sum(len(text) * times for text, times in stays.items()) / whole if whole else None


def _surviving(records: Sequence[Sequence[str]], kept_text: str) -> tuple[int, float]:
    """How many records survived, and how many of the characters kept are theirs.

    Texts are looked for in the joined text: two text nodes are one when the element between them went.
    """
    left = {text: kept_text.count(text) for record in records for text in record}
    survived, chars_kept = 0, 0.0
    for record in records:
        deciding = [text for text in record if len(text) >= DECIDES] or record
        found = 0
        for text in deciding:
            if left[text] > 0:
                left[text] -= 1
                found += len(text)
        share = found / sum(map(len, deciding))
        survived += share >= SURVIVES
        chars_kept += share * sum(map(len, record))
    return survived, chars_kept


def summary(scores: Iterable[Score]) -> dict[str, float]:
    """The measures over pages, as shares; a measure that no page has is 1."""
    scores = list(scores)
    labelled = [one for one in scores if one.records]
    noise = [one.noise_removed for one in scores if one.noise_removed is not None]
    outside = [one.noise_outside for one in scores if one.noise_outside is not None]
    return {
        "content present": _share(sum(one.survived == one.records for one in labelled), len(labelled)),
        "record recall": _share(sum(one.survived for one in scores), sum(one.records for one in scores)),
        "values kept": _share(sum(one.values_kept for one in scores), sum(one.values for one in scores)),
        "must-stay snippets": 1 - _share_of(scores, "missing", "stay"),
        "noise removed": fmean(noise) if noise else 1.0,
        "noise outside the list": fmean(outside) if outside else 1.0,
        "noise snippets gone": 1 - _share_of(scores, "remaining", "go"),
    }


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _share_of(scores: Sequence[Score], listed: str, among: str) -> float:
    whole = sum(len(getattr(one.page, among)) for one in scores)
    return sum(len(getattr(one, listed)) for one in scores) / whole if whole else 0.0
