"""What a query asks for, read from its XPath: where its answer can stand, and which names it cannot do without.

Everything here errs to one side: what is not understood may match anything, anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.engine.asking.name_set import Names
from scrapy_tps.engine.asking.xpath_syntax import (
    Call,
    Literal,
    Number,
    Operation,
    Path,
    Step,
    Variable,
    XPathSyntaxError,
    parse_xpath,
    parts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

#: How far an answer may be from the element that is asked: in it (DOWN), among its siblings as well, anywhere.
DOWN, SIDEWAYS, ANYWHERE = range(3)

#: Kinds of answers: nodes of the page, or what a function makes of them.
NODES, TEXT, NUMBER, TRUTH = "nodes", "text", "number", "truth"

_DOWN_AXES: Final = frozenset({"attribute", "child", "descendant", "descendant-or-self", "namespace", "self"})
_SIDE_AXES: Final = frozenset({"following-sibling", "preceding-sibling"})
_UP_AXES: Final = frozenset({"parent", "ancestor", "ancestor-or-self"})
#: Axes on which a position is one among siblings.
_POSITION_AXES: Final = _SIDE_AXES | {"child"}
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
#: Functions that read the node itself where they have no argument.
_OF_NODE: Final = frozenset({"string", "normalize-space", "string-length", "number"})
#: Starts of addresses that say nothing about which address is meant.
_ANY_ADDRESS: Final = frozenset(
    {"", " ", "/", "#", "http", "https", "http://", "https://", "//", "mailto:", "tel:"}
)
#: Types of controls, which say no more than a tag.
_ANY_CONTROL: Final = frozenset({"submit", "button", "text", "hidden", "checkbox", "radio", "search"})
#: Tables, lists of options and their parts: a query for them by tag alone still means all rows, or all options.
LIST_TAGS: Final = frozenset(
    {"table", "thead", "tbody", "tfoot", "tr", "td", "th", "select", "optgroup", "option"}
)
_OPTION_LISTS: Final = frozenset({"select", "optgroup"})


@dataclass(frozen=True, slots=True)
class Needs:
    """What a step to an element needs.

    :ivar names: of the element.
    :ivar reads: how far its predicates look beyond its own attributes: not at all (None), ``DOWN``, into it;
        ``SIDEWAYS``, at its siblings as well; ``ANYWHERE``: it can't be told.
    :ivar upward: whether it leads to an element that holds the one before.
    """

    names: Names
    reads: int | None = None
    upward: bool = False


@dataclass(frozen=True, slots=True)
class Alternative:
    """One of the paths that a query unites.

    :ivar exact: whether on a page of which elements were removed it finds exactly what it finds on the whole page,
        less what was removed: it goes down only, and its predicates read attributes and names only.
    :ivar down: whether each of its steps goes down.
    :ivar steps: what each step that ends at an element needs, the last one being the answer or what holds it.
    :ivar holds_text: whether the answer is text in such an element; `own_text`: and that only directly.
    """

    exact: bool
    down: bool
    steps: tuple[Needs, ...]
    holds_text: bool
    own_text: bool

    @property
    def elements(self) -> tuple[Names, ...]:
        """The names that each step needs."""
        return tuple(step.names for step in self.steps)


@dataclass(frozen=True, slots=True)
class Query:
    """What is known about a query.

    :ivar kind: ``nodes``, ``text``, ``number``, ``truth``; None where it can't be told.
    :ivar reach: ``DOWN``, ``SIDEWAYS`` or ``ANYWHERE``.
    :ivar generic: whether it names no class, id, value or text, only tags at most: ``a``, ``p``, ``//text()``.
    :ivar of_lists: whether an answer may be a part of a table, or an option.
    :ivar by_id: whether it asks for an element by its id, which one has, and for nothing that depends on what is in or
        beside an element; texts in such an element may be a part of a list.
    :ivar alternatives: the paths that it unites; empty where that is not known.
    :ivar counted: whether it is ``count(…)`` of one path, and nothing else.
    """

    kind: str | None
    reach: int
    generic: bool
    of_lists: bool
    by_id: bool
    alternatives: tuple[Alternative, ...]
    counted: bool = False


_UNKNOWN: Final = Query(None, ANYWHERE, False, True, False, ())


@lru_cache(maxsize=4096)
def analyse(xpath: str) -> Query:
    """Return what is known about an XPath; never raises."""
    try:
        tree = parse_xpath(xpath)
    except (XPathSyntaxError, RecursionError):
        return _UNKNOWN
    paths = list(_united(tree))
    whole = all(isinstance(path, Path) and path.start is None for path in paths)
    alternatives = tuple(map(_alternative, paths)) if whole else ()
    return Query(
        kind=_kind(tree),
        reach=_reach(tree),
        generic=whole and all(map(_is_generic, parts(tree))),
        of_lists=not whole or any(map(_is_of_list, alternatives)),
        by_id=whole and all(map(_is_by_id, alternatives)),
        alternatives=alternatives,
        counted=isinstance(tree, Call) and tree.name == "count" and len(tree.arguments) == 1,
    )


def _united(tree: Any) -> Iterator[Any]:
    if isinstance(tree, Operation) and tree.sign == "|":
        yield from _united(tree.left)
        yield from _united(tree.right)
    elif isinstance(tree, Path) and tree.start is not None and not tree.predicates and not tree.steps:
        yield from _united(tree.start)
    else:
        yield tree


def _kind(tree: Any) -> str | None:
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


def _reach(tree: Any) -> int:
    reach = DOWN
    for part in parts(tree):
        if isinstance(part, Path) and part.absolute:
            return ANYWHERE
        if isinstance(part, Step) and part.axis not in _DOWN_AXES:
            if part.axis not in _SIDE_AXES:
                return ANYWHERE
            reach = SIDEWAYS
        if isinstance(part, Call) and part.name not in _LOCAL and part.name not in _NUMBERS:
            return ANYWHERE
    return reach


def _is_of_list(one: Alternative) -> bool:
    """Whether it leads to parts of a table, to options, or to anything in a list of options."""
    tags = [step.names.tag for step in one.steps]
    return bool(tags) and (tags[-1] in LIST_TAGS or not _OPTION_LISTS.isdisjoint(tags))


def _is_by_id(one: Alternative) -> bool:
    named = bool(one.steps and one.steps[-1].names.ids)
    return named and not one.holds_text and all(step.reads is None for step in one.steps)


def _is_generic(part: Any) -> bool:
    """Whether a part of a query names nothing that only some elements of a kind have."""
    if isinstance(part, Literal):
        return part.text in _ANY_ADDRESS or part.text in _ANY_CONTROL
    if isinstance(part, (Number, Variable)):
        return False
    if isinstance(part, Call):
        return part.name in ("not", "boolean", "string", "normalize-space", "starts-with", "contains", "name")
    return True


def _alternative(path: Path) -> Alternative:
    down = all(step.axis in _DOWN_AXES for step in path.steps)
    steps: list[Needs] = []
    holds_text = own_text = False
    for step in path.steps:
        if step.axis == "attribute":
            continue
        if step.test in ("text()", "comment()", "processing-instruction()"):
            own_text = step.axis == "child" and not holds_text and step.test == "text()"
            holds_text = True
        elif step.axis in ("self", "descendant-or-self") and step.test == "node()" and not step.predicates:
            holds_text = True  # unless a step to an element follows
        else:
            holds_text = own_text = False
            steps.append(Needs(_names(step), _reads(step), step.axis in _UP_AXES))
    last = path.steps[-1] if path.steps else None
    exact = down and all(step.reads is None for step in steps)
    if last is not None and last.axis != "attribute" and last.test.endswith(")"):
        holds_text = True
        exact = exact and all(map(_is_local_test, last.predicates))
        if last.predicates:
            own_text = False
    return Alternative(exact, down, tuple(steps), holds_text, own_text)


def _reads(step: Step) -> int | None:
    """How far the predicates of a step look beyond its node's attributes; None: not at all."""
    reads: int | None = None
    for predicate in step.predicates:
        if _is_local_test(predicate):
            continue
        reach = _reach(predicate)
        if step.axis not in _UP_AXES and _is_position(predicate):  # all that holds what stays has stayed
            if step.axis not in _POSITION_AXES:
                return ANYWHERE
            reach = max(reach, SIDEWAYS)
        reads = max(reach, DOWN if reads is None else reads)
    return reads


