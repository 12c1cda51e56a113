"""How many labelled strings that pages show stay on them: authors, titles, prices, ingredients.

    python -m benchmarks.labelled_strings --data FOLDER [--labels FOLDER] [--key author] [--strategy auto] [--pages 40]

Beside each page (`a.html`, `a.html.gz`), or in the folder of labels, stands a JSON file of the same name (`a.json`).
Its strings, or with `--key` those under that key at any depth, are looked for in the text of the page, whatever its
white space and case. Strings that the page as downloaded does not show do not count. `--pages` lists what was lost.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.corpus import add_data_option, pages
from scrapy_tps import prune
from scrapy_tps.engine.html import document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Shorter strings occur by accident.
LEAST = 3
_SHOWN = ".//text()[not(ancestor::script or ancestor::style or ancestor::template or ancestor::noscript)]"


def strings(value: Any, key: str | None) -> Iterator[str]:
    """Yield the strings of a JSON value, or those under a key."""
    if isinstance(value, str):
        if key is None:
            yield value
    elif isinstance(value, list):
        for one in value:
            yield from strings(one, key)
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from strings(one, None if name == key else key)


def compact(text: str) -> str:
    """A text without white space and case."""
    return "".join(text.split()).casefold()


def shown(body: Any) -> str:
    """The text of an element but for scripts and the like, without white space and case."""
    return compact("".join(map(str, body.xpath(_SHOWN))))


def lost(body: bytes, labels: set[str], strategy: str) -> tuple[int, list[str]]:
    """How many of these labels a page shows, and those that pruning took from it."""
    page = document.parse(document.read(body))
    if page.body is None:
        return 0, []
    before = shown(page.body)
    looked_for = sorted(label for label in labels if compact(label) in before)
    if not looked_for:
        return 0, []
    body_left = prune(body, settings={"TPS_STRATEGY": strategy}).root.find("body")
    left = "" if body_left is None else shown(body_left)
    return len(looked_for), [label for label in looked_for if compact(label) not in left]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_data_option(parser, Path)
    parser.add_argument("--labels", type=Path, help="folder of the JSON files, where it is another one")
    parser.add_argument("--key", help="only the strings under this key")
    parser.add_argument("--strategy", default="auto")
    parser.add_argument("--pages", type=int, default=0, help="list so many pages that lost strings")
    chosen = parser.parse_args(argv)
    all_shown, labelled, losses = 0, 0, []
    for path, body in pages(chosen.data, chosen.sample):
        file = (chosen.labels or path.parent) / f"{path.name.partition('.htm')[0]}.json"
        if not file.exists():
            continue
        found = strings(json.loads(file.read_text(encoding="utf-8")), chosen.key)
        number, gone = lost(body, {text for text in found if len(compact(text)) >= LEAST}, chosen.strategy)
        all_shown += number
        labelled += number > 0
        if gone:
            losses.append((path, gone))
    if not all_shown:
        print("no page shows a labelled string", file=sys.stderr)
        return 2
    kept = all_shown - sum(len(gone) for _, gone in losses)
    print(
        f"{labelled} pages  labelled strings kept {kept} of {all_shown}, {kept / all_shown:.1%}; "
        f"pages with a loss {len(losses)}"
    )
    for path, gone in losses[: chosen.pages]:
        print(f"    {path.name}  {len(gone)}: {'; '.join(text[:60] for text in gone[:3])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
