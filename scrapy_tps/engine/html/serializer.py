"""Write a page's tree as equivalent HTML: parsed again, it has the texts and attributes of the tree.

Differences remain if HTML can't express something, or if parsers disagree:

- everything after the start of a ``plaintext`` is its text, including end tags;
- HTML 5 parsers (browsers, html5lib) drop a line break at the start of ``pre``, ``listing`` and ``textarea``, lxml does
  not: it is written as in the tree, which is right for unchanged pages;
- pruning and user code may leave a tree that no markup produces (``p`` inside ``p``, text right below ``html``); the
  parser then builds another one;
- characters that the encoding of a page lacks can't be written in scripts, styles and comments.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from lxml import etree
from lxml.html.defs import empty_tags
from w3lib.encoding import read_bom
from w3lib.html import get_base_url

from scrapy_tps.engine import native
from scrapy_tps.engine.html import document
from scrapy_tps.engine.html.elements import PageParser

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from scrapy_tps.engine.html.elements import Element, Tree

#: Attributes that are written without a value if it is their name: the parser gives them this value.
_BOOLEAN: Final = frozenset(
    {
        "checked",
        "compact",
        "declare",
        "defer",
        "disabled",
        "ismap",
        "multiple",
        "nohref",
        "noresize",
        "noshade",
        "nowrap",
        "readonly",
        "selected",
    }
)
#: Elements whose text the parser of libxml2 2.14 and later does not interpret; that of earlier versions knows two.
_MAY_BE_RAW: Final = ("script", "style", "iframe", "noembed", "noframes", "plaintext", "xmp")

#: Characters in which Scrapy looks for a base URL (``scrapy.utils.response.get_base_url``).
_BASE_PREFIX = 4096
#: URLs that w3lib's ``safe_url_string`` returns unchanged. Calling it may take a tenth of a millisecond.
_SAFE_URL: Final = re.compile(
    r"https?://[a-z0-9-]+(?:\.[a-z0-9-]+)*/[A-Za-z0-9/._~-]*(?:\?[A-Za-z0-9=&._~-]+)?"
)


def write_document(root: Element) -> bytes | str:
    """Return the whole document of an element as HTML with its doctype; bytes are UTF-8."""
    page = None if native.write is None else native.write(root)
    return _write(root) if page is None else page


class WrittenPage(NamedTuple):
    """A pruned page as bytes, and their encoding."""

    body: bytes
    encoding: str


def write_page(
    root: HtmlElement, page: bytes | str, url: str, encoding: str, original: bytes | str | None
) -> WrittenPage | None:
    """Serialise a pruned page in the encoding of the original, or in UTF-8 if Python can't write that encoding.

    Scrapy measures the body of every response that goes to a spider, so serialising later would save nothing. The
    tree's URL becomes the base URL, against which ``FormRequest.from_response`` and lxml resolve links.

    :param page: the text of the original, a result of :func:`~scrapy_tps.engine.html.document.parser_input`.
    :param original: the page as downloaded; None if nothing was removed. Then nothing is written. Its byte order mark,
        by which parsers of bytes know the encoding, stays.
    """
    base_url = base_url_of(page, url, encoding)
    root.getroottree().docinfo.URL = base_url
    if original is None:
        return None
    encoding = document.writable_encoding(encoding)
    html = write_document(root)
    if base_url_of(html, url, encoding) != base_url:
        html = _with_base(root, base_url)
    if isinstance(html, bytes):
        body = html if encoding == "utf-8" else document.recode(html, encoding)
    else:
        body = html.encode(encoding, "xmlcharrefreplace")
    marked, mark = read_bom(original) if isinstance(original, bytes) else (None, None)
    return WrittenPage(mark + body if mark and marked == encoding else body, encoding)


def base_url_of(page: bytes | str, url: str, encoding: str) -> str:
    """Return the base URL that Scrapy finds in a page; its own address if that of ``<base>`` is invalid."""
    start = page
    if isinstance(start, str):  # lowercasing text beyond ASCII takes a third of a millisecond
        start = start[:_BASE_PREFIX].encode("utf-8", "surrogatepass")
    if native.may_name_base(start, _BASE_PREFIX):  # in the part of the page in which Scrapy looks for one
        with suppress(ValueError):  # a wrong address, such as http://[
            return get_base_url(document.start_of(page, _BASE_PREFIX), url, encoding)
    return url if _SAFE_URL.fullmatch(url) else _own_base_url(url, encoding)


@lru_cache(maxsize=16)
def _own_base_url(url: str, encoding: str) -> str:
    """Return the base URL of a page without ``<base>``; needed before and after pruning."""
    try:
        return get_base_url("", url, encoding)
    except ValueError:
        return url


def _with_base(root: Element, base_url: str) -> bytes | str:
    """Return a pruned page with the base URL that Scrapy found in the original.

    Scrapy looks for ``<base>`` only in the first characters of a page. Pruning may move one out of these, or into them.
    The text (not the tree) then gets a ``<base>`` at the start of its head.
    """
    head = root.find("head")
    place = root if head is None else head
    base = root.makeelement("base", href=base_url.replace("'", "%27"))
    place.insert(0, base)
    try:
        return write_document(root)
    finally:
        place.remove(base)


def _write(root: Element) -> str:
    """Write a document in Python, also one that no HTML parser makes."""
    tree = root.getroottree()
    top = tree.getroot()
    out = [_doctype(tree, top)]
    before = list(top.itersiblings(preceding=True))
    waiting: list[Element | str] = [*reversed(list(top.itersiblings())), top, *before]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            out.append(node)
            continue
        tag = node.tag
        if not isinstance(tag, str) or tag[0] == "{" or ("{" in "".join(node.keys()) and node.nsmap):
            # a comment, or an element or attribute with a namespace
            out.append(etree.tostring(node, method="html", encoding="unicode", with_tail=False))
            continue
        written = str if tag in _RAW else _escaped
        out.append(f"<{tag}")
        for name, value in node.items():
            if name in _BOOLEAN and value == name:
                out.append(f" {name}")
            else:
                quote = "'" if '"' in value and "'" not in value else '"'
                out.append(f" {name}={quote}{_escaped(value).replace(quote, '&quot;')}{quote}")
        out.append(f">{written(node.text or '')}")
        # children and end wait, the last one first
        if tag not in _VOID:
            waiting.append(f"</{tag}>")
        for child in reversed(node):
            waiting += (written(child.tail or ""), child)
    return "".join(out)


def _doctype(tree: Tree, top: Element) -> str:
    dtd = tree.docinfo.internalDTD
    if dtd is None or not dtd.name or dtd.name.lower() != str(top.tag).lower():
        return ""
    public = f' PUBLIC "{dtd.external_id}"' if dtd.external_id else ""
    system = ""
    if dtd.system_url:
        quote = "'" if '"' in dtd.system_url else '"'
        system = f"{'' if public else ' SYSTEM'} {quote}{dtd.system_url}{quote}"
    return f"<!DOCTYPE {dtd.name}{public}{system}>\n"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


def serialise(root: HtmlElement) -> str:
    """Return the result of :func:`write_document` as text."""
    written = write_document(root)
    return written.decode("utf-8") if isinstance(written, bytes) else written


def _takes_as_written(tag: str) -> bool:
    """Whether the parser does not interpret the text of an element."""
    return bool(
        _parsed(f"<body><p>a</p><{tag}>&lt;</{tag}>").xpath(
            f"boolean(//{tag}[. = '&lt;' or . = '&lt;</{tag}>'])"
        )
    )


def _is_void(tag: str) -> bool:
    """Whether the writer omits the end tag of an element."""
    return b"</" not in etree.tostring(etree.Element(tag), method="html")


def _parsed(html: str) -> Element:
    return etree.fromstring(html.encode(), parser=PageParser(recover=True, encoding="utf-8"))


_RAW: Final = frozenset(filter(_takes_as_written, _MAY_BE_RAW))
_VOID: Final = frozenset(filter(_is_void, empty_tags))

if native.AVAILABLE:
    native.set_writing_rules((_VOID, _RAW, _BOOLEAN))
