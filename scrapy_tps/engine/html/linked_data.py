"""What a page's JSON-LD says that the page is about."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

#: What leads from a thing to others that stand for the same page.
_SAME_PAGE: Final = ("@graph", "mainEntity", "mainEntityOfPage")
#: Longer scripts are not read.
_MOST_CHARACTERS: Final = 500_000


class Thing(NamedTuple):
    """A thing that a page describes.

    :ivar kinds: its types, without the address of their vocabulary.
    :ivar name: what it is called, or empty.
    """

    kinds: tuple[str, ...]
    name: str


def main_things(root: Any, wanted: str) -> list[Thing]:
    """Return the things that the JSON-LD of a page has at its top level.

    What is nested counts only as the main thing of its page or as a member of a graph: a list nests what it lists.

    :param root: the page's root element.
    :param wanted: a type of schema.org; scripts are read only where one of them may name it.
    :return: all things, of that type or not; none where a script can't be read.
    """
    texts = [
        text
        for script in root.iter("script")
        if "ld+json" in (script.get("type") or "").lower() and (text := script.text)
    ]
    if not any(wanted in text for text in texts) or max(map(len, texts)) > _MOST_CHARACTERS:
        return []
    try:
        return [thing for text in texts for thing in _things(json.loads(text, strict=False))]
    except (ValueError, RecursionError):
        return []


def _things(data: Any) -> Iterator[Thing]:
    waiting = [data]
    while waiting:
        thing = waiting.pop()
        if isinstance(thing, list):
            waiting += thing
        elif isinstance(thing, dict):
            kinds, name = thing.get("@type"), thing.get("name")
            named = [
                kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if isinstance(kind, str)
            ]
            if named:
                yield Thing(
                    tuple(re.split("[/#:]", kind)[-1] for kind in named),
                    unescape(name) if isinstance(name, str) else "",
                )
            waiting += [thing[same] for same in _SAME_PAGE if same in thing]
