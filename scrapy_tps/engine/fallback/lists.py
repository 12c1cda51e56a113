"""The tables and lists of options that results of selectors are in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_tps.engine.html.elements import Element, Value

#: Selectors of the parts of these by tag alone still mean all rows, or all options.
_LISTS: Final = frozenset({"table", "select", "datalist"})


def is_same_list(found: Iterable[Value], missing: Iterable[Value]) -> bool:
    """Return whether results missing from the pruned page are in a table or list of options of which it found some.

    :param found, missing: results on the joined page: elements, or texts that know theirs.
    """
    lists = {_list_around(one) for one in found} - {None}
    return any(_list_around(one) in lists for one in missing)


def holder(value: Value) -> Element | None:
    """Return the element of a result: itself, or the one whose text or attribute it is; None if there is none."""
    if not isinstance(value, str):
        return value if etree.iselement(value) else None
    above = value.getparent() if hasattr(value, "getparent") else None
    return above.getparent() if above is not None and getattr(value, "is_tail", False) else above


def _list_around(value: Value) -> Element | None:
    """Return the table or list of options that a result is, or is in; None if there is none."""
    element = holder(value)
    while element is not None and element.tag not in _LISTS:
        element = element.getparent()
    return element
