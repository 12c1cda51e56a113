"""The spider middleware: items and their fields per site, and pages without items."""

from __future__ import annotations

import logging
import re
import traceback
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scrapy import signals
from scrapy.exceptions import CloseSpider, NotConfigured
from scrapy.http import Request
from scrapy.selector import Selector
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from scrapy_tps.engine.outcomes import EMPTY
from scrapy_tps.engine.pruned_page import page_of
from scrapy_tps.proposals.memory import SampledPage
from scrapy_tps.response import PrunedMixin
from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.stats.aggregation import figures_of
from scrapy_tps.stats.coverage import PAGE_TEXT, callback_name, kept_text, selector_use, use_key
from scrapy_tps.stats.error_isolation import FIGURES
from scrapy_tps.stats.fields import KnownFields, PageItems
from scrapy_tps.terminal import printable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from scrapy_tps.engine.fallback.usage import SelectorUse
    from scrapy_tps.engine.pruned_page import Pruning
    from scrapy_tps.stats.coverage import PageUse, UseKey


logger = logging.getLogger(__name__)


#: Directories of code that is not the user's.
_NOT_OWN: Final = ("site-packages", "scrapy_tps")


def page_title(response: PrunedMixin) -> str:
    """Return the title of a page, at most 100 characters; empty if it has none or was not parsed.

    A page without any content has a title of ours: many of them are another page than the one requested.
    """
    if response.tps.outcome == EMPTY:
        return "(empty page)"
    page = page_of(response.tps)
    if page.root is None:
        return ""
    # by tag, which lxml does in C: a path costs ten times as much
    with page.lock:
        title = next(page.root.iter("title"), None)
        if title is None or not title.text:
            title = next(page.root.iter("h1"), None)
        text = " ".join((title.text or "").split())[:100] if title is not None else ""
    return text if response.status == HTTPStatus.OK else f"HTTP {response.status} {text}".rstrip()


def looks_like_wall(response: PrunedMixin, title: str) -> bool:
    """Whether a page seems to stand for another one: by its title, or because it is short and asks for a password."""
    if _WALL.search(title):
        return True
    page = page_of(response.tps)
    if page.root is None or page.chars > WALL_CHARS:
        return False
    with page.lock:
        return any(field.get("type", "").lower() == "password" for field in page.root.iter("input"))


def sampled_page(response: PrunedMixin) -> SampledPage | None:
    """Return a page as downloaded, to try selectors on it; None for a wall, and if the original was dropped."""
    title = page_title(response)
    if looks_like_wall(response, title) or (response.tps.pruned and response.raw_body is None):
        return None
    original = response.original
    return SampledPage(response.url, original.body, original.encoding)


def matches(page: Selector, selector: str) -> Any:
    """Return the matches of a selector, of the page or of one of its parts, anywhere in a page or part."""
    relative = selector.startswith(("./", "//"))
    anywhere = f".//{selector.removeprefix('.').lstrip('/')}" if relative else selector
    for select in (page.css, page.xpath):
        with suppress(Exception):  # an XPath is not a CSS selector, and may need variables
            return select(anywhere)
    return page.selectorlist_cls([])


