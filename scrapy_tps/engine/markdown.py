"""Markdown of a page, in GitHub's flavour: `markdownify` lays out what this module gives it.

Left alone with a page, the library loses or joins words on most (``**a:**b`` is no emphasis, blocks end up in links).
So the tree is written as HTML of nothing but what Markdown knows, its texts escaped already. HTML stands in the
Markdown where it has no way of its own: spans, lists in cells, emphasis inside of a word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urljoin

from bs4 import BeautifulSoup
from lxml import etree
from markdownify import MarkdownConverter

from scrapy_tps.engine.html.elements import PlainElements
from scrapy_tps.engine.sequence.columns import HIDDEN_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_UNSEEN: Final = HIDDEN_TAGS | {"head", "title", "iframe", "noembed", "noframes"}
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_CODE: Final = ("pre", "listing", "xmp", "plaintext")
_TABLE: Final = ("table", "caption", "thead", "tbody", "tfoot", "tr", "td", "th")
_NAMES: Final = (
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer "
    "form frameset header hgroup html legend li main menu nav ol p search section summary ul"
)
_BLOCKS: Final = frozenset(_NAMES.split()).union(_HEADINGS, _CODE, _TABLE)
#: Their text is apart from the text around them, in the same line.
_APART: Final = frozenset(("button", "option", "optgroup", "select", "textarea"))
_MARKS: Final = {
    **dict.fromkeys(("strong", "b"), "strong"),
    **dict.fromkeys(("em", "i", "cite", "dfn", "var"), "em"),
    **dict.fromkeys(("del", "s", "strike"), "del"),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), "code"),
    "sub": "sub",
    "sup": "sup",
}
_CONTAINERS: Final = {
    **dict.fromkeys(("ul", "menu", "dir"), ("<ul>", "</ul>")),
    "ol": ("<ol>", "</ol>"),
    "dd": ('<ul><li marker="-">', "</li></ul>"),
    "blockquote": ("<blockquote>", "</blockquote>"),
}
_NOT_IN_CELLS: Final = ("ul", "ol", "dl", "blockquote", *_CODE)
_NOT_IN_DATA: Final = ("table", "form", "hr", *_HEADINGS)
_ROWS: Final = etree.XPath("tr | thead/tr | tbody/tr | tfoot/tr")
#: Whether a table has something that is neither in a cell nor in a caption before the rows.
_STRAY: Final = etree.XPath(
    "boolean((. | tr | thead | tbody | tfoot | */tr)[text()[normalize-space()] or *[not(self::thead or self::tbody or "
    "self::tfoot or self::tr or self::td or self::th or self::colgroup or self::col or self::script or self::style or "
    "self::caption[not(preceding-sibling::*)])]])"
)
#: Viewers of Markdown refuse other addresses, or run them.
_ADDRESS: Final = re.compile(r"https?:|mailto:|tel:|ftp:|[^:]*(?:[/?#]|$)", re.IGNORECASE)
_UNSAFE_IN_ADDRESS: Final = re.compile(r"[\s<>()\\`|\"]|&(?=#?[0-9A-Za-z]+;)")
#: Lists and quotes around a block; what is deeper is written at this level, as parsers of Markdown stop at 20 blocks.
_DEEPEST: Final = 8
_CONTROL: Final = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_ESCAPED: Final = re.compile(
    r"\\(?=[!-/:-@\[-`{-~]|$)|[`*\[~]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?]|$)|&(?=#?\w+;|$)"
)
_AT_START: Final = re.compile(r"^(\d{1,9})(?=[.)](?:\s|$))|^(?=#{1,6}(?:\s|$)|[+-](?:\s|$)|>|--|=)")
_AT_END: Final = re.compile(r"(?:^|(?<=\s))(?=#+$)")
_LANGUAGE: Final = re.compile(r"(?:^|\s)(?:lang(?:uage)?-|brush:\s*|highlight-(?:source-)?)([\w+#.-]{1,30})")
_PUNCTUATION: Final = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def to_markdown(root: Any, url: str | None, *, links: bool, instead: Mapping[Any, str]) -> str:
    """Return the Markdown of a page, as :meth:`scrapy_tps.Pruning.markdown` describes it.

    :param root: its ``html`` element.
    :param instead: Markdown in place of some elements.
    """
    body = root.find("body")
    blocks = _Blocks(base_address(root, url), instead, links=links)
    if body is not None:
        with PlainElements(body):
            blocks.walk(body)
    text: str = _Converter().convert_soup(BeautifulSoup("".join(blocks.out), "lxml")).strip()
    return f"{text}\n" if text else ""


def base_address(root: Any, url: str | None) -> str | None:
    """Return the address to which those of a page are relative."""
    base = root.find(".//base[@href]")
    return (None if base is None else safe_address(base.get("href"), url)) or url


def escaped(text: str) -> str:
    """Return a text as Markdown for a line, a cell or the text of a link."""
    return (
        _ESCAPED.sub(r"\\\g<0>", " ".join(_CONTROL.sub("", text).split()))
        .replace("]", r"\]")
        .replace("|", r"\|")
    )


def safe_address(value: str | None, base: str | None = None) -> str | None:
    """Return an address as Markdown may hold it; None where viewers would refuse or run it."""
    value = _CONTROL.sub("", re.sub("[\n\r\t]", "", value or "")).strip()
    if not value or not _ADDRESS.match(value):
        return None
    try:
        value = urljoin(base or "", value)
    except ValueError:  # a host that is none
        return None
    return _UNSAFE_IN_ADDRESS.sub(lambda found: "%20" if found[0] > "~" else f"%{ord(found[0]):02X}", value)


class _Converter(MarkdownConverter):
    """Takes escaped texts, the markers of items and the number of columns as `_Blocks` writes them."""

    class Options:
        autolinks = False
        heading_style = "atx"
        keep_inline_images_in = ("a", "td", "strong", "em", "del", *_HEADINGS)
        newline_style = "backslash"

    def process_text(self, el: Any, **_: Any) -> str:
        return str(el)

    def convert_raw(self, _el: Any, text: str, **_: Any) -> str:
        return f"\n\n{text}\n\n"

    def convert_pre(self, el: Any, text: str, **_: Any) -> str:
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        return f"\n\n{fence}{el['lang']}\n{text}\n{fence}\n\n"

    def convert_li(self, el: Any, text: str, **_: Any) -> str:
        marker = f"{el['marker']} "
        return (
            marker + re.sub(r"\n(?=[^\n])", "\n" + " " * len(marker), text.strip("\n")) + "\n" if text else ""
        )

    def convert_list(self, _el: Any, text: str, **_: Any) -> str:
        return f"\n\n{text.strip()}\n\n" if text.strip() else ""

    convert_ul = convert_ol = convert_list

    def convert_tr(self, el: Any, text: str, **_: Any) -> str:
        return f"|{text}\n" + (f"|{' --- |' * int(el['columns'])}\n" if "columns" in el.attrs else "")


@dataclass(slots=True)
class _Run:
    """A text without white space around it; `gap` is before it: nothing, a blank or a line break."""

    texts: list[str]
    gap: str
    link: list[Any] | None
    marks: tuple[str, ...]
    is_html: bool


class _State(NamedTuple):
    """State from the ancestors: the kind of block that runs become, and so on."""

    block: str = "p"
    link: list[Any] | None = None  # address, whether it has a text, whether another link has ended it
    marks: tuple[str, ...] = ()
    inline: bool = False  # no blocks can be here
    cells: bool = False  # are HTML
    lines: bool = False  # end where the text's do
    depth: int = 0
    item: list[int] | None = None  # the next number in a list; empty: dashes


class _Blocks:
    """Writes the HTML that the library lays out."""

    def __init__(self, base: str | None, instead: Mapping[Any, str], *, links: bool) -> None:
        self._base, self._instead, self._links = base, instead, links
        self.out: list[str] = []
        self._runs: list[_Run] = []
        self._gap = ""
        self._of_headings: dict[Any, list[Any]] = {}
        self._state = _State()

    def walk(self, top: Any) -> None:
        """Write what is in an element."""
        ends: list[tuple[_State, str | None]] = []
        walker = etree.iterwalk(top, ("start", "end", "comment", "pi"))
        for event, node in walker:
            if event == "start":
                ends.append((self._state, self._start(node, node.tag) if node is not top else ""))
                if ends[-1][1] is None:
                    walker.skip_subtree()
                elif node.text:
                    self._text(node.text)
                continue
            if event == "end":
                self._end(*ends.pop())
            if node is not top and node.tail:
                self._text(node.tail)
        self._flush()

    def _start(self, node: Any, tag: str) -> str | None:
        """Begin an element and return what ends it: a gap, the end of a block, None where it is written."""
        state = self._state
        if tag in _UNSEEN or tag in ("br", "img", "hr") or node in self._instead:
            self._write(node, tag)
            return None
        if tag in _MARKS:
            self._state = state._replace(marks=(*state.marks, _MARKS[tag]))
            return ""
        if tag == "a":
            return self._start_link(node)
        if tag in _APART or (state.inline and tag in _BLOCKS):
            gap = "br" if state.block == "td" and tag in _BLOCKS else " "
            self._gap = max(self._gap, gap)
            return gap
        if tag not in _BLOCKS:
            return ""
        self._flush()
        if (tag == "table" and self._table(node)) or (tag in _CODE and self._code(node)):
            return None
        return self._start_block(node, tag)

    def _start_block(self, node: Any, tag: str) -> str:
        state = self._state
        opening, closing = "", "\n"
        if tag in _HEADINGS:
            self._state = state._replace(block=tag, inline=True, link=self._of_headings.pop(node, None))
        elif tag == "dt":
            self._state = state._replace(marks=(*state.marks, "strong"))
        elif state.cells and tag in ("table", "tr", "td", "th"):
            spans = [
                f' {name}="{node.get(name)}"'
                for name in ("colspan", "rowspan")
                if (node.get(name) or "").isdigit()
            ]
            opening, closing = f"<raw>&lt;{tag}{''.join(spans)}&gt;</raw>", f"<raw>&lt;/{tag}&gt;</raw>"
        elif tag == "li" and state.item is not None:
            if state.item:
                state.item[0] = _number(node.get("value"), state.item[0]) + 1
            opening, closing = f'<li marker="{f"{state.item[0] - 1}." if state.item else "-"}">', "</li>"
        elif tag in _CONTAINERS and state.depth < _DEEPEST:
            opening, closing = _CONTAINERS[tag]
            if self.out and self.out[-1] == closing == "</ol>":
                self.out.append("<raw>&lt;!-- --&gt;</raw>")  # otherwise the list before would go on
            item = [_number(node.get("start"), 1)] if tag == "ol" else []
            self._state = state._replace(depth=state.depth + 1, item=item)
        self.out.append(opening)
        return closing

    def _end(self, before: _State, closing: str | None) -> None:
        link = self._state.link
        if link is not None and link is not before.link and not link[1]:
            self._state = self._state._replace(link=None)
            self._add(f"[]({escape(link[0])})", is_html=True)
        if closing in ("", " ", "br"):
            self._gap = max(self._gap, closing)
        elif closing is not None:
            self._flush()
            self.out.append(closing.strip())
        self._state = before

    def _start_link(self, node: Any) -> str:
        """Begin a link. One around blocks is the link of the first heading in it, or else all of it is one line."""
        address, state = safe_address(node.get("href"), self._base) if self._links else None, self._state
        if address is None:
            return ""
        link = [address, False, False]
        if state.link is not None:
            state.link[2] = state.link[1]
        self._state = state._replace(link=link)
        if next(node.iter(*_BLOCKS), None) is None:
            return ""
        if state.inline:
            self._gap = self._gap or " "
            return " "
        self._flush()
        heading = next((one for one in node.iter(*_HEADINGS) if "".join(one.itertext()).strip()), None)
        if heading is not None:
            self._of_headings[heading] = link
        self._state = state._replace(link=link if heading is None else None, inline=heading is None)
        return "\n"

    def _write(self, node: Any, tag: str) -> None:
        state = self._state
        if node in self._instead:
            self._flush()
            self.out.append(f"<raw>{escape(self._instead[node])}</raw>")
        elif tag == "br":
            if self._gap == "br" and not state.inline and state.link is None:
                self._flush()
            self._gap = "br" if state.block in ("p", "td") else " "
        elif tag == "hr" and not state.inline:
            self._flush()
            self.out.append("<hr>")
        elif tag == "hr":
            self._gap = self._gap or " "
        elif tag == "img" and not self._links:
            self._text(node.get("alt") or "")
        elif tag == "img":
            alternative = escaped(node.get("alt") or "")
            found = (
                safe_address(node.get(name), self._base) for name in ("src", "data-src", "data-lazy-src")
            )
            if (address := next(filter(None, found), "")) or alternative:
                self._add(f'<img alt="{escape(alternative)}" src="{escape(address)}">', is_html=True)

    def _text(self, text: str) -> None:
        text = _CONTROL.sub("", text)
        for number, line in enumerate(text.split("\n") if self._state.lines else (text,)):
            words = line.split()
            self._gap = "br" if number else self._gap or (" " if line[:1].isspace() else "")
            if words:
                self._add(" ".join(words))
                self._gap = " " if line[-1].isspace() else ""

    def _add(self, text: str, *, is_html: bool = False) -> None:
        link, marks = self._state.link, self._state.marks
        link = None if link is not None and link[2] else link
        marks = () if is_html else ("code",) if "code" in marks else tuple(sorted(set(marks)))
        if link is not None:
            link[1] = True
        last = self._runs[-1] if self._runs else None
        gap, self._gap = (self._gap if last else ""), ""
        if (
            last
            and last.link is link
            and last.marks == marks
            and gap != "br"
            and not (is_html or last.is_html)
        ):
            last.texts += gap, text
        else:
            self._runs.append(_Run([text], gap, link, marks, is_html))

    def _flush(self) -> None:
        """Write the runs as a block."""
        runs, block, self._runs, self._gap = self._runs, self._state.block, [], ""
        if runs or block == "td":
            self.out.append(f"<{block}>{''.join(_line(runs, block))}</{block}>")

    def _code(self, node: Any) -> bool:
        """Write code; False where the element holds what code can't hold, and is lines of text."""
        if self._state.lines or next(node.iterdescendants("a", "img", "table", *_HEADINGS), None) is not None:
            self._state = self._state._replace(lines=True)
            return False
        parts = [""]
        walker = etree.iterwalk(node, ("start", "end", "comment"))
        for event, part in walker:
            if (part.tag == "br" and event == "start") or (
                part.tag in _BLOCKS | _APART and parts[-1][-1:] not in ("", "\n")
            ):
                parts.append("\n")
            if event == "start" and part.tag in _UNSEEN:
                walker.skip_subtree()
            elif event == "start" or part is not node:
                parts += filter(None, [part.text if event == "start" else part.tail])
        text = _CONTROL.sub("", "".join(parts)).replace("\r", "\n").strip("\n")
        around = (node.getparent(), node, *node.iterchildren("code"))
        language = _LANGUAGE.search(" ".join(one.get("class") or "" for one in around))
        if text.strip():
            self.out.append(f'<pre lang="{language[1] if language else ""}">{escape(text)}</pre>')
        return True

    def _table(self, table: Any) -> bool:
        """Write a table of data. False for layout, and for cells that Markdown can't have, which are then HTML.

        Layout: one row or column; tables, headings, forms or rules in it; text beside the cells; a role that says so.
        """
        rows = [cells for row in _ROWS(table) if (cells := list(row.iterchildren("td", "th")))]
        width, everything = max(map(len, rows), default=0), list(table.iter(etree.Element))
        tags = {node.tag for node in everything[1:]}
        if (
            min(width, len(rows)) < 2
            or table.get("role") in ("presentation", "none")
            or not tags.isdisjoint(_NOT_IN_DATA)
            or sum(node.tag in ("td", "th") for node in everything) > sum(map(len, rows))
            or _STRAY(table)
            or not self._instead.keys().isdisjoint(everything)
            or not "".join(table.itertext()).strip()
        ):
            return False
        state, first = self._state, rows[0]
        spans = any(
            (cell.get(name) or "1") != "1" for row in rows for cell in row for name in ("colspan", "rowspan")
        )
        if spans or not tags.isdisjoint(_NOT_IN_CELLS):
            self._state = state._replace(cells=True)
            return False
        for caption in table.iterchildren("caption"):
            self.walk(caption)
        headed = first[0].getparent().getparent().tag == "thead" or all(cell.tag == "th" for cell in first)
        self.out.append("<table>" if headed else f'<table><tr columns="{width}">{"<td></td>" * width}</tr>')
        for cells in rows:
            self.out.append(f'<tr columns="{width}">' if headed and cells is first else "<tr>")
            for cell in cells:
                self._state = state._replace(block="td", inline=True)
                self.walk(cell)
            self.out.append("<td></td>" * (width - len(cells)) + "</tr>")
        self._state = state
        self.out.append("</table>")
        return True


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text and re.fullmatch("[0-9]{1,9}", text) else min(otherwise, 999_999_999)


