"""Parsers of settings: functions that convert user input to the checked value.

They accept strings, as from ``scrapy crawl -s``, and raise ``ValueError`` or ``TypeError`` on invalid input.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from scrapy_tps.engine.selectors import compile_selector
from scrapy_tps.engine.strategies import load_strategy

Parser = Callable[[Any], Any]

#: File name extensions of the formats that ``TPS_REPORT`` can have.
REPORT_FORMATS = ("csv", "html", "json", "txt")

#: The placeholders that it can have: the spider's name, and the time.
PLACEHOLDER = re.compile(r"%\((name|time)\)s")

_LONGEST_SHOWN = 200
_TRUE = frozenset({"1", "true", "yes", "on"})
_NONE = frozenset({"", "None"})
_CREDENTIALS = re.compile(r"(?<=://)[^\s'\"]*@")
_STORES = ("redis", "rediss", "unix")
_CRAWL_NAME = re.compile(r"[\w.:@+-]{1,100}", re.ASCII)
_FALSE = frozenset({"0", "false", "no", "off", ""})


def report_format(uri: str) -> str:
    """Return the file extension of a feed URI or path, in lower case, without the dot."""
    return PurePosixPath(urlsplit(uri).path).suffix.removeprefix(".").lower()


def boolean(value: Any) -> bool:
    """True or False, or a word for it."""
    if isinstance(value, int) and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and value.strip().lower() in _TRUE | _FALSE:
        return value.strip().lower() in _TRUE
    raise ValueError


def integer(value: Any, *, low: int, high: int) -> int:
    """A whole number from `low` to `high`."""
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        raise ValueError
    number = int(value)
    if not low <= number <= high:
        raise ValueError
    return number


def whole_numbers(low: int, high: int) -> tuple[Parser, str]:
    """Return a parser of whole numbers in that range, and its description."""
    return partial(integer, low=low, high=high), f"a whole number from {low:,} to {high:,}"


def number(value: Any, *, low: float, below: float = math.inf, high: float = math.inf) -> float:
    """A number from `low` to `high`, and less than `below`."""
    if isinstance(value, bool):
        raise ValueError
    number = float(value)
    # a comparison that is false for NaN rejects it
    if not (low <= number <= high and number < below):
        raise ValueError
    return number


def without_password(uri: str) -> str:
    """Return a URI for messages, with `***` instead of user and password."""
    return _CREDENTIALS.sub("***@", uri)


def shown(value: Any) -> str:
    """Return a value for messages, without passwords in URIs; the middle of long values is omitted."""
    try:
        text = without_password(repr(value))
    except Exception as error:  # a number of more than 4,300 digits, or a foreign object
        return f"a {type(value).__name__} that can't be shown ({type(error).__name__})"
    return shortened(text)


def shortened(text: str) -> str:
    """Return a text for messages; if it is longer than 200 characters, the middle is omitted."""
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:150]}…{text[-49:]}"


def checked(name: str, value: Any, parse: Parser, allowed: str) -> Any:
    """Return what a parser returns; raise ``ValueError`` with name, value and allowed values."""
    try:
        return parse(value)
    except (TypeError, ValueError, OverflowError) as error:
        detail = f" ({shortened(str(error))})" if str(error) else ""
        # the traceback of the error's cause (a module that fails on import) is useful, that of the error is not
        raise ValueError(f"{name} is {shown(value)}; allowed: {allowed}{detail}") from error.__cause__


def is_none(value: Any) -> bool:
    """Whether a value is None, or a string that means None on the command line: the word, or an empty string."""
    return value is None or (isinstance(value, str) and value.strip() in _NONE)


def optional(value: Any, *, parse: Parser) -> Any:
    """None (also as a string, see :func:`is_none`), or what `parse` accepts."""
    return None if is_none(value) else parse(value)


def strategy(value: Any) -> Any:
    """A strategy that can be loaded."""
    name = value.strip() if isinstance(value, str) else value
    load_strategy(name)
    return name


def choice(value: Any, *, among: tuple[str, ...]) -> str:
    """One of a few words."""
    if value not in among:
        raise ValueError
    return str(value)


def chosen_words(value: Any, *, among: tuple[str, ...]) -> tuple[str, ...]:
    """Some of a few words, in their order there; a plain string may have commas between them."""
    if isinstance(value, str) and not value.lstrip().startswith("["):
        value = value.replace(",", " ").split() if not is_none(value) else ()
    chosen = strings(value)
    if not set(chosen) <= set(among):
        raise ValueError
    return tuple(word for word in among if word in chosen)


def strings(value: Any) -> tuple[str, ...]:
    """A sequence of strings; a plain string is one entry (a selector may hold commas), JSON is several, None is
    empty."""
    if is_none(value):
        return ()
    if isinstance(value, str):
        stripped = value.strip()
        if stripped.startswith(('["', "['")) or stripped == "[]":
            value = json.loads(stripped)
        else:
            return (text(stripped),)
    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise ValueError
    return tuple(map(text, value))


def selectors(value: Any) -> tuple[str, ...]:
    """CSS selectors and XPaths that compile."""
    selectors = strings(value)
    for selector in selectors:
        compile_selector(selector)
    return selectors


def status_codes(value: Any) -> frozenset[int]:
    """HTTP status codes."""
    if isinstance(value, str):
        value = value.strip().removeprefix("[").removesuffix("]").replace(",", " ").split()
    elif isinstance(value, int):
        value = [value]
    return frozenset(integer(code, low=100, high=599) for code in value)


def mapping(value: Any) -> dict[str, Any]:
    """A mapping with string keys, or one as JSON."""
    if isinstance(value, str):
        value = json.loads(value or "{}")
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise ValueError
    return dict(value)


def text(value: Any) -> str:
    """A string that is not blank, without characters that files and pages cannot hold: NUL, lone surrogates."""
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ValueError
    value.encode()  # raises on a lone surrogate
    return value


def name(value: Any) -> str:
    """A string that is not blank, without the white space around it."""
    return text(value).strip()


class ShadowCheck(NamedTuple):
    """The values of ``TPS_SHADOW``.

    :ivar share: share of each site's pruned pages that are checked.
    :ivar limit: share of a site's checked items, or requests, that may be lost.
    :ivar ignore: item fields that are not compared.
    """

    share: float = 0.0
    limit: float = 0.0
    ignore: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return repr({"share": self.share, "limit": self.limit, "ignore": list(self.ignore)})


def shadow(value: Any) -> ShadowCheck:
    """A share of pages, or a mapping with it, also as JSON."""
    if isinstance(value, ShadowCheck):
        return value
    share = partial(number, low=0.0, high=1.0)
    if not isinstance(value, Mapping) and not (isinstance(value, str) and value.lstrip().startswith("{")):
        return ShadowCheck(share(value))
    parsers: dict[str, Parser] = {"share": share, "limit": share, "ignore": strings}
    options = mapping(value)
    if unknown := options.keys() - parsers.keys():
        raise ValueError(f"there is no {', '.join(sorted(unknown))}")
    return ShadowCheck(**{name: parsers[name](option) for name, option in options.items()})


def path(value: Any) -> str:
    """A file path."""
    return name(os.fsencode(value).decode())


def reports(value: Any) -> tuple[str, ...]:
    """Feed URIs whose extension names a report format."""
    if isinstance(value, os.PathLike):
        value = [value]
    elif not isinstance(value, (list, tuple)):
        value = strings(value)
    uris = tuple(path(uri) for uri in value)
    if not all(report_format(uri) in REPORT_FORMATS for uri in uris):
        raise ValueError
    if any("%(" in PLACEHOLDER.sub("", uri) for uri in uris):
        raise ValueError("the placeholders are %(name)s and %(time)s")
    return uris


def store(value: Any) -> str:
    """The URL of a Redis."""
    url = name(value)
    parts = urlsplit(url)
    if parts.scheme not in _STORES or not (parts.path if parts.scheme == "unix" else parts.hostname):
        raise ValueError
    _ = parts.port  # raises if it is not a port
    return url


def distributed_crawl(value: Any) -> str:
    """A name that can be a part of a Redis key, without braces."""
    if not isinstance(value, str) or not _CRAWL_NAME.fullmatch(value):
        raise ValueError
    return value
