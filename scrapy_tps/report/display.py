"""The copy of a hostile page that a view shows: annotated, inert, without scripts and without network.

This is the inner of three barriers. The other two are the frame's ``sandbox`` attribute (no scripts, no forms,
no popups, no navigation of the surrounding file) and the Content Security Policy of both documents. Styles are copied
as they are: of what they name, the policy allows only data.

No markup is written: a second parser would read it differently (inside ``svg`` and ``math``, in tables, in raw
text), and harmless text for one parser may be an event handler for another. The copy lists the display of each node of
lxml's tree, and the view builds it node by node (``tree.js``). Every name in it comes from the lists below.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.engine.sequence.columns import ELEMENT, TEXT_OF

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_tps.report.page_data import PageWalk

HTML, SVG = range(2)

#: The target of all links of a page: the frame's own document, so that a click has no effect.
NOWHERE: Final = "about:srcdoc#"

# neither shown nor searched: scripts, elements for the head only, and stand-ins
_LEFT_OUT_NAMES: Final = "script noscript template link meta base basefont title param source track"
_LEFT_OUT: Final = frozenset(_LEFT_OUT_NAMES.split())

_HTML_NAMES: Final = """
    a abbr acronym address article aside b bdi bdo big blockquote br button caption center cite code col colgroup
    data dd del details dfn dialog dir div dl dt em fieldset figcaption figure font footer h1 h2 h3 h4 h5 h6 header
    hgroup hr i img input ins kbd label legend li main map mark menu meter nav nobr ol optgroup option output p
    picture pre progress q rb rp rt rtc ruby s samp search section select small span strike strong style sub summary
    sup table tbody td textarea tfoot th thead time tr tt u ul var wbr
"""
_HTML_TAGS: Final = frozenset(_HTML_NAMES.split())
_CUSTOM_TAG = re.compile(r"(?!tps-)[a-z][a-z0-9]*-[a-z0-9-]*\Z")  # means nothing without a script
_OTHER_TAGS: Final = {
    "form": "tps-form", "xmp": "pre", "listing": "pre", "plaintext": "pre",
    "iframe": "tps-media", "video": "tps-media", "audio": "tps-media", "canvas": "tps-media",
    "embed": "tps-media", "frame": "tps-media",
}  # fmt: skip
_OTHER = "tps-other"
_MEDIA = "tps-media"  # a box without content, in the size given by its attributes

_SVG_NAMES: Final = """
    svg g path rect circle ellipse line polyline polygon text tspan textPath defs symbol marker linearGradient
    radialGradient stop clipPath mask pattern title desc foreignObject
"""
_SVG_TAGS: Final = {name.lower(): name for name in _SVG_NAMES.split()}
# browsers end a drawing where one of these starts
_NEVER_DRAWN_NAMES: Final = "p div span ul ol li table img h1 h2 h3 h4 section br"
_NEVER_DRAWN: Final = tuple(_NEVER_DRAWN_NAMES.split())

# an allowlist of attributes without address, script and behaviour, for the look and CSS selectors
_LOOKS = """
    abbr align alt axis bgcolor border cellpadding cellspacing checked class color cols colspan compact controls
    dir disabled face frame frameborder headers height hidden hspace id label lang marginheight marginwidth max
    media min multiple noshade nowrap open placeholder readonly rel reversed role rows rowspan rules scope selected
    shape size span start style summary title type valign value vspace width wrap
"""
_SVG_LOOKS = """
    clip-path clip-rule cx cy d dx dy fill fill-opacity fill-rule font-family font-size font-weight fx fy
    gradientTransform gradientUnits mask offset opacity pathLength points preserveAspectRatio r rx ry stop-color
    stop-opacity stroke stroke-dasharray stroke-linecap stroke-linejoin stroke-opacity stroke-width text-anchor
    transform viewBox x x1 x2 y y1 y2
