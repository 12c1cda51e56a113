"""Records of several siblings: the children of an element, divided at those that start, or end, a record.

These are the 2k divisions of the KDIR 2012 paper on nested lists (its section 3): every record starts, or every record
ends, with a child of one cluster. Clusters are of equal tag paths, with and without classes, and of similar content:
the rows of old tables have neither classes nor different tags, so that title, abstract and address differ only in what
they hold.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from scrapy_tps.records.record_group import DIVISION, LEAST_REPEATED, PERIODIC, Group, with_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_tps.records.record_page import RecordPage, Span

#: A division must be better than single children by this factor, or by a smaller one if markup supports it: of two
#: kinds of children, the one that holds nearly all of a record is not a whole record.
_CLEARLY: Final = {DIVISION: 1.05, PERIODIC: 1.2}
#: The most divisions of a container that the ranking chooses among, and the least share of the best one's quality.
_MOST_DIVISIONS: Final = 3
_NEARLY_AS_GOOD: Final = 0.75
_SAME_SHAPE: Final = 0.6
#: Elements that by their meaning start a part.
_STARTS: Final = frozenset({"dt", "h1", "h2", "h3", "h4", "h5", "h6"})
#: Containers with children of more shapes are not clustered by content: it takes too long.
_MOST_SHAPES: Final = 24


def divisions_of(page: RecordPage, children: list[int], siblings: list[Group]) -> list[Group]:
    """Return the divisions whose records are clearly more similar, and hold clearly more, than single children.

    The KDIR 2012 paper takes the division with the largest similarity between records. Here, similarity is multiplied
    by the share of the children's nodes that the records hold, so that titles alone lose to whole records, and the
    next best ones are candidates, too, because two records at a time are always more similar than one.

    :param siblings: the lists of single children.
    """
    if len(children) < 2 * LEAST_REPEATED:
        return []
    whole = page.end[children[-1]] - children[0]

    def quality(spans: list[Span]) -> float:
        return page.regularity(spans).density * sum([end - start for start, end in spans]) / whole

    usual = max([quality(one.spans) for one in siblings if len(one.spans) >= LEAST_REPEATED], default=0.0)
    better: dict[str, list[tuple[float, Group]]] = {DIVISION: [], PERIODIC: []}
    shapes = _by_shape(page, children)
    for at, spans, is_marked in _divisions(page, children, shapes):
        origin = DIVISION if is_marked and _marks_records(page, children, at, shapes) else PERIODIC
        if (found := quality(spans)) > _CLEARLY[origin] * usual:
            better[origin].append((found, Group(page, spans, origin)))
    return (_best(better[DIVISION]) + _best(better[PERIODIC]))[:_MOST_DIVISIONS]


def _best(divisions: list[tuple[float, Group]]) -> list[Group]:
    """Return the divisions that are nearly as good as the best one, best first."""
    # stable: the first kind of children starts records
    ranked = sorted(divisions, key=lambda entry: -entry[0])
    return [group for quality, group in ranked if quality >= _NEARLY_AS_GOOD * ranked[0][0]]


def _divisions(
    page: RecordPage, children: list[int], shapes: Sequence[int]
) -> Iterator[tuple[list[int], list[Span], bool]]:
    """Yield records that span several children: two candidates per cluster of children.

    The last record ends like most others (the first one starts like most others), near the usual length, so that
    content below (above) the list is not included.

    Yields the places of the children that start or end records, the records, `LEAST_REPEATED` or more, and whether the
    cluster is one of tags and classes.
    """
    end, last = page.end, len(children)
    seen: set[tuple[int, ...]] = set()
    linked = [page.links[end[child]] > page.links[child] for child in children]
    paths, kinds = [page.paths[child] for child in children], [page.kinds[child] for child in children]
    for clusters, is_marked in ((paths, True), (kinds, True), (shapes, False), (linked, False)):
        places: dict[int, list[int]] = defaultdict(list)
        for place, cluster in enumerate(clusters):
            places[cluster].append(place)
        if len(places) < 2:
            continue
        for at in places.values():
            if len(at) < LEAST_REPEATED or tuple(at) in seen:
                continue
            seen.add(tuple(at))
            # the most frequent distance between starts, the first of several
            usual = Counter(b - a for a, b in pairwise(at)).most_common(1)[0][0]
            if usual < 2:
                continue
            longest = max([b - a for a, b in pairwise(at)])
            starts, stops = [place + 1 for place in at[:-1]], [place - 1 for place in at[1:]]
            before = range(max(0, at[0] - longest + 1), at[0] + 1)
            behind = range(at[-1], min(last, at[-1] + longest))
            starts.insert(0, _nearest_like(clusters, starts, before, at[0] - usual + 1))
            stops.append(_nearest_like(clusters, stops, behind, at[-1] + usual - 1))
            for spans in (
                [(children[a], end[children[b]]) for a, b in zip(at, stops, strict=True)],
                [(children[a], end[children[b]]) for a, b in zip(starts, at, strict=True)],
            ):
                shown = with_text(page, spans)
                if len(shown) >= LEAST_REPEATED:
                    yield at, shown, is_marked


def _nearest_like(clusters: Sequence[int], others: list[int], places: range, expected: int) -> int:
    """Return the place, nearest to the expected one, of a child of the cluster of most others; without one, the
    expected place itself."""
    cluster, _ = Counter([clusters[place] for place in others]).most_common(1)[0]
    alike = [place for place in places if clusters[place] == cluster]
    within = min(max(expected, places[0]), places[-1])
    return min(alike, key=lambda place: abs(place - expected), default=within)


def _by_shape(page: RecordPage, children: list[int]) -> Sequence[int]:
    """Cluster children by the grams that they have in common, the most frequent shapes first; by kind if they have too
    many shapes."""
    bags = page.bags_of([(child, page.end[child]) for child in children])
    shapes = {id(bag): bag.keys() for bag in bags}
    leaders: list[int] = []
    cluster_of: dict[int, int] = {}
    for key, _ in Counter(map(id, bags)).most_common():
        own = shapes[key]
        for leader in leaders:
            grams = shapes[leader]
            if len(own & grams) >= _SAME_SHAPE * len(own | grams):
                cluster_of[key] = leader
                break
        else:
            if len(leaders) == _MOST_SHAPES:
                return [page.kinds[child] for child in children]
            leaders.append(key)
            cluster_of[key] = key
    return [cluster_of[id(bag)] for bag in bags]


def _marks_records(page: RecordPage, children: list[int], at: list[int], shapes: Sequence[int]) -> bool:
    """Whether markup shows that these children start or end a part: headings, terms, a class of their own.

    Classes that only stripe equal rows (odd, even) do not count.
    """
    first = children[at[0]]
    if page.tag(first) in _STARTS:
        return True
    kind = page.kinds[first]
    if not page.signature_class[page.signatures[first]]:
        return False
    others = {
        child for child in children if page.kinds[child] != kind and page.paths[child] == page.paths[first]
    }
    if len(children) - len(others) != len(at) and any(page.kinds[children[place]] != kind for place in at):
        return False
    marked = {shapes[place] for place in at}
    similar = sum(
        [shape in marked and child in others for child, shape in zip(children, shapes, strict=True)]
    )
    return 2 * similar < len(at)
