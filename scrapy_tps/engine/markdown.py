"""Markdown of a page, in GitHub's flavour: `markdownify` lays out the output of this module.

With a page itself, the library loses or joins words on most pages (``**a:**b`` is not emphasis, blocks end up in
links), and it recurses. So the tree is written as HTML with only the elements that Markdown has, one line per block,
and the library's own hooks escape texts. The Markdown contains HTML where it has no syntax: spans, lists in cells,
emphasis that no parser would recognise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from itertools import groupby
from operator import itemgetter
from string import punctuation
from textwrap import indent
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urljoin

from bs4 import BeautifulSoup
from lxml import etree
from markdownify import MarkdownConverter

from scrapy_tps.engine.html.elements import plain_elements, reads_tree
from scrapy_tps.engine.sequence.columns import HIDDEN_TAGS, is_shadow_root

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bs4.element import NavigableString, PageElement, Tag

    from scrapy_tps.engine.html.elements import Element

_UNSEEN: Final = HIDDEN_TAGS | {"head", "title", "iframe", "noembed", "noframes"}
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_CODE: Final = ("pre", "listing", "xmp", "plaintext")
_CELLS: Final = ("td", "th")
_NAMES: Final = (
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form frameset header hgroup hr html legend li main menu nav ol p search section summary table tbody tfoot "
    "thead tr ul"
)
_BLOCKS: Final = frozenset(_NAMES.split()).union(_HEADINGS, _CODE, _CELLS)
#: Elements whose text is separate from the text around them, in the same line.
_APART: Final = frozenset(("button", "option", "optgroup", "select", "textarea"))
_EMPHASIS: Final = {"strong": "**", "em": "*", "del": "~~"}
_MARKS: Final = {
    **dict.fromkeys(("strong", "b"), "strong"),
    **dict.fromkeys(("em", "i", "cite", "dfn", "var"), "em"),
    **dict.fromkeys(("del", "s", "strike"), "del"),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), "code"),
    **{tag: tag for tag in ("sub", "sup")},
}
_CONTAINERS: Final = {
    **dict.fromkeys(("ul", "ol", "menu", "dir"), ("<ul>", "</ul>")),
    "dd": ('<ul><li marker="-">', "</li></ul>"),
    "blockquote": ("<blockquote>", "</blockquote>"),
    "hr": ("<hr>", ""),
}
#: The most lists and quotes around a block; deeper ones are written at this level, because Markdown parsers stop at 20
#: blocks.
_DEEPEST: Final = 8
_NOT_IN_CELLS: Final = frozenset(("ul", "ol", "dl", "blockquote", *_CODE))
_NOT_IN_DATA: Final = frozenset(("table", "form", "hr", *_HEADINGS))
_SPANS: Final = ("colspan", "rowspan")
_TITLES: Final = etree.XPath("(.//h1 | .//h2 | .//h3 | .//h4 | .//h5 | .//h6)[normalize-space()]")
_ROWS: Final = etree.XPath("tr | thead/tr | tbody/tr | tfoot/tr")
_CONTENT: Final = etree.XPath(
    "count(.//text()[normalize-space() and not(parent::script or parent::style)] | .//a | .//img)"
)
#: Addresses that viewers of Markdown accept and do not run.
_ADDRESS: Final = re.compile(r"https?:|mailto:|tel:|ftp:|[^:]*(?:[/?#]|$)", re.IGNORECASE)
_UNSAFE_IN_ADDRESS: Final = re.compile(r"[\s<>()\\`|\"]|&(?=#?[0-9A-Za-z]+;)")
_CONTROL: Final = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_ESCAPED: Final = re.compile(
    r"\\(?=[!-/:-@\[-`{-~]|$)|[`*\[~]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?]|$)|&(?=#?\w+;|$)|(?<!\S)#(?=#*$)"
)
_AT_START: Final = re.compile(
    r"^(?:(\d{1,9})(?=[.)](?:\s|$))|(?=#{1,6}(?:\s|$)|[+-](?:\s|$)|>|--|=))", re.MULTILINE
)
_LANGUAGE: Final = re.compile(r"(?:^|\s)(?:lang(?:uage)?-|brush:\s*|highlight-(?:source-)?)([\w+#.-]{1,30})")


@reads_tree
def to_markdown(
    root: Element, url: str | None, *, links: bool, instead: Mapping[Element, tuple[str, ...]]
) -> str:
    """Return the Markdown of a page; see :meth:`scrapy_tps.Pruning.markdown`.

    :param root: its ``html`` element.
    :param instead: replacements of some elements, as HTML of Markdown: nothing, or the start of a list, an item and the
        end of the list. Neighbours share a list.
    """
    body = root.find("body")
    if body is None:
        return ""
    blocks = _Blocks(base_address(root, url), instead, links=links)
    with plain_elements(body):
        blocks.walk(body)
    html = "".join(blocks.out)
    for joint in {parts[-1] + parts[0] for parts in instead.values() if parts}:
        html = html.replace(joint, "")
    converter = _Converter(heading_style="atx", sub_symbol="<sub>", sup_symbol="<sup>")
    text: str = converter.convert_soup(BeautifulSoup(html, "lxml")).strip()
    return f"{text}\n" if text else ""


@reads_tree
def base_address(root: Element, url: str | None) -> str | None:
    """Return the base address of a page."""
    base = root.find(".//base[@href]")
    return (None if base is None else safe_address(base.get("href"), url)) or url


def one_line(text: str) -> str:
    """Return a text in one line, without control characters."""
    return " ".join(_CONTROL.sub("", text).split())


def safe_address(value: str | None, base: str | None = None) -> str:
    """Return an address for Markdown; an empty string if viewers would reject or run it."""
    value = _CONTROL.sub("", re.sub("[\n\r\t]", "", value or "")).strip()
    if not value or not _ADDRESS.match(value):
        return ""
    try:
        value = urljoin(base or "", value)
    except ValueError:  # an invalid host
        return ""
    return _UNSAFE_IN_ADDRESS.sub(lambda found: "%20" if found[0] > "~" else f"%{ord(found[0]):02X}", value)


class _Converter(MarkdownConverter):
    """Escapes text that a parser would take for markup, and keeps the markers of items."""

    def process_text(self, el: NavigableString, parent_tags: set[str]) -> str:
        text = str(el)
        if parent_tags.isdisjoint(("pre", "code", "raw")):
            text = _ESCAPED.sub(r"\\\g<0>", text)
            text = text.replace("]", r"\]") if "a" in parent_tags else text
            if getattr(el.next_sibling, "name", "") == "a":
                text = re.sub("!$", r"\!", text)  # it would turn the link into a picture
        return text.replace("|", r"\|") if "td" in parent_tags or "th" in parent_tags else text

    def convert_raw(self, _el: Tag, text: str, **_: object) -> str:
        return f"\n\n{text}\n\n"

    def convert_p(self, _el: Tag, text: str, **_: object) -> str:
        return self.convert_raw(None, _AT_START.sub(r"\1\\", text))

    def convert_br(self, _el: Tag, _text: str, parent_tags: set[str]) -> str:
        return "<br>" if "_inline" in parent_tags else "\\\n"

    def convert_img(self, el: Tag, _text: str, **_: object) -> str:
        return f"![{el['alt']}]({el['src']})"

    def convert_a(self, el: Tag, text: str, **_: object) -> str:
        return f"[{text}]({el['href']})"

    def convert_em(self, el: Tag, text: str, **_: object) -> str:
        mark = _EMPHASIS[el.name]
        parses = _flanks(el.previous_sibling, -1, text) and _flanks(el.next_sibling, 0, text)
        return f"{mark}{text}{mark}" if parses else f"<{el.name}>{text}</{el.name}>"

    convert_strong = convert_del = convert_em

    def convert_pre(self, el: Tag, text: str, **_: object) -> str:
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        text = text.strip("\n")
        return f"\n\n{fence}{el['lang']}\n{text}\n{fence}\n\n" if text else ""

    def convert_list(self, _el: Tag, text: str, **_: object) -> str:
        return f"\n\n{text.strip()}\n\n" if text.strip() else ""

    convert_ul = convert_ol = convert_list

    def convert_li(self, el: Tag, text: str, **_: object) -> str:
        marker = f"{el['marker']} "
        return marker + indent(text.strip("\n"), " " * len(marker)).lstrip(" ") + "\n" if text else ""


def _flanks(sibling: PageElement | None, place: int, text: str) -> bool:
    """Whether a parser reads asterisks between a sibling and the character of a text at `place` as emphasis."""
    if not isinstance(sibling, str):
        return sibling is None or sibling.name not in _EMPHASIS
    return text[-1 - place].isalnum() or sibling[place].isspace() or sibling[place] in punctuation


@dataclass(slots=True, eq=False)
class _Link:
    """A link; it is used once, in one line, because Markdown allows nothing else."""

    address: str
    of_heading: bool
    is_used: bool = False


class _State(NamedTuple):
    """State from the ancestors."""

    block: str = "p"  # the block of lines; only `p` can contain other blocks
    link: _Link | None = None
    marks: tuple[str, ...] = ()
    cells: bool = False  # whether cells are HTML
    lines: bool = False  # whether line breaks of the text are kept
    depth: int = 0
    number: list[int] | None = None  # the number of the next item in a list; empty if items have none

    def marked(self, mark: str) -> _State:
        """Return the state in an element with a mark; elements in code get no further mark."""
        marks = dict.fromkeys((*self.marks, mark))
        return self._replace(marks=("code",) if "code" in marks else tuple(marks))


class _Blocks:
    """Writes the HTML for the library."""

    def __init__(self, base: str | None, instead: Mapping[Element, tuple[str, ...]], *, links: bool) -> None:
        self._base, self._instead, self._links = base, instead, links
        self.out: list[str] = []
        self._line: list[tuple[_Link | None, tuple[str, ...], str]] = []  # link, marks and HTML of each piece
        self._gap = ""  # before the next piece: nothing, a blank or `br`
        self._state = _State()

    def walk(self, top: Element) -> None:
        """Write the content of an element."""
        ends: list[tuple[_State, str | None]] = []
        walker = etree.iterwalk(
            top, ("start", "end")
        )  # with comments among the events, siblings take quadratic time
        for event, node in walker:
            if event == "start":
                ends.append((self._state, self._start(node, str(node.tag)) if node is not top else ""))
                if ends[-1][1] is None:
                    walker.skip_subtree()
                else:
                    self._texts(node.text, next(node.iterchildren(), None))
                continue
            self._end(*ends.pop())
            if node is not top:
                self._texts(node.tail, node.getnext())
        self._flush()

    def _texts(self, text: str | None, following: Element | None) -> None:
        """Write a text, and those after the comments that follow it."""
        while True:
            if text:
                self._text(text)
            if following is None or isinstance(following.tag, str):
                return
            text, following = following.tail, following.getnext()

    def _start(self, node: Element, tag: str) -> str | None:
        """Begin an element and return its end: a gap, or HTML after a line; None if all of it is written."""
        state = self._state
        if node in self._instead:
            self._flush()
            self.out += self._instead[node]
            return None
        if tag in _UNSEEN and not is_shadow_root(node):
            return None
        if tag in _MARKS:
            self._state = state.marked(_MARKS[tag])
        elif tag == "a" and self._links:
            return self._start_link(node)
        elif tag == "img":
            self._picture(node)
        elif tag == "br" and state.block == "pre":
            self._text("\n")
        elif tag == "br":
            if self._gap == "br" and state.block == "p":
                self._flush()
            self._gap = " " if state.block in _HEADINGS else "br"
        elif tag in _APART or (state.block != "p" and tag in _BLOCKS):
            gap = "br" if state.block in (*_CELLS, "pre") and tag in _BLOCKS else " "
            self._gap = max(self._gap, gap)
            return gap
        elif tag in _BLOCKS:
            self._flush()
            return self._start_block(node, tag)
        return ""

    def _start_block(self, node: Element, tag: str) -> str | None:
        state = self._state
        opening = closing = ""
        if tag == "table" and self._table(node):
            return None
        if tag in _HEADINGS:
            self._state = state._replace(block=tag)
        elif tag in _CODE and not state.lines:
            opening, closing = self._code(node)
        elif tag == "dt":
            self._state = state.marked("strong")
        elif tag in ("table", "tr", *_CELLS) and self._state.cells:
            spans = "".join(f' {name}="{span}"' for name in _SPANS if (span := _number(node, name, 1)) > 1)
            opening, closing = f"<raw>&lt;{tag}{spans}&gt;</raw>", f"<raw>&lt;/{tag}&gt;</raw>"
        elif tag == "li" and state.number is not None:
            state.number[:] = [_number(node, "value", number) + 1 for number in state.number]
            opening, closing = f'<li marker="{f"{state.number[0] - 1}." if state.number else "-"}">', "</li>"
        elif tag in _CONTAINERS and state.depth < _DEEPEST:
            opening, closing = _CONTAINERS[tag]
            number = [_number(node, "start", 1)] if tag == "ol" else []
            self._state = state._replace(depth=state.depth + 1, number=number)
        self.out.append(opening)
        return f"\n{closing}"

    def _end(self, before: _State, closing: str | None) -> None:
        link = self._state.link
        if link and link is not before.link and not link.is_used:
            link.of_heading = False
            self._add("")
        if closing in (" ", "br"):
            self._gap = max(self._gap, closing)
        elif closing:
            self._flush()
            self.out.append(closing[1:])
        self._state = before

    def _start_link(self, node: Element) -> str:
        """Begin a link. A link around blocks becomes that of the first heading in it; without a heading, it is one
        line."""
        address, state = safe_address(node.get("href"), self._base), self._state
        if not address:
            return ""
        around = state.block == "p" and next(node.iterdescendants(*_BLOCKS), None) is not None
        of_heading = around and bool(_TITLES(node))
        if around:
            self._flush()
        block = "div" if around and not of_heading else state.block
        self._state = state._replace(block=block, link=_Link(address, of_heading))
        return "\n" if around else ""

    def _picture(self, node: Element) -> None:
        text = one_line(node.get("alt") or "")
        found = (safe_address(node.get(name), self._base) for name in ("src", "data-src", "data-lazy-src"))
        if not self._links:
            self._text(text)
        elif (address := next(filter(None, found), "")) or text:
            text = _ESCAPED.sub(r"\\\g<0>", text).replace("]", r"\]").replace("|", r"\|")
            self._add(f'<img alt="{escape(text)}" src="{escape(address)}">')

    def _text(self, text: str) -> None:
        state, text = self._state, _CONTROL.sub("", text)
        if state.block == "pre":
            goes_on = not self._gap or not self._line or self._line[-1][2].endswith("\n")
            html = escape(text.replace("\r", "\n"))
            self._line.append((None, (), html if goes_on else f"\n{html}"))
            self._gap = ""
            return
        for number, line in enumerate(text.split("\n") if state.lines else (text,)):
            words = " ".join(line.split())
            self._gap = "br" if number else self._gap or (" " if line[:1].isspace() else "")
            if words:
                self._add(escape(words), state.marks)
                self._gap = " " if line[-1].isspace() else ""

    def _add(self, html: str, marks: tuple[str, ...] = ()) -> None:
        """Add a piece to the line."""
        link, last = self._state.link, self._line[-1][:2] if self._line else (None, ())
        is_before = link and link.of_heading and self._state.block == "p"
        if is_before or (link and link.is_used and link is not last[0]):
            link = None
        elif link:
            link.is_used = True
        if self._gap and self._line:
            gap_marks = marks if self._gap == " " and (link, marks) == last else ()
            gap = " " if self._gap == " " else "<br>"
            self._line.append((link if link is last[0] else None, gap_marks, gap))
        self._line.append((link, marks, html))
        self._gap = ""

    def _flush(self) -> None:
        """Write the line as a block."""
        block, line = self._state.block, ""
        for link, linked in groupby(self._line, itemgetter(0)):
            html = ""
            for marks, pieces in groupby(linked, itemgetter(1)):
                text = "".join(map(itemgetter(2), pieces))
                for mark in reversed(marks):
                    text = f"<{mark}>{text}</{mark}>"
                html += text
            line += f'<a href="{escape(link.address)}">{html}</a>' if link else html
        self._line, self._gap = [], ""
        if line or block in _CELLS:
            self.out.append(line if block == "pre" else f"<{block}>{line}</{block}>")

    def _code(self, node: Element) -> tuple[str, str]:
        """Begin code, or lines of text if the element holds content that code can't."""
        if next(node.iterdescendants("a", "img", "table", *_HEADINGS), None) is not None:
            self._state = self._state._replace(lines=True)
            return "", ""
        self._state = self._state._replace(block="pre")
        around = (node.getparent(), node, *node.iterchildren("code"))
        language = _LANGUAGE.search(" ".join(one.get("class", "") for one in around if one is not None))
        return f'<pre lang="{language[1] if language else ""}">\n', "</pre>"

    def _table(self, table: Element) -> bool:
        """Write a table of data; False for layout, and for cells that Markdown can't express, which are then HTML."""
        rows = [cells for row in _ROWS(table) if (cells := list(row.iterchildren(*_CELLS)))]
        captions = [node for node in table[:1] if node.tag == "caption"]
        everything = list(table.iterdescendants(etree.Element))
        if _is_layout(table, rows, captions, everything) or not self._instead.keys().isdisjoint(everything):
            return False
        state, first, width = self._state, rows[0], max(map(len, rows))
        spans = any(_number(cell, name, 1) > 1 for row in rows for cell in row for name in _SPANS)
        if spans or not _NOT_IN_CELLS.isdisjoint(node.tag for node in everything):
            self._state = state._replace(cells=True)
            return False
        for caption in captions:
            self.walk(caption)
        is_headed = first[0].getparent().getparent().tag == "thead" or all(cell.tag == "th" for cell in first)
        self.out.append("<table>")
        for row in rows:
            block = "th" if is_headed and row is first else "td"
            self._state = state._replace(block=block)
            self.out.append("<tr>")
            for cell in row:
                self.walk(cell)
            self.out.append(f"<{block}></{block}>" * (width - len(row)) + "</tr>")
        self.out.append("</table>")
        self._state = state
        return True


def _is_layout(
    table: Element, rows: list[list[Element]], captions: list[Element], everything: list[Element]
) -> bool:
    """Whether a table has one row or column, parts of pages, content outside its cells, or a role of layout."""
    cells = [cell for row in rows for cell in row]
    return (
        min(len(rows), max(map(len, rows), default=0)) < 2
        or table.get("role") in ("presentation", "none")
        or not _NOT_IN_DATA.isdisjoint(node.tag for node in everything)
        or not "".join(table.itertext()).strip()
        or len(cells) < sum(node.tag in _CELLS for node in everything)
        or _CONTENT(table) != sum(map(_CONTENT, (*captions, *cells)))
    )


def _number(node: Element, name: str, otherwise: int) -> int:
    value = node.get(name, "")
    return int(value) if value.isdecimal() and len(value) < 9 else otherwise
