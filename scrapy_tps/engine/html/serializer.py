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

from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from scrapy_tps.engine import native
from scrapy_tps.engine.html.elements import PageParser, PlainElements

if TYPE_CHECKING:
    from lxml.html import HtmlElement

#: Elements without content, which have no end tag.
_VOID: Final = frozenset(
    (
        "area",
        "base",
        "basefont",
        "br",
        "col",
        "frame",
        "hr",
        "img",
        "input",
        "isindex",
        "link",
        "meta",
        "param",
    )
)
#: Attributes that libxml2 reads without a value as if the value were the name: only then they are written without one.
_BOOLEAN: Final = frozenset(
    (
        *("checked", "compact", "declare", "defer", "disabled", "ismap", "multiple"),
        *("nohref", "noresize", "noshade", "nowrap", "readonly", "selected"),
    )
)
#: Elements whose text the parser of libxml2 2.14 and later does not interpret; earlier ones know only the first two.
_MAY_BE_RAW: Final = ("script", "style", "iframe", "noembed", "noframes", "plaintext", "xmp")


def write(root: HtmlElement, room: int = 0) -> bytes | str:
    """Return the whole document of an element as HTML with its doctype; bytes are UTF-8.

    :param room: an estimate of the size in bytes that is rarely exceeded; 0 if unknown.
    """
    page = native.write(root, room)
    return _write(root.getroottree()) if page is None else page


def serialise(root: HtmlElement) -> str:
    """Return the result of :func:`write` as text."""
    written = write(root)
    return written.decode("utf-8") if isinstance(written, bytes) else written


def _write(tree: Any) -> str:
    """Do the same as the native writer, which leaves trees to this one that no HTML parser makes.

    libxml2's own writer takes longer with the corrections that it needs: it percent-encodes addresses, leaves empty
    list items open, omits values, and writes carriage returns as such.
    """
    root, doctype = tree.getroot(), tree.docinfo.doctype
    out = [f"{doctype}\n" if doctype else ""]
    out += map(_other, reversed(list(root.itersiblings(preceding=True))))
    with PlainElements(root):
        for event, node in etree.iterwalk(root, ("start", "end", "comment", "pi")):
            if event == "start":
                tag = _local(node, node.tag)
                attributes = "".join([_attribute(_local(node, name), value) for name, value in node.items()])
                out.append(f"<{tag}{attributes}>")
                text, holder = node.text, tag
            else:
                if event != "end":
                    out.append(_other(node))
                elif (tag := _local(node, node.tag)) not in _VOID:
                    out.append(f"</{tag}>")
                text, holder = (None, "") if node is root else (node.tail, node.getparent().tag)
            if text:
                out.append(text if holder in _RAW else _escaped(text))
    out += map(_other, root.itersiblings())
    return "".join(out)


def _local(node: Any, name: str) -> str:
    """Return the name of an element or of an attribute without its namespace, which HTML can't express."""
    if not name.startswith("{"):
        return name
    uri, brace, local = name[1:].partition("}")
    return local if brace and uri in node.nsmap.values() else name


def _other(node: Any) -> str:
    """Return a comment or a processing instruction as written."""
    return etree.tostring(node, method="html", encoding="unicode", with_tail=False)


def _attribute(name: str, value: str) -> str:
    if value == name and name in _BOOLEAN:
        return f" {name}"
    value = _escaped(value)
    if '"' not in value:
        return f' {name}="{value}"'
    return f' {name}="{value.replace(chr(34), "&quot;")}"' if "'" in value else f" {name}='{value}'"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


def _takes_as_written(tag: str) -> bool:
    """Whether the parser does not interpret the text of an element."""
    page = f"<body><p>a</p><{tag}>&lt;</{tag}>".encode()
    root = etree.fromstring(page, parser=PageParser(recover=True, encoding="utf-8"))
    return bool(root.xpath(f"boolean(//{tag}[. = '&lt;' or . = '&lt;</{tag}>'])"))


_RAW: Final = tuple(filter(_takes_as_written, _MAY_BE_RAW))
native.set_raw_tags(_RAW)
