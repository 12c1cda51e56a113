"""Every ``TPS_*`` setting: defined once, with type, default, range and help.

Validation, the per-page settings of the engine and the reference page of the documentation derive from
:data:`SETTINGS`. Nothing here imports Scrapy, because :func:`scrapy_tps.prune` accepts the same names.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy_tps.engine.page_settings import INVISIBLE, PageSettings
from scrapy_tps.engine.strategies import GUARDED, LITERATURE
from scrapy_tps.settings import parsing as values
from scrapy_tps.settings.parsing import REPORT_FORMATS, ShadowCheck, shown

if TYPE_CHECKING:
    from scrapy_tps.settings.parsing import Parser


@dataclass(frozen=True)
class Setting:
    """One setting.

    :param name: ``TPS_*`` name.
    :param default: value when the user sets none, in the form :meth:`parse` returns.
    :param parser: converts user input (including strings) to the value; raises on invalid input.
    :param allowed: the allowed values, for messages and the reference page.
    :param help: what the setting does, one or more sentences.
    :param per_page: whether it may be overridden per domain and per request.
    """

    name: str
    default: Any
    parser: Parser = field(repr=False)
    allowed: str
    help: str
    per_page: bool = False

    def parse(self, value: Any) -> Any:
        """Return the checked value; raise ``ValueError`` with name, value and allowed values."""
        return values.checked(self.name, value, self.parser, self.allowed)

    @property
    def attribute(self) -> str:
        """The attribute of :class:`PageSettings` for this setting."""
        return self.name.removeprefix("TPS_").lower()


def _page(name: str, parser: Parser, allowed: str, help: str) -> Setting:  # noqa: A002 (the field is called so)
    """Define a setting that can be overridden per domain and request, with the engine's default."""
    default = getattr(PageSettings(), name.removeprefix("TPS_").lower())
    return Setting(name, default, parser, allowed, help, per_page=True)


_FLAG = "True or False"
_METHODS = ", ".join(f"``{name}``" for name in LITERATURE)
#: Bounds of numbers without other bounds: far above any need, and far below the 64 bits of SQLite and compiled code.
_BILLION = 1_000_000_000
_TEBIBYTE = 1024**4
_SELECTORS = "a CSS selector or XPath of elements, or a list of them"

