"""Write a page's tree as HTML, attributes as they were."""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from scrapy_tps import native
from scrapy_tps.elements import PageParser

if TYPE_CHECKING:
    from lxml.html import HtmlElement

#: Characters that libxml2 (2.14) writes as they are in addresses: those of `xmlURIEscapeStr` and its exceptions.
_SAFE_IN_ADDRESSES = string.ascii_letters + string.digits + "-_.!~*'()\"#$%&+,/:;<=>?@[\\]^`{|}"
_UNSAFE: Final = re.compile(f"[^{re.escape(_SAFE_IN_ADDRESSES)}]")
# lxml's parser lets control characters in, but an attribute that holds them can't be set again
_NOT_SETTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# one by one: libxml2's union of node sets is quadratic
_ADDRESSES: Final = (
    "descendant::*/@href",
    "descendant::*/@src",
    "descendant::*/@action",
    "descendant::a/@name",
)
_VALUES: Final = tuple(etree.XPath(path, smart_strings=False) for path in _ADDRESSES)
_ALTERED: Final = tuple(etree.XPath(f"{path}[translate(., $safe, '')]") for path in _ADDRESSES)

#: Each rule of libxml2's writer that the native one follows.
_PROBE: Final = (
    "<!-- 1 --><!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01//EN' 'http://www.w3.org/TR/html4/strict.dtd'><!-- 2 -->"
    "<html lang=en><head><title>a&amp;b&lt;c&gt;d\"e'f&nbsp;\u00fc\U0001f600</title><meta charset=latin-1><base href=a>"
    "<link rel=x><style>a > b & c</style><script>if (a < b && c) d()</script></head><body class='' id title='a\"b'"
    ' alt="a\'b" lang="a\'b&quot;c&lt;&amp;&gt;" data-a="&#9;&#10;&#13;\u00e9"><p></p><ul><li></li><li>a</li></ul>'
    "<div></div><br><hr><img src=a><embed src=b></embed><wbr></wbr><table><colgroup><col></colgroup></table>"
    "<input checked=a compact=a declare=a defer=a disabled=a ismap=a multiple=a nohref=a noresize=a noshade=a nowrap=a "
    'readonly=a selected=a hidden=a async value=""><map><area></map><object><param></object><o:p>a</o:p>'
    "<svg xmlns:x=a x:y=b><path/></svg><a href='?a=b&amp;c=(d)' name=x>a</a><form action='/'></form><textarea>&lt;"
    '</textarea><iframe>a</iframe><noscript><b>a</b></noscript><!-- a<&>" --><basefont><isindex><frame>a\x7fb</body>'
    "</html><!-- 3 -->"
)


def write(root: HtmlElement, room: int = 0) -> bytes | str:
    """Return the whole document of an element as HTML, doctype included; bytes are UTF-8.

    :param room: bytes that it will hardly exceed, 0 where that is not known; it may all the same.

    libxml2's HTML writer percent-encodes blanks and non-ASCII characters of addresses and drops blanks
    before them (`htmlAttrDumpOutput`), so that a spider would read other addresses off the text than off the
    tree. Such addresses are written by way of a stand-in.
    """
    if _NATIVE_FITS:
        page = native.write(root, room)
        if page is not None:
            return page
    tree = root.getroottree()
    places = _altered_addresses(tree)
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


def serialise(root: HtmlElement) -> str:
    """Return what :func:`write` returns as text."""
    written = write(root)
    return written.decode("utf-8") if isinstance(written, bytes) else written


def _altered_addresses(tree: Any) -> list[tuple[Any, str, str]]:
    """Element, attribute and value of the addresses that libxml2 would write otherwise."""
    if not any(_UNSAFE.search("".join(values(tree))) for values in _VALUES):
        return []
    return [
        (address.getparent(), address.attrname, str(address))
        for altered in _ALTERED
        for address in altered(tree, safe=_SAFE_IN_ADDRESSES)
        if _NOT_SETTABLE.search(address) is None
    ]


def _attribute_value(text: str) -> str:
    """Return a value as it is written between the quotes of an HTML attribute."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _native_fits() -> bool:
    """Whether the native writer writes a page as the installed libxml2 does, whose rules change now and then."""
    native.set_safe_bytes(bytes(chr(byte) in _SAFE_IN_ADDRESSES for byte in range(256)))
    root = etree.fromstring(_PROBE.encode(), parser=PageParser(recover=True, encoding="utf-8"))
    written = native.write(root)
    return written is not None and written.decode() == etree.tostring(
        root.getroottree(), method="html", encoding="unicode"
    )


_NATIVE_FITS: Final = native.AVAILABLE and _native_fits()