"""
#: Each allowed attribute, in lower case, and its spelling.
_ATTRIBUTES: Final = {name.lower(): name for name in (_LOOKS + _SVG_LOOKS).split()}
_OTHER_ATTRIBUTE = re.compile(r"(?!data-tps)(?:data|aria)-[a-z0-9_.-]+\Z")
_CSS_ATTRIBUTES: Final = frozenset({"style", "fill", "stroke", "clip-path", "mask"})
# without types that send, upload a file, or that a browser fills in
_INPUT_NAMES: Final = """
    button checkbox color date datetime-local hidden month number radio range search text time week
"""
_INPUTS: Final = frozenset(_INPUT_NAMES.split())
_BUTTONS: Final = frozenset({"submit", "reset", "image", "file"})

# these may not contain elements, so none is put around their text
_TEXT_ONLY = frozenset({"option", "select", "optgroup", "textarea"})

_DATA_IMAGE = re.compile(r"\s*data:image/(?:png|jpe?g|gif|webp|avif|bmp|x-icon|svg\+xml)[;,]", re.IGNORECASE)
_WEB_ADDRESS = re.compile(r"\s*(?:https?:)?//|\s*(?![a-z][a-z0-9+.-]*:)", re.IGNORECASE)
_SIZE = re.compile(r"\d{1,5}\Z")


def policy(network: bool) -> str:
    """Return the Content Security Policy of the shown page: only its own styles and data images.

    :param network: whether images, style sheets and fonts may be fetched from the web.
    """
    web = " http: https:" if network else ""
    return (
        f"default-src 'none'; style-src 'unsafe-inline'{web}; img-src data:{web}; font-src data:{web}; "
        "form-action 'none'; base-uri " + ("http: https:" if network else "'none'")
    )


def make_display(
    page: PageWalk, wrapped: Iterable[int], *, url: str | None = None, network: bool = False
) -> dict[str, Any]:
    """Return the display of each node of a parsed page; the tree is not changed.

    The result has ``nodes``, one entry for each element and comment in document order: 0 if it and its content are not
    shown, else ``[namespace, tag, attributes]``; attributes are names with values, namespaces 0 (HTML) and 1 (SVG).
    ``texts`` replaces the text of nodes, by number. ``wrapped`` has ``[number, whether its tail, index]`` of texts that
    get a separate element. ``policy`` and ``base`` are the document's, ``network`` as given.

    :param wrapped: indexes of text nodes that get a separate element.
    :param url: the page's address: base of images' addresses if `network` is set.
    """
    copy = _Copy(page, network)
    sequence = page.sequence
    texts = []
    for index in wrapped:
        carrier, kind = sequence.nodes[index], sequence.kinds[index]
        if kind != ELEMENT:
            within = carrier if kind == TEXT_OF else carrier.getparent()
            if within is not None and copy.takes_elements(within):
                texts.append([page.numbers[carrier], int(kind != TEXT_OF), index])
    return {
        "nodes": copy.nodes,
        "texts": copy.texts,
        "wrapped": texts,
        "policy": policy(network),
        "base": url if network and url and _WEB_ADDRESS.match(url) else None,
        "network": network,
    }


class _Copy:
    """The display of each node of a tree."""

    def __init__(self, page: PageWalk, network: bool) -> None:
        self.nodes: list[Any] = []
        self.texts: dict[int, str] = {}
        self._network = network
        self._root = page.root
        self._body = page.body
        self._shown: dict[Any, tuple[int, str]] = {}  # namespace and name in the page
        for number, node in enumerate(page.nodes):
            self.nodes.append(self._node(number, node))

    def takes_elements(self, node: Any) -> bool:
        """Whether a node is shown, and so are elements in it."""
        namespace, tag = self._shown.get(node, (SVG, ""))
        return (namespace == HTML and tag not in _TEXT_ONLY and tag != "style") or tag == "foreignobject"

    def _node(self, number: int, node: Any) -> Any:
        tag = node.tag
        parent = node.getparent() if number else None
        if not isinstance(tag, str) or (number and parent not in self._shown):
            return 0
        if tag == "link" and self._network:
            return self._style_link(node)
        namespace = self._namespace(node, tag, parent)
        if tag in _LEFT_OUT and not (tag == "title" and namespace == SVG):
            return 0
        self._shown[node] = namespace, tag
        name = self._name(node, tag, namespace)
        attributes = self._attributes(node, name)
        if name == "style":
            self.texts[number] = in_pixels(node.text or "")
        elif name == _MEDIA:
            del self._shown[node]  # its content is for browsers that do not support it
        return [HTML if name == "style" else namespace, name, list(attributes.items())]

    def _namespace(self, node: Any, tag: str, parent: Any) -> int:
        above, parent_tag = self._shown.get(parent, (HTML, ""))
        if above == HTML or parent_tag == "foreignobject":
            if tag == "svg":
                broken = (
                    node.find(".//foreignobject") is None and next(node.iter(*_NEVER_DRAWN), None) is not None
                )
                return HTML if broken else SVG
            return HTML
        return above

    def _name(self, node: Any, tag: str, namespace: int) -> str:
        if tag == "style":
            return tag
        if namespace == SVG:
            return _SVG_TAGS.get(tag, "g")
        if node is self._root:
            return "html"
        if node is self._body or (tag == "head" and node.getparent() is self._root):
            return "body" if node is self._body else "head"
        if tag in _HTML_TAGS or _CUSTOM_TAG.match(tag):
            return tag
        return _OTHER_TAGS.get(tag, _OTHER)

    def _attributes(self, node: Any, name: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for given, value in node.items():
            lower = given.lower()
            known = _ATTRIBUTES.get(lower)
            if known is None and not _OTHER_ATTRIBUTE.match(lower):
                continue
            found[known or lower] = in_pixels(value) if lower in _CSS_ATTRIBUTES else value
        if name == "a" and node.get("href") is not None:
            found["href"] = NOWHERE  # looks like a link
        elif name == "img":
            found |= self._image(node)
        elif name == "input" and (kind := node.get("type", "text").strip().lower()) not in _INPUTS:
            found["type"] = "button" if kind in _BUTTONS else "text"
        elif name == "button":
            found["type"] = "button"
        elif name == _MEDIA:
            sizes = "".join(
                f"{side}: {value}px; "
                for side in ("width", "height")
                if _SIZE.match(value := node.get(side, ""))
            )
            found["style"] = sizes + found.get("style", "")
        return found

    def _image(self, node: Any) -> dict[str, str]:
        found = {}
        source, sources = node.get("src"), node.get("srcset")
        if source and (_DATA_IMAGE.match(source) or (self._network and _WEB_ADDRESS.match(source))):
            found["src"] = source
        if self._network and sources and "data:" not in sources:
            found["srcset"] = sources
        return found

    def _style_link(self, link: Any) -> Any:
        address = link.get("href") or ""
        if "stylesheet" not in (link.get("rel") or "").lower().split() or not _WEB_ADDRESS.match(address):
            return 0
        attributes = {"rel": "stylesheet", "media": link.get("media") or "all", "href": address}
        return [HTML, "link", list(attributes.items())]


#: Lengths relative to the height of the window. The frame is as high as its page, so they would grow without end.
_OF_WINDOW: Final = re.compile(r"(?<![\w.-])(-?(?:\d+(?:\.\d+)?|\.\d+))[sld]?(vh|vb|vmax)\b", re.IGNORECASE)
_PIXELS: Final = {"vh": 8, "vb": 8, "vmax": 12}


def in_pixels(css: str) -> str:
    """Return a style sheet or the value of an attribute, with pixels for lengths relative to the window's height."""
    return _OF_WINDOW.sub(lambda found: f"{float(found[1]) * _PIXELS[found[2].lower()]:g}px", css)