def _is_position(predicate: Any) -> bool:
    """Whether a predicate may be a position, or depend on one."""
    return _kind(predicate) in (NUMBER, None) or any(
        isinstance(part, Call) and part.name in ("position", "last") for part in parts(predicate)
    )


def _names(step: Step) -> Names:
    tag = step.test if step.test != "*" and not step.test.endswith(")") else None
    if tag is not None and (step.axis == "attribute" or ":" in tag):
        tag = None
    classes: set[str] = set()
    texts: set[str] = set()
    ids: set[str] = set()
    values: set[str] = set()
    if step.axis != "attribute":
        for predicate in step.predicates:
            for condition in _conditions(predicate):
                tag = _read(condition, classes, texts, ids, values) or tag
    texts = {text for text in texts if not any(text in name for name in classes)}
    return Names(tag, frozenset(classes), frozenset(texts), frozenset(ids), frozenset(values))


def _conditions(predicate: Any) -> Iterator[Any]:
    """The conditions all of which must hold."""
    if isinstance(predicate, Operation) and predicate.sign == "and":
        yield from _conditions(predicate.left)
        yield from _conditions(predicate.right)
    else:
        yield predicate


def _read(  # noqa: C901 (a case after the other)
    condition: Any, classes: set[str], texts: set[str], ids: set[str], values: set[str]
) -> str | None:
    """Note the names that a condition asks for; return the tag if it asks for one."""
    if isinstance(condition, Operation) and condition.sign == "=":
        for one, other in ((condition.left, condition.right), (condition.right, condition.left)):
            if isinstance(other, Literal):
                attribute = _attribute(one)
                if attribute == "id" and isinstance(one, Path) and other.text:
                    ids.add(other.text)
                elif attribute == "class":
                    texts.update(other.text.split())
                elif attribute is not None:
                    values.add(other.text)
                elif isinstance(one, Call) and one.name in ("name", "local-name") and not one.arguments:
                    return other.text
    elif isinstance(condition, Call) and condition.name == "has-class":
        classes.update(
            word
            for one in condition.arguments
            if isinstance(one, Literal)
            for word in one.text.split(" ")
            if word
        )
    elif isinstance(condition, Call) and condition.name in ("contains", "starts-with"):
        subject, text = (*condition.arguments, None, None)[:2]
        if isinstance(text, Literal) and text.text.strip():
            attribute = _attribute(subject)
            if attribute == "class":
                texts.update(text.text.split())
            elif attribute is not None:
                values.add(text.text)
            elif condition.name == "contains" and _is_spaced_class(subject):
                word = text.text
                if word == f" {word.strip()} " and len(word.split()) == 1:
                    classes.add(word.strip())
                else:
                    texts.update(word.split())
    return None


