"""Records of several siblings that are spread over several containers: columns, row groups, a ``dl`` per letter.

The periodicity of the tag path sequence continues across the borders of the containers: every container starts with
what starts a record, and has more than one of it.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy_tps.records.page import RecordPage

    Marks = Callable[[RecordPage, list[int], list[int]], bool]

#: Nodes [start, end).
Span: TypeAlias = "tuple[int, int]"

#: Records that a container has at least, in the mean: what has one is a record itself.
_IN_EACH: Final = 1.5
_LEAST: Final = 3
#: Elements that start something by their meaning.
STARTS: Final = frozenset({"dt", "h1", "h2", "h3", "h4", "h5", "h6"})


# layout columns have about as much in common as what stands in them, records more than their parts
_ALIKE: Final = 0.7
_HARDLY_LESS: Final = 0.9


def containers_like(page: RecordPage, parent: int, children: Sequence[int]) -> list[int]:
    """Return the tag paths of a node and its children whose elements may be such containers, judging by counts alone.

    There are several such containers on the page, and clearly more elements like their first child. That child has a
    class, or a tag that starts something.
    """
    count, paths, end = page.count_of_path, page.paths, page.end
    example = dict(zip(map(paths.__getitem__, children), children, strict=True))
    example[paths[parent]] = parent
    return [
        path
        for path, place in example.items()
        if end[place] - place > 2
        and (containers := count[path]) > 1
        and count[paths[place + 1]] >= _IN_EACH * containers
        and page.is_element(place + 1)
        and (page.tag(place + 1) in STARTS or page.signature_class[page.signatures[place + 1]])
    ]


class ListsAcross:
    """The lists of a page whose records' siblings are in several containers.

    :param marks: whether markup says that the children at certain places start records.
    """

    def __init__(self, page: RecordPage, marks: Marks) -> None:
        self._page = page
        self._marks = marks
        self._looked_at: set[int] = set()

    def below(self, path: int) -> tuple[list[int], list[Span]] | None:
        """Return the containers with a tag path and the records in them, only once; None if there are none."""
        if path in self._looked_at:
            return None
        self._looked_at.add(path)
        page = self._page
        containers = page.places(path, None)
        spans = self._spans(containers)
        if spans is None or len(spans) < _LEAST:
            return None
        density = page.density(spans)
        of_containers = page.density([(place, page.end[place]) for place in containers])
        alike = density >= _ALIKE and density >= _HARDLY_LESS * of_containers
        return (containers, spans) if alike else None

    def _spans(self, containers: Sequence[int]) -> list[Span] | None:
        """The records that the children of containers make up, None where there are none such."""
        page = self._page
        end, paths = page.end, page.paths
        firsts = [container + 1 for container in containers if end[container] > container + 1]
        if (
            len(firsts) < 2
            or not page.is_element(firsts[0])
            or any(paths[first] != paths[firsts[0]] for first in firsts)
        ):
            return None
        lists = [children for container in containers if (children := page.children(container))]
        if sum(map(len, lists)) < 2 * _LEAST:
            return None
        same_kind = len({page.kinds[first] for first in firsts}) == 1
        clusters, wanted = (page.kinds, page.kinds[firsts[0]]) if same_kind else (paths, paths[firsts[0]])
        starts = [[place for place, child in enumerate(one) if clusters[child] == wanted] for one in lists]
        count = sum(map(len, starts))
        if count < max(_LEAST, _IN_EACH * len(lists)):
            return None
        usual = Counter(b - a for at in starts for a, b in pairwise(at)).most_common(1)[0][0]
        if usual < 2:
            return None
        children = [child for one in lists for child in one]
        if not self._marks(
            page, children, [place for place, child in enumerate(children) if clusters[child] == wanted]
        ):
            return None
        text = page.text
        spans = []
        for one, at in zip(lists, starts, strict=True):
            stops = [*at[1:], min(len(one), at[-1] + usual)]
            spans += [(one[a], end[one[b - 1]]) for a, b in zip(at, stops, strict=True)]
        return [(start, stop) for start, stop in spans if text[stop] > text[start]]
