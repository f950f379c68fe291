"""Runs of the small study with their scores by another program, and files of scores as requests."""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from annotate.models import Collection
from metrics.charts.results import AnalysisResult
from metrics.core.files.scores import ScoreTable
from metrics.score_files.register import SCORE_ANALYSES
from metrics.score_files.requests import FileRequest
from metrics.services.numbers import refresh
from pooling.models import Run
from tests.metrics import studies
from tests.metrics.services.analysis.collection.small_study import (
    documents_of,
    grade,
    queries_of,
    small_study,
)


def score_study() -> Collection:
    """Four forward runs, one of which misses two queries; people graded some pairs."""
    collection = small_study()
    for number, name in enumerate(("delta", "zeta"), start=7):
        studies.run(collection, name, seed=number, missing=2 * (name == "zeta"))
    grade(collection, {(0, 3): 1, (0, 0): 0, (1, 4): 2, (2, 5): 1, (3, 3): 0, (4, 8): 1})
    Run.objects.filter(name="alpha").update(team="Blue")
    refresh.refresh(collection=collection)
    return collection


def reciprocal_ranks(
    collection: Collection, positives: dict[int, set[int]]
) -> dict[str, list[float]]:
    """By run the RR of each query, 0 where it is missed: from the rankings as they are stored.

    positives : by the number of the query those of its documents
    """
    queries, documents = queries_of(collection), documents_of(collection)
    keys = {q: {documents[d].pk for d in numbers} for q, numbers in positives.items()}
    values = {}
    for run in Run.objects.filter(direction="forward"):
        targets = dict(run.rankings.values_list("source", "targets"))
        values[run.name] = [
            next(
                (1 / rank for rank, key in enumerate(targets.get(query.pk, []), 1) if key in right),
                0.0,
            )
            for query, right in ((query, keys.get(q, set())) for q, query in enumerate(queries))
        ]
    return values


# of `score_study`, where people's grades stand over the reference
POSITIVES = {0: {3}, 1: {1, 4}, 2: {2, 5}, 3: set(), 4: {4, 8}, 5: {5}}


def of_scores(
    name: str,
    values: np.ndarray,
    *,
    topics: Sequence[str] | None = None,
    groups: list[str] | None = None,
    missing: str = "queries",
) -> AnalysisResult:
    """An analysis of a (T, S) table as a file has it."""
    topics = topics or [f"t{t}" for t in range(1, len(values) + 1)]
    runs = [f"run{s}" for s in range(1, values.shape[1] + 1)]
    table = ScoreTable(list(topics), runs, values, groups)
    find = SCORE_ANALYSES[name].find
    return find(FileRequest(table, "t", missing))


def rows_of(result: AnalysisResult) -> list[dict[str, object]]:
    keys = [column.key for column in result.columns]
    return [dict(zip(keys, row, strict=True)) for row in result.rows]


def matrix(path: Path) -> np.ndarray:
    """A published table of topics by runs."""
    with open(path) as lines:
        return np.array([[float(cell) for cell in row] for row in list(csv.reader(lines))[1:]])
