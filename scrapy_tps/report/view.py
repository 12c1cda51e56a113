"""The view of one page: what was removed, where and why, as one self-contained HTML file."""

from __future__ import annotations

import os
import tempfile
import webbrowser
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from scrapy_tps.engine.explanation import text_start
from scrapy_tps.engine.html import document
from scrapy_tps.engine.page_settings import PageSettings
from scrapy_tps.engine.prune import cut_again, prune_page
from scrapy_tps.engine.pruning import Pruning
from scrapy_tps.engine.sequence.columns import ELEMENT, TagPathSequence
from scrapy_tps.engine.sequence.walking import walk
from scrapy_tps.engine.strategies import load_strategy
from scrapy_tps.report.display import make_display
from scrapy_tps.report.exact import gone_data, tree_data
from scrapy_tps.report.marked import records_data
from scrapy_tps.report.selfcontained import pack, render_file
from scrapy_tps.settings.definitions import SETTINGS, page_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scrapy.http import Response

    from scrapy_tps.stats.samples import Sample, SampleStore

#: What each outcome means, for people.
OUTCOMES: Final[Mapping[str, str]] = {
    "pruned": "Pruned",
    "too_small": "Kept whole: the page has fewer nodes than TPS_MIN_NODES",
    "too_large": "Kept whole: the page is larger than TPS_MAX_BYTES or a million nodes",
    "too_deep": "Kept whole: elements are nested too deeply for the parser",
    "empty": "Kept whole: there is nothing in it",
    "not_html": "Kept whole: what came is not HTML",
    "no_body": "Kept whole: the page has no body",
    "no_region": "Kept whole: nothing was found that could go",
    "ambiguous": "Kept whole: the evidence is too weak to remove anything",
    "excluded": "Kept whole: pruning is switched off for this page, or its status code is not listed",
    "error": "Kept whole: an error came up",
}

SCRIPTS: Final = ("common.js", "tree.js", "plot.js", "copy.js", "pane.js", "records.js", "view.js")
STYLES: Final = ("common.css", "view.css")

_CLASS_CHARACTERS = 60  # of a class attribute, in paths of the plot
_TEXT_CHARACTERS = 120  # of a region's text, in the list


def compare_settings(settings: PageSettings, compare: Iterable[str]) -> list[PageSettings]:
    """Return one setting for each entry of `compare`: a strategy, or ``strategy:size_ratio``.

    :raises ValueError: on an unknown strategy or a wrong ratio.
    """
    found = []
    for entry in compare:
        name, colon, ratio = entry.strip().partition(":")
        found.append(
            replace(
                settings,
                strategy=SETTINGS["TPS_STRATEGY"].parse(name),
                size_ratio=SETTINGS["TPS_SIZE_RATIO"].parse(ratio) if colon else settings.size_ratio,
            )
        )
    return found


def remembered(others: Sequence[bytes | str], settings: PageSettings) -> Any:
    """Return what a method of the literature remembers of these pages of a site; None for all other strategies."""
    strategy: Any = load_strategy(settings.strategy)
    if not others or not getattr(strategy, "least_pages", 0):
        return None
    memory = strategy.new_memory().of("")
    for number, other in enumerate(others):
        prune_page(other, None, settings, url=f"about:other-{number}", memory=memory)
    return memory


def render_view(
    body: bytes | str,
    *,
    url: str | None = None,
    encoding: str | None = None,
    settings: Mapping[str, Any] | PageSettings | None = None,
    compare: Iterable[str] = (),
    network: bool = False,
    records: bool = False,
    others: Sequence[bytes | str] = (),
) -> str:
    """Prune a page and return the view of it.

    :param body, url, encoding, settings: as for :func:`scrapy_tps.prune`.
    :param compare: strategies to show beside the one that is set, each ``name`` or ``name:size_ratio``.
    :param network: whether the shown page may fetch images, style sheets and fonts from the web.
    :param records: whether to mark records and columns, see :func:`scrapy_tps.extract_records`.
    :param others: other pages of the site, for methods of the literature that need them.
    :raises ValueError: on a wrong setting.
    """
    base = page_settings(settings)
    base = replace(base, keep_original=True)
    compared = compare_settings(base, compare) or [base]
    prunings = []
    for one in compared:
        memory = remembered(others, one)
        prunings.append(prune_page(body, None, one, url=url, encoding=encoding, memory=memory))
    return render_prunings(prunings, network=network, records_settings=base if records else None)


def render_prunings(
    prunings: list[Pruning], *, network: bool = False, records_settings: PageSettings | None = None
) -> str:
    """Return the view of a page that was pruned already, in one or several ways.

    :param prunings: accounts of the same page, at least one; each must have its original.
    :param records_settings: settings to find records with; without them none are marked.
    :raises ValueError: where the original was dropped (``TPS_KEEP_ORIGINAL``).
    """
    first = prunings[0]
    if first._source is None:
        raise ValueError("the original page was dropped (TPS_KEEP_ORIGINAL is False): nothing to show")
    page = document.parse(document.decode(first._source, first.encoding), first.url)
    sequence = TagPathSequence() if page.body is None else walk(page.body)
    tree = tree_data(page.root, sequence)
    records = None if records_settings is None else records_data(page.body, sequence, records_settings)
    variants = [_variant(pruning, page.root, sequence) for pruning in prunings]
    title = " ".join((page.root.findtext("head/title") or "").split()) or first.url or "page"
    data = {
        "url": first.url,
        "bytes": len(first._source),
        "tree": tree,
        "sequence": _sequence_data(sequence),
        "variants": variants,
        "records": records,
        "display": make_display(
            page.root, sequence, _own_fate(sequence, prunings), url=first.url, network=network
        ),
    }
    return render_file(
        "view.html", scripts=SCRIPTS, styles=STYLES, data=data, title=title, url=first.url, network=network
    )


