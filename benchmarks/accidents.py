"""Accidents of crawls, each a crawl of the demo sites with one thing broken: does the summary name it?

    python -m benchmarks.accidents [NAME …]

Prints the summary of each crawl, and whether its first line says what happened, `scrapy tps-report` ends with the right
exit code, and the log, that command, and the JSON and HTML that the crawl writes say the same.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.support.crawling import ROOT, scrapy

SHOP, SITE, PRODUCT = "spiders/shop.py", "sites/shop/__init__.py", "sites/shop/product.html"

#: A spider with a parser of its own, and the text.
_OWN_PARSER: Final = (
    (
        SHOP,
        "from scrapy.http import Response\n",
        "from scrapy import Selector\nfrom scrapy.http import Response\n",
    ),
    (
        SHOP,
        "        product.stock = ",
        "        page = Selector(text=response.text)\n        product.stock = ",
    ),
    (SHOP, 'response.css("article', 'page.css("article'),
    (SHOP, 'response.css("table', 'page.css("table'),
)
#: A regular expression beside selectors.
_MATCHED: Final = '"".join(re.findall(r\'class="stock [^>]*>([^<]*)\', response.text))'
_LOG_IN: Final = (
    '<!DOCTYPE html><title>Please log in</title><h1>Log in</h1><form><input type="password"></form>'
)
_RENAMED: Final = (PRODUCT, 'class="stock ', 'class="availability ')


@dataclass(frozen=True)
class Crawl:
    """A crawl: what is replaced in the project before it (file, old, new), and options of the command."""

    edits: tuple[tuple[str, str, str], ...] = ()
    options: tuple[str, ...] = ()
    spider: str = "shop"


@dataclass(frozen=True)
class Accident:
    """An accident, and the words that the first line and the advice below it must contain."""

    crawls: tuple[Crawl, ...]
    says: tuple[str, ...]
    advises: str = ""
    well: bool = False


#: Second pages of products, on which the first pages' stock is not repeated.
_SECOND_PARTS: Final = (
    "page = self._product(product)\n"
    "                return page.replace('class=\"stock ', 'class=\"') if query.get('part') else page"
)


def _lacking(share: str) -> tuple[str, str, str]:
    """The products' descriptions, gone from a share of the pages."""
    return (
        SITE,
        "priced(product),\n            was=optional(WAS",
        f"priced(product) | {{'stock': '' if int(product['sku'][3:]) * 7 % 20 < {share} else product['stock']}},\n"
        "            was=optional(WAS",
    )


