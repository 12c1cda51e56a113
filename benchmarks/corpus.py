"""Pages that the benchmarks read: a folder of ``*.html`` or ``*.html.gz`` files, given by ``--data``."""

from __future__ import annotations

import gzip
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator
    from pathlib import Path


def add_data_option(parser: ArgumentParser, path_type: type[Path]) -> None:
    """Add ``--data`` and ``--sample``."""
    parser.add_argument("--data", type=path_type, required=True, help="folder of *.html or *.html.gz files")
    parser.add_argument("--sample", type=int, help="measure only so many pages, chosen with a fixed seed")


def page_files(folder: Path, sample: int | None = None) -> list[Path]:
    """Return the page files below a folder in a fixed order, or a fixed sample of them."""
    files = sorted(path for path in folder.rglob("*.html*") if path.suffix in (".html", ".gz"))
    if sample is not None and sample < len(files):
        files = sorted(random.Random(1).sample(files, sample))
    return files


def pages(folder: Path, sample: int | None = None) -> Iterator[tuple[Path, bytes]]:
    """Yield (path, body) of the pages below a folder."""
    for path in page_files(folder, sample):
        body = path.read_bytes()
        yield path, gzip.decompress(body) if path.suffix == ".gz" else body
