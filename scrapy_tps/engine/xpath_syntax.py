"""XPath 1.0 as a syntax tree, for the analysis of selectors without evaluation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME: Final = r"[^\W\d][\w.\-\u00b7]*"
_TOKEN: Final = re.compile(
    rf"""\s*(?:
    (?P<literal>"[^"]*"|'[^']*')
    | (?P<number>\d+(?:\.\d*)?|\.\d+)
    | \$\s*(?P<variable>{_NAME}(?::{_NAME})?)
    | (?P<name>{_NAME}(?::(?!:)(?:{_NAME}|\*))?)
    | (?P<sign>::|//|\.\.|!=|<=|>=|[()\[\].@,/|+\-=<>*])
    )""",
    re.VERBOSE,
)
_AXES: Final = frozenset(
    {
        "ancestor",
        "ancestor-or-self",
        "attribute",
        "child",
        "descendant",
        "descendant-or-self",
        "following",
        "following-sibling",
        "namespace",
        "parent",
        "preceding",
        "preceding-sibling",
        "self",
    }
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
#: The most levels of nested brackets: nobody writes more by hand, and Python's stack would overflow.
_DEEPEST: Final = 50


class XPathSyntaxError(ValueError):
    """A text is not valid XPath 1.0, or not understood here."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path.

    :ivar test: a name, ``*``, or ``node()``, ``text()``, ``comment()``, ``processing-instruction()``.
    """

    axis: str
    test: str
    predicates: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Path:
    """A location path.

    :ivar absolute: whether it starts at the document.
    :ivar start: the expression that it starts from, or None; `predicates` belong to that expression.
    """

    absolute: bool
    start: Any
    predicates: tuple[Any, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function."""

    name: str
    arguments: tuple[Any, ...]


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
    left: Any
    right: Any


def parse_xpath(text: str) -> Any:
    """Return the syntax tree of an XPath; raise :class:`XPathSyntaxError` if it is not understood."""
    return _Reader(text).read()


def calls_and_predicates(text: str) -> list[str]:
    """Return the texts of the calls of functions and of the predicates in an XPath, inner ones first.

    Raises :class:`XPathSyntaxError` as :func:`parse_xpath` does.
    """
    reader = _Reader(text)
    reader.read()
    return reader.sources


def parts(expression: Any) -> Iterator[Any]:
    """Iterate over an expression and all its parts, including steps."""
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, Path):
            waiting += [*part.steps, *part.predicates, *([] if part.start is None else [part.start])]
        elif isinstance(part, Step):
            waiting += part.predicates
        elif isinstance(part, Call):
            waiting += part.arguments
        elif isinstance(part, Operation):
            waiting += (part.left, part.right)


def split_union(text: str) -> list[str]:
    """Return the alternatives of a union, split outside all brackets; the XPath itself if it is not a union."""
    found, start, place, depth = [], 0, 0, 0
    while (token := _TOKEN.match(text, place)) is not None:
        sign = token["sign"]
        if sign is not None and sign in "([":
            depth += 1
        elif sign is not None and sign in ")]":
            depth -= 1
        elif sign == "|" and not depth:
            found.append(text[start : token.start("sign")].strip())
            start = token.end()
        place = token.end()
    return [*found, text[start:].strip()]


