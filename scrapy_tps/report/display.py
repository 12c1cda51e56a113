"""The copy of a hostile page that a view shows: annotated, inert, without scripts and without network.

This is the inner of three walls. The other two are the frame's ``sandbox`` attribute (no scripts, no forms,
no popups, no navigation of the surrounding file) and the Content Security Policy of both documents.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from scrapy_tps.sequence import ELEMENT, TEXT_OF, TagPathSequence

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Attribute that carries a node's index in the tag path sequence.
INDEX_ATTRIBUTE: Final = "data-tps-n"

#: Element put around a text node whose fate differs from its parent's.
TEXT_WRAPPER: Final = "tps-text"

# not in the tag path sequence, and never shown; `style` stays, cleaned
_LEFT_OUT = frozenset({"script", "noscript", "template", "link", "meta", "base", "title"})

# these would swallow, as raw text, markup that the parser read as elements, or the rest of the page
_RENAMED = {"plaintext": "div", "xmp": "pre", "listing": "pre", "noframes": "div", "noembed": "div"}

# no element may stand in these, so none is put around their text
_TEXT_ONLY = frozenset({"option", "select", "optgroup", "textarea", "title", "style", "svg", "text", "math"})

# an allowlist: what carries no address, no script and no behaviour, but looks and CSS selectors
_LOOKS = """
    abbr align alt axis bgcolor border cellpadding cellspacing checked class color cols colspan compact controls
    dir disabled face frame frameborder headers height hidden hspace id label lang marginheight marginwidth max
    media min multiple noshade nowrap open placeholder readonly rel reversed role rows rowspan rules scope selected
    shape size span start style summary title type valign value vspace width wrap
"""
_SVG_LOOKS = """
    cx cy d dx dy fill fill-opacity fill-rule font-family font-size font-weight fx fy gradientunits
    gradienttransform offset opacity pathlength points preserveaspectratio r rx ry stop-color stop-opacity stroke
    stroke-dasharray stroke-linecap stroke-linejoin stroke-opacity stroke-width text-anchor transform viewbox
    x x1 x2 y y1 y2
