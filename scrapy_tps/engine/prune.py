"""Prune one page (decode, parse, walk, select, cut) and record what was done."""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from operator import sub
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_tps.engine import native
from scrapy_tps.engine.cutting import cut as cut_tree
from scrapy_tps.engine.cutting import kept_mask, matching
from scrapy_tps.engine.explanation import explain
from scrapy_tps.engine.html import document
from scrapy_tps.engine.html.elements import plain_elements
from scrapy_tps.engine.html.serializer import write_page
from scrapy_tps.engine.outcomes import (
    EMPTY,
    ERROR,
    EXCLUDED,
    NO_BODY,
    NOT_HTML,
    TOO_DEEP,
    TOO_LARGE,
    TOO_SMALL,
)
from scrapy_tps.engine.pruned_page import Cut, Origin, PrunedPage, informing
from scrapy_tps.engine.strategies import Selection, load_strategy

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from scrapy_tps.engine.journal import Journal
    from scrapy_tps.engine.page_settings import PageSettings
    from scrapy_tps.engine.sequence.columns import TagPathSequence


logger = logging.getLogger(__name__)


class PageRead(NamedTuple):
    """A page as read, and its tag path sequence.

    :ivar refused: why the page cannot be pruned; None if it can.
    :ivar document: the parsed page; None if it was not parsed.
    :ivar tree: the ``html`` element of a tree that holds all of the page, else None.
    :ivar sequence: the walk of its body; None if it was not walked.
    :ivar chars: visible characters.
    """

    refused: str | None
    document: document.Document | None = None
    tree: HtmlElement | None = None
    sequence: TagPathSequence | None = None
    chars: int = 0


_NOT_READ, _FAILED = PageRead(None), Selection(ERROR)


def prune_page(
    source: bytes | str,
    settings: PageSettings,
    *,
    url: str | None = None,
    encoding: str | None = None,
    memory: object = None,
    decoded: bytes | str | None = None,
) -> PrunedPage:
    """Do the same as :func:`scrapy_tps.prune`, with checked settings.

    :param memory: the site memory of methods from the literature, to which they add the page. Other strategies do not
        use it.
    :param decoded: the page of a response, a result of :func:`~scrapy_tps.engine.html.document.parser_input`. The
        pruned page is then written in `encoding`.
    """
    origin = Origin(source, url, encoding)
    if not settings.enabled:
        return PrunedPage(origin, Selection(EXCLUDED), settings, excluded_by=settings.switch)
    if len(source) > settings.max_bytes:
        return PrunedPage(origin, Selection(TOO_LARGE), settings)
    started, ends = time.perf_counter(), dict[str, float]()
    read, selection, ratio, cut, failure = _NOT_READ, _FAILED, None, None, None
    root = written = None
    try:
        read = _read(origin, decoded, ends)
        selection, ratio = _choose(read, settings, url, memory)
        if not read.refused:
            ends["strategy"] = time.perf_counter()
            cut = _cut(read, selection, settings)
            ends["cut"] = time.perf_counter()
        root = read.tree if cut is None or read.document is None else read.document.root
        if decoded is not None and root is not None:
            original = None if cut is None else source
            written = write_page(root, decoded, url or "", encoding or "utf-8", original)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        # failures on any markup, or of user strategies, end here: the page is not pruned, and the caller can see why
        logger.debug("The page %s is not pruned", url or "", exc_info=True)
        selection, failure = _FAILED, described(error)
        cut = root = None
    return PrunedPage(
        origin if cut is None or settings.keep_original else origin._replace(source=None),
        selection,
        settings,
        nodes=0 if read.sequence is None else len(read.sequence),
        chars=read.chars,
        root=root,
        size_ratio=ratio,
        cut=cut,
        timings=dict(zip(ends, map(sub, ends.values(), (started, *ends.values())), strict=True)),
        error=failure,
        written=written,
    )