SETTINGS: Mapping[str, Setting] = {
    setting.name: setting
    for setting in (
        _page("TPS_ENABLED", values.boolean, _FLAG, "Whether pages are pruned at all."),
        _page(
            "TPS_STRATEGY",
            values.strategy,
            "auto, tps, aggressive, paper, a method from the literature, or the import path of a strategy",
            "How to choose what stays: ``auto`` gives priority to records, ``tps`` uses tag path sequences alone, "
            "``aggressive`` removes more at a higher risk, and ``paper`` is the algorithm as published. With the extra "
            f"``literature`` also {_METHODS}, each with or without ``{GUARDED}`` after its name.",
        ),
        _page(
            "TPS_SIZE_RATIO",
            partial(values.optional, parse=partial(values.number, low=0.0, below=1.0)),
            "a number from 0 to less than 1, or None for the strategy's own default",
            "How uneven a split must be before its smaller side may be removed. The higher it is, the less every "
            "strategy removes. Below its default, ``auto`` removes more and begins to lose records. None means "
            "0.80 in ``auto``, ``aggressive`` and ``tps``, and 0.20 in ``paper``.",
        ),
        _page(
            "TPS_MIN_NODES",
            *values.whole_numbers(0, _BILLION),
            "Pages whose tag path sequence has fewer nodes are not pruned (outcome ``too_small``).",
        ),
        _page(
            "TPS_MAX_BYTES",
            partial(values.integer, low=1, high=_TEBIBYTE),
            f"a number of bytes from 1 to {_TEBIBYTE:,}",
            "Pages with a larger body are not pruned, and scrapy-tps does not parse them (outcome ``too_large``). "
            "The same holds for pages of more than a million nodes.",
        ),
        _page(
            "TPS_KEEP",
            values.selectors,
            _SELECTORS,
            "Elements that always stay, with everything inside them, also in the head, in ``noscript`` and "
            "in ``template``. They override ``TPS_DROP``. Selectors mean the same as in ``response.css()`` and "
            "``response.xpath()``. An invalid one, or one that cannot match elements, stops the crawl at start-up.",
        ),
        _page(
            "TPS_DROP",
            values.selectors,
            _SELECTORS,
            "Elements that are always removed, unless ``TPS_KEEP`` or a callback that reads text (``TPS_COMPARE``) "
            "needs something inside. Elements in the head, in ``noscript`` and in ``template`` are not matched.",
        ),
        _page(
            "TPS_KEEP_INVISIBLE",
            partial(values.chosen_words, among=INVISIBLE),
            "a list of head, data, forms",
            "Parts that spiders read but browsers don't show, and that stay. ``head``: ``title``, ``meta``, ``base`` "
            "and ``link`` (canonical, alternate, next …), in the head and in the body; ``meta`` and ``link`` with "
            "``itemprop`` stay if a part of their item does, and ``base`` always stays. ``data``: JSON-LD, scripts "
            "with ``json`` in their ``type``, state scripts such as ``__NEXT_DATA__``, scripts that assign a literal "
            "array or object to a name. ``forms``: the controls of forms with hidden or password inputs, without the "
            "text around them, so that the forms can be sent.",
        ),
        _page(
            "TPS_FALLBACK",
            values.boolean,
            _FLAG,
            "Selector fallback: whether a selector runs on the page as downloaded if it matches nothing on the "
            "pruned page, or only a part of a list. If it and ``TPS_COMPARE`` are off, and ``TPS_LINKS`` is "
            "``pruned``, a pruned response drops the raw bytes of the page and has no ``response.original``.",
        ),
        _page(
            "TPS_LINKS",
            partial(values.choice, among=("original", "pruned")),
            "original or pruned",
            "Whether ``CrawlSpider`` rules, link extractors, ``FormRequest.from_response`` and, with ``TPS_FALLBACK``, "
            "``response.follow_all`` use the original or the pruned page.",
        ),
        _page(
            "TPS_STATUS_CODES",
            values.status_codes,
            "a list of HTTP status codes",
            "Responses with any other status are not pruned (outcome ``excluded``).",
        ),
        Setting(
            "TPS_DOMAINS",
            {},
            values.mapping,
            "a dict of domain (or '*' for all others) to a dict of per-page settings, True or False",
            "Settings for a domain and its subdomains, each instead of the general one (also lists, such as "
            "``TPS_KEEP``). The longest matching domain wins. False means that pages of the domain are not pruned.",
        ),
        Setting(
            "TPS_ITEM_FIELD",
            None,
            partial(values.optional, parse=values.name),
            "the name of an item field, or None",
            "Item field that says how the item's page was pruned: outcome, strategy, reduction, nodes "
            "before and after. Items that cannot hold the field are counted and left unchanged.",
        ),
        Setting(
            "TPS_COMPARE",
            True,
            values.boolean,
            _FLAG,
            "Whether callbacks that read the text of pages, past the selectors (BeautifulSoup, item loaders, page "
            "objects, regular expressions), read some pages as downloaded, and run on the pruned text, too. Where the "
            "results differ, the lost part is kept on that site from then on.",
        ),
        Setting(
            "TPS_SHADOW",
            ShadowCheck(),
            values.shadow,
            "a number from 0 to 1, or a dict of share (from 0 to 1), limit (from 0 to 1) and ignore (a list of names)",
            "Shadow check: share of each site's pruned pages that the callback gets as downloaded, before it also "
            "runs on the pruned page. If that loses something, the lost part is kept from then on. ``limit`` is the "
            "share of a site's checked items, or requests, that may be lost or changed before that happens. "
            "If no setting keeps it, pruning is switched off for the site. With 0 one loss is enough; 1 disables this. "
            "``ignore`` names item fields that are not compared, such as a copy of the page's HTML.",
        ),
        Setting(
            "TPS_SELECTOR_PAGES",
            10,
            *values.whole_numbers(0, _BILLION),
            "Findings about selectors and fields: number of pages on which a selector must have been used, or of "
            "items with a blank field. A selector or field that stops must have found something on so many "
            "pages before; if only some pages had it, it must be missing on more. 0 disables these findings.",
        ),
        Setting(
            "TPS_STATS_FILE",
            "tps-stats.sqlite",
            partial(values.optional, parse=values.path),
            "a path, or None",
            "SQLite file that keeps the figures of all crawls. A relative path is relative to the "
            "project's data directory (``.scrapy``). With None, nothing is kept.",
        ),
        Setting(
            "TPS_REMEMBER_VALUES",
            True,
            values.boolean,
            _FLAG,
            "Whether ``TPS_STATS_FILE`` and ``TPS_STORE`` keep up to 20 values of each selector, cut at 200 "
            "characters, to propose another selector when it finds nothing any more. Values may be personal data.",
        ),
        Setting(
            "TPS_STORE",
            None,
            partial(values.optional, parse=values.store),
            "a redis://, rediss:// or unix:// URL, or None",
            "Redis (or Valkey, alone or as a cluster) for a distributed crawl: the processes share figures, "
            "settings found by the shadow check, and records seen. Needs the extra ``redis``, and "
            "``TPS_DISTRIBUTED_CRAWL``. If Redis cannot be reached at the start, the crawl does not start; later the "
            "crawl goes on without it.",
        ),
        Setting(
            "TPS_DISTRIBUTED_CRAWL",
            None,
            partial(values.optional, parse=values.distributed_crawl),
            "1 to 100 letters, digits and the signs . _ : @ + -, or None",
            "Name of the distributed crawl that this process is part of. Processes with the same ``TPS_STORE`` "
            "and ``TPS_DISTRIBUTED_CRAWL`` add up their figures there. ``TPS_STATS_FILE`` keeps the name with the "
            "crawl.",
        ),
        Setting(
            "TPS_STATS_SITE",
            "host",
            partial(values.choice, among=("host", "registered_domain")),
            "host or registered_domain",
            "The unit that counts as a site: a hostname without ``www.``, or a registered domain "
            "(``shop.example.co.uk`` belongs to ``example.co.uk``, by the public suffix list bundled with "
            "tldextract).",
        ),
        Setting(
            "TPS_REPORT",
            (),
            values.reports,
            f"a path or feed URI, or a list of them, ending in .{', .'.join(REPORT_FORMATS)}",
            "Location of the report, written at the end of a crawl by Scrapy's feed storages: a path, "
            "``file://``, ``s3://``, ``gs://``, ``ftp://`` … ``%(name)s`` stands for the spider's name, "
            "``%(time)s`` for the time. The file extension selects the format; ``.html`` needs the extra "
            "``report``.",
        ),
        Setting(
            "TPS_SAMPLES",
            0,
            *values.whole_numbers(0, 1000),
            "Number of pages of each site that are kept for ``scrapy tps-view``: this many of the newest "
            "and this many of the worst. The file is ``tps-samples.sqlite`` next to ``TPS_STATS_FILE``. 0 keeps "
            "none.",
        ),
    )
}