ACCIDENTS: Final = {
    "misspelt": Accident(
        (Crawl(((SHOP, ".price::text", ".prize::text"),)),),
        (
            "price of Product",
            "blank in all 36 items",
            ".prize::text finds nothing, neither on the pages nor on their",
        ),
        "they are misspelt, or the site has changed",
    ),
    "renamed": Accident(
        (Crawl(), Crawl((_RENAMED,))),
        ("stock of Product", "100 → 0 % of 36 items since crawl 2", "article .stock::text finds nothing"),
        "the site has changed",
    ),
    "gone": Accident(
        (Crawl(), Crawl(((PRODUCT, "$paragraphs", ""),))),
        (
            "description of Product",
            "100 → 0 % of 36 items since crawl 2",
            "article .description p::text finds nothing",
        ),
        "the site has changed",
    ),
    "log-in": Accident(
        (
            Crawl(
                (
                    (
                        SITE,
                        "        for product in self.data",
                        "        if path.startswith('/p/') and len(path) % 2:\n"
                        f"            return {_LOG_IN!r}\n        for product in self.data",
                    ),
                )
            ),
        ),
        ("on shop.example", "“Please log in” and yield almost nothing"),
        "a different page than the one requested",
    ),
    "log-in-first": Accident(
        (
            Crawl(
                (
                    (
                        SITE,
                        "        for product in self.data",
                        "        if path.startswith('/p/') and not len(path) % 2:\n"
                        f"            return {_LOG_IN!r}\n        for product in self.data",
                    ),
                )
            ),
        ),
        ("on shop.example", "titled “Please log in” and yield almost nothing"),
        "a different page than the one requested",
    ),
    "log-in-at-the-start": Accident(
        (
            Crawl(
                (
                    (
                        SITE,
                        "        for product in self.data",
                        f"        if path.startswith('/c/'):\n            return {_LOG_IN!r}\n"
                        "        for product in self.data",
                    ),
                    (SITE, "        if path == LISTING", "        if path == 'nothing'"),
                )
            ),
        ),
        ("on shop.example, 1 of 1 page is titled “Please log in” and yields almost nothing",),
        "a different page than the one requested",
    ),
    "redirected": Accident(
        (
            Crawl(
                (
                    (
                        "sites/server.py",
                        "        elif site and (page",
                        "        elif url.path.startswith('/p/'):\n            self.send_response(302)\n"
                        "            self.send_header('Location', 'http://shop.example/login')\n"
                        "            self.send_header('Content-Length', '0')\n            self.end_headers()\n"
                        "        elif url.path == '/login':\n"
                        f"            self.reply(HTTPStatus.OK, {_LOG_IN!r})\n        elif site and (page",
                    ),
                )
            ),
        ),
        ("requests led to http://shop.example/login",),
        "a different page than the one requested",
    ),
    "raising": Accident(
        (Crawl(((SHOP, "        yield product\n", "        yield product.price.strip()\n"),)),),
        (
            "the callback failed on 36 pages: AttributeError: 'float' object has no attribute 'strip'",
            "callback parse_product)",
        ),
        "check what the callback does with it",
    ),
    "dropped": Accident(
        (Crawl(options=("-s", "TPS_DROP=article")),),
        ("blank in all 36 items", "TPS_DROP removes matches of article .colour-name::text"),
        "take them out of TPS_DROP",
    ),
    "alias": Accident(
        (Crawl(((SHOP, "response.urljoin(card", "response.urljoin('http://tonewood.example' + card"),)),),
        ("the crawl produced no items, and Scrapy filtered requests to 1 site as offsite: tonewood.example",),
        "allowed_domains",
    ),
    "past-selectors": Accident(
        (Crawl(_OWN_PARSER, ("-s", "TPS_STRATEGY=paper", "-s", "TPS_COMPARE=False")),),
        ("blank in all 36 items", "the callback reads the pages without selectors"),
        "response.original",
    ),
    "matching": Accident(
        (
            Crawl(
                (
                    (SHOP, "from typing import Any\n", "import re\nfrom typing import Any\n"),
                    (SHOP, 'response.css("article .stock::text").get()', _MATCHED),
                ),
                ("-s", "TPS_STRATEGY=paper", "-s", "TPS_COMPARE=False"),
            ),
        ),
        ("stock of Product", "blank in all 36 items", "the callback reads the pages as text, too"),
        "response.original",
    ),
    "text-readers": Accident(
        (Crawl(_OWN_PARSER, ("-s", "TPS_STRATEGY=paper")),),
        ("No findings on 39 pages; callbacks read the text of 36 pruned pages,",),
        well=True,
    ),
    "alike": Accident(
        (
            Crawl(
                (
                    (
                        "spiders/forum.py",
                        'li.row"):',
                        "li.row\"):\n            row = response.css('ul.topics > li.row')",
                    ),
                ),
                spider="forum",
            ),
        ),
        ("Topic (callback parse_board): only 4 different among 20 items",),
        "row.css",
    ),
    "unreachable": Accident(
        (Crawl(((SHOP, "response.urljoin(card", "response.urljoin('http://www2.shop.example:1' + card"),)),),
        ("on www2.shop.example, 36 of 36 requests failed by",),
        "does not answer",
    ),
    "blocked": Accident(
        (
            Crawl(
                (
                    (
                        "sites/server.py",
                        "self.reply(HTTPStatus.OK, page)",
                        "self.reply(403 if len(page) % 2 else 200, page)",
                    ),
                )
            ),
        ),
        ("requests failed by HTTP 403",),
        "a block",
    ),
    "died": Accident(
        (Crawl(), Crawl(), Crawl((("sites/shop/card.html", 'class="price', 'class="cost'),))),
        ("price of Product", "100 → 0 % of 36 items since crawl 3", ".price::text finds nothing"),
        "the site has changed",
    ),
    "degrading": Accident(
        (Crawl(), Crawl((_lacking("3"),)), Crawl(((SITE, "% 20 < 3", "% 20 < 6"),))),
        ("stock of Product", "100 → ", "of 36 items since crawl 2"),
    ),
    "silent": Accident(
        (
            Crawl(
                (
                    (
                        SHOP,
                        "        yield product\n",
                        "        if sum(map(ord, product.sku)) % 3:\n            yield product\n",
                    ),
                )
            ),
        ),
        ("on shop.example, Product (callback parse_product): ", "pages yielded neither items nor requests"),
    ),
    "garbled": Accident(
        (Crawl(((SHOP, '.stock::text").get()', '.stock::text").get("") + "\N{REPLACEMENT CHARACTER}"'),)),),
        ("on shop.example, stock has misread characters", "on 36 pages"),
        "decoded wrongly",
    ),
    "absolute": Accident(
        (
            Crawl(
                (
                    (
                        "spiders/forum.py",
                        'row.css(".topic-poster .username::text")',
                        "row.xpath(\"//a[@class='topictitle']/text()\")",
                    ),
                ),
                spider="forum",
            ),
        ),
        ("//a[@class='topictitle']/text() selects from the whole page in a loop over its parts",),
        "Begin it with a dot",
    ),
    "same-title": Accident(
        (
            Crawl(
                (
                    (
                        "spiders/forum.py",
                        'row.css("a.topictitle::text")',
                        'response.css("a.topictitle::text")',
                    ),
                ),
                spider="forum",
            ),
        ),
        ("a.topictitle::text selects from the whole page in a loop over its parts",),
        "Select from the part",
    ),
    # the title of the board, asked of the page for each topic, is the same in all of them
    "same-board": Accident((Crawl(spider="forum"),), ("No findings on ",), well=True),
    "one-value": Accident(
        (Crawl(), Crawl(((SHOP, 'sku=card.attrib["data-sku"]', 'sku="TW-1"'),))),
        ("sku of Product", "one value in all 36 items, several in crawl 1"),
    ),
    "other-texts": Accident(
        (
            Crawl(),
            Crawl(((SHOP, 'description p::text").getall()', 'stock::text").getall()'),)),
        ),
        ("description of Product", "characters on average", "in crawl 1"),
    ),
    "breadth-first": Accident(
        (
            Crawl(
                (
                    (SITE, "return self._product(product)", _SECOND_PARTS),
                    (
                        SHOP,
                        'cb_kwargs={"product": product})\n',
                        'cb_kwargs={"product": product})\n            yield Request(f"{product.url}?part=2", '
                        'self.parse_product, priority=-1, cb_kwargs={"product": replace(product)})\n',
                    ),
                    (
                        SHOP,
                        "from typing import Any\n",
                        "from dataclasses import replace\nfrom typing import Any\n",
                    ),
                )
            ),
        ),
        ("No findings on 75 pages.",),
        well=True,
    ),
    "nothing": Accident((Crawl(), Crawl()), ("No findings on 39 pages.",), well=True),
}


