"""XPath 1.0 as a syntax tree, for the analysis of selectors without evaluation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME: Final = r"[^\W\d][\w.\-\u00b7]*"
_TOKEN: Final = re.compile(
    rf"""\s*(?:
    (?P<literal>"[^"]*"|'[^']*')
    | (?P<number>\d+(?:\.\d*)?|\.\d+)
    | (?P<variable>\$\s*{_NAME}(?::{_NAME})?)
    | (?P<name>{_NAME}(?::(?!:)(?:{_NAME}|\*))?)
    | (?P<sign>::|//|\.\.|!=|<=|>=|[()\[\].@,/|+\-=<>*])
    )""",
    re.VERBOSE,
)
_NODE_TYPES: Final = frozenset({"node", "text", "comment", "processing-instruction"})
#: Operators, in ascending order of precedence.
_LEVELS: Final = (
    ("or",),
    ("and",),
    ("=", "!="),
    ("<", "<=", ">", ">="),
    ("+", "-"),
    ("*", "div", "mod"),
)
#: Kind and text of the token after the last one.
_END: Final = ("end", "")


class XPathSyntaxError(ValueError):
    """A text is not valid XPath 1.0, or not understood here."""


@dataclass(frozen=True, slots=True)
class LocationStep:
    """One step of a path.

    :ivar test: a name, ``*``, or ``node()``, ``text()``, ``comment()``, ``processing-instruction()``.
    """

    axis: str
    test: str
    predicates: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Path:
    """A location path.

    :ivar absolute: whether it starts at the document.
    :ivar start: the expression that it starts from, or None; `predicates` belong to that expression.
    """

    absolute: bool
    start: Expression | None
    predicates: tuple[Expression, ...]
    steps: tuple[LocationStep, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function."""

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Literal:
    """A text in quotes."""

    text: str


@dataclass(frozen=True, slots=True)
class Number:
    """A number."""

    text: str


@dataclass(frozen=True, slots=True)
class Variable:
    """``$name``."""

    name: str


@dataclass(frozen=True, slots=True)
class Operation:
    """Two operands and their operator; also for ``|`` and the sign ``-`` (with the same operand twice)."""

    sign: str
    left: Expression
    right: Expression


#: What an XPath is made of.
Expression: TypeAlias = Path | Call | Literal | Number | Variable | Operation


def parse_xpath(text: str) -> tuple[Expression, list[str]]:
    """Return the syntax tree of an XPath, and the texts of its calls of functions and its predicates, inner ones first.

    Axes, functions and types are not checked. Raises :class:`XPathSyntaxError` if the XPath is not understood, and
    ``RecursionError`` if its brackets are nested too deeply.
    """
    reader = _Reader(text)
    return reader.read(), reader.sources


def parts(expression: Expression) -> Iterator[Expression | LocationStep]:
    """Iterate over an expression and all its parts, including steps."""
    waiting: list[Expression | LocationStep] = [expression]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, Path):
            waiting += [*part.steps, *part.predicates, *([] if part.start is None else [part.start])]
        elif isinstance(part, LocationStep):
            waiting += part.predicates
        elif isinstance(part, Call):
            waiting += part.arguments
        elif isinstance(part, Operation):
            waiting += (part.left, part.right)


