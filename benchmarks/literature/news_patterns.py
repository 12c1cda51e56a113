"""Title and body of news by the patterns of Reis et al. (2004), as far as the news set has pages of one template.

As in the paper, the pages of a publisher are known as a whole: they are clustered, the pattern of each cluster of two
pages or more is made of all its pages, and what its wildcards take from a page is labelled. The result of the
publisher's own parser counts as right. A second line has the results if all pages of a publisher are taken for one
template, regardless of their similarity.
"""

from __future__ import annotations

import json
import statistics
from collections import Counter
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from benchmarks.literature.pages import walked
from scrapy_tps.literature.memory import digest, text_words
from scrapy_tps.literature.node_patterns import best_match, cluster, label, passages, pattern_of, tree_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

#: Similarity of a template's pages: as published, and none.
_SIMILARITIES: Final = (0.8, 0.0)
#: F1 of words from which a body is counted as right.
_RIGHT: Final = 0.9


class Article(NamedTuple):
    """A page with what its publisher's parser gives, as words; `body` may be empty, `title` is not."""

    html: str
    title: Sequence[str]
    body: Sequence[str]


class Found(NamedTuple):
    """The result of a pattern: whether the title is right, F1 of the body, and F1 of all passages for both."""

    title: bool
    body: float
    all_passages: float


def articles_of(data: Path, parsing: Callable[[str, Mapping[str, Any]], Any]) -> dict[str, list[Article]]:
    """The articles of each publisher that has two or more whose parser gives title and body.

    :param data: the folder of the real sets.
    :param parsing: runs the parser of a page's publisher.
    """
    read = import_module("datasets").read
    found: dict[str, list[Article]] = {}
    for name, about in json.loads((data / "news/A/cases.json").read_text(encoding="utf-8")).items():
        html = read(data / "news/A" / name).decode("utf-8", "replace")
        given = parsing(html, about) or {}
        title, body = (text_words(" ".join(_texts(given.get(field)))) for field in ("title", "body"))
        if title and body:
            found.setdefault(about["publisher"], []).append(Article(html, title, body))
    return {publisher: held for publisher, held in found.items() if len(held) > 1}


def _texts(written: str | None) -> Iterator[str]:
    """The texts in a field of a parser, which is JSON."""
    pending = [json.loads(written)] if written and written != "error" else []
    while pending:
        value = pending.pop(0)
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            pending[:0] = value.values()
        elif isinstance(value, list):
            pending[:0] = value


def found_by_patterns(pages: Sequence[Article], similarity: float) -> Iterator[Found]:
    """Yield the results of the patterns of one publisher's pages, for each page of a template with another page."""
    sequences = [walked(page.html) for page in pages]
    digests = [digest(sequence) for sequence in sequences]
    trees = [tree_of(page) for page in digests]
    labels = cluster(trees, similarity) if similarity else [0] * len(pages)
    for number, members in Counter(labels).items():
        if members < 2:
            continue
        inside = [place for place, other in enumerate(labels) if other == number]
        pattern = pattern_of([trees[place] for place in inside])
        for place in inside:
            match = best_match([pattern], trees[place])
            taken = [] if match is None else passages(digests[place], match)
            text_of = sequences[place].text_of

            def said(nodes: Iterable[int], text_of: Callable[[int], str] = text_of) -> list[str]:
                return text_words(" ".join(map(text_of, nodes)))

            title, body = (said(part.nodes) if part else [] for part in label(taken))
            right = pages[place]
            yield Found(
                title == right.title,
                _f1(body, right.body),
                _f1(said(node for part in taken for node in part.nodes), [*right.title, *right.body]),
            )


def _f1(given: Sequence[str], right: Sequence[str]) -> float:
    common = (Counter(given) & Counter(right)).total()
    return 2 * common / (len(given) + len(right)) if common else 0.0


def news_patterns(publishers: Mapping[str, Sequence[Article]]) -> Iterator[str]:
    """The lines of a table."""
    pages = sum(map(len, publishers.values()))
    yield f"\nnews: {pages} pages of {len(publishers)} publishers with two or more\n"
    yield "| similarity | pages of a template | title right | body F1 | body right | F1 of all that wildcards take |"
    yield "|" + "---|" * 6
    for similarity in _SIMILARITIES:
        found = [one for held in publishers.values() for one in found_by_patterns(held, similarity)]
        if not found:
            yield f"| {similarity} | 0 |" + " – |" * 4
            continue
        cells = (
            f"{sum(one.title for one in found)} of {len(found)}",
            f"{statistics.fmean(one.body for one in found):.3f}",
            f"{sum(one.body >= _RIGHT for one in found)} of {len(found)}",
            f"{statistics.fmean(one.all_passages for one in found):.3f}",
        )
        yield f"| {similarity} | {len(found)} | " + " | ".join(cells) + " |"