@dataclass(frozen=True)
class Played:
    """The results of an accident: the summary in the log, of the command, in JSON and HTML; and the exit code."""

    log: str
    text: str
    data: dict[str, object]
    html: str
    code: int

    @property
    def faults(self) -> list[str]:
        """Return the contradictions between these."""
        headline = self.text.splitlines()[0]
        return [
            f"{name} does not say: {headline}"
            for name, where in (("log", self.log), ("JSON", self.data["headline"]), ("HTML", self.html))
            if headline not in str(where)
        ]


def play(accident: Accident, folder: Path) -> Played:
    """Let an accident happen in a copy of the example project."""
    project = folder / "project"
    shutil.copytree(
        ROOT / "example_project", project, ignore=shutil.ignore_patterns("__pycache__", ".scrapy")
    )
    log = ""
    for crawl in accident.crawls:
        for name, old, new in crawl.edits:
            file = project / "demo" / name
            text = file.read_text(encoding="utf-8")
            if old not in text:
                raise ValueError(f"{name} does not have {old!r}")
            file.write_text(text.replace(old, new), encoding="utf-8")
        for cache in project.rglob("__pycache__"):
            shutil.rmtree(cache)  # two edits of one second look the same to it
        reports = ("-s", 'TPS_REPORT=["report.json", "report.html"]', "-s", "RETRY_ENABLED=False")
        log = scrapy("crawl", crawl.spider, *reports, *crawl.options, cwd=project).stderr
    report = scrapy("tps-report", "--fail-on-findings", cwd=project, check=False)
    data = json.loads((project / "report.json").read_text(encoding="utf-8"))["summary"]
    script = (project / "report.html").read_text(encoding="utf-8").partition('id="tps-data">')[2]
    html = json.loads(script.partition("</script>")[0])["summary"]["headline"]
    return Played(log, report.stdout, data, html, report.returncode)


def faults(accident: Accident, played: Played) -> list[str]:
    """Return the faults in the report of an accident."""
    first = played.text.splitlines()[0]
    found = [f"the first line does not say: {words}" for words in accident.says if words not in first]
    if accident.advises and accident.advises not in played.text:
        found.append(f"the advice does not say: {accident.advises}")
    if played.code != (0 if accident.well else 3):
        found.append(f"the exit code is {played.code}")
    return found + played.faults


def main() -> int:
    worst = 0
    for name in sys.argv[1:] or ACCIDENTS:
        with tempfile.TemporaryDirectory() as folder:
            played = play(ACCIDENTS[name], Path(folder))
        found = faults(ACCIDENTS[name], played)
        worst = max(worst, bool(found))
        print(f"== {name}: {'held' if not found else 'MISSED: ' + '; '.join(found)}")
        print(played.text.partition("\n\n")[0], "\n", sep="")
    return worst


if __name__ == "__main__":
    sys.exit(main())