def described(error: BaseException) -> str:
    """Return type and text of an exception, whose text may itself raise."""
    text = type(error).__name__
    with suppress(Exception):
        text += f": {error}"
    return text


def _read(origin: Origin, text: bytes | str | None, ends: dict[str, float]) -> PageRead:
    """Decode, parse and walk a page; `ends` gets the time at the end of each step."""
    source, url, encoding = origin
    if isinstance(source, bytes) and source.startswith(document.BINARY_STARTS):
        return PageRead(NOT_HTML)
    assert source is not None
    if text is None:
        text = document.parser_input(source, encoding)
    ends["decode"] = time.perf_counter()
    if not text or text.isspace():
        return PageRead(EMPTY)
    if not document.is_html(text):
        return PageRead(NOT_HTML)
    page = document.parse(text, url)
    ends["parse"] = time.perf_counter()
    tree = None if page.folded else page.root
    if page.body is None:
        return PageRead(NO_BODY, page, tree)
    # an element takes at least three characters (or bytes); counting costs a hundredth of walking
    if len(text) > 3 * document.MAX_NODES < 3 * page.body.xpath("count(descendant::*)"):
        return PageRead(TOO_LARGE, page, tree)
    sequence = native.walk(page.body)
    ends["walk"] = time.perf_counter()
    chars = sequence.visible()
    if sequence.depth >= document.MAX_DEPTH:
        # the text still has the parts that libxml2 left out of the tree: only the original is complete
        return PageRead(TOO_DEEP, page, None, sequence, chars)
    refused = TOO_LARGE if len(sequence) > document.MAX_NODES else None
    return PageRead(refused, page, tree, sequence, chars)


def _choose(
    read: PageRead, settings: PageSettings, url: str | None, memory: object
) -> tuple[Selection, float | None]:
    """Return the selection of the strategy, and the ratio in effect; None if the strategy did not run."""
    if read.refused or read.sequence is None or read.document is None:
        return Selection(read.refused or NOT_HTML), None
    if len(read.sequence) < settings.min_nodes:
        return Selection(TOO_SMALL), None
    strategy: Any = load_strategy(settings.strategy)
    # user code gets the elements, and may change them
    check = getattr(strategy, "content_check", None)
    own = check is not None or not type(strategy).__module__.startswith("scrapy_tps.")
    if memory is not None and hasattr(strategy, "remembering"):
        strategy = strategy.remembering(memory, url or "")
    ratio = strategy.size_ratio if settings.size_ratio is None else settings.size_ratio
    if own:
        read.sequence.hold()
        return strategy.select(read.sequence, ratio, settings), ratio
    with plain_elements(read.document.body):
        return strategy.select(read.sequence, ratio, settings), ratio


def _cut(read: PageRead, selection: Selection, settings: PageSettings) -> Cut | None:
    """Cut the tree of a page to a selection; None if nothing is removed."""
    page, sequence = read.document, read.sequence
    assert page is not None
    assert sequence is not None
    named = matching(page.root, settings.keep) if settings.keep else set()
    mask = kept_mask(sequence, selection, settings, named)
    if 0 not in mask:
        return None
    chars, explanation = sequence.visible(mask), None
    if not settings.keep_original:
        explanation = explain(sequence, informing(selection), mask, settings)
    journal = cut_tree(sequence, mask, settings, named)
    return Cut(mask, chars, journal if settings.keep_original else None, explanation)


def cut_again(pruned: PrunedPage) -> tuple[HtmlElement, Journal] | None:
    """Return the tree and the journal of a page that was stored or copied without them.

    None if the page as downloaded is missing, or reads differently than when it was pruned.
    """
    mask = pruned.mask
    if pruned.origin.source is None or not mask:
        return None
    page = pruned.read_again()
    if page.body is None:
        return None
    sequence = native.walk(page.body)
    if len(sequence) != len(mask):
        return None
    named = matching(page.root, pruned.settings.keep)
    return page.root, cut_tree(sequence, bytearray(mask), pruned.settings, named)
