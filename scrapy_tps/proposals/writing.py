"""Selectors of given elements, to be tried: names before structure, structure before positions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from lxml import etree
from parsel.csstranslator import HTMLTranslator

from scrapy_tps.proposals.values import ELEMENT, NAMING, STRING, TEXT, label_of, share_word, words
from scrapy_tps.records.record_selectors import PLAIN_NAME, shared_classes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Elements above others that a selector may name.
_LEVELS: Final = 4
#: The most steps down to an element by position.
_LEVELS_DOWN: Final = 10
#: A name that was made by a program, or says how something looks: with a digit, or in one or two letters.
_MADE: Final = re.compile(r"\d|^.{1,2}$|(?:^|[-_])[^\W_]{0,2}[A-Z][a-z]?[A-Z]")
#: Tags that say what they hold, and tell it from the rest of a row.
_MEANING: Final = frozenset(("dd", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "article", "time"))
_PLAIN_VALUE: Final = re.compile(r"^[\w:.-]{1,40}$")

#: The namespace that parsel knows.
_NAMESPACES: Final = {"re": "http://exslt.org/regular-expressions"}

_translator = HTMLTranslator()

#: An element in a row or on the page in which it is selected.
Target = tuple[Any, Any]


@dataclass(frozen=True, slots=True)
class Written:
    """A selector of elements, in CSS (empty if CSS can't say it) and in XPath (below its context).

    :ivar is_made: whether its class was made by a program, or says how something looks.
    :ivar is_known: whether it has a name that the lost selector's elements had, or one that sites keep.
    """

    css: str
    xpath: str
    is_made: bool = False
    is_known: bool = False

    def below(self, outer: Written, *, direct: bool) -> Written:
        """Return it below another one."""
        css = f"{outer.css}{' > ' if direct else ' '}{self.css}" if outer.css and self.css else ""
        return Written(css, f"{outer.xpath}{'/' if direct else '//'}{self.xpath}")

    def reading(self, reading: str, *, css: bool) -> str:
        """Return the selector of what is read from the elements; XPath if CSS can't say it, or is not wanted."""
        if css and self.css and reading != STRING:
            return self.css + {TEXT: "::text", ELEMENT: ""}.get(reading, f"::attr({reading[1:]})")
        path = f".//{self.xpath}"
        if reading == STRING:
            return f"normalize-space({path})"
        return path + {TEXT: "/text()", ELEMENT: ""}.get(reading, f"/{reading}")


def as_xpath(selector: str, *, css: bool) -> str:
    """Return a selector as XPath; raise ``ValueError`` if it is none."""
    try:
        return _translator.css_to_xpath(selector) if css else selector
    except SyntaxError as error:
        raise ValueError(f"{selector!r}: {error}") from error


def compile_xpath(xpath: str) -> etree.XPath:
    """Return an XPath, to be called with an element; raise ``ValueError`` if it is none."""
    try:
        return etree.XPath(xpath, namespaces=_NAMESPACES, smart_strings=False)
    except etree.XPathError as error:
        raise ValueError(f"{xpath!r}: {error}") from error


def selectors_of(targets: Sequence[Target], known: set[str], *, positions: bool = True) -> Iterator[Written]:
    """Yield selectors that may select elements in their contexts, robust ones first.

    :param known: words in the names of the elements that the lost selector found.
    :param positions: whether they may tell them from others by position.
    """
    *named, plain = _steps([element for _, element in targets], known)
    lasting = [step for step in named if not step.is_made]
    meaning = [plain] if plain.xpath in _MEANING else []
    yield from (step for step in lasting if step.is_known)
    yield from meaning
    yield from lasting
    yield from _beside(targets, plain)
    yield from _nested(targets, [*lasting, plain], known)
    yield from named
    yield plain
    if not positions:
        return
    context, element = targets[0]
    yield from islice(_positions(context, element), 3)


def _steps(elements: Sequence[Any], known: set[str]) -> list[Written]:
    """Return selectors of a single step; the last is the tag alone."""
    tags = {element.tag for element in elements}
    tag = tags.pop() if len(tags) == 1 else "*"
    css_tag = "" if tag == "*" else tag
    steps = []
    for name in NAMING:
        values = {element.get(name) for element in elements}
        value = values.pop() if len(values) == 1 else None
        if (
            name != "class"
            and value
            and _PLAIN_VALUE.match(value)
            and not (name == "id" and _MADE.search(value))
        ):
            css = f"#{value}" if name == "id" and PLAIN_NAME.match(value) else f'[{name}="{value}"]'
            steps.append(Written(css_tag + css, f'{tag}[@{name}="{value}"]', is_known=True))
    classes = [(one, share_word(_words(one), known)) for one in shared_classes(list(elements))]
    top = elements[0].getroottree()
    # a class that says how something looks is shared by many elements
    classes.sort(
        key=lambda one: (bool(_MADE.search(one[0])), not one[1], top.xpath(f"count(//{_of_class(one[0])})"))
    )
    for one, is_known in classes:
        whole = all(element.get("class") == one for element in elements)
        xpath = f'{tag}[@class="{one}"]' if whole else _of_class(one, tag)
        steps.append(Written(f"{css_tag}.{one}", xpath, bool(_MADE.search(one)), is_known))
    return [*steps, Written(tag, tag)]


def _of_class(name: str, tag: str = "*") -> str:
    return f'{tag}[contains(concat(" ", normalize-space(@class), " "), " {name} ")]'


def _words(name: str) -> set[str]:
    return words(etree.Element("a", {"class": name}))


def _beside(targets: Sequence[Target], plain: Written) -> Iterator[Written]:
    """Yield selectors by the label before the elements, if it is the same everywhere and an element of its own."""
    labels = {label_of(element, context) for context, element in targets}
    before = [element.getprevious() for _, element in targets]
    if len(labels) != 1 or any(one is None or len(one) for one in before):
        return
    texts = {" ".join((one.text or "").split()) for one in before}
    tags = {one.tag for one in before}
    if len(texts) == len(tags) == 1 and (text := texts.pop()) and '"' not in text:
        yield Written("", f'{tags.pop()}[normalize-space()="{text}"]/following-sibling::{plain.xpath}[1]')


def _nested(targets: Sequence[Target], inner: Sequence[Written], known: set[str]) -> Iterator[Written]:
    """Yield selectors that name an element above."""
    above = list(targets)
    below = list(inner)
    for level in range(_LEVELS):
        above = [(context, element.getparent()) for context, element in above]
        if any(element is context or element is None or element.tag == "body" for context, element in above):
            return
        *outer, plain = _steps([element for _, element in above], known)
        for one in outer:
            if not one.is_made:
                yield from (step.below(one, direct=not level) for step in below)
        below = [step.below(plain, direct=True) for step in below]
        yield from below


def _positions(context: Any, element: Any) -> Iterator[Written]:
    """Yield the ways down to an element by position, from the elements above it with a name, the nearest first."""
    path: Written | None = None
    for _ in range(_LEVELS_DOWN):
        parent = element.getparent()
        if element is context or parent is None:
            return
        same = [child for child in parent if child.tag == element.tag]
        number = same.index(element) + 1
        css, xpath = (f":nth-of-type({number})", f"[{number}]") if len(same) > 1 else ("", "")
        here = Written(element.tag + css, element.tag + xpath)
        path = here if path is None else path.below(here, direct=True)
        element = parent
        if element is context:
            yield path
            return
        *named, _ = _steps([element], set())
        if named and not named[0].is_made:
            yield path.below(named[0], direct=True)
