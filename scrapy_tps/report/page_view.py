"""One page with its removed parts and the reasons, as one self-contained HTML file, as text and as JSON."""

from __future__ import annotations

import json
import tempfile
import webbrowser
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.page_settings import PageSettings
from scrapy_tps.engine.prune import prune_page
from scrapy_tps.engine.pruned_page import DROPPED, Pruning, page_of
from scrapy_tps.report.display import make_display
from scrapy_tps.report.page_data import (
    PageWalk,
    account,
    own_fate,
    records_data,
    sequence_data,
    tree_data,
    variant_data,
)
from scrapy_tps.report.selfcontained import render_file
from scrapy_tps.settings.definitions import page_settings
from scrapy_tps.stats.figures import counted
from scrapy_tps.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy.http import Response

    from scrapy_tps.engine.explanation import Region

SCRIPTS: Final = ("common.js", "tree.js", "plot.js", "pane.js", "view.js")
STYLES: Final = ("common.css", "view.css")


def compare_settings(settings: PageSettings, compare: Iterable[str]) -> list[PageSettings]:
    """Return one setting for each entry of `compare`: a strategy, or ``strategy:size_ratio``.

    :raises ValueError: on an unknown strategy or a wrong ratio.
    """
    named = (entry.strip().partition(":") for entry in compare)
    return [
        page_settings({"TPS_STRATEGY": name} | ({"TPS_SIZE_RATIO": ratio} if colon else {}), settings)
        for name, colon, ratio in named
    ]


def render_prunings(prunings: list[Pruning], *, network: bool = False, records: bool = False) -> str:
    """Return the view of a page that has been pruned, in one or several ways.

    :param prunings: accounts of the same page, at least one; each must have its original.
    :param records: whether to mark records and columns.
    :raises ValueError: if the original was dropped.
    """
    first = prunings[0]
    source = page_of(first).origin.source
    if source is None:
        raise ValueError(f"the original page was dropped {DROPPED}: nothing to show")
    page = PageWalk(*page_of(first).walk_again())
    title = " ".join((page.root.findtext("head/title") or "").split()) or first.url or "page"
    data = {
        "url": first.url,
        "bytes": len(source),
        "tree": tree_data(page),
        "sequence": sequence_data(page.sequence),
        "variants": [variant_data(pruning, page) for pruning in prunings],
        "records": records_data(page) if records else None,
        "display": make_display(page, own_fate(page.sequence, prunings), url=first.url, network=network),
    }
    return render_file(
        "view.html", scripts=SCRIPTS, styles=STYLES, data=data, title=title, url=first.url, network=network
    )


def open_view(response: Response, *, output: str | Path | None = None, browser: bool = True) -> Path:
    """Write the view of a response to a file and open it in the browser, as from ``scrapy shell``.

    It shows the pruning by the crawl (``response.tps``) if the page went through the middleware; otherwise it prunes
    the body with the default settings. ``scrapy tps-view`` has more options.

    :param output: the file; a temporary one by default.
    :return: the path of the file.
    """
    pruning = getattr(response, "tps", None)
    if not isinstance(pruning, Pruning):
        encoding = getattr(response, "encoding", None)
        pruning = Pruning(prune_page(response.body, PageSettings(), url=response.url, encoding=encoding))
    return write_view(render_prunings([pruning]), output, browser=browser)


def write_view(text: str, output: str | Path | None = None, *, browser: bool = True) -> Path:
    """Write a view to a file (a temporary one by default) and open it in the browser."""
    if output is None:
        with tempfile.NamedTemporaryFile(prefix="tps-", suffix=".html", delete=False) as file:
            output = file.name
    path = Path(output)
    path.write_text(text, encoding="utf-8")
    if browser:
        webbrowser.open(path.resolve().as_uri())
    return path


def account_json(pruning: Pruning) -> str:
    """Return the account as JSON, with a line break at the end."""
    regions = [asdict(region) for region in pruning.regions]
    data = account(pruning) | {"regions": regions, "removed": [asdict(one) for one in pruning.removed()]}
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def account_text(pruning: Pruning) -> str:
    """Return the account as lines for people, with a line break at the end."""
    return "\n".join(map(printable, _lines(pruning))) + "\n"


def _fate(region: Region, pruning: Pruning) -> tuple[str, str, str]:
    """Return the outcome for a region, the number of nodes, and the reason."""
    if region.kept:
        return "kept", counted(region.nodes, "node"), region.reason
    if region.stays < region.nodes:
        gone = region.nodes - region.stays
        size = f"{gone:,} of {counted(region.nodes, 'node')}" if region.stays else counted(gone, "node")
        return "removed", size, region.reason
    but = "all of it stays" if pruning.pruned else "the page is not pruned"
    return "kept", counted(region.nodes, "node"), f"would be removed ({region.reason}), but {but}"


def _lines(pruning: Pruning) -> Iterator[str]:
    if pruning.url:
        yield f"page       {pruning.url}"
    by = f" by {pruning.excluded_by}" if pruning.excluded_by else ""
    yield f"outcome    {pruning.outcome}{by}{f': {pruning.error}' if pruning.error else ''}"
    strategy = account(pruning)["strategy"]
    if strategy is not None:
        size_ratio = page_of(pruning).size_ratio
        ratio = "" if size_ratio is None else f", size ratio {size_ratio:g}"
        yield f"strategy   {strategy}{ratio}"
    yield f"nodes      {pruning.raw_nodes} -> {pruning.kept_nodes} ({pruning.reduction:.1%} removed)"
    yield f"text       {pruning.raw_chars} -> {pruning.kept_chars} characters"
    if pruning.timings:
        steps = ", ".join(f"{step} {1000 * seconds:.1f}" for step, seconds in pruning.timings.items())
        yield f"time       {1000 * sum(pruning.timings.values()):.1f} ms ({steps})"
    regions = pruning.regions
    if regions:
        yield "regions"
        for region in regions:
            fate, nodes, reason = _fate(region, pruning)
            size = f"{nodes}, {counted(region.chars, 'character')}, {counted(region.links, 'link')}"
            yield f"  {fate:8} {region.xpath}: {size}; {reason}"
    yield "removed"
    for one in pruning.removed():
        text = f": {one.text!r}" if one.text else ""
        yield f"  {one.xpath}: {counted(one.nodes, 'node')}, {one.reason}{text}"
