"""A study with five forward runs, of which one misses two queries, and its scores by trec_eval."""

import numpy as np
import pytrec_eval

from annotate.models import Collection, ReferenceLabel, Resolution
from metrics.services.numbers import refresh
from pooling.models import Ranking, Run
from tests.metrics import studies
from tests.metrics.services.analysis.collection.small_study import (
    grade,
    queries_of,
    small_study,
)

MISSES = "zeta"  # the run without the first two queries


def system_study() -> Collection:
    """Six queries, pairs that people graded, and the runs alpha, beta, delta, epsilon, zeta."""
    collection = small_study()
    for number, name in enumerate(("delta", "epsilon", MISSES), start=7):
        studies.run(collection, name, seed=number, missing=2 * (name == MISSES))
    grade(collection, {(0, 3): 1, (0, 0): 0, (1, 4): 2, (2, 5): 1, (3, 3): 0, (4, 8): 1})
    Run.objects.filter(name="alpha").update(team="Blue")
    refresh.refresh(collection=collection)
    return collection


def average_precision(
    collection: Collection, *, people: bool = True, reference: bool = True
) -> dict[str, list[float]]:
    """AP of each forward run on each query in their order, 0 where it misses one, by trec_eval.

    People's grades go over those of the reference.
    """
    rows: list[tuple[int, int, int]] = []
    if reference:
        rows += ReferenceLabel.objects.values_list("query", "document", "grade")
    if people:
        rows += Resolution.objects.values_list("pair__query", "pair__document", "grade")
    qrels: dict[str, dict[str, int]] = {}
    for query, document, value in rows:
        qrels.setdefault(str(query), {})[str(document)] = value
    oracle = pytrec_eval.RelevanceEvaluator(qrels, {"map"})
    scores = {}
    for run in Run.objects.filter(direction="forward").order_by("name"):
        rankings = {
            str(source): {str(target): 1.0 / rank for rank, target in enumerate(targets, 1)}
            for source, targets in Ranking.objects.filter(run=run).values_list("source", "targets")
        }
        values = oracle.evaluate(rankings)
        scores[run.name] = [
            values.get(str(query.pk), {"map": 0.0})["map"] for query in queries_of(collection)
        ]
    return scores


def score_lines(values: np.ndarray) -> str:
    """A file of topics by runs, named t1, t2, ... and run1, run2, ...; NaN is a gap."""
    lines = [",".join(["topic", *(f"run{s}" for s in range(1, values.shape[1] + 1))])]
    for number, row in enumerate(values.tolist(), start=1):
        cells = ["" if value != value else repr(value) for value in row]
        lines.append(",".join([f"t{number}", *cells]))
    return "\n".join(lines) + "\n"
