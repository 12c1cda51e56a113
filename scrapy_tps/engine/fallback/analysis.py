"""The analysis of a selector from its XPath: where its matches can be, and which names they must have.

All errors are on the safe side: an expression that is not understood may match anything, anywhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from lxml.html import defs

from scrapy_tps.engine.journal import EQUAL, PART, WORD, Needs
from scrapy_tps.engine.sequence.columns import HIDDEN_TAGS
from scrapy_tps.engine.xpath_syntax import (
    Call,
    Literal,
    LocationStep,
    Number,
    Operation,
    Path,
    Variable,
    XPathSyntaxError,
    operands,
    parse_xpath,
    parts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_tps.engine.xpath_syntax import Expression

#: How far an answer may be from the context element: inside (DOWN), also among its siblings, or anywhere.
DOWN, SIDEWAYS, ANYWHERE = range(3)

#: Kinds of answers: nodes of the page, or values that a function computes from them.
NODES, TEXT, NUMBER, TRUTH = "nodes", "text", "number", "truth"

_DOWN_AXES: Final = frozenset({"attribute", "child", "descendant", "descendant-or-self", "namespace", "self"})
_SIDE_AXES: Final = frozenset({"following-sibling", "preceding-sibling"})
_TEXTS: Final = frozenset(
    {"string", "concat", "normalize-space", "substring", "substring-before", "substring-after", "translate"}
    | {"name", "local-name", "namespace-uri", "re:replace"}
)
_NUMBERS: Final = frozenset(
    {"count", "sum", "number", "string-length", "floor", "ceiling", "round", "position", "last"}
)
_TRUTHS: Final = frozenset(
    {"boolean", "not", "true", "false", "contains", "starts-with", "lang", "has-class", "re:test"}
)
#: Functions whose value follows from their arguments alone, or from the name of the node.
_LOCAL: Final = _TEXTS | _TRUTHS - {"lang"} | {"string-length", "floor", "ceiling", "round", "re:match"}
#: Functions that read the node itself if they have no argument.
_OF_NODE: Final = frozenset({"string", "normalize-space", "string-length", "number"})
#: Functions that do not tell elements of the same tag apart.
_GENERIC_CALLS: Final = frozenset(
    {"not", "boolean", "string", "normalize-space", "starts-with", "contains", "name", "concat"}
)
#: Beginnings of addresses that do not identify an address.
_ANY_ADDRESS: Final = frozenset(
    {"", " ", "/", "#", "http", "https", "http://", "https://", "//", "mailto:", "tel:"}
)
#: Attributes of HTML itself, which do not tell elements of the same tag apart.
_ANY_ATTRIBUTE: Final = defs.safe_attrs | defs.link_attrs | {"*"}
#: Types of controls, which are no more specific than a tag.
_ANY_CONTROL: Final = frozenset({"submit", "button", "text", "hidden", "checkbox", "radio", "search"})
#: Tables and their parts: a selector of these by tag alone still means all rows.
_LIST_TAGS: Final = frozenset({b"table", b"thead", b"tbody", b"tfoot", b"tr", b"td", b"th", b"option"})
#: Lists of options, and what no browser shows, such as scripts, which nobody reads as text of the page.
_ALL: Final = frozenset({b"select", b"optgroup", *(tag.encode() for tag in HIDDEN_TAGS)})
#: White space in XPath.
_WHITE_SPACE: Final = re.compile("[ \t\r\n]+")


@dataclass(frozen=True, slots=True)
class Alternative:
    """One of the paths of a union.

    :ivar exact: whether its results on a page with removed elements are exactly those on the whole page, minus the
        removed ones: it goes down only, and its predicates read attributes and names only.
    :ivar steps: the needs of each step to an element, the last step being the answer or its holder.
    :ivar holds_text: whether the answer is text in such an element.
    """

    exact: bool
    steps: tuple[Needs, ...]
    holds_text: bool


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is known of a selector from its XPath.

    :ivar kind: ``nodes``, ``text``, ``number``, ``truth``; None if unknown.
    :ivar reach: ``DOWN``, ``SIDEWAYS`` or ``ANYWHERE``.
    :ivar generic: whether it names no class, id, value, text or attribute of the page's own (``data-price``) and no
        comment, only tags that browsers show, except those of tables and options, and HTML's attributes: ``a``,
        ``a/@href``, ``//text()``, ``string(//p)``.
    :ivar alternatives: the paths of the union, or those whose text a function reads; empty if unknown.
    :ivar whole: whether only the whole page can answer: XPath's ``id()`` also finds removed elements.
    :ivar exact: whether its results on the pruned page are exactly those on the whole page, minus the removed ones.
    :ivar plain: whether that holds, and its evaluation can't fail: its functions are known and it has no variables.
    """

    kind: str | None
    reach: int
    generic: bool
    alternatives: tuple[Alternative, ...]
    whole: bool = False
    exact: bool = False
    plain: bool = False


