"""What an answer of the page as downloaded teaches about the site."""

from __future__ import annotations

import re
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.engine.asking.learnt import MOST_STEPS, Learnt, Place, step_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from scrapy_tps.engine.asking.name_set import Names
    from scrapy_tps.engine.asking.page_trees import PageTrees
    from scrapy_tps.engine.asking.queries import Query

#: An answer that stands in more different places than these is no part of a page: a site's every link, say.
_MOST_PLACES: Final = 8
#: Elements of an answer that are looked at.
_MOST_ELEMENTS: Final = 500
#: Names of elements that a step of an XPath may have; HTML has others (``fb:like``).
_WRITABLE: Final = re.compile(r"[A-Za-z_][\w.-]*|\*")


def lessons(
    text: tuple[str, str], query: Query, tree: PageTrees, asked: Any, missing: Sequence[Any], *, empty: bool
) -> list[Learnt]:
    """Return what to learn from a query whose answer the pruned page lacked.

    :param text: the XPath, and the query as the spider wrote it, or nothing.
    :param query: what is known about it.
    :param asked: the element of the whole page that was asked.
    :param missing: elements of the whole page that the answer consists of, or that hold its texts.
    :param empty: whether the pruned page had nothing of it; else a part of a list.
    """
    of_page = asked is tree.root or asked is tree.body
    gone = list(tree.gone_of(missing))
    if len(gone) > _MOST_ELEMENTS:
        return []
    groups: dict[tuple[tuple[str, ...], int], list[list[Any]]] = {}
    for element in _parts(query, tree, gone):
        way = [element]
        while (above := way[-1].getparent()) is not None and above is not tree.body:
            way.append(above)
        way.reverse()
        if above is None or len(way) > MOST_STEPS:
            continue
        inside = 0
        if not of_page or not empty:
            inside = next(number for number, one in enumerate(way) if not tree.stayed(one))
            if asked in way[:inside]:
                inside = way.index(asked) + 1
            if not inside:
                continue  # anything may stand beside it in the body
        groups.setdefault((tuple(one.tag for one in way), inside), []).append(way)
    if len(groups) > _MOST_PLACES:
        return []
    found = (
        Learnt(text[0], Place(tuple(map(step_of, zip(*ways, strict=True))), inside), text[1])
        for (_, inside), ways in groups.items()
    )
    return [one for one in found if one.is_sound]


def _parts(query: Query, tree: PageTrees, gone: Sequence[Any]) -> Iterable[Any]:
    """Return the parts to keep: the smallest that tell, by their names alone, that nothing else has what was asked for.

    Of ``.tags a`` that is what has the class ``tags``, as there are other links in what was removed.
    """
    if len(query.alternatives) == 1:
        for names in reversed(query.alternatives[0].elements):
            matches = _elements_with(names, tree.body)
            if matches is None:
                continue
            among = tree.gone_of(matches)
            parts = [one for element in gone for one in _nearest(element, among)]
            if len(parts) == len(gone) and _are_in(among.values(), {among[one] for one in parts}, tree):
                return dict.fromkeys(parts)
    return gone


def _are_in(places: Iterable[int], parts: Collection[int], tree: PageTrees) -> bool:
    """Whether all places are in these parts, which are among them."""
    stop = 0
    for place in sorted(places):
        if place in parts:
            stop = max(stop, tree.stop(place))
        elif place >= stop:
            return False
    return True


def _nearest(element: Any, among: Collection[Any]) -> Iterator[Any]:
    return islice((one for one in chain((element,), element.iterancestors()) if one in among), 1)


def _elements_with(names: Names, body: Any) -> list[Any] | None:
    """All elements of a page with these names; None if they are none that tell."""
    if not (names.tag or names.classes or names.ids):
        return None
    step = names.tag or "*"
    variables = {f"c{number}": name for number, name in enumerate(sorted(names.classes))}
    tests = [
        f"contains(@class,${name}) and contains(concat(' ',normalize-space(@class),' '),concat(' ',${name},' '))"
        for name in variables
    ]
    variables |= {f"i{number}": name for number, name in enumerate(sorted(names.ids))}
    tests += [f"@id=${name}" for name in variables if name[0] == "i"]
    if _WRITABLE.fullmatch(step) is None:
        variables["tag"], step = step, "*"
        tests.append("name()=$tag")
    found: list[Any] = body.xpath(f"descendant::{step}" + "".join(f"[{one}]" for one in tests), **variables)
    return found
