"""Compare methods from the literature with ours, on the same pages.

    python -m benchmarks.literature                                       the pages that ship with the project
    python -m benchmarks.literature --data ../shared/data --bench ../shared/bench --results FILE
    python -m benchmarks.literature … --scraper-python ENV/bin/python --news-python NEWS/bin/python
    python -m benchmarks.literature … --errors                            scores nothing: is any page an error?
    python -m benchmarks.literature --results FILE --set wcxb --strategy cetr --again
    python -m benchmarks.literature --results FILE --evaluations          the papers' own, of what is in the file
    python -m benchmarks.literature … --news-python NEWS/bin/python --news-patterns     title and body, by Reis et al.
    python -m benchmarks.literature --growth                              how work grows with the size of a page

Sets: `testbed`, `paper`, `vints` (content present, records and noise as in the folder's `evaluate.py`), `wcxb` (F1 of
words), and with the interpreters that have them other people's scrapers: `recipes` without their JSON-LD, `courts`,
`news` (equal output on the pruned page). The interpreters have them from PyPI.
Methods of many pages judge a page with a model of the site's other pages.
With `--results` what was measured is kept, and a run that was stopped goes on; `--again` forgets the strategies first.
Times are of the whole way of a page, in milliseconds of this process; memory is what is remembered of a site, in KB.
Exit status 1 where a page was an error.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.literature import pages
from benchmarks.literature.runs import ROWS, Results, by_site, run
from benchmarks.literature.tables import tables

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Sets of which the papers' own evaluations are made, with the text that is left.
_EVALUATED = ("testbed", "wcxb")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    pages.add_options(parser)
    parser.add_argument("--results", type=Path, help="file that keeps what was measured")
    parser.add_argument("--set", action="append", metavar="NAME", help="one of the sets")
    parser.add_argument("--strategy", action="append", metavar="NAME", help="one of the rows")
    parser.add_argument("--sites", type=int, metavar="N", help="no more than so many sites of each set")
    parser.add_argument(
        "--again", action="store_true", help="judge the pages of these strategies in the file again"
    )
    parser.add_argument(
        "--no-words",
        action="store_true",
        help="leave out the texts that the papers' evaluations need: a sixth faster",
    )
    parser.add_argument("--errors", action="store_true", help="score nothing: does any page make an error?")
    parser.add_argument("--tables", action="store_true", help="judge nothing, say what the file has")
    parser.add_argument("--evaluations", action="store_true", help="clustering, classification, retrieval")
    parser.add_argument("--news-patterns", action="store_true", help="title and body of news by patterns")
    parser.add_argument("--growth", action="store_true", help="operations by the size of the page")
    chosen = parser.parse_args(argv)
    if chosen.growth:
        from benchmarks.literature.growth import growth  # noqa: PLC0415 (needs the extra)

        return growth(chosen.strategy)
    if chosen.news_patterns:
        from benchmarks.literature.news_patterns import articles_of, news_patterns  # noqa: PLC0415 (needs the extra)

        if None in (chosen.data, chosen.bench, chosen.news_python):
            parser.error("--news-patterns needs --data, --bench and --news-python")
        print(*news_patterns(articles_of(chosen.data / "real", pages.news_parsing(chosen))), sep="\n")
        return 0
    results = Results(chosen.results)
    if not (chosen.tables or chosen.evaluations):
        judge(parser, chosen, results)
    if chosen.evaluations:
        from benchmarks.literature.evaluations import evaluate  # noqa: PLC0415 (needs the extra)
        from benchmarks.literature.retrieval import block_retrieval  # noqa: PLC0415

        asked = chosen.data and "testbed" in (chosen.set or _EVALUATED)
        testbed = {"testbed": pages.sets_of(chosen)["testbed"]()} if asked else {}
        for line in evaluate(results, testbed, chosen.set, chosen.strategy):
            print(line, flush=True)
        for name, of_set in testbed.items():
            print(f"\n{name}, blocks\n")
            for line in block_retrieval(of_set):
                print(line, flush=True)
        return 0
    print(*tables(results), sep="\n")
    return int(
        any(
            one.error
            for name, rows in results.sets().items()
            for row in rows
            for one in results.of(name, row)
        )
    )


def judge(parser: argparse.ArgumentParser, chosen: argparse.Namespace, results: Results) -> None:
    """Judge the pages of the sets that are asked for, as far as the results lack them."""
    if chosen.data is not None and chosen.bench is None:
        parser.error("--data needs --bench")
    strategies = chosen.strategy or list(ROWS)
    if chosen.again:
        results.forget(strategies)
    known = pages.sets_of(chosen)
    for name in chosen.set or known:
        of_set = known[name]()
        if chosen.errors:
            of_set = [replace(page, score=lambda _: None) for page in of_set]
        sites = by_site(of_set, chosen.sites)
        words = name in _EVALUATED and not (chosen.errors or chosen.no_words)
        run(name, sites, strategies, results, keep_words=words, every=chosen.errors)
        print(
            f"{name}: {sum(map(len, sites.values()))} pages of {len(sites)} sites",
            file=sys.stderr,
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
