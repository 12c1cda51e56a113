"""Prune one page (decode, parse, walk, select, cut) and record what was done."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lxml import etree

from scrapy_tps.engine import native
from scrapy_tps.engine.cutting import cut, kept_mask, matching
from scrapy_tps.engine.gc_pause import collection_paused
from scrapy_tps.engine.html import document
from scrapy_tps.engine.html.elements import PlainElements
from scrapy_tps.engine.outcomes import (
    EMPTY,
    EXCLUDED,
    NO_BODY,
    NO_REGION,
    NOT_HTML,
    PRUNED,
    TOO_DEEP,
    TOO_LARGE,
    TOO_SMALL,
)
from scrapy_tps.engine.page_settings import PageSettings
from scrapy_tps.engine.pruning import Pruning
from scrapy_tps.engine.strategies import Selection, load_strategy
from scrapy_tps.settings.definitions import page_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy_tps.engine.journal import Journal
    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.engine.strategies import Strategy


logger = logging.getLogger(__name__)


def prune(
    body: bytes | str,
    *,
    url: str | None = None,
    encoding: str | None = None,
    settings: Mapping[str, Any] | PageSettings | None = None,
) -> Pruning:
    """Strip a page to its main-content region.

    :param body: the page; bytes are decoded as Scrapy does.
    :param url: its address, for ``base_url`` of the tree.
    :param encoding: the encoding that the server declared.
    :param settings: a mapping of ``TPS_*`` names; strings are accepted as from ``scrapy -s``.
    :return: the page and the account of what happened. Never raises because of markup: a page that can't be processed
        is kept whole, and ``outcome`` says why.
    :raises ValueError: on an unknown setting or a wrong value.
    :raises TypeError: if `body` is neither bytes nor str.
    """
    if not isinstance(body, (bytes, str)):
        raise TypeError(f"body must be bytes or str, not {type(body).__name__}")
    return prune_page(body, None, page_settings(settings), url=url, encoding=encoding)


def prune_page(
    source: bytes | str,
    page: bytes | str | None,
    settings: PageSettings,
    *,
    url: str | None = None,
    encoding: str | None = None,
    memory: Any = None,
) -> Pruning:
    """Like :func:`prune`, with checked settings and, if the caller has already read the `page`, the result of that.

    See :func:`scrapy_tps.engine.html.document.read`.

    :param memory: what methods of the literature remember of its site, to which they add the page. Other strategies
        have no use for it.
    """
    pruning = Pruning(source, EXCLUDED, url=url, encoding=encoding)
    pruning.strategy, pruning.links, pruning.ask = settings.strategy, settings.links, settings.ask
    if not settings.enabled:
        pruning.excluded_by = settings.switch
        return pruning
    if len(source) > settings.max_bytes:
        pruning.outcome = TOO_LARGE
        return pruning
    try:
        with collection_paused():
            _prune(pruning, page, settings, memory)
    except (
        etree.LxmlError,
        ValueError,
        LookupError,
        TypeError,
        ArithmeticError,
        MemoryError,
        RecursionError,
    ) as error:
        # markup of any kind and own strategies end here: the page is kept whole and the caller can see why
        logger.debug("The page %s is kept whole", url or "", exc_info=True)
        pruning.failed(error)
    if not settings.keep_original and pruning.pruned:
        pruning.source = None
    return pruning


def _prune(
    pruning: Pruning,
    text: bytes | str | None,
    settings: PageSettings,
    memory: Any,
) -> None:
    clock, timings = time.perf_counter, pruning.timings
    started = clock()
    if isinstance(pruning.source, bytes) and document.is_binary(pruning.source):
        pruning.outcome = NOT_HTML
        return
    if text is None:
        text = document.read(pruning.source or b"", pruning.encoding)
    timings["decode"] = -started + (started := clock())
    blank = not text or text.isspace()
    if blank or not document.is_html(text):
        pruning.outcome = EMPTY if blank else NOT_HTML
        return
    page = document.parse(text, pruning.url)
    timings["parse"] = -started + (started := clock())
    if not page.folded:
        pruning.parsed(page.root)
    if page.body is None:
        pruning.outcome = NO_BODY
        return
    # an element takes three characters (or bytes) at least; counting costs a hundredth of walking
    if len(text) > 3 * document.MAX_NODES < 3 * page.body.xpath("count(descendant::*)"):
        pruning.outcome = TOO_LARGE
        return
    strategy = load_strategy(settings.strategy)
    own = _is_own(strategy, settings)
    sequence = native.walk(page.body, None if own else getattr(strategy, "reads", None))
    timings["walk"] = -started + (started := clock())
    nodes = pruning.raw_nodes = pruning.kept_nodes = len(sequence)
    pruning.raw_chars = pruning.kept_chars = sequence.visible()
    if sequence.depth >= document.MAX_DEPTH:
        # what libxml2 left out of the tree is still in the text: only the original has it all
        pruning.outcome = TOO_DEEP
        pruning.parsed(None)
        return
    if nodes > document.MAX_NODES:
        pruning.outcome = TOO_LARGE
        return
    if nodes < settings.min_nodes:
        selection = Selection(TOO_SMALL)
    else:
        if memory is not None and hasattr(strategy, "remembering"):
            strategy = strategy.remembering(memory, pruning.url or "")
        ratio = pruning.size_ratio = (
            strategy.size_ratio if settings.size_ratio is None else settings.size_ratio
        )
        if own:
            sequence.hold()
            selection = strategy.select(sequence, ratio, settings)
        else:
            with PlainElements(page.body):
                selection = strategy.select(sequence, ratio, settings)
    timings["strategy"] = -started + (started := clock())
    _apply(pruning, page, sequence, selection, settings)
    timings["cut"] = clock() - started


def _is_own(strategy: Strategy, settings: PageSettings) -> bool:
    """Whether code of the user gets to see the elements, and may do what it likes with them."""
    return settings.content_check is not None or not type(strategy).__module__.startswith("scrapy_tps.")


def _apply(
    pruning: Pruning,
    page: document.Document,
    sequence: TagPathSequence,
    selection: Selection,
    settings: PageSettings,
) -> None:
    pruning.outcome, pruning.splits = selection.outcome, selection.splits
    # what a strategy only informs about stays, whatever TPS_DROP removes
    chosen = selection.outcome == PRUNED
    pruning.spans = selection.spans if chosen else [span._replace(kept=True) for span in selection.spans]
    with PlainElements(page.body):
        named = matching(page.root, settings.keep)
    mask = kept_mask(sequence, selection, settings, named)
    if 0 not in mask:
        if pruning.outcome == PRUNED:
            pruning.outcome = NO_REGION
        return
    pruning.cut(page.root, mask, sequence.visible(mask))
    pruning.cutting = {
        "keep": list(settings.keep),
        "drop": list(settings.drop),
        "keep_head": settings.keep_head,
        "keep_data": settings.keep_data,
    }
    if not settings.keep_original:
        pruning.explain(sequence)
    journal = cut(sequence, mask, settings, named)
    if settings.keep_original:
        pruning.journal = journal


def cut_again(pruning: Pruning) -> tuple[Any, Journal] | None:
    """Return the tree and the journal of a page that was stored, or copied, without them.

    None where the page as downloaded is not there, or reads otherwise than when it was pruned.
    """
    if pruning.source is None or not pruning.mask:
        return None
    page = document.parse(document.read(pruning.source, pruning.encoding), pruning.url)
    if page.body is None:
        return None
    sequence = native.walk(page.body)
    if len(sequence) != len(pruning.mask):
        return None
    settings = replace(PageSettings(), **pruning.cutting)
    with PlainElements(page.body):
        named = matching(page.root, settings.keep)
    return page.root, cut(sequence, bytearray(pruning.mask), settings, named)