def error_with_place(error: Exception, callback: str) -> str:
    """Return a callback's exception and its place in the user's code, in one line; its last word is the callback."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not any(name in Path(frame.filename).parts for name in _NOT_OWN)]
    place = f"{Path(own[-1].filename).name}, line {own[-1].lineno}, " if own else ""
    return printable(f"{type(error).__name__}: {error}"[:150] + f" ({place}callback {callback})")


#: Titles of log-in, block and consent pages, and of those that test for a browser.
_WALL: Final = re.compile(
    r"(?i)\b(log ?in|log ?on|sign ?in|anmelden|einloggen|connexion|iniciar sesi[oó]n|accedi)\b"
    r"|access denied|forbidden|blocked|captcha|just a moment|attention required|robot|are you human|unusual traffic"
    r"|too many requests|before you continue|cookie consent|unauthorized|verify you|service unavailable"
)
#: The most visible characters of a log-in page; other pages may have a log-in form, too. A choice.
WALL_CHARS: Final = 2000

#: The number of sites for which the title of the fullest page is remembered.
MOST_TITLES = 10_000

#: The number of pages on which a selector that found nothing is tried on the removed parts, and of such selectors.
PROBES = 3
MOST_PROBED = 1000

#: The fewest parts for which a selector of the whole page is an error: a single one may mean the page.
SEVERAL_PARTS = 3
#: The shapes of addresses that are remembered for a selector or field.
MOST_SHAPES = 50
_QUERY_KEYS: Final = re.compile(r"[?&]([^=&#]*)")


def is_first_for_all(page: Selector, selector: str, rows: Iterable[str], items: PageItems) -> bool:
    """Whether all items of a page have the first match of a selector of the page in the same field, though their parts
    of the page have matches of their own, more than half of which differ.

    :param rows: selectors of the page, one of which may be that of the parts.
    """
    first = matches(page, selector).get("")
    number = max(items.repeats(first), items.repeats(first.strip()))
    if number < SEVERAL_PARTS:
        return False
    for row in rows:
        parts = [part for part in matches(page, row) if isinstance(getattr(part.root, "tag", None), str)]
        if number <= len(parts) < 2 * number:
            own = [text for part in parts if (text := matches(part, selector).get())]
            if len(own) >= number and 2 * len(set(own)) > len(own):
                return True
    return False


@dataclass(slots=True)
class _Page:
    """The outputs of a page's callback so far, those lost in pipelines, and whether it raised an exception."""

    fields: PageItems
    items: int = 0
    lost: int = 0
    requests: int = 0
    error: Exception | None = None

    def fail(self, error: Exception) -> None:
        """Record the exception, unless the callback ends the crawl on purpose."""
        self.error = None if isinstance(error, CloseSpider) else error

    def counts(self, response: PrunedMixin, callback: str, *, silent: bool) -> dict[str, int]:
        """Return the counts of the page by name; `silent`: it yielded neither an item nor a request."""
        pruned, usage = response.tps.pruned, response.tps.selector_usage
        how = "pruned" if pruned else "whole"
        counts = {f"{how}_pages": 1, f"{how}_items": self.items, "items": self.items - self.lost}
        if usage.looked:
            counts |= {f"fallback/{kind}": number for kind, number in usage.figures().items()}
        if self.error is not None:
            counts |= {f"errors/{error_with_place(self.error, callback)}": 1, "callback_errors": 1}
        # the outputs before an exception are not all of the page
        if self.error is not None or not self.items:
            counts |= {"pages_without_items": 1, "pages_without_output": int(silent)}
        if pruned and not page_of(response.tps).settings.fallback:
            counts["without_fallback"] = 1
        return counts


