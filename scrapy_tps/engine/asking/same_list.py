"""Whether what a query lost is the rest of a list of which it found some."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Levels above an element that are compared: lists are no deeper, and hostile pages are.
_LEVELS: Final = 48
#: One found of so many is too little to be all that was meant …
_LITTLE: Final = 4
#: … where no more than so many were found: a listing of 47 makes sense, whatever else matches.
_FEW: Final = 5
#: Entries of a list that another one is compared with, those with the same class and id being one.
_KINDS: Final = 50
#: What only has entries of a list as its children.
_LISTS: Final = frozenset({"table", "tr", "ul", "ol", "dl", "select"})
_ENTRIES: Final = frozenset({"tr", "td", "th", "li", "dt", "dd", "option"})
_GROUPS: Final = frozenset({"thead", "tbody", "tfoot", "colgroup"})
_DIGITS: Final = re.compile(r"\d+")


def is_rest_of_list(found: Sequence[Any], missing: Sequence[Any], *, generic: bool) -> bool:
    """Return whether elements that a query misses belong to what it found; on doubt, they do.

    They do where one of them

    - stands in the same list: below a common ancestor by the same path of tags (the groups of a table's rows left out,
      and a heading cell being a cell), and the two children of that ancestor are alike: parts of a list or table,
      children with a common class, or children of which one has none;
    - or has the tag and a class of what was found, wherever it stands, where only one was found, or few and no more
      than a quarter of all. Not where the query names nothing but tags (`generic`): many a logo is an ``h1``.

    Else they are another list that happens to match: a carousel, a sidebar, related items.

    :param found, missing: elements of one tree, the original's.
    """
    little = len(found) <= _FEW and _LITTLE * len(found) <= len(found) + len(missing)
    if not generic and (len(found) == 1 or little):
        kinds = {(element.tag, name) for element in found for name in _names(element) or (None,)}
        if any((element.tag, name) in kinds for element in missing for name in _names(element) or (None,)):
            return True
    branches: dict[tuple[Any, tuple[str, ...]], dict[Any, Any]] = {}
    for element in found:
        for above, path, branch in _levels(element):
            children = branches.setdefault((above, path), {})
            if len(children) < _KINDS:
                children.setdefault((branch.get("class"), branch.get("id")), branch)
    for element in missing:
        for above, path, branch in _levels(element):
            children = branches.get((above, path), {})
            if children:
                if (
                    above.tag in _LISTS
                    or above.tag in _GROUPS
                    or any(are_alike(branch, one) for one in children.values())
                ):
                    return True
                break  # further up it is the same ancestor's child
    return False


def are_alike(one: Any, other: Any) -> bool:
    """Whether two elements of the same tag may be entries of one list: by their classes, numbers aside."""
    first, second = _names(one), _names(other)
    if first and second:
        return not first.isdisjoint(second)
    if first or second:
        return True
    first_id, second_id = one.get("id"), other.get("id")
    return not first_id or not second_id or _DIGITS.sub("", first_id) == _DIGITS.sub("", second_id)


def is_entry(element: Any) -> bool:
    """Whether an element is one of several of its kind side by side: a row, a record."""
    return any(
        sibling.tag == element.tag and _shares_class(element, sibling)
        for axis in (element.itersiblings(), element.itersiblings(preceding=True))
        for sibling in axis
    )


def _shares_class(one: Any, other: Any) -> bool:
    first, second = _names(one), _names(other)
    return not first.isdisjoint(second) if first or second else one.tag in _ENTRIES


def _names(element: Any) -> frozenset[str]:
    names = element.get("class")
    return frozenset(_DIGITS.sub("", names).split()) if names else frozenset()


def _levels(element: Any) -> Iterator[tuple[Any, tuple[str, ...], Any]]:
    """Each ancestor, the path of tags from it down to the element, and its child on the way."""
    path: tuple[str, ...] = ()
    branch = element
    for _ in range(_LEVELS):
        if branch.tag not in _GROUPS:
            path = ("td" if branch.tag == "th" else str(branch.tag), *path)
        above = branch.getparent()
        if above is None:
            return
        yield above, path, branch
        branch = above
