"""Whether the results missing from the pruned page belong to the list of which it found some."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.engine.sequence.columns import HIDDEN_TAGS

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Parts of tables and lists are entries even without a class.
_ENTRIES: Final = frozenset({"tr", "td", "th", "li", "dt", "dd", "option"})
#: Optional elements between a table and its rows.
_GROUPS: Final = frozenset({"thead", "tbody", "tfoot", "colgroup", "optgroup"})
_LISTS: Final = frozenset({"table", "select", "datalist"})
_DIGITS: Final = re.compile(r"\d+")


def is_same_list(found: Sequence[Any], missing: Sequence[Any], *, generic: bool) -> bool:
    """Return whether the results missing from the pruned page belong to the list that it found; if in doubt, they do.

    They do if one of them shares the parent of a found result, or its tag path (ignoring groups of rows, and taking a
    heading cell for a cell); if there are at least as many as the found ones; and if all found ones are in elements
    that no browser shows. If a selector names only tags (`generic`), only the same table or list of options counts,
    because the logo is often an ``h1``.

    Otherwise they are another list that happens to match: a carousel, a sidebar, related items.

    :param found, missing: results on the joined page: elements, or texts that know theirs.
    """
    if generic:
        lists = {_list_of(one) for one in found} - {None}
        return any(_list_of(one) in lists for one in missing)
    if len(missing) >= len(found):
        return True
    tag_path = _TagPaths()
    parents, paths = {_parent(one) for one in found}, {tag_path(one) for one in found}
    if any(_parent(one) in parents or tag_path(one) in paths for one in missing):
        return True
    return all(map(_is_unseen, found)) and not all(map(_is_unseen, missing))


def _element(value: Any) -> Any:
    """Return the element of a result: itself, or the one through which its text or attribute was found."""
    is_text = isinstance(value, str)
    return value.getparent() if is_text else value


def _parent(value: Any) -> Any:
    """Return the element around a result; for texts and attributes, the element that they belong to."""
    element = _element(value)
    return element if getattr(value, "is_tail", True) is False else element.getparent()


class _TagPaths:
    """Numbers of tag paths: equal for two results if and only if their paths are equal."""

    def __init__(self) -> None:
        self._of: dict[Any, int] = {}
        self._numbers: dict[tuple[int, Any], int] = {}

    def __call__(self, value: Any) -> int:
        element = _parent(value) if isinstance(value, str) else value
        chain = []
        while element is not None and element not in self._of:
            chain.append(element)
            element = element.getparent()
        number = 0 if element is None else self._of[element]
        for one in reversed(chain):
            if one.tag not in _GROUPS:
                step = (number, "td" if one.tag == "th" else one.tag)
                number = self._numbers.setdefault(step, len(self._numbers) + 1)
            self._of[one] = number
        return number


def _list_of(value: Any) -> Any:
    """Return the table or list of options around a result."""
    element = _element(value)
    while element is not None and element.tag not in _LISTS:
        element = element.getparent()
    return element


def _is_unseen(value: Any) -> bool:
    element = _element(value)
    return element.tag in HIDDEN_TAGS or any(one.tag in HIDDEN_TAGS for one in element.iterancestors())


def is_entry(element: Any) -> bool:
    """Whether an element is one of several similar siblings: a row, a record."""
    return any(
        sibling.tag == element.tag and _shares_class(element, sibling)
        for axis in (element.itersiblings(), element.itersiblings(preceding=True))
        for sibling in axis
    )


def _shares_class(one: Any, other: Any) -> bool:
    first, second = _words(one), _words(other)
    return not first.isdisjoint(second) if first or second else one.tag in _ENTRIES


def _words(element: Any) -> frozenset[str]:
    names = element.get("class")
    return frozenset(_DIGITS.sub("", names).split()) if names else frozenset()