"""
_ATTRIBUTES = frozenset((_LOOKS + _SVG_LOOKS).split())
_PREFIXES = ("data-", "aria-")
_NAME = re.compile(r"[a-z][a-z0-9_.-]*\Z")

_DATA_IMAGE = re.compile(r"\s*data:image/(?:png|jpe?g|gif|webp|avif|bmp|x-icon|svg\+xml)[;,]", re.IGNORECASE)
_WEB_ADDRESS = re.compile(r"\s*(?:https?:)?//|\s*(?![a-z][a-z0-9+.-]*:)", re.IGNORECASE)

# the frame is as high as its page, so heights relative to the window would feed back on themselves
_WINDOW_UNITS = re.compile(r"(?<![\w.#-])(\d+(?:\.\d+)?|\.\d+)[sld]?vh\b", re.IGNORECASE)
_PIXELS_PER_VH = 8
_IMPORT = re.compile(r"@import[^;]*;?", re.IGNORECASE)
_ADDRESS_IN_CSS = re.compile(
    r"url\(\s*(?!['\"]?(?:data:|#))[^)]*\)|(?:-webkit-)?image-set\([^)]*\)", re.IGNORECASE
)

# Pages hide or fix their body until a script has run, and the pointer must find what it points at.
_REVEAL = (
    "html, body { opacity: 1 !important; visibility: visible !important; overflow: visible !important; "
    "height: auto !important; max-height: none !important } * { pointer-events: auto !important }"
)
# Without the page's style sheets, icons would be as wide as the page; any rule of its own wins.
_ICONS = ":where(svg:not([width], [height])) { width: 1.5em; height: 1.5em }"


def policy(network: bool) -> str:
    """Return the Content Security Policy of the shown page: nothing but its own styles and data images.

    :param network: whether images, style sheets and fonts may be fetched from the web.
    """
    web = " http: https:" if network else ""
    return (
        f"default-src 'none'; style-src 'unsafe-inline'{web}; img-src data:{web}; font-src data:{web}; "
        "form-action 'none'; base-uri " + ("http: https:" if network else "'none'")
    )


def make_display(
    root: Any,
    sequence: TagPathSequence,
    wrapped: Iterable[int],
    *,
    url: str | None = None,
    network: bool = False,
) -> str:
    """Turn a parsed page into the document of the frame; the tree is changed.

    Every element of the sequence carries its index in ``data-tps-n``.

    :param root: the ``html`` element.
    :param sequence: the walk of its body, or an empty one where there is none.
    :param wrapped: indexes of text nodes that get an element of their own.
    :param url: the page's address: base of images' addresses if `network` is set.
    """
    elements = {
        node: index
        for index, (node, kind) in enumerate(zip(sequence.nodes, sequence.kinds, strict=True))
        if kind == ELEMENT
    }
    texts = [index for index in wrapped if sequence.kinds[index] != ELEMENT]
    sheets: list[Any] = []
    left_out: list[Any] = []
    for node in root.iter():
        tag = node.tag
        index = elements.get(node)
        if not isinstance(tag, str) or (index is None and tag in _LEFT_OUT):
            left_out.append(node)
            if network and tag == "link":
                sheets.append(node)
        else:
            _disarm(node, tag, network)
            if index is not None:
                node.set(INDEX_ATTRIBUTE, str(index))
    styles = "".join(filter(None, (_style_link(sheet) for sheet in sheets)))
    for index in texts:
        _wrap(sequence, index)
    for node in left_out:
        _drop(node)
    own = f"<style>{_REVEAL}{'' if network else _ICONS}</style>"
    base = f'<base href="{escape(url)}">' if network and url else ""
    inner = etree.tostring(root, method="html", encoding="unicode", with_tail=False)
    return (
        f'<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" '
        f'content="{policy(network)}">{base}{own}{styles}{inner}'
    )


def _disarm(node: Any, tag: str, network: bool) -> None:
    attributes = node.attrib
    had_address = "href" in attributes
    source, sources = attributes.get("src"), attributes.get("srcset")
    for name in list(attributes):
        lower = name.lower() if isinstance(name, str) else ""
        allowed = lower in _ATTRIBUTES or lower.startswith(_PREFIXES)
        if not allowed or lower.startswith("data-tps") or not _NAME.match(lower):
            del attributes[name]
        elif not network and _ADDRESS_IN_CSS.search(attributes[name]):
            attributes[name] = _ADDRESS_IN_CSS.sub("none", attributes[name])  # SVG's fill and the like
    if tag in _RENAMED:
        node.tag = _RENAMED[tag]
    elif tag == "a" and had_address:
        attributes["href"] = "#"  # looks like a link; leads nowhere
    elif tag == "img":
        _keep_image(attributes, source, sources, network)
    elif tag == "style":
        node.text = clean_css(node.text or "", network)
    elif tag == "iframe":
        node.text = None
    elif tag == "param":
        attributes.clear()
    if "style" in attributes:
        attributes["style"] = clean_css(attributes["style"], network)


def _keep_image(attributes: Any, source: str | None, sources: str | None, network: bool) -> None:
    if source and (_DATA_IMAGE.match(source) or (network and _WEB_ADDRESS.match(source))):
        attributes["src"] = source
    if network and sources and "data:" not in sources:
        attributes["srcset"] = sources


def clean_css(css: str, network: bool = False) -> str:
    """Return style text with window heights in pixels and, without `network`, without addresses."""
    css = _WINDOW_UNITS.sub(lambda found: f"{float(found[1]) * _PIXELS_PER_VH:g}px", css)
    if not network:
        css = _ADDRESS_IN_CSS.sub("none", _IMPORT.sub("", css))
    return css.replace("</", "<\\/")


def _style_link(link: Any) -> str | None:
    address = link.get("href") or ""
    if "stylesheet" not in (link.get("rel") or "").lower().split() or not _WEB_ADDRESS.match(address):
        return None
    return f'<link rel="stylesheet" href="{escape(address)}" media="{escape(link.get("media") or "all")}">'


def _wrap(sequence: TagPathSequence, index: int) -> None:
    carrier, kind = sequence.nodes[index], sequence.kinds[index]
    parent = carrier if kind == TEXT_OF else carrier.getparent()
    if parent is None or parent.tag in _TEXT_ONLY:
        return
    wrapper = parent.makeelement(TEXT_WRAPPER, {INDEX_ATTRIBUTE: str(index)})
    if kind == TEXT_OF:
        wrapper.text, carrier.text = carrier.text, None
        parent.insert(0, wrapper)
    else:
        wrapper.text, carrier.tail = carrier.tail, None
        parent.insert(parent.index(carrier) + 1, wrapper)


def _drop(node: Any) -> None:
    """Take a node out; the text behind it stays. Nodes inside one that went already go with it."""
    parent = node.getparent()
    if parent is None:
        return
    if node.tail:
        before = node.getprevious()
        if before is None:
            parent.text = (parent.text or "") + node.tail
        else:
            before.tail = (before.tail or "") + node.tail
    parent.remove(node)
