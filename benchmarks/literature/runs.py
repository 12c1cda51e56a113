"""Judge pages of sites by a strategy, and store the measurements in a file."""

from __future__ import annotations

import json
import random
import sqlite3
import time
import zlib
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmarks.quality.measures import parsed, shown_texts
from scrapy_tps.engine.html import document
from scrapy_tps.engine.outcomes import NO_REGION
from scrapy_tps.engine.prune import prune_page
from scrapy_tps.engine.pruned_page import Pruning
from scrapy_tps.engine.strategies import GUARDED, LITERATURE, load_strategy
from scrapy_tps.literature.memory import SitePages
from scrapy_tps.settings.definitions import page_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from benchmarks.literature.pages import Page

NOTHING = "nothing"
OURS = ("auto", "aggressive", "tps", "paper")
METHODS = tuple(f"{name}{guard}" for name in LITERATURE for guard in ("", GUARDED))
ROWS = (NOTHING, *OURS, *METHODS)
_SCHEMA = """create table if not exists judged (
    pages text, site text, strategy text, page text, kind text, query text, outcome text, error text,
    milliseconds real, cut real, bytes integer, measures text, words blob,
    primary key (pages, strategy, site, page))"""
_COLUMNS = "site, page, kind, query, outcome, error, milliseconds, cut, bytes, measures"


@dataclass
class Judged:
    """A page as a strategy left it.

    :ivar milliseconds: processor time of the whole way of the page; 0 where the strategy has not judged it.
    :ivar cut: share of the nodes that went.
    :ivar bytes: what is remembered of its site.
    :ivar measures: its figures; None where it can't be scored.
    :ivar words: the text that is left; None where the page stayed whole.
    """

    site: str
    page: str
    kind: str = ""
    query: str = ""
    outcome: str = NOTHING
    error: str | None = None
    milliseconds: float = 0.0
    cut: float = 0.0
    bytes: int = 0
    measures: dict[str, Any] | None = None
    words: str | None = field(default=None, repr=False)


