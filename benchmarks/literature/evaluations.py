"""The papers' own evaluations: clustering, classification and retrieval of pages as a method leaves them.

Hypothesis of Yi, Liu & Li (2003) and of Yi & Liu: pages without noise are clustered and classified better. Hypothesis
of Cai et al. (2004): retrieval gains from blocks instead of pages.
"""

from __future__ import annotations

import statistics
import warnings
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from benchmarks.literature import visible_words
from scrapy_tps.literature.retrieval import Ranking
from scrapy_tps.literature.terms import stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.literature import Page

_RUNS: Final = 10  # k-means starts at random
_FOLDS: Final = 5
_TERMS: Final = 20_000


def evaluate(name: str, left: Sequence[tuple[Page, str]]) -> Iterator[str]:
    """Lines with the figures of a set: of testbed by its categories and queries, of wcxb by its types."""
    kinds = np.array([page.kind for page, _ in left])
    sites = np.array([page.site for page, _ in left])
    terms = [stems(" ".join(visible_words(kept))) for _, kept in left]
    counts = CountVectorizer(analyzer=list, min_df=2, max_features=_TERMS).fit_transform(terms)
    yield f"clustering (k-means, {_RUNS} runs): F {clustering(counts, kinds):.3f}"
    for classifier, model, data in (
        ("naive Bayes", MultinomialNB(), counts),
        ("linear SVM", LinearSVC(), TfidfTransformer().fit_transform(counts)),
    ):
        accuracy, f1 = classification(model, data, kinds, sites)
        yield f"classification ({classifier}, other sites): accuracy {accuracy:.3f}, F1 {f1:.3f}"
    if name == "testbed":
        precision, mean = retrieval(left, terms)
        yield f"retrieval (BM25): P@10 {precision:.3f}, MAP {mean:.3f}"


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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = cross_val_predict(model, data, kinds, groups=sites, cv=GroupKFold(_FOLDS))
    return float((said == kinds).mean()), float(f1_score(kinds, said, average="macro", zero_division=0))


def retrieval(left: Sequence[tuple[Page, str]], terms: Sequence[Sequence[str]]) -> tuple[float, float]:
    """P@10 and MAP of the queries in the names of the pages; relevant are the other sites' pages of the category."""
    ranking = Ranking(terms)
    precisions, means = [], []
    for page, _ in left:
        query = dict.fromkeys(stems(" ".join(page.name.split(".html")[0].split("_")[5:-1])), 1.0)
        scores = ranking.scores(query)
        order = [
            other
            for other in sorted(range(len(left)), key=lambda place: (-scores[place], place))
            if left[other][0].site != page.site
        ]
        relevant = [left[other][0].kind == page.kind for other in order]
        if not any(relevant):
            continue
        precisions.append(sum(relevant[:10]) / 10)
        hits = [place for place, right in enumerate(relevant) if right]
        means.append(statistics.fmean((number + 1) / (place + 1) for number, place in enumerate(hits)))
    return statistics.fmean(precisions or [0.0]), statistics.fmean(means or [0.0])
