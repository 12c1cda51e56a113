"""Markdown of pruned pages: is all of it there, what does it cost, and how does it compare.

    python -m benchmarks.markdown check --data FOLDER [--sample 300]
    python -m benchmarks.markdown peers --labelled FOLDER [--every 17]

`check` prunes the pages below a folder, parses their Markdown with a CommonMark parser (markdown-it-py) and compares
words, links and cells of tables with those of the tree. Every tenth page is timed beside `markdownify` alone, best of
three. `peers` compares the Markdown of every 17th page of a labelled set (`html/NAME.html.gz` and
`ground-truth/NAME.json`, as in WCXB) with that of other programs, if they are installed: words of the labelled content
that are kept, words that are not of it, characters.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import json
import re
import statistics
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from lxml import etree, html
from markdown_it import MarkdownIt

from benchmarks.corpus import add_data_option, pages
from scrapy_tps import prune
from scrapy_tps.engine.html import document
from scrapy_tps.engine.markdown import to_markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_UNSEEN: Final = {"script", "style", "template", "noscript", "head", "title", "iframe", "noembed", "noframes"}
_IN_LINE: Final = {"br", "button", "hr", "option", "optgroup", "select", "textarea"}
_NAMES: Final = (
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form frameset h1 h2 h3 h4 h5 h6 header hgroup html legend li listing main menu nav ol p plaintext pre "
    "search section summary table tbody td tfoot th thead tr ul xmp"
)
_BLOCKS: Final = frozenset(_NAMES.split())
_NOT_IN_DATA: Final = {"table", "form", "hr", "h1", "h2", "h3", "h4", "h5", "h6"}
_OF_TABLES: Final = {"thead", "tbody", "tfoot", "tr", "td", "th", "colgroup", "col", "script", "style"}
_CONTROL: Final = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_PARSER: Final = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def rendered(markdown: str) -> Any:
    """Return the body of Markdown as a CommonMark parser reads it."""
    page = f"<html><body>{_PARSER.render(markdown)}</body></html>".encode("utf-8", "replace")
    return html.document_fromstring(page, parser=html.HTMLParser(encoding="utf-8", huge_tree=True)).find(
        "body"
    )


def words(element: Any) -> list[str]:
    """The words that a browser shows of an element, apart where blocks, controls and line breaks part them."""
    found: list[str] = []
    stack: list[Any] = [element]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            found.append(node)
        elif isinstance(node.tag, str) and node.tag not in _UNSEEN:
            around = node.tag == "a" and _address(node) and next(node.iter(*_BLOCKS), None) is not None
            apart = "\n" if around or node.tag in _BLOCKS or node.tag in _IN_LINE else ""
            found += apart, node.text or ""
            stack.append(apart)
            for child in reversed(node):
                stack += child.tail or "", child
    return _CONTROL.sub("", "".join(found)).split()


def links(body: Any) -> list[str]:
    """The addresses of a page's links, those aside that viewers of Markdown run or refuse."""
    return sorted(address for link in _seen(body, "a") if (address := _address(link)))


def _address(link: Any) -> str:
    address = _CONTROL.sub("", re.sub("[\n\r\t]", "", link.get("href") or "")).strip()
    scheme = re.match(r"([^:/?#]*):", address)
    if scheme and scheme[1].lower() not in ("http", "https", "mailto", "tel", "ftp"):
        return ""
    return re.sub(r"\s", "", unquote(address))


def _seen(body: Any, tag: str) -> Iterator[Any]:
    for element in body.iter(tag):
        if all(above.tag not in _UNSEEN for above in element.iterancestors()):
            yield element


def tables(body: Any, *, data: bool) -> list[list[list[str]]]:
    """The texts of tables by row, empty ones left out; `data`: not of those that are layout."""
    found = []
    for table in _seen(body, "table"):
        rows = [[cell for cell in row if cell.tag in ("td", "th")] for row in table.iter("tr")]
        if data and _is_layout(table, [row for row in rows if row]):
            continue
        texts = [[" ".join(words(cell)) for cell in row] for row in rows]
        if kept := [row for row in ([text for text in row if text] for row in texts) if row]:
            found.append(kept)
    return found


def _is_layout(table: Any, rows: list[list[Any]]) -> bool:
    """Whether it has one row or column, parts of pages in it or text beside its cells, or stands in a line."""
    if len(rows) < 2 or max(map(len, rows)) < 2 or table.get("role") in ("presentation", "none"):
        return True
    if any(node.tag in _NOT_IN_DATA for node in table.iterdescendants()):
        return True
    if any(node.tag == "a" or re.match("h[1-6]", str(node.tag)) for node in table.iterancestors()):
        return True
    if len(table.xpath("tr | */tr")) < len(list(table.iter("tr"))) or len(list(table.iter("td", "th"))) > sum(
        map(len, rows)
    ):
        return True
    for part in table.iter("table", "thead", "tbody", "tfoot", "tr"):
        beside = [part.text, *(child.tail for child in part)]
        if any(text and text.strip() for text in beside):
            return True
        tags = [
            child.tag
            for child in part.iterchildren(etree.Element)
            if child.tag in _OF_TABLES or _is_seen(child)
        ]
        if not set(tags[1:] if tags[:1] == ["caption"] else tags) <= _OF_TABLES:
            return True
    return False


def _is_seen(element: Any) -> bool:
    return bool(words(element)) or next(element.iter("a", "img"), None) is not None


