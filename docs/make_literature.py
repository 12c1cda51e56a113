"""Write the drawings of methods from the literature on two demo pages into ``docs/explanation/literature.md``.

Run ``python docs/make_literature.py`` when a method or a demo site changes; a test compares the two. The pages are
those of the example project: an article of `news.example` and a list of results of `search.example`, each judged with
three other pages of its site.
"""

from __future__ import annotations

import re
import sys
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "example_project")]

from demo.sites import SITES  # noqa: E402 (of the folder above)

from scrapy_tps.engine.html import document  # noqa: E402
from scrapy_tps.engine.native import walk  # noqa: E402
from scrapy_tps.engine.prune import prune_page  # noqa: E402
from scrapy_tps.engine.pruned_page import Pruning, page_of  # noqa: E402
from scrapy_tps.engine.strategies import GUARDED, LITERATURE, load_strategy  # noqa: E402
from scrapy_tps.literature.base import PageMethod  # noqa: E402
from scrapy_tps.literature.blocks import coverage_tree  # noqa: E402
from scrapy_tps.literature.cetr import lines, smoothed  # noqa: E402
from scrapy_tps.literature.memory import SitePages  # noqa: E402
from scrapy_tps.settings.definitions import page_settings  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence

PAGE = Path(__file__).parent / "explanation" / "literature.md"
START = "<!-- {}: made by docs/make_literature.py -->"
END = "<!-- end -->"
OTHERS = 3
BAR = 12
#: Parts of a page by where they are, in the order of the page.
ARTICLE = {
    "consent": "//*[@id='cmp-wall']",
    "menu": "//nav",
    "headline": "//h1",
    "byline": "//*[@class='article__by']",
    "text": "//*[@class='article__body']/p",
    "tags": "//*[@class='article__tags']",
    "comments": "//*[@class='comments']/ol",
    "rail": "//aside",
    "letter": "//*[@class='newsletter-signup']",
    "foot": "//footer",
}
LIST = {
    "consent": "//*[@id='consent-bump']",
    "menu": "//*[@id='top_nav']",
    "ads": "//*[@id='tads']",
    "titles": "//*[@id='rso']//h3",
    "snippets": "//*[@class='st']",
    "asked": "//*[@class='related-question-pair']",
    "related": "//*[@id='bres']",
    "panel": "//*[@id='rhs']",
    "foot": "//*[@id='footcnt']",
}


class Part(NamedTuple):
    """A part of a page in the view of a method.

    :ivar seen: what the method judges its texts by, the mean over their characters.
    :ivar kept: the share of its characters that stays.
    """

    seen: float
    kept: float


def articles() -> list[str]:
    """Article pages of `news.example`."""
    site = SITES["news.example"]
    front = site.page("/", {}) or ""
    paths = dict.fromkeys(re.findall(r'href="(/(?:local|environment)/[^"]+)"', front))
    return [page for path in paths if (page := site.page(path, {}))][: OTHERS + 1]


def lists() -> list[str]:
    """Result pages of `search.example`."""
    site = SITES["search.example"]
    return [
        site.page("/search", {"q": "parish", "start": str(10 * number)}) or "" for number in range(OTHERS + 1)
    ]


PAGES = (("an article", articles, ARTICLE), ("a list", lists, LIST))


def sequence_of(html: str) -> tuple[TagPathSequence, Any]:
    body = document.parse(html).body
    sequence = walk(body)
    sequence.hold()
    return sequence, body


def parts(name: str, pages: Sequence[str], places: Mapping[str, str]) -> dict[str, Part]:
    """Return the parts of the last page as a method judges them."""
    strategy: Any = load_strategy(name)
    memory, settings = SitePages(), page_settings({"TPS_STRATEGY": name})
    for number, page in enumerate(pages):
        page_url = f"http://demo.example/{number}"
        pruning = Pruning(prune_page(page, settings, url=page_url, memory=memory))
    sequence, body = sequence_of(pages[-1])
    kept = page_of(pruning).mask if pruning.pruned else b"\x01" * len(sequence)
    seen: Sequence[float] = [0.0] * len(sequence)
    if name in LITERATURE:
        seen = seen_by(strategy, [*(sequence_of(page)[0] for page in pages[:-1]), sequence])
    found = {}
    for part, place in places.items():
        nodes = [
            node
            for start in sequence.locate(body.xpath(place))
            for node in range(start, sequence.end[start])
            if sequence.chars[node]
        ]
        size = sum(sequence.chars[node] for node in nodes)
        found[part] = Part(
            sum(seen[node] * sequence.chars[node] for node in nodes) / size,
            sum(sequence.chars[node] for node in nodes if kept[node]) / size,
        )
    return found