def _line(runs: list[_Run], block: str) -> Iterator[str]:
    """Yield the HTML of a block's runs; emphasis that Markdown would not take for it is HTML to Markdown, too."""
    for place, run in enumerate(runs):
        last, following = (
            runs[place - 1] if place else None,
            runs[place + 1] if place + 1 < len(runs) else None,
        )
        starts = run.link is not None and not (last and last.link is run.link)
        ends = run.link is not None and not (following and following.link is run.link)
        plain = text = "".join(run.texts)
        if not run.is_html:
            if "code" not in run.marks:
                text = _ESCAPED.sub(r"\\\g<0>", text)
                text = text if run.link is None else text.replace("]", r"\]")
                text = (
                    _AT_START.sub(r"\1\\", text) if block == "p" and (not last or run.gap == "br") else text
                )
                if text.endswith("!") and following and not following.gap:
                    text = f"{text[:-1]}\\!"  # which would make a picture of a link
                text = _AT_END.sub(r"\\", text) if block in _HEADINGS and following is None else text
            text = escape(text.replace("|", r"\|") if block == "td" else text, quote=False)
        good = (starts or _flanks(last, run.gap, -1, plain[0])) and (
            ends or _flanks(following, following.gap if following else "", 0, plain[-1])
        )
        for mark in reversed(run.marks):
            is_markdown = mark == "code" or (good and run.marks[-1] not in ("sub", "sup"))
            less, more = "<>" if is_markdown else ("&lt;", "&gt;")
            text = f"{less}{mark}{more}{text}{less}/{mark}{more}"
        yield run.gap if run.gap != "br" else "<br>" if block == "p" else "&lt;br&gt;"
        yield f'<a href="{escape(run.link[0])}">{text}' if starts and run.link else text
        if ends:
            yield "</a>"


def _flanks(beside: _Run | None, gap: str, place: int, inner: str) -> bool:
    """Whether asterisks between the run `beside` and the character `inner` are emphasis of the latter."""
    if beside is None or gap or (inner.isalnum() and not beside.marks):
        return True
    return not beside.marks and (beside.is_html or beside.texts[place][place] in _PUNCTUATION)