def check(folder: Path, sample: int | None) -> int:
    """Print how many pages differ, and which; 1 where any does."""
    from markdownify import markdownify  # noqa: PLC0415 (an extra)

    counted: Counter[str] = Counter()
    ours = alone = 0.0
    for number, (path, body) in enumerate(pages(folder, sample)):
        page = re.sub(
            "(?i)<base ", "<x-base ", prune(body, encoding="utf-8").html
        )  # addresses stay as they are
        root = document.parse(document.parser_input(page, "utf-8")).root
        if (tree := root.find("body")) is None:
            continue
        read = rendered(to_markdown(root, None, links=True, instead={}))
        differing = {
            "words": words(tree) != words(read),
            "links": links(tree) != links(read),
            "tables": tables(tree, data=True) != tables(read, data=False),
        }
        counted.update(name for name, differs in differing.items() if differs)
        counted.update({"pages": 1, "of links": len(links(tree)), "of tables": len(tables(tree, data=True))})
        if any(differing.values()):
            print(path, *(name for name, differs in differing.items() if differs), flush=True)
        if number % 10 == 0:
            counted["timed"] += 1
            ours += _best(partial(to_markdown, root, None, links=True, instead={}))
            alone += _best(partial(markdownify, page, heading_style="atx", bs4_options="lxml"))
    print(
        dict(counted),
        f"{ours / counted['timed'] * 1e3:.1f} ms a page, {ours / alone:.2f} of markdownify alone",
    )
    return int(any(counted[name] for name in ("words", "links", "tables")))


def _best(run: Callable[[], Any]) -> float:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def _with_readability(page: str, url: str) -> str:
    from markdownify import markdownify  # noqa: PLC0415

    summary = importlib.import_module("readability").Document(page, url=url).summary()
    return str(markdownify(summary, heading_style="atx"))


def _with_trafilatura(page: str, url: str) -> str:
    trafilatura = importlib.import_module("trafilatura")
    return (
        trafilatura.extract(page, url=url, output_format="markdown", include_links=True, include_images=True)
        or ""
    )


def _with_crawl4ai(page: str, url: str) -> str:
    filters = importlib.import_module("crawl4ai.content_filter_strategy")
    generators = importlib.import_module("crawl4ai.markdown_generation_strategy")
    generator = generators.DefaultMarkdownGenerator(content_filter=filters.PruningContentFilterLXML())
    return str(generator.generate_markdown(page, base_url=url).fit_markdown)


def _whole(page: str, url: str) -> str:
    return prune(page, url=url, settings={"TPS_ENABLED": False}).markdown()


PEERS: Final[dict[str, Callable[[str, str], str]]] = {
    "scrapy-tps": lambda page, url: prune(page, url=url).markdown(),
    "scrapy-tps, `aggressive`": lambda page, url: prune(
        page, url=url, settings={"TPS_STRATEGY": "aggressive"}
    ).markdown(),
    "the whole page": _whole,
    "trafilatura": _with_trafilatura,
    "crawl4ai, `PruningContentFilter`": _with_crawl4ai,
    "readability-lxml + markdownify": _with_readability,
}


def peers(folder: Path, every: int) -> int:
    """Print a table: the programs' means over the pages, and the median of the characters' share."""
    labelled = []
    for label in sorted((folder / "ground-truth").glob("*.json"))[every - 1 :: every]:
        truth = json.loads(label.read_text(encoding="utf-8"))
        page = gzip.decompress((folder / "html" / f"{label.stem}.html.gz").read_bytes())
        content = Counter(_tokens(truth["ground_truth"].get("main_content") or ""))
        labelled.append((document.decode(page, "utf-8"), truth.get("url", ""), content))
    print(
        f"{len(labelled)} pages\n\n| | content kept | whole on | noise | links | characters | time |\n|{'---|' * 7}"
    )
    for name, convert in PEERS.items():
        try:
            convert(*labelled[0][:2])
        except ImportError as error:
            print(f"{name}: {error.name} is not installed", file=sys.stderr)
            continue
        kept, noise, share, found, start = [], [], [], 0, time.process_time()
        for text, url, content in labelled:
            markdown = convert(text, url)
            share.append(len(markdown) / len(text))
            body = rendered(markdown)
            have = Counter(_tokens(" ".join(words(body))))
            common = (have & content).total()
            kept.append(common / max(1, content.total()))
            noise.append(1 - common / max(1, have.total()))
            found += len(links(body))
        spent = (time.process_time() - start) / len(labelled)
        whole = sum(one > 0.95 for one in kept)
        print(
            f"| {name} | {statistics.fmean(kept):.1%} | {whole} | {statistics.fmean(noise):.1%} | {found:,} | "
            f"{statistics.median(share):.1%} | {spent * 1e3:.0f} ms |",
            flush=True,
        )
    return 0


def _tokens(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    add_data_option(commands.add_parser("check"), Path)
    compare = commands.add_parser("peers")
    compare.add_argument("--labelled", type=Path, required=True, help="folder with html/ and ground-truth/")
    compare.add_argument("--every", type=int, default=17, help="take every so many-th page")
    chosen = parser.parse_args(argv)
    if chosen.command == "check":
        return check(chosen.data, chosen.sample)
    return peers(chosen.labelled, chosen.every)


if __name__ == "__main__":
    sys.exit(main())