def check_name(name: str) -> Setting:
    """Return the setting of that name; if there is none, raise ``ValueError`` with the nearest names."""
    setting = SETTINGS.get(name)
    if setting is None:
        # without the prefix, which all names share
        known = {one.removeprefix("TPS_"): one for one in SETTINGS}
        near = difflib.get_close_matches(name.upper().removeprefix("TPS_"), known, n=3, cutoff=0.65)
        hint = f"; did you mean {', '.join(known[one] for one in near)}?" if near else ""
        raise ValueError(f"{name} is not a setting of scrapy-tps{hint}")
    return setting


def crawl_setting(settings: Any, name: str) -> Any:
    """Return the checked value of the setting `name` in a mapping or Scrapy's settings.

    Raises ``ValueError`` on a wrong value.
    """
    setting = SETTINGS[name]
    if name not in settings:
        return setting.default
    # not get(): Scrapy's treats a setting of None as not set, but None is a value for some of ours
    return setting.parse(settings[name])


def page_settings(
    mapping: Mapping[str, Any] | PageSettings | None, base: PageSettings | None = None
) -> PageSettings:
    """Check a mapping of ``TPS_*`` names and override `base` (default: the defaults) with it.

    Already checked settings are returned. Raises ``ValueError`` on a wrong value, an unknown name, or that of a setting
    of the whole crawl.
    """
    if isinstance(mapping, PageSettings):
        return mapping
    if not isinstance(mapping, Mapping | None):
        raise ValueError(f"settings is {shown(mapping)}; allowed: a mapping of TPS_* settings")
    chosen = {}
    for name, value in (mapping or {}).items():
        setting = check_name(str(name))
        if not setting.per_page:
            raise ValueError(f"{name} applies to a whole crawl only")
        chosen[setting.attribute] = setting.parse(value)
    # `replace` takes three times as long
    return PageSettings(**chosen) if base is None else replace(base, **chosen)
