"""Ranking of the lists of a page by the probability of being the main one, and variants of candidate lists.

The variants are: as found, without records that do not fit, and with fitting records from elsewhere on the page. The
ranking is a linear model over counts, a conditional logit (McFadden 1973): the candidates of a page compete, and the
probability of one is proportional to ``exp(weights · features)``. `benchmarks.ranking_weights` fits `WEIGHTS` on
labelled result pages and lists of court cases, and scores them on other sites (docs/results.md has the figures).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from dataclasses import replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.strategies.auto.thresholds import FIELDS
from scrapy_tps.records.record_group import GOOD_FIT, LEAST_FIT, PARALLEL, PERIODIC, SIBLINGS, Group

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scrapy_tps.records.record_page import Span


def variants_of(group: Group) -> Iterator[Group]:
    """Yield the variants of a candidate list, without the list as found."""
    usual, strict = _fitting(group, LEAST_FIT), _fitting(group, GOOD_FIT)
    whole = (in_parallel_containers(usual) if group.origin == SIBLINGS else None) or usual
    sizes = {len(group.spans)}
    for variant in (usual, strict, whole):
        if len(variant.spans) > 1 and len(variant.spans) not in sizes:
            sizes.add(len(variant.spans))
            yield variant


def _fitting(group: Group, least: float) -> Group:
    """Return the list without the records of less fit; the list itself if it has none, or not two others."""
    chosen = [span for span, fit in zip(group.spans, group.fits, strict=True) if fit >= least]
    if not 2 <= len(chosen) < len(group.spans):
        return group
    return replace(group, spans=chosen, dropped_fit=max([fit for fit in group.fits if fit < least]))


def in_parallel_containers(group: Group) -> Group | None:
    """Return the list extended by the records in other containers, None if there are none.

    Pages divide lists into rows, sections and wrappers. A record elsewhere has the tag path of the list's records and
    most of their typical structure, and is in boilerplate, such as related links, if they are.
    """
    page, spans = group.page, group.spans
    if not group.with_link and group.total(page.texts) < FIELDS * len(spans):
        return None  # fields of records
    elsewhere = _elsewhere(group)
    found: list[Span] = []
    last = 0
    for span, fit in zip(elsewhere, group.fits_of(elsewhere), strict=True):
        if fit >= LEAST_FIT and span[0] >= last:
            found.append(span)
            last = span[1]
    return Group(page, sorted([*spans, *found]), PARALLEL) if found else None


def _elsewhere(group: Group) -> list[Span]:
    """The elements outside of a list that have the tag path of its records, and text."""
    page, spans = group.page, group.spans
    starts = [start for start, _ in spans]
    [(path, of_path)] = Counter([page.paths[start] for start in starts]).most_common(1)
    places = page.places_of_path[path]
    if of_path == len(places):
        return []
    in_boilerplate = page.boilerplate[page.parent[starts[0]]]
    names, signatures = page.class_names, page.signatures
    shared = frozenset.intersection(*[names[one] for one in {signatures[start] for start in starts}])
    found = []
    for at_path in places:
        start, above = at_path, page.parent[at_path]
        if not shared <= names[signatures[start]] and shared <= names[signatures[above]]:
            start = above  # this record has one wrapper less around it than those of the list
        end = page.end[start]
        place = bisect_right(starts, start) - 1
        inside = place >= 0 and start < spans[place][1]
        holds = place + 1 < len(starts) and starts[place + 1] < end
        is_apart = page.boilerplate[page.parent[start]] != in_boilerplate
        if page.text[end] > page.text[start] and not (inside or holds or is_apart):
            found.append((start, end))
    return found


_MANY: Final = 10  # more records do not make a list more probable
_SAMPLE: Final = 12  # records whose texts are compared

#: The addition of each unit of a feature to the score; see :func:`features`.
WEIGHTS: Final[Mapping[str, float]] = {
    "share_outside_links": 1.269,
    "records_capped": 5.089,
    "density": 9.419,
    "least_fit": 5.764,
    "dropped_fit": -3.819,
    "having_link": 9.289,
    "variation": -1.633,
    "own_kind": 1.621,
    "boilerplate": -8.679,
    "parallel": 1.517,
    "title_linked": 2.664,
    "tops": -2.661,
    "start": -4.806,
    "of_container": 6.012,
}
#: The lists of a page that share no node compete, and "no list" with this score, by ``exp(slope · score)``. Both make
#: the confidence of the cross-validated pages most likely (`benchmarks.ranking_weights`).
_SLOPE: Final = 0.25
_NO_LIST: Final = 28.0
#: The chance of the best list is a logistic function of the log-odds of its share (`benchmarks.ranking_weights`).
_STEEPNESS: Final = 0.686
_OFFSET: Final = 0.943
_SMALLEST: Final = 1e-9


def promise(group: Group) -> float:
    """Return a first estimate of a list's quality, from prefix sums alone, to select the lists to examine closely."""
    page, count = group.page, len(group.spans)
    chars = group.total(page.text)
    return (
        math.log(group.weight / (page.weight[-1] or 1.0) + 0.001)
        + 0.3 * math.log(count)
        + group.with_link / count
        - (chars - group.total(page.own_text)) / (chars or 1)
        - 2 * page.boilerplate[group.spans[0][0]]
        - (group.origin == PERIODIC)
    )