def _attribute(expression: Any) -> str | None:
    """The attribute that an expression reads, white space aside."""
    if (
        isinstance(expression, Call)
        and expression.name == "normalize-space"
        and len(expression.arguments) == 1
    ):
        return _attribute(expression.arguments[0])
    if isinstance(expression, Path) and not expression.absolute and expression.start is None:
        steps = [step for step in expression.steps if (step.axis, step.test) != ("self", "node()")]
        if len(steps) == 1 and steps[0].axis == "attribute" and not steps[0].predicates:
            return steps[0].test
    return None


def _is_spaced_class(expression: Any) -> bool:
    """Whether this is ``concat(' ', normalize-space(@class), ' ')``, normalised or not."""
    if not isinstance(expression, Call) or expression.name != "concat":
        return False
    read = [one for one in expression.arguments if not isinstance(one, Literal)]
    blank = all(one.text.isspace() for one in expression.arguments if isinstance(one, Literal))
    return blank and len(read) == 1 and _attribute(read[0]) == "class"


def _is_local_test(predicate: Any) -> bool:
    """Whether a predicate is true or false by attributes and name of the node alone, and is no position."""
    if isinstance(predicate, Operation):
        if predicate.sign in ("and", "or"):
            return _is_local_test(predicate.left) and _is_local_test(predicate.right)
        comparing = predicate.sign in ("=", "!=", "<", "<=", ">", ">=")
        return comparing and _is_local(predicate.left) and _is_local(predicate.right)
    if isinstance(predicate, Call):
        if predicate.name == "not" and len(predicate.arguments) == 1:
            return _is_local_test(predicate.arguments[0])
        return predicate.name in _TRUTHS and _is_local(predicate)
    return isinstance(predicate, (Path, Literal)) and _is_local(predicate)


def _is_local(expression: Any) -> bool:
    if isinstance(expression, (Literal, Number, Variable)):
        return True
    if isinstance(expression, Operation):
        return _is_local(expression.left) and _is_local(expression.right)
    if isinstance(expression, Call):
        if expression.name not in _LOCAL or (expression.name in _OF_NODE and not expression.arguments):
            return False
        return all(map(_is_local, expression.arguments))
    if not isinstance(expression, Path) or expression.absolute or expression.start is not None:
        return False
    steps = [step for step in expression.steps if (step.axis, step.test) != ("self", "node()")]
    if len(steps) != 1 or not all(map(_is_local_test, steps[0].predicates)):
        return False
    return steps[0].axis == "attribute" or (steps[0].axis == "self" and not steps[0].test.endswith(")"))
