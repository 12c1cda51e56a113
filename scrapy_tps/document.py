"""Decode, parse and serialise pages: the only module that knows lxml's parser and its limits."""

from __future__ import annotations

import re
import string
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from lxml import etree
from lxml.html import HtmlElementClassLookup, HTMLParser
from parsel.selector import create_root_node
from w3lib.encoding import html_to_unicode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

#: libxml2's HTML parser stops at 2,048 open elements: what is nested deeper, and *everything after it*,
#: is missing from the tree (lxml 6.1, tried out). A tree that comes near is not trusted.
MAX_DEPTH = 2040

#: Characters that libxml2 (2.14) writes as they are in addresses: those of `xmlURIEscapeStr` and its exceptions.
_SAFE_IN_ADDRESSES = string.ascii_letters + string.digits + "-_.!~*'()\"#$%&+,/:;<=>?@[\\]^`{|}"
# lxml's parser lets control characters in, but an attribute that holds them can't be set again
_NOT_SETTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ALTERED_ADDRESSES = etree.XPath(
    "//@href[translate(., $safe, '')] | //@src[translate(., $safe, '')] | //@action[translate(., $safe, '')]"
    " | //a/@name[translate(., $safe, '')]"
)

_MARK = "TPS-SECOND-ROOT"  # no page has it: the parser turns tags into lower case
_PLAIN_ELEMENTS: Final = etree.ElementDefaultClassLookup()
_HTML_ELEMENTS: Final = HtmlElementClassLookup()
_SNIFFED = 2048  # characters
_TAG = re.compile(r"<(?:!doctype|html|head|body|div|p|table)\b", re.IGNORECASE)
# the first bytes of gzip, zip, PDF, PNG, JPEG, GIF …
_MAGIC = (
    b"\x1f\x8b",
    b"PK\x03\x04",
    b"%PDF-",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"BZh",
    b"\xfd7zXZ",
    b"\x28\xb5\x2f\xfd",
)
# … and as they look when decoded as cp1252, latin-1 or UTF-8
_BINARY = (
    "\x1f\u2039",
    "\x1f\x8b",
    "\x1f\ufffd",
    "PK\x03\x04",
    "%PDF-",
    "\u2030PNG",
    "\x89PNG",
    "\ufffdPNG",
    "\xff\xd8\xff",
)


class PageParser(HTMLParser):
    """The parser of one page, as parsel's; nobody else has it."""


@dataclass(slots=True)
class Document:
    """A parsed page.

    :ivar root: the ``html`` element of a tree that nobody else sees; it may be cut.
    :ivar body: its ``body`` element, or None (framesets, empty pages).
    :ivar folded: whether further roots beside the first were moved into the body, so that the tree is
        no longer the one that parsel would build.
    """

    root: HtmlElement
    body: HtmlElement | None
    folded: bool


def decode(body: bytes | str, encoding: str | None = None) -> str:
    """Return the page as text, decoded as Scrapy and browsers do.

    :param encoding: the encoding the server declared, if any; otherwise a byte order mark, ``<meta>`` or
        a guess decides (UTF-8 where the bytes are valid, else cp1252). Never raises on any bytes.
    """
    if isinstance(body, str):
        return body
    header = f"text/html; charset={encoding}" if encoding else None
    return html_to_unicode(header, body, auto_detect_fun=_guess_encoding)[1]


