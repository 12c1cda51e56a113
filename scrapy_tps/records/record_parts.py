"""Lists inside records (tags, authors, offers, comments).

They follow section 4 of the KDIR 2012 paper on nested lists of data records, which treats each record as a small page
of its own. Examining the same place in *all* records together avoids two drawbacks: a list with one item in this record
is recognised from records in which it has several, and items are compared across records.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from scrapy_tps.records.record_group import SIBLINGS, Group, with_text

if TYPE_CHECKING:
    from scrapy_tps.records.cells import CellReader
    from scrapy_tps.records.record_page import RecordPage, Span


#: The most characters that separate items (", ", " | ").
_SEPARATOR: Final = 3
#: Items of a list have most of their structure in common.
_MIN_DENSITY: Final = 0.5
#: The least share of the text of headings and of the records below them that is in the latter.
_BELOW_HEADINGS: Final = 0.5
_LIST_ITEMS: Final = frozenset({"li", "dd", "option", "tr"})


def find_sublists(page: RecordPage, reader: CellReader, spans: list[Span]) -> list[list[list[Span]]]:
    """Return the lists inside records, outermost only, in document order of their first items.

    Each is at the same place in all records, and has for each record its items, none if the record has none. It
    consists of consecutive children of one tag and class whose number differs between records; parts that all
    records have equally often are fields.
    """
    found: list[list[list[Span]]] = []
    covered = bytearray(len(page))
    for (_, signature, _), runs in _slots(page, reader, spans).items():
        if len(set(map(len, runs.values()))) == 1 and len(runs) == len(spans):
            continue
        longest = max(runs.values(), key=len)
        if not _is_list(page, reader, signature, longest[0]) or any(covered[run[0]] for run in runs.values()):
            continue
        items = [[(place, page.end[place]) for place in runs.get(record, ())] for record in range(len(spans))]
        everything = [item for record in items for item in record]
        if page.regularity(everything).density < _MIN_DENSITY:
            continue
        found.append(items)
        for start, end in everything:
            covered[start:end] = b"\x01" * (end - start)
    return found


def _slots(
    page: RecordPage, reader: CellReader, spans: list[Span]
) -> dict[tuple[int, int, int], dict[int, list[int]]]:
    """Return the places at which some record has several children of one kind, by the parent's key, the kind and the
    number of such runs before: each with the run of such children in each record."""
    slots: dict[tuple[int, int, int], dict[int, list[int]]] = defaultdict(dict)
    several: dict[tuple[int, int, int], None] = {}
    ends = page.end
    for record, (start, end) in enumerate(spans):
        top = reader.top((start, end))
        before: Counter[tuple[int, int]] = Counter()
        for parent in [place for place, stop in enumerate(ends[start:end], start) if stop - place > 2]:
            runs = _runs(page, parent)
            key = reader.key_of(parent, top) if runs else -1
            for run in runs:
                kind = key, page.signatures[run[0]]
                slot = *kind, before[kind]
                before[kind] += 1
                slots[slot][record] = run
                if len(run) > 1:
                    several[slot] = None
    return {slot: slots[slot] for slot in several}


def _runs(page: RecordPage, parent: int) -> list[list[int]]:
    """Return runs of consecutive children of one tag and class that hold text."""
    end, text, chars, signatures = page.end, page.text, page.chars, page.signatures
    runs: list[list[int]] = []
    run: list[int] = []
    for child in page.children(parent):
        if chars[child]:
            if chars[child] > _SEPARATOR:
                run = []
        elif text[end[child]] == text[child]:
            run = []
        elif run and signatures[child] == signatures[run[0]]:
            run.append(child)
        else:
            run = [child]
            runs.append(run)
    return runs


def _is_list(page: RecordPage, reader: CellReader, signature: int, item: int) -> bool:
    """Whether the markup shows that the children are of one kind: list items, links, or one class."""
    if reader.is_prose(page.parent[item]):
        return False
    tag = page.tag(item)
    return tag in _LIST_ITEMS or tag == "a" or bool(page.signature_class[signature])


def headed_list(group: Group, sublist: list[list[Span]]) -> Group | None:
    """Return a list inside records as one list, if these are headings with its records below: the cases of each day.

    Most of the text and all links are below a heading then.
    """
    page, text, links = group.page, group.page.text, group.page.links
    [(path, _)] = Counter([page.paths[start] for items in sublist for start, _ in items]).most_common(1)
    of_path = page.places_of_path[path]
    headings = 0
    for start, end in group.spans:
        places = of_path[bisect_left(of_path, start) : bisect_left(of_path, end)]
        items = [(place, page.end[place]) for place in places]
        inside = sum([links[stop] - links[place] for place, stop in items])
        headings += bool(items) and text[items[0][0]] > text[start] and inside == links[end] - links[start]
    container = page.ancestor_of(group.spans)  # a record that was excluded may head some, too
    places = of_path[bisect_left(of_path, container) : bisect_left(of_path, page.end[container])]
    below = Group(page, with_text(page, [(place, page.end[place]) for place in places]), SIBLINGS)
    is_most = below.weight >= _BELOW_HEADINGS * group.weight
    has_links = 2 * below.with_link > len(below.spans)
    return below if is_most and has_links and 2 * headings > len(group.spans) else None