def open_view(
    response: Response,
    *,
    compare: Iterable[str] = (),
    settings: Mapping[str, Any] | None = None,
    network: bool = False,
    records: bool = False,
    output: str | Path | None = None,
    browser: bool = True,
) -> Path:
    """Write the view of a response to a file and open it in the browser, as from ``scrapy shell``.

    Shows what the crawl did to the page (``response.tps``) where it was pruned on the way and nothing else
    is asked for, else prunes its body with `settings`.

    :param compare, settings, network, records: as for :func:`render_view`.
    :param output: the file; a temporary one by default.
    :return: the path of the file.
    """
    compare = list(compare)
    pruning = getattr(response, "tps", None)
    if isinstance(pruning, Pruning) and not compare and not settings:
        text = render_prunings(
            [pruning], network=network, records_settings=PageSettings() if records else None
        )
    else:
        original = getattr(response, "original", response)
        text = render_view(
            original.body,
            url=original.url,
            encoding=getattr(original, "encoding", None),
            settings=settings,
            compare=compare,
            network=network,
            records=records,
        )
    return write_view(text, output, browser=browser)


def write_view(text: str, output: str | Path | None = None, *, browser: bool = True) -> Path:
    """Write a view to a file (a temporary one by default) and open it in the browser."""
    if output is None:
        with tempfile.NamedTemporaryFile(
            "w", prefix="tps-", suffix=".html", delete=False, encoding="utf-8"
        ) as file:
            file.write(text)
        path = Path(file.name)
    else:
        path = Path(output)
        path.write_text(text, encoding="utf-8")
    if browser:
        webbrowser.open(path.resolve().as_uri())
    return path


def write_samples(store: SampleStore, samples: Iterable[Sample], folder: Path, base: Path) -> dict[int, str]:
    """Write the view of each sample to a folder; return their addresses relative to `base`, by number."""
    folder.mkdir(parents=True, exist_ok=True)
    links = {}
    for sample in samples:
        path = folder / f"{sample.number}.html"
        write_view(render_prunings([store.load(sample.number)[1]]), path, browser=False)
        links[sample.number] = quote(Path(os.path.relpath(path, base)).as_posix())
    return links


def _sequence_data(sequence: TagPathSequence) -> dict[str, Any]:
    return {
        "symbols": pack(sequence.symbols),
        "parents": sequence.symbol_parent,
        "tags": sequence.symbol_tag,
        "classes": [" ".join(one.split())[:_CLASS_CHARACTERS] if one else 0 for one in sequence.symbol_class],
    }


def _own_fate(sequence: TagPathSequence, prunings: Iterable[Pruning]) -> list[int]:
    """Return the text nodes that go without their parent, or make up a region of their own."""
    found: set[int] = set()
    texts = [index for index, kind in enumerate(sequence.kinds) if kind != ELEMENT]
    for pruning in prunings:
        mask = pruning._mask
        if mask:
            found.update(index for index in texts if not mask[index] and mask[sequence.parent[index]])
        for region in pruning.regions:
            index = region.start
            while index < region.end:
                if sequence.kinds[index] != ELEMENT:
                    found.add(index)
                index = sequence.end[index] if sequence.end[index] <= region.end else index + 1
    return sorted(found)


def _runs(mask: bytes) -> list[int]:
    """Return where the mask changes: first index of the first run of zeros, of the next of ones, and so on."""
    changes, value, index = [], 0, 0
    while (index := mask.find(value, index)) >= 0:
        changes.append(index)
        value = 1 - value
    return changes


def _variant(pruning: Pruning, root: Any, sequence: TagPathSequence) -> dict[str, Any]:
    mask = pruning._mask
    name = pruning.strategy if isinstance(pruning.strategy, str) else repr(pruning.strategy)
    regions = []
    for region in pruning.regions:
        stays = mask.count(1, region.start, region.end) if mask else region.nodes
        regions.append(
            {
                **asdict(region),
                "stays": stays,
                "text": text_start(sequence, region.start, region.end, _TEXT_CHARACTERS),
            }
        )
    return {
        "strategy": name,
        "ratio": pruning._size_ratio,
        "outcome": pruning.outcome,
        "means": OUTCOMES.get(pruning.outcome, pruning.outcome),
        "error": pruning.error,
        "rawNodes": pruning.raw_nodes,
        "keptNodes": pruning.kept_nodes,
        "rawChars": pruning.raw_chars,
        "keptChars": pruning.kept_chars,
        "timings": pruning.timings,
        "changes": _runs(mask),
        "regions": regions,
        "dropped": [asdict(one) for one in pruning.removed() if one.rule == "drop"],
        "splits": [split._asdict() for split in pruning._selection.splits],
        "gone": _gone(pruning, root, sequence),
    }


def _gone(pruning: Pruning, root: Any, sequence: TagPathSequence) -> dict[str, list[Any]]:
    if not pruning._mask:
        return {"ranges": [], "texts": []}
    pruned = pruning._root
    if pruned is None:  # of an account that was stored without it
        again = cut_again(pruning)
        if again is None:
            return {"ranges": [], "texts": []}
        pruned, _ = again
    return gone_data(root, sequence, pruning._mask, pruned)