_UNKNOWN: Final = Analysis(None, ANYWHERE, False, ())


@lru_cache(maxsize=4096)
def analyse(xpath: str) -> Analysis:
    """Analyse an XPath; never raises."""
    try:
        return _analysed(parse_xpath(xpath)[0])
    except (XPathSyntaxError, RecursionError):
        return _UNKNOWN


def _analysed(tree: Expression) -> Analysis:
    all_parts, kind = list(parts(tree)), _kind(tree)
    together = list(_arguments(tree)) if kind == TEXT else operands(tree, "|")
    paths = [one for one in together if isinstance(one, Path) and one.start is None]
    known = len(paths) == len(together)
    found = tuple(map(_alternative, paths)) if known else ()
    if kind == TEXT:
        found = tuple(replace(one, holds_text=True) for one in found)
        known = len(found) == 1
    exact = bool(found) and all(one.exact for one in found)
    return Analysis(
        kind=kind,
        reach=_reach(all_parts),
        generic=known and all(map(_is_generic, all_parts)) and not any(map(_means_all, found)),
        alternatives=found,
        whole=any(isinstance(part, Call) and part.name == "id" for part in all_parts),
        exact=exact,
        plain=exact and kind == NODES and all(map(_is_plain, all_parts)),
    )


def _arguments(tree: Expression) -> Iterator[Path]:
    """Yield the paths among the arguments of functions; without arguments, they read the node itself."""
    if isinstance(tree, Path):
        yield tree
    elif isinstance(tree, Call):
        for one in tree.arguments:
            yield from _arguments(one)
        if not tree.arguments:
            yield Path(False, None, (), ())
    elif isinstance(tree, Operation):
        yield from _arguments(tree.left)
        yield from _arguments(tree.right)


def _kind(tree: Expression) -> str | None:
    if isinstance(tree, Path) or (isinstance(tree, Operation) and tree.sign == "|"):
        return NODES
    if isinstance(tree, Operation):
        return NUMBER if tree.sign in ("+", "-", "*", "div", "mod") else TRUTH
    if isinstance(tree, Call):
        for kind, names in ((TEXT, _TEXTS), (NUMBER, _NUMBERS), (TRUTH, _TRUTHS)):
            if tree.name in names:
                return kind
    if isinstance(tree, Literal):
        return TEXT
    return NUMBER if isinstance(tree, Number) else None


def _reach(all_parts: list[Expression | LocationStep]) -> int:
    reach = DOWN
    for part in all_parts:
        if isinstance(part, Path) and part.absolute:
            return ANYWHERE
        if isinstance(part, LocationStep) and part.axis not in _DOWN_AXES:
            if part.axis not in _SIDE_AXES:
                return ANYWHERE
            reach = SIDEWAYS
        if isinstance(part, Call) and part.name not in _LOCAL and part.name not in _NUMBERS:
            return ANYWHERE
    return reach


def _means_all(one: Alternative) -> bool:
    """Whether it selects parts of a table, options, anything in a list of options, or what no browser shows."""
    return any(not _ALL.isdisjoint(step.tags) for step in one.steps) or bool(
        one.steps and not _LIST_TAGS.isdisjoint(one.steps[-1].tags)
    )


def _is_plain(part: Expression | LocationStep) -> bool:
    return not isinstance(part, Variable) and not (isinstance(part, LocationStep) and ":" in part.test)


def _is_generic(part: Expression | LocationStep) -> bool:
    """Whether a part of a selector names nothing that tells elements of the same tag apart."""
    if isinstance(part, Literal):
        return part.text in _ANY_ADDRESS or part.text in _ANY_CONTROL
    if isinstance(part, (Number, Variable)):
        return False
    if isinstance(part, Call):
        return part.name in _GENERIC_CALLS
    if isinstance(part, LocationStep) and part.axis == "attribute":
        return part.test in _ANY_ATTRIBUTE
    return not (isinstance(part, LocationStep) and part.test == "comment()")  # no browser shows it