def _guess_encoding(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def is_binary(body: bytes) -> bool:
    """Whether a body starts as one of the compressed or binary formats that servers call HTML.

    Asked before decoding: guessing the encoding of such bytes is slow, and the guess makes markup of them.
    """
    return body.startswith(_MAGIC)


def is_html(text: str) -> bool:
    """Whether a body served as HTML can be HTML: not XML (sitemaps, feeds), not JSON, not binary.

    Servers call many things ``text/html``; cutting those would destroy them. XHTML counts as HTML.
    """
    start = text[:_SNIFFED].lstrip("\ufeff \t\r\n\f")
    if start.startswith(("<?xml", "<rss", "<feed", "<urlset", "<sitemapindex")):
        return "<html" in start.lower()
    if start.startswith(("{", "[")):
        return _TAG.search(start) is not None
    return not start.startswith(_BINARY)


def parse(text: str, url: str | None = None) -> Document:
    """Parse a page into the tree that parsel's ``Selector`` would build of it.

    libxml2 2.14 and later may put further ``html`` elements *beside* the root. XPath's ``//`` sees them,
    walking from the root or serialising it does not: they are folded into the body, so that no text is
    lost. Raises ``lxml.etree.LxmlError`` only where parsel would.
    """
    try:
        root: Any = create_root_node(text, PageParser, base_url=url)
    except UnicodeEncodeError:  # a lone surrogate
        root = create_root_node(text.encode("utf-8", "replace").decode("utf-8"), PageParser, base_url=url)
    body = root.find("body")
    return Document(root, body, body is not None and _fold_second_roots(root, body))


def _fold_second_roots(root: Any, body: Any) -> bool:
    beside = [sibling for sibling in root.itersiblings() if isinstance(sibling.tag, str)]
    for sibling in beside:
        for part in sibling:
            if part.tag in ("head", "body"):
                part.tag = "div"
        sibling.tag = _MARK
        body.append(sibling)
    if beside:
        # moves nodes, where setting text as a string would fail on control characters
        etree.strip_tags(body, _MARK)
    return bool(beside)


@contextmanager
def plain_elements(element: Any) -> Iterator[None]:
    """Make lxml hand out plain elements of a parsed page while the context is open.

    ``lxml.html`` looks up a class in Python whenever an element is touched: a fifth of the time of the
    parse. Elements that are dropped afterwards come back as ``HtmlElement`` to whoever asks next.
    """
    parser = element.getroottree().parser
    if not isinstance(parser, PageParser):
        yield
        return
    parser.set_element_class_lookup(_PLAIN_ELEMENTS)
    try:
        yield
    finally:
        parser.set_element_class_lookup(_HTML_ELEMENTS)


@cache
def writable_encoding(encoding: str) -> str:
    """Return `encoding`, or UTF-8 where Python can decode but not encode it with character references."""
    try:
        written = "a\u20ac".encode(encoding, "xmlcharrefreplace").decode(encoding)
    except (UnicodeError, LookupError):
        return "utf-8"
    return encoding if written in ("a\u20ac", "a&#8364;") else "utf-8"


def serialise(root: HtmlElement) -> str:
    """Return the whole document of an element as HTML text, doctype included, attributes as they were.

    libxml2's HTML writer percent-encodes blanks and non-ASCII characters of addresses and drops blanks
    before them (`htmlAttrDumpOutput`), so that a spider would read other addresses off the text than off the
    tree. Such addresses are written by way of a stand-in.
    """
    tree = root.getroottree()
    places = [
        (address.getparent(), address.attrname, str(address))
        for address in _ALTERED_ADDRESSES(tree, safe=_SAFE_IN_ADDRESSES)
        if _NOT_SETTABLE.search(address) is None
    ]
    if not places:
        return etree.tostring(tree, method="html", encoding="unicode")
    salt = 0
    while True:
        stand_in = f"tps-address-{salt}-"
        for number, (element, name, _) in enumerate(places):
            element.set(name, f"{stand_in}{number}-")
        try:
            html = etree.tostring(tree, method="html", encoding="unicode")
        finally:
            for element, name, address in places:
                element.set(name, address)
        written, found = (
            re.subn(rf"{stand_in}(\d+)-", lambda match: _attribute_value(places[int(match[1])][2]), html)
            if html.count(stand_in) == len(places)
            else (html, 0)
        )
        if found == len(places):
            return written
        salt += 1  # the page itself holds the stand-in


def _attribute_value(text: str) -> str:
    """Return a value as it is written between the quotes of an HTML attribute."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
