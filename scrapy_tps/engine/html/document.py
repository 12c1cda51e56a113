"""Decode and parse pages: the only module that knows lxml's parser and its limits."""

from __future__ import annotations

import codecs
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lxml import etree
from parsel.selector import create_root_node
from w3lib.encoding import html_body_declared_encoding, html_to_unicode, http_content_type_encoding, read_bom

from scrapy_tps.engine import native
from scrapy_tps.engine.html.content_sniffing import is_data
from scrapy_tps.engine.html.elements import PageParser

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement

    from scrapy_tps.engine.html.elements import Element

#: The largest tag path sequence, in nodes, that is pruned or searched for records. `auto` needs about a second and 350
#: MB for such a page with the native core (synthetic pages of 650,000 to 950,000 nodes: 0.8 to 1.3 s, 310 to 350 MB).
MAX_NODES = 1_000_000

#: libxml2's HTML parser stops at 2,048 open elements: deeper elements, and *everything after them*, are missing from
#: the tree (tested with lxml 6.1). A tree near this depth is not trusted.
MAX_DEPTH = 2040

_MARK = "TPS-SECOND-ROOT"  # no page has it: the parser turns tags into lower case
_NOTHING = b"<html/>"
#: Bytes that are neither white space for Python's ``str`` nor the start of a character that may be.
_PRINTED: Final = frozenset(range(33, 127))
#: Encodings, as w3lib names them, in which ASCII bytes are ASCII.
_ASCII_SUPERSETS: Final = frozenset({"ascii", "cp1252", "cp1251", "iso8859-1", "iso8859-15", "gb18030"})
#: Python codecs that decode text, but are not encodings of pages: for host names, for Python source (which warns of
#: escapes), and one that always fails.
_NOT_OF_PAGES: Final = frozenset({"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"})
_RECODED: Final = 2048  # bytes at a time
#: Continuation bytes of UTF-8.
_CONTINUING: Final = range(0x80, 0xC0)
_SNIFFED = 2048  # characters
_XML: Final = ("<?xml", "<rss", "<feed", "<urlset", "<sitemapindex")
_IGNORED_AT_START: Final = "\ufeff \t\r\n\f"
#: The first bytes of compressed and binary formats that servers declare as HTML: gzip, zip, PDF, PNG, JPEG, GIF … To be
#: checked before decoding, because guessing the encoding of such bytes is slow, and the result may look like markup.
BINARY_STARTS: Final = (
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
# their text when decoded, unless none of it can be
_BINARY: Final = tuple(
    text
    for magic in BINARY_STARTS
    for encoding in ("cp1252", "latin-1", "utf-8")
    if (text := magic.decode(encoding, "replace")).strip("\ufffd")
)


class Document(NamedTuple):
    """A parsed page.

    :ivar root: the ``html`` element of a private tree, which may be cut.
    :ivar body: its ``body`` element, or None (framesets, empty pages).
    :ivar folded: whether additional roots were moved into the body, so that the tree differs from parsel's.
    """

    root: HtmlElement
    body: HtmlElement | None
    folded: bool


def parser_input(body: bytes | str, encoding: str | None = None) -> bytes | str:
    """Return a page for :func:`parse`: its bytes if they are UTF-8, else the result of :func:`decode`.

    Bytes are stripped of surrounding white space, and can be parsed directly: decoding and encoding them again would
    take a sixth of the time to read a page.
    """
    if isinstance(body, bytes):
        found = utf8(body, encoding)
        if found is not None:
            return found
    return decode(body, encoding)


def utf8(body: bytes, encoding: str | None) -> bytes | None:
    """Return the bytes of a page without surrounding white space if they are UTF-8, else None.

    They are if :func:`decode` would read them as UTF-8 (or ASCII, which is the same) without replacing anything.
    Surrounding white space beyond ASCII also gives None, because it would have to be stripped.
    """
    found, mark = read_bom(body)
    if mark is not None:
        body = body[len(mark) :]
    elif encoding:
        found = _declared(encoding)
    if found is None:
        found = html_body_declared_encoding(body)
        if not is_of_pages(found):
            found = None
    fits = native.is_utf8(body) if found in (None, "utf-8") else found in _ASCII_SUPERSETS and body.isascii()
    if not fits:
        return None
    text = body.strip()
    return text if not text or (text[0] in _PRINTED and text[-1] in _PRINTED) else None


def decode(body: bytes | str, encoding: str | None = None) -> str:
    """Return the page as text, decoded as in Scrapy and browsers.

    :param encoding: the encoding declared by the server, if any; otherwise a byte order mark, ``<meta>`` or a guess
        decides (UTF-8 if the bytes are valid, else cp1252). Names of codecs that are not for pages are ignored. Never
        raises, whatever the bytes.
    """
    if isinstance(body, str):
        return body
    declared = _declared(encoding) if encoding else None
    if declared is None and not is_of_pages(html_body_declared_encoding(body)):
        declared = _guess_encoding(body)
    header = _header(declared) if declared else None
    return html_to_unicode(header, body, auto_detect_fun=_guess_encoding)[1]


def readable_encoding(body: bytes, encoding: str) -> str:
    """Return the declared `encoding`, or the one that :func:`decode` uses instead if it is not for pages.

    For responses: Scrapy accepts any Python codec as an encoding, and then fails on the text.
    """
    if is_of_pages(encoding):
        return encoding
    declared = html_body_declared_encoding(body)
    return declared if declared and is_of_pages(declared) else _guess_encoding(body)


@lru_cache(maxsize=256)
def is_of_pages(encoding: str | None) -> bool:
    """Whether an encoding can be that of a page. False if Python has a codec of that name for another purpose (``hex``,
    ``idna``).

    True for None.
    """
    if encoding is None:
        return True
    try:
        b"a".decode(encoding, "replace")  # decoding nothing would not look up the codec
    except (LookupError, ValueError):  # UnicodeError is a ValueError
        return False
    return codecs.lookup(encoding).name not in _NOT_OF_PAGES


@lru_cache(maxsize=64)
def _declared(encoding: str) -> str | None:
    """Return the encoding that Scrapy would use for a server's declaration, if it can be that of a page.

    Cached, because w3lib's expression takes a tenth of a millisecond.
    """
    found = http_content_type_encoding(_header(encoding))
    return found if is_of_pages(found) else None


def _header(encoding: str) -> str:
    return f"text/html; charset={encoding}"


def _guess_encoding(body: bytes) -> str:
    return "utf-8" if native.is_utf8(body) else "cp1252"


def start_of(page: bytes | str, characters: int) -> str:
    """Return the first characters of the result of :func:`parser_input`."""
    if isinstance(page, str):
        return page[:characters]
    return page[: 4 * characters].decode("utf-8", "ignore")[:characters]


def end_of(page: bytes | str, characters: int) -> str:
    """Return the last characters of the result of :func:`parser_input`, without surrounding white space."""
    if isinstance(page, str):
        return page.rstrip()[-characters:]
    return page[-4 * characters :].decode("utf-8", "ignore").rstrip()[-characters:]


def is_html(page: bytes | str) -> bool:
    """Whether a page (a result of :func:`parser_input`) declared as HTML can be HTML: not XML (sitemaps, feeds),
    not JSON, JSON lines, JSONP or a script (even with markup inside), and not binary.

    Servers declare many formats as ``text/html``; cutting those would destroy them. XHTML counts as HTML.
    """
    start = start_of(page, _SNIFFED).lstrip(_IGNORED_AT_START)
    if start.startswith("<"):
        return not start.startswith(_XML) or "<html" in start.lower()
    return not (start.startswith(_BINARY) or is_data(start, end_of(page, _SNIFFED)))


def parse(page: bytes | str, url: str | None = None) -> Document:
    """Parse a page (a result of :func:`parser_input`) into the tree that parsel's ``Selector`` would build.

    libxml2 2.14 and later may put additional ``html`` elements *next to* the root. XPath's ``//`` finds them, but
    walking or serialising from the root does not. They are moved into the body, so that no text is lost. Raises
    ``lxml.etree.LxmlError`` only if parsel would.
    """
    root: Any
    if isinstance(page, bytes):  # the same as `create_root_node`, for a text that is already encoded
        # in pure Python the journal holds elements that spiders may get
        parser = PageParser(recover=True, encoding="utf-8", huge_tree=True)
        parser.plain = native.AVAILABLE
        root = etree.fromstring(page.replace(b"\x00", b"") or _NOTHING, parser=parser, base_url=url)
        if root is None:
            root = etree.fromstring(_NOTHING, parser=parser, base_url=url)
    else:
        try:
            root = create_root_node(page, PageParser, base_url=url)
        except UnicodeEncodeError:  # a lone surrogate
            root = create_root_node(page.encode("utf-8", "replace").decode("utf-8"), PageParser, base_url=url)
    body = next(root.iterchildren("body"), None)  # `find` costs ten times as much
    others = [] if body is None else [one for one in root.itersiblings() if isinstance(one.tag, str)]
    if body is not None and others:
        _fold(others, body)
    return Document(root, body, bool(others))


def _fold(others: Sequence[Element], body: Element) -> None:
    """Move the contents of other roots to the end of the body."""
    for root in others:
        for part in root:
            if part.tag in ("head", "body"):
                part.tag = "div"
        root.tag = _MARK
        body.append(root)
    # moves nodes, because setting the text as a string would fail on control characters
    etree.strip_tags(body, _MARK)


def recode(page: bytes, encoding: str) -> bytes:
    """Return a UTF-8 page in another encoding, with references for characters that the encoding lacks.

    Most bytes are ASCII, which need not be decoded and encoded: 3 ns a byte.
    """
    if encoding not in _ASCII_SUPERSETS:
        return page.decode("utf-8").encode(encoding, "xmlcharrefreplace")
    parts = []
    start, size = 0, len(page)
    while start < size:
        stop = start + _RECODED
        while stop < size and page[stop] in _CONTINUING:
            stop += 1
        part = page[start:stop]
        parts.append(part if part.isascii() else part.decode("utf-8").encode(encoding, "xmlcharrefreplace"))
        start = stop
    return b"".join(parts)


@cache
def writable_encoding(encoding: str) -> str:
    """Return `encoding`, or UTF-8 if Python can decode it, but not encode it with character references."""
    try:
        written = "a\u20ac".encode(encoding, "xmlcharrefreplace").decode(encoding)
    except (UnicodeError, LookupError):
        return "utf-8"
    return encoding if written in ("a\u20ac", "a&#8364;") else "utf-8"
