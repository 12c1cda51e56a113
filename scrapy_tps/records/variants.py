"""The forms that a candidate list may take: as found, without what does not fit, and with what fits elsewhere on
the page."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final

from scrapy_tps.records.groups import PARALLEL, SIBLINGS, Group, most_frequent
from scrapy_tps.records.pagination import is_pagination

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.records.across import Span
    from scrapy_tps.records.page import RecordPage
    from scrapy_tps.records.regularity import Regularity

#: A record that has less than this of what is typical may be a header, a separator or an ad. Which of
#: the three is right differs by list: the ranking chooses among the variants.
FIT_THRESHOLDS: Final = (0.34, 0.5, 0.67)
#: What stands elsewhere on the page and has this much of what is typical may be a record, too.
PARALLEL_FIT: Final = 0.5


@dataclass(slots=True)
class Variant:
    """A candidate list, with what the ranking needs to know about how it was made.

    :ivar regularity: the profile of its records.
    :ivar dropped_fit: the best fit among the records that were left out, 0 if none were.
    """

    group: Group
    regularity: Regularity
    dropped_fit: float = 0.0


def variants_of(page: RecordPage, found: Variant) -> Iterator[Variant]:
    """Yield the variants of a candidate list other than as it was found, each set of spans once."""
    group, whole = found.group, found.regularity
    sizes = {len(group.spans)}
    middle: Variant | None = None
    for threshold in FIT_THRESHOLDS:
        chosen = [place for place, fit in enumerate(whole.fit) if fit >= threshold]
        if len(chosen) > 1:
            chosen = _with_same_class(page, group, whole.fit, chosen)
        if len(chosen) < 2:
            break
        if len(chosen) not in sizes:  # sets chosen by rising thresholds differ exactly when their sizes do
            sizes.add(len(chosen))
            part = Group([group.spans[place] for place in chosen], group.origin, group.found)
            staying = set(chosen)
            dropped = max(fit for place, fit in enumerate(whole.fit) if place not in staying)
            variant = Variant(part, page.regularity(group.spans, chosen), dropped)
            yield variant
        else:
            variant = middle or found
        if threshold <= PARALLEL_FIT:
            middle = variant
    if group.origin == SIBLINGS and middle is not None:
        extended = in_parallel_containers(page, middle)
        if extended is not None:
            yield Variant(extended, page.regularity(extended.spans))


def _with_same_class(page: RecordPage, group: Group, fits: list[float], chosen: list[int]) -> list[int]:
    """The chosen records and those that have a class in common with all of them, and most of their inner classes.

    A lead story or a record with a picture is built differently, and a record all the same.
    """
    names = [page.class_names(page.signatures[start]) for start, _ in group.spans]
    fitting = set(chosen)
    if len(chosen) == len(names) or not (
        shared := frozenset.intersection(*{names[place] for place in chosen})
    ):
        return chosen
    others = [place for place, own in enumerate(names) if place not in fitting and not shared.isdisjoint(own)]
    least = FIT_THRESHOLDS[-1]
    joining = [place for place in others if fits[place] >= least]
    others = [place for place in others if fits[place] < least]
    if others:
        inner = _class_fit(page, group, chosen, others)
        joining += [place for place, fit in zip(others, inner, strict=True) if fit >= least]
    return sorted([*chosen, *joining])


def _class_fit(page: RecordPage, group: Group, chosen: list[int], others: list[int]) -> list[float]:
    """For each of the others the share of the inner classes it has that at least half of the chosen records have.

    Elements count by class, wherever they stand and whatever their tag: the headline of a lead is an ``h2``
    where that of the others is an ``h3``, and a wrapper more or less does not matter.
    """
    end, names = page.end, page.signature_class

    def inner(place: int) -> set[str]:
        start, stop = group.spans[place]
        own = {names[signature] for signature in set(page.signatures[start + 1 : min(stop, end[start])])}
        own.discard("")
        return own

    having = Counter(chain.from_iterable(map(inner, chosen)))
    typical = {name for name, records in having.items() if 2 * records >= len(chosen)}
    if len(typical) < 2:
        return [0.0] * len(others)
    return [len(inner(place) & typical) / len(typical) for place in others]


def in_parallel_containers(page: RecordPage, variant: Variant) -> Group | None:
    """Return the list extended by the records in other containers, None if there are none.

    Pages divide lists into rows, sections and wrappers. A record elsewhere has the tag path of the list's records, or
    their tag and classes, and most of what is typical of them. An element with text beside its links is not another
    entry of a menu.
    """
    spans = variant.group.spans
    text, link_text = page.text, page.link_text
    beside = sum([text[end] - text[start] - link_text[end] + link_text[start] for start, end in spans])
    starts = [start for start, _ in spans]
    path, of_path = most_frequent([page.paths[start] for start in starts])
    signature, of_signature = most_frequent([page.signatures[start] for start in starts])
    has_class = bool(page.signature_class[signature])
    if of_path == page.count_of_path[path] and (
        not has_class or of_signature == page.count_of_signature[signature]
    ):
        return None  # nothing like it is elsewhere
    elsewhere: list[Span] = []
    for start in page.places(path, signature if has_class else None):
        end = page.end[start]
        place = bisect_right(starts, start) - 1
        inside = place >= 0 and start < spans[place][1]
        holds = place + 1 < len(starts) and starts[place + 1] < end
        if inside or holds or text[end] == text[start]:
            continue
        if beside or text[end] - text[start] <= link_text[end] - link_text[start]:
            elsewhere.append((start, end))
    found: list[Span] = []
    last = 0
    fits = page.fits(elsewhere, variant.regularity.typical)
    for (start, end), fit in zip(elsewhere, fits, strict=True):
        if fit >= PARALLEL_FIT and start >= last:
            found.append((start, end))
            last = end
    added = [span for span in found if not is_pagination(page, span)]
    if len(added) < len(found) and any(is_pagination(page, span) for span in spans):
        added = found
    if not added:
        return None
    return Group(sorted([*spans, *added]), PARALLEL, variant.group.found + len(added))