def _tokens(text: str) -> tuple[list[tuple[str, str]], list[tuple[int, int]]]:
    """Return the kinds and texts of tokens, and where each starts and ends."""
    tokens, spans = [], []
    place, end = 0, len(text.rstrip())
    while place < end:
        found = _TOKEN.match(text, place)
        if found is None:
            raise XPathSyntaxError(f"{text[place:]!r} is not an XPath")
        kind = str(found.lastgroup)
        tokens.append((kind, found[kind]))
        place = found.end()
        spans.append((place - len(found[0].lstrip()), place))
    return tokens, spans


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens, self._spans = _tokens(text)
        self._place = 0
        self._depth = 0
        self.sources: list[str] = []

    def read(self) -> Any:
        found = self.expression()
        if self.peek() is not None:
            raise XPathSyntaxError(f"{self.peek()} is left over in {self._text!r}")
        return found

    def _note(self, first: int, after: int) -> None:
        self.sources.append(self._text[self._spans[first][0] : self._spans[after - 1][1]])

    def peek(self, ahead: int = 0) -> tuple[str, str] | None:
        place = self._place + ahead
        return self._tokens[place] if place < len(self._tokens) else None

    def _is(self, sign: str, ahead: int = 0) -> bool:
        return self.peek(ahead) == ("sign", sign)

    def _take(self, sign: str) -> bool:
        if self._is(sign):
            self._place += 1
            return True
        return False

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise XPathSyntaxError(f"{sign} is missing before {self.peek()}")

    def expression(self, level: int = 0) -> Any:
        if level == len(_LEVELS):
            return self._negative()
        found = self.expression(level + 1)
        while (
            (token := self.peek()) is not None and token[1] in _LEVELS[level] and token[0] in ("sign", "name")
        ):
            self._place += 1
            found = Operation(token[1], found, self.expression(level + 1))
        return found

    def _negative(self) -> Any:
        if self._take("-"):
            found = self._negative()
            return Operation("-", found, found)
        found = self._path()
        while self._take("|"):
            found = Operation("|", found, self._path())
        return found

    def _path(self) -> Any:
        token = self.peek()
        if token is None:
            raise XPathSyntaxError("an expression is missing at the end")
        if self._starts_primary(token):
            start = self._primary()
            predicates = self._predicates()
            if not predicates and not self._is("/") and not self._is("//"):
                return start
            return Path(False, start, predicates, self._further_steps())
        if self._take("//"):
            return Path(True, None, (), (_ANYWHERE, *self._steps()))
        if self._take("/"):
            return Path(True, None, (), self._steps() if self._starts_step() else ())
        return Path(False, None, (), self._steps())

    def _starts_primary(self, token: tuple[str, str]) -> bool:
        kind, text = token
        if kind in ("literal", "number", "variable") or token == ("sign", "("):
            return True
        return kind == "name" and self._is("(", 1) and text not in _NODE_TYPES

    def _primary(self) -> Any:
        (kind, text), first = self._tokens[self._place], self._place
        self._place += 1
        if kind == "literal":
            return Literal(text[1:-1])
        if kind == "number":
            return Number(text)
        if kind == "variable":
            return Variable(text)
        self._depth += 1
        if self._depth > _DEEPEST:
            raise XPathSyntaxError("brackets are nested too deeply")
        if kind == "sign":
            found = self.expression()
            self._expect(")")
        else:
            self._expect("(")
            arguments: list[Any] = []
            while not self._take(")"):
                if arguments:
                    self._expect(",")
                arguments.append(self.expression())
            found = Call(text, tuple(arguments))
            self._note(first, self._place)
        self._depth -= 1
        return found

    def _predicates(self) -> tuple[Any, ...]:
        found = []
        while self._take("["):
            self._depth += 1
            if self._depth > _DEEPEST:
                raise XPathSyntaxError("brackets are nested too deeply")
            first = self._place
            found.append(self.expression())
            self._note(first, self._place)
            self._depth -= 1
            self._expect("]")
        return tuple(found)

    def _starts_step(self) -> bool:
        token = self.peek()
        return token is not None and (token[0] == "name" or token[1] in (".", "..", "@", "*"))

    def _steps(self) -> tuple[Step, ...]:
        return (self._step(), *self._further_steps())

    def _further_steps(self) -> tuple[Step, ...]:
        steps = []
        while True:
            if self._take("//"):
                steps += [_ANYWHERE, self._step()]
            elif self._take("/"):
                steps.append(self._step())
            else:
                return tuple(steps)

    def _step(self) -> Step:
        if self._take("."):
            return Step("self", "node()", self._predicates())
        if self._take(".."):
            return Step("parent", "node()", self._predicates())
        axis = "child"
        token = self.peek()
        if self._take("@"):
            axis = "attribute"
        elif token is not None and token[0] == "name" and self._is("::", 1):
            axis = token[1]
            if axis not in _AXES:
                raise XPathSyntaxError(f"{axis} is not an axis")
            self._place += 2
        return Step(axis, self._test(), self._predicates())

    def _test(self) -> str:
        if self._take("*"):
            return "*"
        token = self.peek()
        if token is None or token[0] != "name":
            raise XPathSyntaxError(f"a name is missing before {token}")
        self._place += 1
        if token[1] in _NODE_TYPES and self._take("("):
            if (inner := self.peek()) is not None and inner[0] == "literal":
                self._place += 1
            self._expect(")")
            return f"{token[1]}()"
        return token[1]


_ANYWHERE: Final = Step("descendant-or-self", "node()")