def operands(expression: Expression, sign: str) -> list[Expression]:
    """Return the operands of a chain of one operator, in their order; the expression itself if it is none."""
    found, waiting = [], [expression]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Operation) and one.sign == sign:
            waiting += (one.right, one.left)
        else:
            found.append(one)
    return found


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[tuple[str, str]] = []
        self._spans: list[tuple[int, int]] = []
        self._place = 0
        self.sources: list[str] = []
        start, end = 0, len(text.rstrip())
        while start < end:
            found = _TOKEN.match(text, start)
            if found is None:
                raise XPathSyntaxError(f"{text[start:]!r} is not an XPath")
            kind = str(found.lastgroup)
            self._tokens.append((kind, found[kind]))
            self._spans.append(found.span(kind))
            start = found.end()

    def read(self) -> Expression:
        found = self._expression()
        if self._token() is not _END:
            raise XPathSyntaxError(f"{self._token()} is left over in {self._text!r}")
        return found

    def _source(self, first: int) -> str:
        """Return the text from the token at `first` to the last one read."""
        return self._text[self._spans[first][0] : self._spans[self._place - 1][1]]

    def _token(self, ahead: int = 0) -> tuple[str, str]:
        place = self._place + ahead
        return self._tokens[place] if place < len(self._tokens) else _END

    def _is(self, sign: str, ahead: int = 0) -> bool:
        return self._token(ahead) == ("sign", sign)

    def _take(self, sign: str) -> bool:
        found = self._is(sign)
        self._place += found
        return found

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise XPathSyntaxError(f"{sign} is missing before {self._token()}")

    def _expression(self, level: int = 0) -> Expression:
        if level == len(_LEVELS):
            return self._negative()
        found = self._expression(level + 1)
        while (token := self._token())[0] in ("sign", "name") and token[1] in _LEVELS[level]:
            self._place += 1
            found = Operation(token[1], found, self._expression(level + 1))
        return found

    def _negative(self) -> Expression:
        if self._take("-"):
            found = self._negative()
            return Operation("-", found, found)
        found = self._path()
        while self._take("|"):
            found = Operation("|", found, self._path())
        return found

    def _path(self) -> Expression:
        absolute, start = False, None
        predicates: tuple[Expression, ...] = ()
        steps: tuple[LocationStep, ...] = ()
        if self._starts_primary():
            start = self._primary()
            predicates = self._predicates()
            if not predicates and not self._is("/") and not self._is("//"):
                return start
        elif self._is("//"):
            absolute = True
        elif self._take("/"):
            absolute = True
            steps = (self._step(),) if self._starts_step() else ()
        else:
            steps = (self._step(),)
        steps += self._further_steps()
        return Path(absolute, start, predicates, steps)

    def _starts_primary(self) -> bool:
        kind, text = self._token()
        if kind in ("literal", "number", "variable") or self._is("("):
            return True
        return kind == "name" and self._is("(", 1) and text not in _NODE_TYPES

    def _primary(self) -> Expression:
        (kind, text), first = self._token(), self._place
        self._place += 1
        if kind == "literal":
            return Literal(text[1:-1])
        if kind == "number":
            return Number(text)
        if kind == "variable":
            return Variable(text)
        if kind == "sign":
            found = self._expression()
            self._expect(")")
            return found
        self._expect("(")
        arguments: list[Expression] = []
        while not self._take(")"):
            if arguments:
                self._expect(",")
            arguments.append(self._expression())
        self.sources.append(self._source(first))
        return Call(text, tuple(arguments))

    def _predicates(self) -> tuple[Expression, ...]:
        found = []
        while self._take("["):
            first = self._place
            found.append(self._expression())
            self.sources.append(self._source(first))
            self._expect("]")
        return tuple(found)

    def _starts_step(self) -> bool:
        kind, text = self._token()
        return kind == "name" or text in (".", "..", "@", "*")

    def _further_steps(self) -> tuple[LocationStep, ...]:
        steps = []
        while True:
            if self._take("//"):
                steps += [_ANYWHERE, self._step()]
            elif self._take("/"):
                steps.append(self._step())
            else:
                return tuple(steps)

    def _step(self) -> LocationStep:
        if self._take("."):
            return LocationStep("self", "node()", self._predicates())
        if self._take(".."):
            return LocationStep("parent", "node()", self._predicates())
        axis = "child"
        if self._take("@"):
            axis = "attribute"
        elif self._is("::", 1):
            axis = self._name()
            self._expect("::")
        test = "*" if self._take("*") else self._name()
        if test in _NODE_TYPES and self._take("("):
            self._place += self._token()[0] == "literal"
            self._expect(")")
            test += "()"
        return LocationStep(axis, test, self._predicates())

    def _name(self) -> str:
        kind, text = self._token()
        if kind != "name":
            raise XPathSyntaxError(f"a name is missing before {text!r} in {self._text!r}")
        self._place += 1
        return text


_ANYWHERE: Final = LocationStep("descendant-or-self", "node()")
