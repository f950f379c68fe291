"""Generated rankings and labels, in the library's form and in that of the independent tools."""

from typing import NamedTuple

import numpy as np

from metrics.core.measures.alignment import LabelledPairs, RankedGrades, Rankings, align


class Case(NamedTuple):
    """One run and one set of labels over queries "0", "1", ... and targets "d00", "d01", ...

    The names sort like numbers.
    """

    rankings: list[list[int]]
    qrels: list[dict[int, int]]

    @property
    def ranked(self) -> RankedGrades:
        rows = [
            (q, doc, grade) for q, labels in enumerate(self.qrels) for doc, grade in labels.items()
        ]
        query, doc, grade = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        indptr = np.cumsum([0, *map(len, self.rankings)])
        docs = np.array([doc for ranking in self.rankings for doc in ranking], dtype=np.int64)
        return align(Rankings(indptr, docs), LabelledPairs(query, doc, grade))

    @property
    def trec_qrels(self) -> dict[str, dict[str, int]]:
        return {
            str(q): {f"d{doc:02d}": g for doc, g in labels.items()}
            for q, labels in enumerate(self.qrels)
            if labels
        }

    @property
    def trec_run(self) -> dict[str, dict[str, float]]:
        return {
            str(q): {
                f"d{doc:02d}": float(len(ranking) - position)
                for position, doc in enumerate(ranking)
            }
            for q, ranking in enumerate(self.rankings)
            if ranking
        }


def case(
    rng: np.random.Generator,
    *,
    n_queries: int = 8,
    n_docs: int = 40,
    lowest: int = -2,
    highest: int = 3,
) -> Case:
    """Rankings of 0 to n_docs targets, labels of every kind: none, no positive, negative grades."""
    rankings, qrels = [], []
    for _ in range(n_queries):
        ranking = (
            rng.permutation(n_docs)[: rng.integers(0, n_docs + 1)] if rng.random() > 0.15 else []
        )
        rankings.append([int(doc) for doc in ranking])
        top = 1 if rng.random() < 0.15 else highest + 1
        grades = rng.integers(lowest, top, size=rng.integers(1, n_docs + 1))
        # trec_eval crashes on a query whose every grade is below -1, hence one 0 for each query
        labels = dict(zip(map(int, rng.permutation(n_docs)), map(int, grades), strict=False))
        labels[next(iter(labels))] = 0
        qrels.append(labels)
    return Case(rankings, qrels)