def features(group: Group) -> dict[str, float]:
    """Return the features of a candidate list by name.

    Shares refer to the page's weighted text; "having" means the share of the records that have the thing.
    """
    page, spans, count = group.page, group.spans, len(group.spans)
    weights = [page.weight[end] - page.weight[start] for start, end in spans]
    mean = group.weight / count
    variance = reduce(add, [(weight - mean) * (weight - mean) for weight in weights], 0.0) / count
    kinds = [page.kinds[start] for start, _ in spans]
    container = page.ancestor_of(spans)
    sample = spans[:_SAMPLE]
    return {
        "share_outside_links": math.log(group.total(page.own_text) / (page.own_text[-1] or 1) + 0.001),
        "records_capped": math.log(min(count, _MANY)),
        "density": group.regularity.density,
        "least_fit": min(group.fits),
        "dropped_fit": group.dropped_fit,
        "having_link": group.with_link / count,
        "variation": math.sqrt(variance) / (mean + 1e-9),
        "own_kind": math.log(kinds.count(kinds[0]) / page.count_of_kind[kinds[0]]),
        "boilerplate": sum([page.boilerplate[start] for start, _ in spans]) / count,
        "parallel": float(group.origin == PARALLEL),
        "title_linked": sum(map(page.title_is_link, sample)) / len(sample),
        "tops": math.log(sum([len(page.tops(*span)) for span in sample]) / len(sample)),
        "start": spans[0][0] / len(page),
        "of_container": group.weight / (page.weight[page.end[container]] - page.weight[container] or 1.0),
    }


def score(group: Group) -> float:
    """Return the score of a candidate list; only differences within a page are meaningful."""
    values = features(group)
    return sum([weight * values[name] for name, weight in WEIGHTS.items()])


def confidences(shares: Sequence[float]) -> list[float]:
    """Return the probability of each of the disjoint lists of a page to be its main list, the best first.

    The best list is right more often than its share says, because lists that compete with it are parts of the same
    answer; the others divide what is left.
    """
    if not shares:
        return []
    best, *others = shares
    chance = 1 / (1 + math.exp(-_OFFSET) * ((1 - best) / max(best, _SMALLEST)) ** _STEEPNESS)
    left = (1 - chance) / max(1 - best, _SMALLEST)
    return [chance, *(left * share for share in others)]


def shares(scores: Sequence[float], slope: float = _SLOPE, none: float = _NO_LIST) -> list[float]:
    """Return the shares of the disjoint lists of a page, and of "no list", among their odds, given their scores."""
    most = max(none, *scores) if scores else none
    odds = [math.exp(slope * (score - most)) for score in scores]
    total = sum(odds) + math.exp(slope * (none - most))
    return [one / total for one in odds]