def _alternative(path: Path) -> Alternative:
    exact = all(step.axis in _DOWN_AXES for step in path.steps)
    steps: list[Needs] = []
    holds_text = False
    for step in path.steps:
        if step.axis == "attribute":
            held = ((_utf8(step.test), b"", PART),) if _is_name(step.test) else ()
            last = Needs() if holds_text or not steps else steps.pop()
            steps.append(last._replace(tests=last.tests + held))
            holds_text = False
            continue
        exact = exact and all(map(_is_local_test, step.predicates))
        if step.test in ("text()", "comment()", "processing-instruction()") or (
            step.axis in ("self", "descendant-or-self") and step.test == "node()" and not step.predicates
        ):
            holds_text = True  # unless a step to an element follows
        else:
            holds_text = step.test == "node()"
            steps.append(_needs(step))
    return Alternative(exact, tuple(steps), holds_text)


def _needs(step: LocationStep) -> Needs:
    """Return the needs of an element to match a step."""
    tests = (
        test for predicate in step.predicates for one in operands(predicate, "and") for test in _tests(one)
    )
    return Needs(
        (_utf8(step.test),) if _is_name(step.test) else (),
        tuple((_utf8(name), _utf8(value), how) for name, value, how in tests),
    )


def _utf8(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


def _tests(condition: Expression) -> Iterator[tuple[str, str, int]]:
    """Yield the attributes that an element needs for a condition to be true; none if unknown."""
    if isinstance(condition, Operation) and condition.sign == "=":
        yield from _compared(condition.left, condition.right)
        yield from _compared(condition.right, condition.left)
    elif isinstance(condition, Call) and condition.name == "has-class":
        texts = [one.text for one in condition.arguments if isinstance(one, Literal)]
        yield from (("class", word, WORD) for text in texts for word in _WHITE_SPACE.split(text) if word)
    elif isinstance(condition, Path) and (name := _attribute(condition)):
        yield name, "", PART
    elif isinstance(condition, Call) and condition.name in ("contains", "starts-with"):
        yield from _searched(*(*condition.arguments, None, None)[:2])


def _compared(one: Expression, other: Expression) -> Iterator[tuple[str, str, int]]:
    name = _attribute(one)
    if not name or not isinstance(other, Literal):
        return
    if isinstance(one, Path):
        yield name, other.text, EQUAL
    else:
        yield from ((name, word, WORD) for word in _WHITE_SPACE.split(other.text) if word)


def _searched(subject: Expression | None, text: Expression | None) -> Iterator[tuple[str, str, int]]:
    if not isinstance(text, Literal) or not text.text:
        return
    word = text.text.strip()
    if isinstance(subject, Path) and (name := _attribute(subject)):
        yield name, text.text, PART
    elif (name := _spaced_attribute(subject)) and text.text == f" {word} " and len(word.split()) == 1:
        yield name, word, WORD


def _attribute(expression: Expression | None) -> str | None:
    """Return the attribute that an expression reads, ignoring white space."""
    if (
        isinstance(expression, Call)
        and expression.name == "normalize-space"
        and len(expression.arguments) == 1
    ):
        return _attribute(expression.arguments[0])
    step = _only_step(expression)
    found = step is not None and step.axis == "attribute" and _is_name(step.test) and not step.predicates
    return step.test if step is not None and found else None


def _only_step(expression: Expression | None) -> LocationStep | None:
    """Return the only step of a relative path besides ``self::node()``; None for anything else."""
    if not isinstance(expression, Path) or expression.absolute or expression.start is not None:
        return None
    steps = [step for step in expression.steps if (step.axis, step.test) != ("self", "node()")]
    return steps[0] if len(steps) == 1 else None


def _is_name(test: str) -> bool:
    """Whether the test of a step is a name without prefix."""
    return test != "*" and not test.endswith(")") and ":" not in test


def _spaced_attribute(expression: Expression | None) -> str | None:
    """Return the attribute in ``concat(' ', normalize-space(@class), ' ')``, normalised or not."""
    if not isinstance(expression, Call) or expression.name != "concat":
        return None
    read = [one for one in expression.arguments if not isinstance(one, Literal)]
    blank = all(one.text.isspace() for one in expression.arguments if isinstance(one, Literal))
    return _attribute(read[0]) if blank and len(read) == 1 else None


def _is_local_test(predicate: Expression) -> bool:
    """Whether a predicate depends on attributes and name of the node alone, and is not a position."""
    return _kind(predicate) not in (NUMBER, None) and all(map(_is_local, parts(predicate)))


def _is_local(part: Expression | LocationStep) -> bool:
    if isinstance(part, Call):
        return part.name in _LOCAL and (bool(part.arguments) or part.name not in _OF_NODE)
    if isinstance(part, Path):
        step = _only_step(part)
        named = step is not None and step.axis == "self" and not step.test.endswith(")")
        return named or (step is not None and step.axis == "attribute")
    return True
