"""Whether the results missing from the pruned page belong to the list of which it found some."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

from lxml import etree

from scrapy_tps.engine.sequence.columns import is_unseen

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from scrapy_tps.engine.html.elements import Element, Value

#: Parts of tables and lists are entries even without a class.
_ENTRIES: Final = frozenset({"tr", "td", "th", "li", "dt", "dd", "option"})
#: Optional elements between a table and its rows.
_GROUPS: Final = frozenset({"thead", "tbody", "tfoot", "colgroup", "optgroup"})
_LISTS: Final = frozenset({"table", "select", "datalist"})
#: The most levels of a tag path, so that many results in deep elements take linear time.
_LEVELS: Final = 100
_DIGITS: Final = re.compile(r"\d+")


def is_same_list(found: Sequence[Value], missing: Sequence[Value], *, generic: bool) -> bool:
    """Return whether the results missing from the pruned page belong to the list that it found; if in doubt, they do.

    They do if one of them shares the parent of a found result, or its tag path (ignoring groups of rows, and taking a
    heading cell for a cell); if there are at least as many as the found ones; and if all found ones are comments, or in
    elements that no browser shows. If a selector names only tags (`generic`), only the same table or list of options
    counts, because the logo is often an ``h1``.

    Otherwise they are another list that happens to match: a carousel, a sidebar, related items.

    :param found, missing: results on the joined page: elements, or texts that know theirs.
    """
    if generic:
        lists = {_nearest(one, _LISTS) for one in found} - {None}
        return any(_nearest(one, _LISTS) in lists for one in missing)
    if len(missing) >= len(found):
        return True
    parents, paths = set(map(_parent, found)), set(map(_tag_path, found))
    if any(_parent(one) in parents or _tag_path(one) in paths for one in missing):
        return True
    return all(map(_in_unseen, found))


def _in_unseen(value: Value) -> bool:
    element = holder(value)
    if element is None:
        return False
    is_comment = not isinstance(element.tag, str)
    return is_comment or any(map(is_unseen, (element, *element.iterancestors())))


def holder(value: Value) -> Element | None:
    """Return the element of a result: itself, or the one whose text or attribute it is; None if there is none."""
    if not isinstance(value, str):
        return value if etree.iselement(value) else None
    above = value.getparent() if hasattr(value, "getparent") else None
    return above.getparent() if above is not None and getattr(value, "is_tail", False) else above


def _parent(value: Value) -> Element | None:
    """Return the element around a result; for texts and attributes, the element that they belong to."""
    element = holder(value)
    return element if element is None or isinstance(value, str) else element.getparent()


def _tag_path(value: Value) -> tuple[str, ...]:
    """Return the tags around a result, the nearest first, without groups of rows, and with a cell for a heading
    cell."""
    element = holder(value)
    around = () if element is None else (element, *islice(element.iterancestors(), _LEVELS))
    return tuple("td" if one.tag == "th" else str(one.tag) for one in around if one.tag not in _GROUPS)


def _nearest(value: Value, tags: Collection[str]) -> Element | None:
    """Return the element with one of these tags that a result is, or is in; None if there is none."""
    element = holder(value)
    while element is not None and element.tag not in tags:
        element = element.getparent()
    return element


def is_entry(element: Element) -> bool:
    """Whether an element is one of several similar siblings: a row, a record."""
    return any(
        sibling.tag == element.tag and _shares_class(element, sibling)
        for axis in (element.itersiblings(), element.itersiblings(preceding=True))
        for sibling in axis
    )


def _shares_class(one: Element, other: Element) -> bool:
    first, second = _words(one), _words(other)
    return not first.isdisjoint(second) if first or second else one.tag in _ENTRIES


def _words(element: Element) -> frozenset[str]:
    names = element.get("class")
    return frozenset(_DIGITS.sub("", names).split()) if names else frozenset()
