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
import string
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from lxml import etree
from lxml.html.defs import empty_tags
from w3lib.html import get_base_url

from scrapy_tps.engine import native
from scrapy_tps.engine.html import document
from scrapy_tps.engine.html.elements import PageParser

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from scrapy_tps.engine.html.elements import Element, Tree

#: Characters that libxml2 (2.14) does not escape in addresses: those of `xmlURIEscapeStr` and its exceptions.
_SAFE_IN_ADDRESSES = string.ascii_letters + string.digits + "-_.!~*'()\"#$%&+,/:;<=>?@[\\]^`{|}"
_UNSAFE: Final = re.compile(f"[^{re.escape(_SAFE_IN_ADDRESSES)}]")
# lxml's parser accepts control characters, but an attribute that holds them can't be set again
_NOT_SETTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# one at a time, because libxml2's union of node sets is quadratic
_ADDRESSES: Final = (
    "descendant::*/@href",
    "descendant::*/@src",
    "descendant::*/@action",
    "descendant::a/@name",
)
_VALUES: Final = tuple(etree.XPath(path, smart_strings=False) for path in _ADDRESSES)
_ALTERED: Final = tuple(etree.XPath(f"{path}[translate(., $safe, '')]") for path in _ADDRESSES)

#: Attributes that libxml2 writes without a value, and reads as if the value were the name.
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
_IS_BOOLEAN: Final = " or ".join(f"name() = '{name}'" for name in sorted(_BOOLEAN))
_BOOLEAN_ATTRIBUTES: Final = etree.XPath(f"descendant-or-self::*/@*[{_IS_BOOLEAN}]", smart_strings=True)
_SHORTENED: Final = re.compile(rf" (?:{'|'.join(_BOOLEAN)})(?=[ >])")
_EMPTY_ITEMS: Final = etree.XPath("descendant::li[not(node())]")
#: Elements whose text the parser of libxml2 2.14 and later does not interpret; its writer knows only the first two.
_MAY_BE_RAW: Final = ("script", "style", "iframe", "noembed", "noframes", "plaintext", "xmp")

#: Characters in which Scrapy looks for a base URL (``scrapy.utils.response.get_base_url``).
_BASE_PREFIX = 4096
#: URLs that w3lib's ``safe_url_string`` returns unchanged. Calling it may take a tenth of a millisecond.
_SAFE_URL: Final = re.compile(
    r"https?://[a-z0-9-]+(?:\.[a-z0-9-]+)*/[A-Za-z0-9/._~-]*(?:\?[A-Za-z0-9=&._~-]+)?"
)

#: A page with a case of each rule of libxml2's writer that the native writer follows.
_PROBE: Final = (
    "<!-- 1 --><!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01//EN' 'http://www.w3.org/TR/html4/strict.dtd'><!-- 2 -->"
    "<html lang=en><head><title>a&amp;b&lt;c&gt;d\"e'f&nbsp;\u00fc\U0001f600</title><meta charset=latin-1><base href=a>"
    "<link rel=x><style>a > b & c</style><script>if (a < b && c) d()</script></head><body class='' id title='a\"b'"
    ' alt="a\'b" lang="a\'b&quot;c&lt;&amp;&gt;" data-a="&#9;&#10;&#13;\u00e9"><p></p><ul><li></li>a&#13;<li a=b></li>'
    "<li>a</li></ul><div></div><br><hr><img src=a><embed src=b></embed><wbr></wbr>"
    "<table><colgroup><col></colgroup></table>"
    "<input checked=a compact=a declare=a defer=a disabled=a ismap=a multiple=a nohref=a noresize=a noshade=a nowrap=a "
    'readonly=a selected=a hidden=a async value=""><input checked disabled=disabled defer=""><map>'
    "<area></map><object><param></object><o:p>a</o:p>"
    "<svg xmlns:x=a x:y=b><path/></svg><a href='?a=b&amp;c=(d)' name=x>a</a><form action='/'></form><textarea>&lt;"
    "</textarea><iframe>a<b>&lt;</iframe><xmp a=b>a&lt;</xmp>"
    "<noscript><b>a</b></noscript><!-- a<&>' -->"
    "<basefont><isindex><frame>a\x7fb</body>"
    "</html><!-- 3 -->"
)