class Results:
    """The measurements, by set, strategy, site and page, in an SQLite file; in memory without one.

    A site that a strategy has judged is not judged again, so a stopped run continues. After a change of a strategy,
    forget its results.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._database = sqlite3.connect(path or ":memory:", timeout=60)
        self._database.execute("pragma synchronous = off")  # waiting for the disk takes as long as judging
        self._database.execute(_SCHEMA)

    def forget(self, strategies: Iterable[str]) -> None:
        """Forget all that these strategies gave."""
        with self._database:
            self._database.executemany(
                "delete from judged where strategy = ?", [(one,) for one in strategies]
            )

    def missing(self, pages: str, site: str, strategies: Iterable[str]) -> list[str]:
        """Those of the strategies that have not judged a site yet."""
        query = "select distinct strategy from judged where pages = ? and site = ?"
        done = {row[0] for row in self._database.execute(query, (pages, site))}
        return [one for one in strategies if one not in done]

    def add(self, pages: str, strategy: str, judged: Iterable[Judged]) -> None:
        """Remember what a strategy gave on all pages of a site."""
        rows = [
            (
                *(pages, one.site, strategy, one.page, one.kind, one.query, one.outcome, one.error),
                *(one.milliseconds, one.cut, one.bytes, json.dumps(one.measures)),
                None if one.words is None else zlib.compress(one.words.encode("utf-8", "replace")),
            )
            for one in judged
        ]
        with self._database:
            self._database.executemany(f"insert or replace into judged values ({', '.join('?' * 13)})", rows)

    def sets(self) -> dict[str, list[str]]:
        """The strategies that have judged pages of each set, in the order of the rows."""
        found: dict[str, list[str]] = defaultdict(list)
        for pages, strategy in self._database.execute("select distinct pages, strategy from judged"):
            found[pages].append(strategy)
        order = {name: place for place, name in enumerate(ROWS)}
        return {
            pages: sorted(rows, key=lambda one: (order.get(one, len(order)), one))
            for pages, rows in found.items()
        }

    def of(self, pages: str, strategy: str) -> list[Judged]:
        """Return the results of a strategy on the pages of a set, without the words."""
        query = f"select {_COLUMNS} from judged where pages = ? and strategy = ? order by page"
        rows = self._database.execute(query, (pages, strategy))
        named = (dict(zip(_COLUMNS.split(", "), row, strict=True)) for row in rows)
        return [Judged(**{**row, "measures": json.loads(row["measures"])}) for row in named]

    def words(self, pages: str, strategy: str) -> dict[str, str]:
        """The text that a strategy left of each page of a set."""
        query = "select page, words from judged where pages = ? and strategy = ?"
        whole = {} if strategy == NOTHING else self.words(pages, NOTHING)
        return {
            page: whole.get(page, "") if words is None else zlib.decompress(words).decode()
            for page, words in self._database.execute(query, (pages, strategy))
        }


def by_site(pages: Iterable[Page], most: int | None = None) -> dict[str, list[Page]]:
    """The pages of each site, the sites in an order of chance that is always the same; of no more than so many.

    The first so many sites are a fair sample: the table of a run that was stopped is one.
    """
    sites: dict[str, list[Page]] = defaultdict(list)
    for page in pages:
        sites[page.site].append(page)
    names = sorted(sites)
    random.Random(1).shuffle(names)
    return {name: sites[name] for name in names[:most]}


def pruned(page: Page, strategy: str, memory: SitePages | None) -> Pruning:
    """Prune a page by a strategy that remembers these pages of its site."""
    settings = page_settings({"TPS_STRATEGY": strategy})
    page_url = page.url or page.name
    return Pruning(prune_page(page.body, settings, url=page_url, encoding=page.encoding, memory=memory))


def judged(
    pages: Sequence[Page], strategies: Iterable[str], *, keep_words: bool, every: bool = False
) -> Iterator[tuple[str, list[Judged]]]:
    """Yield what each strategy gives on the pages of one site.

    Methods of many pages judge a page with the site's other pages.

    :param keep_words: whether the text that is left is kept as well.
    :param every: whether methods judge sites with too few pages for them as well; they stay whole there.
    """
    whole = [(document_of(page), page.score) for page in pages]
    scores_of_whole = [score(html) for html, score in whole]
    for strategy in strategies:
        found: list[Judged] = []
        needed = needed_pages(strategy)
        if needed >= len(pages) and not every:
            for page, scores in zip(pages, scores_of_whole, strict=True):
                found.append(Judged(page.site, page.name, page.kind, page.query, NO_REGION, measures=scores))
            yield strategy, found
            continue
        # a method compares a page with all that it remembers but the page itself
        memory = remembered(pages if len(pages) > 1 else (), strategy) if needed else None
        for page, (html, _), scores in zip(pages, whole, scores_of_whole, strict=True):
            one = Judged(page.site, page.name, page.kind, page.query, measures=scores)
            kept = html
            if strategy != NOTHING:
                kept = _judge(one, page, strategy, memory)
                if kept != html:
                    one.measures = page.score(kept)
            if keep_words and (kept != html or strategy == NOTHING):
                one.words = visible_text(kept)
            found.append(one)
        yield strategy, found


def _judge(one: Judged, page: Page, strategy: str, memory: SitePages | None) -> str:
    """Prune a page and note what that took; return what is left."""
    started = time.process_time()
    pruning = pruned(page, strategy, memory)
    kept = pruning.html
    one.milliseconds = 1e3 * (time.process_time() - started)
    one.outcome, one.error, one.cut = pruning.outcome, pruning.error, pruning.reduction
    if memory is not None:
        one.bytes = memory.bytes()
    return kept


def needed_pages(strategy: str) -> int:
    """How many other pages of a site a method needs to say anything; 0 for those that need none, and for ours."""
    name = strategy.removesuffix(GUARDED)
    return getattr(load_strategy(name), "least_pages", 0) if name in LITERATURE else 0


def remembered(pages: Iterable[Page], strategy: str) -> SitePages:
    """Return the memory of a strategy after these pages."""
    memory = SitePages()
    for page in pages:
        pruned(page, strategy, memory)
    return memory


def document_of(page: Page) -> str:
    """A page as text, as an unpruned page is given back."""
    read = document.parser_input(page.body, page.encoding)
    return read if isinstance(read, str) else read.decode("utf-8", "replace")


def visible_text(html: str) -> str:
    """Return the text that a browser shows of a page, a line for each text node."""
    return "\n".join(shown_texts(parsed(html)))


def run(
    name: str,
    sites: Mapping[str, Sequence[Page]],
    strategies: Sequence[str],
    results: Results,
    *,
    keep_words: bool,
    every: bool = False,
) -> None:
    """Judge what the results lack of a set, one site after the other.

    :param keep_words: whether the text that is left is kept, for the papers' evaluations.
    :param every: whether methods judge sites with too few pages for them as well.
    """
    for site, pages in sites.items():
        if left := results.missing(name, site, strategies):
            for strategy, found in judged(pages, left, keep_words=keep_words, every=every):
                results.add(name, strategy, found)
