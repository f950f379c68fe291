"""A study of three pooled runs of two teams and one that was not pooled, judged by one person."""

import numpy as np

from annotate.models import Collection, QuerySet, Resolution
from metrics.services.numbers import refresh
from pooling.models import Ranking, Run
from tests import cast
from tests.metrics import studies
from tests.pooling import factories
from tests.tables.fixture_cache import cached_rows

N_QUERIES, DEPTH = 8, 4
Pair = tuple[int, int]


@cached_rows
def pooled_study() -> Collection:
    """Runs A and B of team Blue, C of none, and D, which no pool has; a reference set."""
    rng = np.random.default_rng(5)
    collection = factories.collection(N_QUERIES, 20, batch_candidates=500)
    everything = QuerySet.objects.create(collection=collection, name="all", direction="forward")
    for query in collection.items.filter(side="query"):
        everything.members.create(item=query)
    runs = [
        factories.run(
            collection, name, {q: rng.permutation(20)[:12].tolist() for q in range(N_QUERIES)}
        )
        for name in "ABCD"
    ]
    Run.objects.filter(name__in=["A", "B"]).update(team="Blue")
    factories.reference(collection, [(q, q) for q in range(N_QUERIES)])
    factories.opened(collection, runs[:3], depth=DEPTH)
    studies.judge(cast.annotator(collection), seed=1, likes=0.5)
    refresh.refresh(collection=collection)
    return collection


def rankings_of(run: str) -> dict[int, list[int]]:
    return dict(Ranking.objects.filter(run__name=run).values_list("source", "targets"))


def people_grades() -> dict[Pair, int]:
    rows = Resolution.objects.filter(grade__isnull=False)
    return {
        (query, document): grade
        for query, document, grade in rows.values_list("pair__query", "pair__document", "grade")
    }


def reference_grades(collection: Collection) -> dict[Pair, int]:
    (reference,) = collection.reference_sets.all()
    return {
        (query, document): grade
        for query, document, grade in reference.labels.values_list("query", "document", "grade")
    }


def brought_by(*runs: str) -> set[Pair]:
    """The pairs within the first ranks of the runs, which a pool of its depth takes."""
    return {
        (query, target)
        for run in runs
        for query, targets in rankings_of(run).items()
        for target in targets[:DEPTH]
    }
