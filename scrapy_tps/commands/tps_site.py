"""``scrapy tps-site``: what is known of sites: learn it, look at it, merge it, forget it."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.http import HtmlResponse, Request
from scrapy.utils.spider import DefaultSpider
from w3lib.url import is_url

from scrapy_tps.downloadermiddlewares.models import is_page_of_site
from scrapy_tps.engine.prune import prune
from scrapy_tps.report.terminal import complain, write
from scrapy_tps.settings.crawl import META_KEY
from scrapy_tps.settings.definitions import crawl_setting, page_settings
from scrapy_tps.sites.model import SiteModel
from scrapy_tps.sites.store import SiteStore
from scrapy_tps.stats.database import StoreError
from scrapy_tps.stats.figures import counted
from scrapy_tps.stats.site_names import site_function
from scrapy_tps.statscollectors import in_data_directory

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Callable

    from scrapy.http import Response

_NO_CRAWL: Final[dict[str, Any]] = {
    "TPS_STATS_FILE": None,
    "TPS_REPORT": [],
    "TPS_SITE": "off",
    "FEEDS": {},
    "ITEM_PIPELINES": {},
}


class Command(ScrapyCommand):
    """Learn, show, merge and forget models of sites.

    The exit code is 0 if that was done, 1 if a page or a file can't be had or nothing is known of a site, and 2 if the
    options are wrong.
    """

    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}

    def syntax(self) -> str:
        return "[options] learn URL|FILE … | show [SITE …] | merge FILE … | forget SITE …"

    def short_desc(self) -> str:
        return "Learn, show, merge or forget what scrapy-tps knows of sites"

    def long_desc(self) -> str:
        return (
            "What is known of sites is in TPS_SITE_FILE. 'learn' teaches the model of each page's site, from URLs or, "
            "with --site, from files; 'show' lists the sites, or what is known of some; 'merge' takes over what other "
            "crawls have learnt, from their files; 'forget' deletes what is known of sites. The exit code is 0 when "
            "that was done, 1 when a page or a file can't be had or nothing is known of a site, 2 when options are "
            "wrong."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        group = parser.add_argument_group(title="Sites")
        group.add_argument("--site", metavar="NAME", help="learn: the site that the files are pages of")
        group.add_argument("--json", action="store_true", help="show: as JSON")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        does: dict[str, Callable[[list[str], argparse.Namespace], None]] = {
            "learn": self._learn,
            "show": self._show,
            "merge": self._merge,
            "forget": self._forget,
        }
        if not args or args[0] not in does:
            raise UsageError(f"say what to do: {', '.join(does)}")
        if len(args) == 1 and args[0] != "show":
            raise UsageError(f"say what to {args[0]}")
        if crawl_setting(self.settings, "TPS_SITE_FILE") is None:
            raise UsageError("TPS_SITE_FILE is None: nothing is kept", print_help=False)
        try:
            does[args[0]](args[1:], opts)
        except StoreError as error:
            self._fail(str(error))

    def _open(self, *, create: bool = False) -> SiteStore:
        path = in_data_directory(crawl_setting(self.settings, "TPS_SITE_FILE"))
        return SiteStore(
            path,
            pages=crawl_setting(self.settings, "TPS_SITE_PAGES"),
            most_sites=crawl_setting(self.settings, "TPS_SITE_FILE_SITES"),
            create=create,
        )

    def _learn(self, names: list[str], opts: argparse.Namespace) -> None:
        files = [name for name in names if not is_url(name)]
        if files and not opts.site:
            raise UsageError("--site says which site files are pages of", print_help=False)
        lessons = _Lessons(self.settings)
        for name in files:
            body = self._read(name)
            if body is not None:
                self._tell(name, lessons.learn(opts.site, body, Path(name).absolute().as_uri(), None))
        if urls := [name for name in names if is_url(name)]:
            self._fetch(urls, lessons)
        with closing(self._open(create=True)) as store:
            store.merge(lessons.models.items())
        write(lessons.told())

    def _tell(self, name: str, outcome: str) -> None:
        if outcome:
            self._fail(f"{name} teaches nothing: {outcome}")

    def _read(self, name: str) -> bytes | None:
        try:
            return Path(name).read_bytes()
        except OSError as error:
            self._fail(f"{name} can't be read: {error.strerror}")
            return None

    def _fetch(self, urls: list[str], lessons: _Lessons) -> None:
        assert self.crawler_process is not None
        site_of = site_function(crawl_setting(self.settings, "TPS_STATS_SITE"))

        def page(response: Response) -> None:
            if not isinstance(response, HtmlResponse):
                self._fail(f"{response.url} is not HTML")
                return
            assert response.request is not None
            if not is_page_of_site(response.request, response):
                self._fail(f"{response.url} came instead of a page of the site, and teaches nothing")
                return
            url = response.url
            self._tell(url, lessons.learn(site_of(url), response.body, url, response.encoding))

        def failed(failure: Any) -> None:
            self._fail(f"{failure.request.url} can't be fetched: {failure.getErrorMessage() or failure.type}")

        class Learner(DefaultSpider):
            async def start(self) -> AsyncIterator[Any]:
                for url in urls:
                    yield Request(url, page, errback=failed, dont_filter=True, meta={META_KEY: False})

            @classmethod
            def update_settings(cls, settings: Any) -> None:
                super().update_settings(settings)
                settings.setdict(_NO_CRAWL, "cmdline")

        self.crawler_process.crawl(Learner)
        self.crawler_process.start()

    def _show(self, sites: list[str], opts: argparse.Namespace) -> None:
        with closing(self._open()) as store:
            found = []
            for site in sites or store.sites():
                model, queries = store.load(site), store.queries(site)
                if model is None and queries is None:
                    told = f"nothing is known of {site}"
                    if Path(site).is_file():
                        told += f": -s TPS_SITE_FILE={site} shows what is in that file"
                    self._fail(told)
                else:
                    known = SiteModel(store.pages) if model is None else model
                    found.append(_described(site, known, len(queries[1]) if queries else 0))
        if opts.json:
            write(json.dumps(found, indent=2) + "\n", "json")
        elif found:
            lines = ["pages  epoch  texts  bytes  queries  model             site"]
            for one in found:
                barred = "" if one["removes"] else "  (removes nothing)"
                lines.append(
                    f"{one['pages']:5}  {one['epoch']:5}  {one['texts']:5}  {one['bytes']:5}  {one['queries']:7}  "
                    f"{one['digest']}  {one['site']}{barred}"
                )
            write("\n".join(lines) + "\n")

    def _merge(self, files: list[str], _: argparse.Namespace) -> None:
        with closing(self._open(create=True)) as store:
            for name in files:
                with closing(SiteStore(name, pages=store.pages)) as other:
                    sites = other.sites()
                    models = [(site, model) for site in sites if (model := other.load(site)) is not None]
                    queries = [(site, found) for site in sites if (found := other.queries(site)) is not None]
                gone = store.merge(models, queries)
                forgotten = f", {counted(gone, 'site')} forgotten (TPS_SITE_FILE_SITES)" if gone else ""
                write(f"{name}: {counted(len(sites), 'site')}{forgotten}\n")

    def _forget(self, sites: list[str], _: argparse.Namespace) -> None:
        with closing(self._open()) as store:
            known = set(store.sites())
            for site in sites:
                if site not in known:
                    self._fail(f"nothing is known of {site}")
            write(f"{counted(store.forget(sites), 'site')} forgotten\n")

    def _fail(self, message: str) -> None:
        complain(message)
        self.exitcode = 1


class _Lessons:
    """What pages teach."""

    def __init__(self, settings: Any) -> None:
        names = {name: settings[name] for name in settings if name in _PAGE_NAMES}
        self._page = page_settings({**names, "TPS_SITE": "full"})
        self._pages: int = crawl_setting(settings, "TPS_SITE_PAGES")
        self.models: dict[str, SiteModel] = {}

    def learn(self, site: str, body: bytes, url: str, encoding: str | None) -> str:
        """Learn what a page teaches; return its outcome where that is nothing, else an empty string."""
        model = self.models.get(site) or SiteModel(self._pages)
        pruning = prune(body, url=url, encoding=encoding, settings=self._page, site=model)
        if pruning.site_digest is None:
            return pruning.outcome
        self.models[site] = model
        return ""

    def told(self) -> str:
        return "".join(
            f"{site}: {counted(len(model), 'page')} known\n" for site, model in self.models.items()
        )


_PAGE_NAMES: Final = frozenset({"TPS_STRATEGY", "TPS_SIZE_RATIO", "TPS_MIN_NODES", "TPS_MAX_NODES"})


def _described(site: str, model: SiteModel, queries: int) -> dict[str, Any]:
    return {
        "site": site,
        "pages": len(model),
        "epoch": model.epoch,
        "texts": sum(len(reference.texts) for reference in model.references),
        "bytes": len(model.to_bytes()),
        "queries": queries,
        "digest": model.digest,
        "removes": model.known().removes,
    }