def of_texts(page: Any, groups: Iterable[tuple[Iterable[int], float]]) -> list[float]:
    """Return the number of the group of each node, 0 without one."""
    found = [0.0] * len(page)
    for nodes, value in groups:
        for node in nodes:
            found[node] = value
    return found


def importances(page: Any, model: Any) -> list[float]:
    found = [1.0] * len(page)  # parts that map to nothing belong to this page alone
    for element, node, is_leaf, goes_on in model.mapped(page):
        found[node : page.end[node]] = [element.importance] * (page.end[node] - node)
        if not is_leaf and not goes_on:
            found[node + 1 : page.end[node]] = [1.0] * (page.end[node] - node - 1)
    return found


def ratios(method: Any, page: Any) -> list[float]:
    found = lines(page)
    smooth = smoothed(found.ratios(), method.radius)
    return [float(smooth[line]) for line in found.of_node]


def information(page: Any, model: Any) -> list[float]:
    tree = coverage_tree(page, model.of_page(page))
    return [anchor + text for anchor, text in zip(tree.anchor_length, tree.content_length, strict=True)]


#: What each method judges texts by, in words, and for each node of a page (or its digest) and a model of others.
NUMBERS: dict[str, tuple[str, Callable[[Any, Any, Any], Sequence[float]]]] = {
    "cetr": ("characters by tags of the line, smoothed", lambda method, page, _: ratios(method, page)),
    "content-extractor": (
        "other pages with the same block",
        lambda method, page, model: method.shared(page, model),
    ),
    "infodiscoverer": ("entropy of the block", lambda method, page, model: method.judged(page, model)[0]),
    "node-patterns": (
        "words of the passage that a wildcard takes",
        lambda method, page, model: of_texts(
            page, ((one.nodes, len(one.words)) for one in method.passages_of(page, model))
        ),
    ),
    "pagelets": ("other pages with the same pagelet", lambda method, page, model: method.shared(page, model)),
    "segmentation": (
        "score of the block for the title",
        lambda method, page, _: of_texts(page, zip(*method.scored(page), strict=True)),
    ),
    "shingles": (
        "share of the words in runs of other pages",
        lambda method, page, model: method.covered(page, model),
    ),
    "structure-tree": ("importance along the path", lambda _, page, model: model.path_importance(page)),
    "style-tree": ("composite importance", lambda _, page, model: importances(page, model)),
    "wisdom": ("information of the words, added up", lambda _, page, model: information(page, model)),
}


def seen_by(method: Any, sequences: Sequence[TagPathSequence]) -> Sequence[float]:
    """Return the numbers by which a method judges the last page."""
    _, numbers = NUMBERS[method.name]
    if isinstance(method, PageMethod):
        return numbers(method, sequences[-1], None)
    digests = [method.digest(sequence) for sequence in sequences]
    return numbers(method, digests[-1], method.build(digests[:-1]))


def mark(kept: float) -> str:
    return "■" if kept > 0.95 else "·" if kept < 0.05 else "▒"


def drawing(name: str) -> Iterator[str]:
    """Yield the drawing of the article and the list, a line for each part, with marks as published and guarded."""
    columns = []
    for title, pages, places in PAGES:
        found, guarded = (parts(f"{name}{guard}", pages(), places) for guard in ("", GUARDED))
        most = max(part.seen for part in found.values()) or 1
        lines = [title]
        for head, part in found.items():
            bar = "▏" * round(BAR * part.seen / most)
            lines.append(f"{mark(part.kept)}{mark(guarded[head].kept)} {head:9}{_number(part.seen):>5}{bar}")
        columns.append(lines)
    left = max(map(len, columns[0])) + 4
    yield "```text"
    yield NUMBERS[name][0]
    for one, other in zip_longest(*columns, fillvalue=""):
        yield f"{one:{left}}{other}".rstrip()
    yield "```"


def _number(seen: float) -> str:
    seen = round(seen, 2)
    if seen >= 10 or seen == round(seen):
        return f"{seen:.0f}"
    return f"{seen:.1f}" if seen >= 1 else f"{seen:.2f}".removeprefix("0")


def page() -> str:
    """Return the page with new text between the markers."""
    text = PAGE.read_text(encoding="utf-8")
    for name in LITERATURE:
        start = START.format(name)
        lines = drawing(name)
        before, rest = text.split(start)
        text = "\n".join([before + start, *lines, END + rest.split(END, 1)[1]])
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
