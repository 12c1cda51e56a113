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
from scrapy_tps.literature.memory import SitePages  # noqa: E402
from scrapy_tps.settings.definitions import page_settings  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
    seen = seen_by(strategy, pages, sequence) if name in LITERATURE else [0.0] * len(sequence)
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


def seen_by(method: Any, pages: Sequence[str], sequence: TagPathSequence) -> list[float]:
    if isinstance(method, PageMethod):
        return method.seen(sequence)
    digests = [method.digest(sequence_of(page)[0]) for page in pages]
    seen: list[float] = method.seen(digests[-1], method.build(digests[:-1]))
    return seen


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
    yield load_strategy(name).sees  # type: ignore[attr-defined]  # methods of the literature say it
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