class TpsSpiderMiddleware(BaseSpiderMiddleware):
    """Counts per site the scraped items and their filled fields, the pages without items, and those without requests,
    too.

    Pages whose callback raised an exception count as pages without items, and are also counted separately.

    With ``TPS_ITEM_FIELD`` each item gets a field that says how its page was pruned: ``outcome``, ``strategy``,
    ``reduction``, ``raw_nodes``, ``kept_nodes``. Everything else passes unchanged. When the callback has ended, the
    response stops holding its tree. Of responses without ``tps`` (JSON, other components) only the items are counted.

    Items that pipelines drop, or fail on, are not counted. Raises ``NotConfigured`` if ``TPS_ENABLED`` is off.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not crawl_setting(crawler.settings, "TPS_ENABLED"):
            raise NotConfigured("TPS_ENABLED is False")
        self._figures = figures_of(crawler)
        self._guard = self._figures.guard
        self._stamped_field: str | None = crawl_setting(crawler.settings, "TPS_ITEM_FIELD")
        self._unstampable: set[type] = set()
        self._parsed: dict[int, _Page] = {}  # by id of the response: those whose output is being passed on
        self._depth_limit: int = crawler.settings.getint("DEPTH_LIMIT")
        self._fields = KnownFields()
        self._titles: dict[str, tuple[int, str]] = {}  # filled fields, and the title
        self._probed: Counter[UseKey] = Counter()
        self._shapes: dict[UseKey, set[str]] = {}  # of the addresses of pages with a match

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(crawler)
        # not item_scraped: a handler costs a hundredth of a page per item
        crawler.signals.connect(middleware.item_lost, signal=signals.item_dropped)
        crawler.signals.connect(middleware.item_lost, signal=signals.item_error)
        crawler.signals.connect(middleware.request_dropped, signal=signals.request_dropped)
        return middleware

    def item_lost(self, response: Response | None) -> None:
        """Subtract an item that a pipeline dropped, or failed on, from those of its page."""
        if (page := self._parsed.get(id(response))) is not None:
            page.lost += 1
        elif response is not None:
            self._figures.add(self._figures.site_of(response.url), {"items": -1})

    def request_dropped(self, request: Request) -> None:
        """Count a redirect to an address that another request has already fetched."""
        if addresses := request.meta.get("redirect_urls"):
            site = self._figures.site_of(addresses[0])
            self._figures.add(site, {f"redirected/{kept_text(request.url)}": 1})

    def process_spider_input(self, response: Response) -> None:
        """Watch the selectors of the page's callback, if more of their values are to be remembered."""
        memory = self._figures.memory
        if memory is not None and isinstance(response, PrunedMixin) and response.status == HTTPStatus.OK:
            with self._guard(FIGURES):
                memory.begin(self._place(response), response.tps.selector_usage)

    def _place(self, response: Response) -> tuple[str, str]:
        """Return the site and the callback of a page."""
        callback = callback_name(response.request) if response.request is not None else ""
        return self._figures.site_of(response.url), callback

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterable[Any]:  # type: ignore[override]
        """Pass everything on, remember items, and count pages without items."""
        with self._parsing(response) as page:
            for output in result:
                self._see(output, response, page)
                yield output

    async def process_spider_output_async(  # type: ignore[override]
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Do the same as :meth:`process_spider_output`."""
        with self._parsing(response) as page:
            async for output in result:
                self._see(output, response, page)
                yield output

    def process_spider_exception(self, response: Response, exception: Exception) -> None:
        """Count a page whose callback raised.

        A callback that is a generator raises again when its output is passed on, and is counted there, unless another
        middleware replaces the output.
        """
        page = self._parsed.get(id(response)) or _Page(PageItems(response.url))
        page.fail(exception)
        if id(response) not in self._parsed:
            self._through_with(response, page)

    @contextmanager
    def _parsing(self, response: Response) -> Iterator[_Page]:
        """Count the page when its callback has ended; if its output is abandoned half-way, count only the items."""
        page = self._parsed[id(response)] = _Page(PageItems(response.url))
        try:
            yield page
        except Exception as error:
            page.fail(error)
            self._through_with(response, page)
            raise
        except GeneratorExit:
            self._count_items(response, page)
            raise
        else:
            self._through_with(response, page)
        finally:
            self._parsed.pop(id(response), None)

    def _see(self, output: Any, response: Response, page: _Page) -> None:
        if output is None:
            return
        if isinstance(output, Request):
            page.requests += 1
            return
        page.items += 1
        try:
            page.fields.add(output)
        except Exception as error:  # items are the spider's, and may do anything
            self._guard.failed(FIGURES, error)
        if self._stamped_field is not None and isinstance(response, PrunedMixin):
            self._stamp(output, self._stamped_field, response.tps)

    def _stamp(self, item: Any, field: str, pruning: Pruning) -> None:
        """Write into an item how its page was pruned."""
        from itemadapter import ItemAdapter  # noqa: PLC0415 (imports pydantic if that is installed: 7 MiB)

        strategy = pruning.strategy
        stamp = {
            "outcome": pruning.outcome,
            "strategy": strategy if strategy is None or isinstance(strategy, str) else repr(strategy),
            "reduction": round(pruning.reduction, 4),
            "raw_nodes": pruning.raw_nodes,
            "kept_nodes": pruning.kept_nodes,
        }
        try:
            ItemAdapter(item)[field] = stamp
        except Exception as error:  # items are the spider's, and may do anything
            self._figures.add_stat("tps/items/not_stamped")
            if type(item) not in self._unstampable:
                self._unstampable.add(type(item))
                told = type(item).__name__, field, printable(str(error))
                message = "Items of %s cannot have the field %s (TPS_ITEM_FIELD): %s"
                self._guard.log(logger, logging.WARNING, message, *told)

    def _through_with(self, response: Response, page: _Page) -> None:
        """Count a page whose callback has ended, and release its tree."""
        if not isinstance(response, PrunedMixin):  # JSON, or the response of another component
            self._count_items(response, page)
            return
        try:
            self._count_page(response, page)
        except Exception as error:  # an error in the figures must not cost a page
            self._guard.failed(FIGURES, error)
        response.release_selector()

    def _count_items(self, response: Response, page: _Page) -> None:
        if page.items:
            self._figures.add(self._figures.site_of(response.url), {"items": page.items - page.lost})

    def _count_page(self, response: PrunedMixin, page: _Page) -> None:
        figures, (site, callback) = self._figures, self._place(response)
        usage = response.tps.selector_usage
        silent = not (page.items or page.requests or self._too_deep(response))
        counts = page.counts(response, callback, silent=silent)
        sparse = self._is_sparse(callback, response, page, silent=silent)
        if (sparse or page.items) and (title := self._sparse_title(site, response, page, sparse=sparse)):
            counts |= {f"sparse/{title}": 1, "walls": int(looks_like_wall(response, title))}
            if response.meta.get("redirect_urls"):
                counts[f"redirected/{kept_text(response.url)}"] = 1
        selectors = [(use_key(callback, "", name), use) for name, use in usage.selectors.items()]
        counts["taken/TPS_DROP"] = self._probe(response, selectors)
        uses = [selector_use(key, use) for key, use in selectors]
        if usage.texts:
            counts["text/pages"] = 1
            uses.append((use_key(callback, "", PAGE_TEXT), usage.texts, usage.texts, 0, 0, 0, 0, 0, 0))
        if response.status < HTTPStatus.MULTIPLE_CHOICES:  # errbacks get most others
            counted = self._fields.counts(callback, page.fields) if page.items else ()
            uses += self._fields.missing(callback) if silent else counted
        counts |= {f"garbled/{kept_text(name)}": 1 for name in page.fields.garbled}
        counts |= {f"whole_page/{kept_text(name)}": 1 for name in self._of_whole_page(response, page)}
        figures.add(site, counts, uses, self._unexpected(response.url, uses))
        if figures.memory is not None and response.status == HTTPStatus.OK:
            well = page.error is None and not silent
            figures.memory.end(
                (site, callback), response.url, usage, partial(sampled_page, response), well=well
            )

    def _of_whole_page(self, response: PrunedMixin, page: _Page) -> Iterator[str]:
        """Yield selectors that take the same match of the whole page for each of its parts."""
        pruned, uses = page_of(response.tps), response.tps.selector_usage.selectors
        for selector, use in uses.items():
            if use.absolute >= SEVERAL_PARTS:
                yield selector
            elif use.of_page >= SEVERAL_PARTS <= page.items and pruned.root is not None:
                rows = (other for other, row in uses.items() if row.of_page)
                with pruned.lock:
                    whole = Selector(root=pruned.root, type="html")
                    if is_first_for_all(whole, selector, rows, page.fields):
                        yield selector

    def _unexpected(self, url: str, uses: list[PageUse]) -> set[UseKey]:
        """Return selectors and fields that are missing on a page, and have never been on one with such an address: the
        later pages of a crawl, breadth first, may be of another kind.
        """
        keys = _QUERY_KEYS.findall(url) if "?" in url else ()
        shape = f"{url.count('/')} {url[-1].isdigit()} {' '.join(keys)}"  # a text knows its hash
        missing = set()
        for key, _, found, original, *_ in uses:
            shapes = self._shapes.get(key)
            if found or original:
                if shapes is None and len(self._shapes) < MOST_PROBED:
                    shapes = self._shapes[key] = set()
                if shapes is not None and len(shapes) < MOST_SHAPES:
                    shapes.add(shape)
            elif shapes and shape not in shapes:
                missing.add(key)
        return missing

    def _is_sparse(self, callback: str, response: PrunedMixin, page: _Page, *, silent: bool) -> bool:
        """Whether a page yielded almost nothing, compared with others of its callback, and not because of pruning."""
        usage = response.tps.selector_usage
        found = len([use for use in usage.selectors.values() if use.found or use.original])
        sparse = self._fields.is_sparse(callback, page.fields, (len(usage.selectors), found))
        if not sparse or page.error is not None or not (silent or (page.items > 0 and not page.requests)):
            return False
        lossless = page_of(response.tps).settings.fallback and not (usage.texts and usage.on_text is None)
        return lossless or not response.tps.pruned or looks_like_wall(response, page_title(response))

    def _sparse_title(self, site: str, response: PrunedMixin, page: _Page, *, sparse: bool) -> str:
        """Return the title of a page that yielded almost nothing, unless the site's fullest page has the same."""
        most, good = self._titles.get(site, (0, ""))
        if sparse:
            title = page_title(response)
            return "" if title == good else title
        fullest = max((found.fullest for _, found in page.fields), default=0)
        if fullest > most and (most or len(self._titles) < MOST_TITLES):
            self._titles[site] = fullest, page_title(response)
        return ""

    def _probe(self, response: PrunedMixin, selectors: list[tuple[UseKey, SelectorUse]]) -> int:
        """Try selectors that found nothing on the removed parts, on a few pages for each. Return how many match in
        parts removed by ``TPS_DROP``.
        """
        page = page_of(response.tps)
        dropped = page.stored or response.raw_body is None
        if not response.tps.pruned or dropped or (page.settings.fallback and not page.settings.drop):
            return 0
        original, taken = None, 0
        for key, use in selectors:
            if use.found or use.original or len(self._probed) >= MOST_PROBED or self._probed[key] >= PROBES:
                continue
            self._probed[key] += 1
            original = original or response.original.selector
            use.taken = int(bool(matches(original, key.name)))
            taken += use.taken
        return taken if page.settings.fallback else 0

    def _too_deep(self, response: Response) -> bool:
        """Whether requests of the page are dropped (``DEPTH_LIMIT``) before they arrive here."""
        if not self._depth_limit or response.request is None:
            return False
        return int(response.meta.get("depth", 0)) >= self._depth_limit
