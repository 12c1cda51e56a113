"""Ways to name elements in CSS: by what they have in common, and by where they stand."""

from __future__ import annotations

import re
from typing import Any, Final

#: Names that need no escaping in CSS; others are left out of selectors.
PLAIN_NAME: Final = re.compile(r"^-?[A-Za-z_][\w-]*$")
_LEVELS: Final = 8
#: A class with a number of two digits or more may be the number of a record; those that elements share are not.
_NUMBERED: Final = re.compile(r"\d\d")


def steps_of(elements: list[Any], *, identifiers: bool = False) -> list[str]:
    """Return ways to name elements: by shared class, by tag; the last one is a plain tag.

    :param identifiers: whether the identifier of a single element may name it: that of a list tells it from others,
        those of its records and of what is in them are different in each.
    """
    tags = {element.tag for element in elements}
    tag = tags.pop() if len(tags) == 1 else "*"
    steps = []
    identifier = elements[0].get("id")
    if identifiers and len(elements) == 1 and identifier and PLAIN_NAME.match(identifier):
        steps.append(f"{tag}#{identifier}")
    steps += [f"{tag if tag != '*' else ''}.{name}" for name in shared_classes(elements)]
    steps.append(tag)
    return steps


def shared_classes(elements: list[Any]) -> list[str]:
    """Return the class names that all of the elements have, in the order of the first."""
    names = dict.fromkeys((elements[0].get("class") or "").split())
    shared = [name for name in names if PLAIN_NAME.match(name)]
    if len(elements) == 1:
        return [name for name in shared if not _NUMBERED.search(name)]
    for element in elements[1:]:
        has = set((element.get("class") or "").split())
        shared = [name for name in shared if name in has]
        if not shared:
            break
    return shared


def path_of(top: Any, element: Any) -> str | None:
    """Return the steps from one element down to another, empty where they are the same; None where it is too deep."""
    steps: list[str] = []
    while element is not top:
        parent = element.getparent()
        if parent is None or len(steps) > _LEVELS:
            return None
        same = [child for child in parent if child.tag == element.tag]
        steps.append(
            f"{element.tag}:nth-of-type({same.index(element) + 1})" if len(same) > 1 else element.tag
        )
        element = parent
    return " > ".join(reversed(steps))