def write_document(root: Element, room: int = 0) -> bytes | str:
    """Return the whole document of an element as HTML with its doctype; bytes are UTF-8.

    :param room: an estimate of the size in bytes that is rarely exceeded; 0 if unknown.
    """
    if _NATIVE_FITS:
        page = native.write(root, room)
        if page is not None:
            return page
    return _write_by_libxml2(root)


class WrittenPage(NamedTuple):
    """A pruned page as bytes, and their encoding."""

    body: bytes
    encoding: str


def write_page(
    root: HtmlElement, page: bytes | str, url: str, encoding: str, *, changed: bool
) -> WrittenPage | None:
    """Serialise a pruned page in the encoding of the original, or in UTF-8 if Python can't write that encoding.

    Scrapy measures the body of every response that goes to a spider, so serialising later would save nothing. The
    tree's URL becomes the base URL, against which ``FormRequest.from_response`` and lxml resolve links.

    :param page: the text of the original, a result of :func:`~scrapy_tps.engine.html.document.parser_input`.
    :param changed: whether anything was removed; otherwise nothing is written.
    """
    base_url = base_url_of(page, url, encoding)
    root.getroottree().docinfo.URL = base_url
    if not changed:
        return None
    encoding = document.writable_encoding(encoding)
    room = len(page) if isinstance(page, bytes) else 3 * len(page)
    html = write_document(root, room)
    if base_url_of(html, url, encoding) != base_url:
        html = _with_base(root, base_url, room)
    if isinstance(html, bytes):
        return WrittenPage(html if encoding == "utf-8" else document.recode(html, encoding), encoding)
    return WrittenPage(html.encode(encoding, "xmlcharrefreplace"), encoding)


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


def _with_base(root: Element, base_url: str, room: int) -> bytes | str:
    """Return a pruned page with the base URL that Scrapy found in the original.

    Scrapy looks for ``<base>`` only in the first characters of a page. Pruning may move one out of these, or into them.
    The text (not the tree) then gets a ``<base>`` at the start of its head.
    """
    head = root.find("head")
    place = root if head is None else head
    base = root.makeelement("base", href=base_url.replace("'", "%27"))
    place.insert(0, base)
    try:
        return write_document(root, room)
    finally:
        place.remove(base)


def _write_by_libxml2(root: Element) -> str:
    """Let libxml2 write a page, and correct the places that its parser would read differently.

    Its HTML writer percent-encodes blanks and non-ASCII characters of addresses and drops blanks before them
    (`htmlAttrDumpOutput`), so a spider would get other addresses from the text than from the tree. It leaves empty list
    items open, so the text after them would be inside. For both a placeholder is written first. Carriage returns are
    read as line breaks, values of boolean attributes are omitted, and texts that the parser does not interpret
    (``iframe``) are escaped: these are found in the text.
    """
    tree = root.getroottree()
    places = _altered_addresses(tree)
    items = _EMPTY_ITEMS(tree)
    salt = 0
    while True:
        stand_in = f"tps-address-{salt}-"
        for number, (element, name, _) in enumerate(places):
            element.set(name, f"{stand_in}{number}-")
        for item in items:
            item.text = f"{stand_in}item"
        try:
            html = etree.tostring(tree, method="html", encoding="unicode")
        finally:
            for element, name, address in places:
                element.set(name, address)
            for item in items:
                item.text = None
        if html.count(stand_in) == len(places) + len(items):
            break
        salt += 1  # the page itself holds the placeholder
    if items:
        html = html.replace(f"{stand_in}item", "")
    if _SHORTENED.search(html):
        html = _with_values(html, tree)
    if "\r" in html or _TO_UNESCAPE.search(html):
        html = _RAW_OR_RETURN.sub(_as_read, html)
    if places:
        html = re.sub(rf"{stand_in}(\d+)-", lambda match: _attribute_value(places[int(match[1])][2]), html)
    return html


def serialise(root: HtmlElement) -> str:
    """Return the result of :func:`write` as text."""
    written = write_document(root)
    return written.decode("utf-8") if isinstance(written, bytes) else written


def _altered_addresses(tree: Tree) -> list[tuple[Element, str, str]]:
    """Return element, attribute and value of the addresses that libxml2 would change."""
    if not any(_UNSAFE.search("".join(values(tree))) for values in _VALUES):
        return []
    return [
        (address.getparent(), address.attrname, str(address))
        for altered in _ALTERED
        for address in altered(tree, safe=_SAFE_IN_ADDRESSES)
        if _NOT_SETTABLE.search(address) is None
    ]


