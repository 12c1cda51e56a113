"""The papers' own evaluations: clustering, classification and retrieval of pages as a method leaves them.

Hypotheses: pages without noise are clustered and classified better, and better by style trees than by pagelets (Yi,
Liu & Li 2003); words weighed by a compressed structure tree do it as well (Yi & Liu 2003); see ``retrieval`` for those
of Cai et al. (2004). A page is of the category of its site (testbed) or of its type (wcxb).
"""

from __future__ import annotations

import statistics
import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]  # it has no stubs
from sklearn.cluster import KMeans
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from benchmarks.literature.pages import walked
from benchmarks.literature.retrieval import by_category, known_item, texts_of
from benchmarks.literature.runs import NOTHING
from scrapy_tps.engine.html import document
from scrapy_tps.literature.memory import Digest, digest, stems, term_number, text_words
from scrapy_tps.literature.style_tree import StructureTree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.literature.pages import Page
    from benchmarks.literature.runs import Judged, Results

_RUNS: Final = 10  # k-means starts at random
_FOLDS: Final = 5
_LEAST_PAGES: Final = 2  # that a term must be on
#: A row that changes a smaller share of the pages is left out: its figures are those of nothing.
_LEAST_CHANGED: Final = 0.1
_WEIGHTS: Final = "structure-tree's weights"


def evaluate(
    results: Results,
    sets: Mapping[str, Sequence[Page]],
    names: Sequence[str] | None = None,
    strategies: Sequence[str] | None = None,
) -> Iterator[str]:
    """Lines of a table for each set that the results have with the text that was left.

    :param sets: the pages of sets themselves, for weights of words, which remove nothing.
    :param names: of the sets, if not all are asked for.
    """
    for name, rows in results.sets().items():
        if (names and name not in names) or not any(results.words(name, NOTHING).values()):
            continue
        yield f"\n{name}\n"
        yield "| left by | k-means F | naive Bayes | linear SVM | own page first | MRR | P@10 | MAP |"
        yield "|" + "---|" * 8
        for strategy in strategies or rows:
            judged = results.of(name, strategy)
            changed = sum(one.outcome == "pruned" for one in judged)
            if strategy == NOTHING or changed >= _LEAST_CHANGED * len(judged):
                left = results.words(name, strategy)
                yield _line(f"`{strategy}`", judged, [Counter(stems(left[one.page])) for one in judged])
        if pages := sets.get(name):
            weights = dict(structure_weights(pages))
            judged = results.of(name, NOTHING)
            yield _line(_WEIGHTS, judged, [weights[one.page] for one in judged], queries=False)


def _line(
    name: str, judged: Sequence[Judged], terms: Sequence[Mapping[str, float]], *, queries: bool = True
) -> str:
    kinds = np.array([one.kind for one in judged])
    sites = np.array([one.site for one in judged])
    counts = _matrix(terms)
    cells = [f"{clustering(counts, kinds):.3f}"]
    for model, data in (
        (MultinomialNB(), counts),
        (LinearSVC(), TfidfTransformer().fit_transform(counts)),
    ):
        accuracy, f1 = classification(model, data, kinds, sites)
        cells.append(f"{accuracy:.3f} ({f1:.3f})")
    if queries and judged[0].query:
        texts = [list(Counter(held).elements()) for held in terms]
        wanted = [stems(one.query) for one in judged]
        cells += [
            f"{figure:.3f}"
            for figure in (*known_item(texts, wanted), *by_category(texts, wanted, kinds, sites))
        ]
    else:
        cells += ["–"] * 4
    return f"| {name} | " + " | ".join(cells) + " |"


def _matrix(terms: Sequence[Mapping[str, float]]) -> Any:
    """How often each page has each term, of those that more than one page has."""
    pages = Counter(term for held in terms for term in held)
    common = [{term: count for term, count in held.items() if pages[term] >= _LEAST_PAGES} for held in terms]
    return DictVectorizer().fit_transform(common)


def feature_weights(tree: StructureTree, page: Digest) -> dict[int, float]:
    """The weight of each term of a page: its occurrences, each weighted by the importance of its place."""
    weights: dict[int, float] = {}
    importance = tree.path_importance(page)
    for node, terms in page.texts():
        for term in terms:
            weights[term] = weights.get(term, 0.0) + importance[node]
    return weights


def structure_weights(pages: Sequence[Page]) -> Iterator[tuple[str, dict[str, float]]]:
    """The weight of each term of each page, by the compressed structure tree of the pages of its site."""
    sites: dict[str, list[Page]] = {}
    for page in pages:
        sites.setdefault(page.site, []).append(page)
    for of_site in sites.values():
        texts, digests = [], []
        for page in of_site:
            sequence = walked(document.parser_input(page.body, page.encoding))
            texts.append(" ".join(texts_of(sequence)))
            digests.append(digest(sequence))
        tree = StructureTree(digests)
        for page, text, held in zip(of_site, texts, digests, strict=True):
            weights = feature_weights(tree, held)
            found: dict[str, float] = {}
            for word in set(text_words(text)):
                for stem in stems(word):
                    found[stem] = found.get(stem, 0.0) + weights.get(term_number(word), 0.0)
            yield page.name, {stem: weight for stem, weight in found.items() if weight > 0}


def clustering(counts: Any, kinds: Any) -> float:
    """Mean F-score of the categories, each against the cluster that it gets in the best assignment."""
    names = sorted(set(kinds))
    data = TfidfTransformer().fit_transform(counts)
    found = []
    for run in range(_RUNS):
        labels = KMeans(len(names), n_init=1, random_state=run).fit_predict(data)
        table = np.array(
            [
                [
                    2
                    * ((kinds == name) & (labels == cluster)).sum()
                    / ((kinds == name).sum() + (labels == cluster).sum())
                    for cluster in range(len(names))
                ]
                for name in names
            ]
        )
        rows, columns = linear_sum_assignment(-table)
        found.append(float(table[rows, columns].mean()))
    return statistics.fmean(found)


def classification(model: Any, data: Any, kinds: Any, sites: Any) -> tuple[float, float]:
    """Accuracy and mean F1 for pages of sites that the classifier has not seen."""
    folds = GroupKFold(min(_FOLDS, len(set(sites))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = cross_val_predict(model, data, kinds, groups=sites, cv=folds)
    return float((said == kinds).mean()), float(f1_score(kinds, said, average="macro", zero_division=0))