def _attribute_value(text: str) -> str:
    """Return a value as written between the quotes of an HTML attribute."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return escaped.replace("\r", "&#13;")


def _quoted(value: str) -> str:
    """Return a value in the quotes that libxml2 would choose."""
    if '"' in value and "'" not in value:
        return "'" + _attribute_value(value).replace("&quot;", '"') + "'"
    return f'"{_attribute_value(value)}"'


def _with_values(html: str, tree: Tree) -> str:
    """Write boolean attributes with their values, unless the value is the name, which is the parser's default."""
    values = [(one.attrname, str(one)) for one in _BOOLEAN_ATTRIBUTES(tree)]
    if all(name == value for name, value in values):
        return html
    following = iter(values)

    def write_attribute(found: re.Match[str]) -> str:
        if found[2] or found[1] not in _BOOLEAN:
            return found[0]
        name, value = next(following, (found[1], found[1]))
        return found[0] if name == value else f" {name}={_quoted(value)}"

    def write_tag(found: re.Match[str]) -> str:
        if found[0].startswith("<!--"):
            return found[0]
        start = found[1] or found[0]
        return _ATTRIBUTE.sub(write_attribute, start) + found[0][len(start) :]

    return _TAG.sub(write_tag, html)


def _as_read(found: re.Match[str]) -> str:
    """Return a match in the form that the parser reads: markup, an element with raw text, a carriage return."""
    if found[0].startswith("<!--"):
        return found[0]
    start, tag, text = found[1] or found[0], found[2], found[3]
    written = start.replace("\r", "&#13;")
    if tag is None:
        return written
    if tag in _ESCAPED:
        text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return f"{written}{text}</{tag}>"


def _takes_as_written(tag: str) -> bool:
    """Whether the parser does not interpret the text of an element."""
    return bool(
        _parsed(f"<body><p>a</p><{tag}>&lt;</{tag}>").xpath(
            f"boolean(//{tag}[. = '&lt;' or . = '&lt;</{tag}>'])"
        )
    )


def _is_escaped(tag: str) -> bool:
    """Whether the writer escapes ``<`` in the text of an element."""
    element = etree.Element(tag)
    element.text = "<"
    return b"&lt;" in etree.tostring(element, method="html")


def _is_void(tag: str) -> bool:
    """Whether the writer omits the end tag of an element."""
    return b"</" not in etree.tostring(etree.Element(tag), method="html")


def _parsed(html: str) -> Element:
    return etree.fromstring(html.encode(), parser=PageParser(recover=True, encoding="utf-8"))


_RAW: Final = tuple(filter(_takes_as_written, _MAY_BE_RAW))
_ESCAPED: Final = frozenset(filter(_is_escaped, _RAW))
_VOID: Final = tuple(filter(_is_void, empty_tags))
_TO_UNESCAPE: Final = re.compile(rf"<(?:{'|'.join(sorted(_ESCAPED)) or '!!'})[ >]")
#: Output of libxml2: comments, elements with raw text (name, start tag, text), start tags. Values may hold ``>``.
_REST_OF_TAG: Final = r"""(?:[^>=]|=(?:"[^"]*"|'[^']*'|(?!["'])))*>"""
_MARKUP: Final = rf"<!--.*?-->|(<({'|'.join(_RAW)})(?=[\s>]){_REST_OF_TAG})(.*?)</\2>|<[^\s>/!]{_REST_OF_TAG}"
_TAG: Final = re.compile(_MARKUP, re.DOTALL)
_RAW_OR_RETURN: Final = re.compile(rf"{_MARKUP}|\r", re.DOTALL)
_ATTRIBUTE: Final = re.compile(r""" (=?[^\s=>]+)(=(?:"[^"]*"|'[^']*'))?""")


def _native_fits() -> bool:
    """Whether the native writer agrees with the installed libxml2, whose rules change now and then."""
    names = (_VOID, _RAW, ("a",), _BOOLEAN, ("href", "src", "action"), ("name",))
    native.set_writing_rules(bytes(chr(byte) in _SAFE_IN_ADDRESSES for byte in range(256)), names)
    root = _parsed(_PROBE)
    written = native.write(root)
    return written is not None and written.decode() == _write_by_libxml2(root)


_NATIVE_FITS: Final = native.AVAILABLE and _native_fits()
