"""Small studies with runs in both directions, a reference set and annotators.

For tests of numbers.
"""

from collections.abc import Iterable
from uuid import uuid4

import numpy as np
from django.utils import timezone

from annotate.core.labels.answers import JudgmentAnswer, Telemetry
from annotate.models import (
    Annotator,
    Collection,
    HandOut,
    Item,
    Pair,
    QuerySet,
    QuerySetItem,
    ReferenceSet,
    Resolution,
)
from annotate.services import seating
from annotate.services.judging import claiming, judging
from metrics.models import Observation, Score, Snapshot
from metrics.services.numbers import refresh
from pooling.models import Pool, PoolPair, Run
from tests import campaigns, cast
from tests.tables.fixture_cache import cached_rows


def study(
    slug: str = "",
    *,
    n_queries: int = 6,
    n_documents: int = 9,
    grades: int = 3,
    positive_from: int = 1,
    with_runs: bool = True,
    **policy: object,
) -> Collection:
    """A collection with a reference set, two forward runs, a reverse one, and a pool of depth 3."""
    policy = {
        "labels_per_pair": 2,
        "gold_positives": 0,
        "gold_negatives": 0,
        "batch_candidates": 50,
        **policy,
    }
    collection = cast.collection(slug, grades=grades, positive_from=positive_from, **policy)
    queries = cast.items(collection, "query", n_queries)
    documents = cast.items(collection, "document", n_documents)
    for direction, items in (("forward", queries), ("reverse", documents)):
        everything = QuerySet.objects.create(collection=collection, name="all", direction=direction)
        QuerySetItem.objects.bulk_create(
            QuerySetItem(query_set=everything, item=item) for item in items
        )
    own = [(query, documents[i % n_documents]) for i, query in enumerate(queries)]
    reference(
        collection,
        {(query.external_id, document.external_id): grades - 1 for query, document in own},
    )
    if with_runs:
        for number, name in enumerate(("alpha", "beta")):
            run(collection, name, seed=number)
        run(collection, "gamma", direction="reverse", seed=2)
    open_pool(collection, queries, documents)
    return collection


@cached_rows
def judged_study(
    slug: str = "",
    *,
    seeds: Iterable[int] = (0,),
    n: int | None = None,
    likes: float = 0.5,
    **options: object,
) -> Collection:
    """A study that a person for each seed has judged, or n pairs of it, with its numbers."""
    collection = study(slug, **options)
    for seed in seeds:
        judge(cast.annotator(collection), n=n, seed=seed, likes=likes)
    refresh.refresh(collection=collection)
    return collection


@cached_rows
def unordered_study(*, with_numbers: bool = False) -> Collection:
    """A study of four grades with positives from 2 whose ids are out of order.

    Two people have judged in it.
    """
    collection = study("study", n_queries=8, n_documents=12, grades=4, positive_from=2, ceiling=2)
    # who judges what goes by these ids
    for number, item in enumerate(collection.items.order_by("pk")):
        Item.objects.filter(pk=item.pk).update(
            external_id=f"{(number * 7919) % 1000}-{item.external_id}é"
        )
    for seed in range(2):
        judge(cast.annotator(collection), seed=seed, n=20)
    if with_numbers:
        refresh.refresh(collection=collection)
    return collection


def reference(
    collection: Collection, labels: dict[tuple[str, str], int], name: str = "original"
) -> ReferenceSet:
    """A reference set from (query id, document id) -> grade.

    Leaves the Change row that loading leaves.
    """
    reference_set = cast.reference(collection, labels, name)
    seating.note_changes(collection_id=collection.pk, pair_ids=[None])
    return reference_set


def run(
    collection: Collection,
    name: str,
    *,
    direction: str = "forward",
    seed: int = 0,
    missing: int = 0,
) -> Run:
    """A ready run that ranks every target at random; `missing` of the sources are left out."""
    rng = np.random.default_rng(seed)
    sides = ("query", "document") if direction == "forward" else ("document", "query")
    sources, targets = (
        list(collection.items.filter(side=side).order_by("pk").values_list("pk", flat=True))
        for side in sides
    )
    rankings = {
        source: (
            rng.permutation(targets).tolist(),
            sorted(rng.random(len(targets)).tolist(), reverse=True),
        )
        for source in sources[missing:]
    }
    return cast.run(collection, name, rankings, direction=direction)


def open_pool(
    collection: Collection, queries: list[Item], documents: list[Item], depth: int = 3
) -> Pool:
    """An open pool of the first documents of each query, and of its own one."""
    pairs = Pair.objects.bulk_create(
        Pair(collection=collection, query=query, document=documents[(i + step) % len(documents)])
        for i, query in enumerate(queries)
        for step in range(depth)
    )
    round_ = campaigns.open_pool_round(collection, pairs)
    return Pool.objects.create(
        collection=collection,
        name="depth 3",
        strategy="depth",
        round=round_,
        state="open",
        opened_at=timezone.now(),
    )


def name_pairs(collection: Collection) -> None:
    """Fill a study's pool with its pairs, as in an opened one, so that fsck finds no fault."""
    pool = Pool.objects.get(collection=collection)
    PoolPair.objects.bulk_create(
        PoolPair(pool=pool, pair=pair, best_rank=1) for pair in collection.pairs.all()
    )


def judge(annotator: Annotator, *, n: int | None = None, seed: int = 0, likes: float = 0.5) -> int:
    """Let an annotator judge up to n pairs from the queue; return the number of judgments.

    If a batch holds the whole pool, as by default, the grades of the pairs depend on the seed
    alone.
    """
    rng = np.random.default_rng(seed)
    grades = sorted(annotator.collection.levels.values_list("grade", flat=True))
    claiming.current_batch(annotator=annotator)
    left = claiming.open_hand_outs(annotator=annotator)
    hand_outs = sorted(left.select_related("seat__pair__query", "seat__pair__document"), key=_ids)
    hand_outs = [hand_outs[at] for at in rng.permutation(len(hand_outs))[:n]]
    for hand_out in hand_outs:
        grade = int(rng.choice(grades[1:])) if rng.random() < likes else grades[0]
        answer = JudgmentAnswer(
            submission_id=uuid4(),
            grade=grade,
            telemetry=Telemetry(active_ms=int(rng.integers(2000, 9000))),
        )
        judging.record_judgment(annotator=annotator, token=hand_out.token, answer=answer)
    return len(hand_outs)


def _ids(hand_out: HandOut) -> tuple[str, str]:
    pair = hand_out.seat.pair
    return pair.query.external_id, pair.document.external_id


def numbers(collection: Collection) -> dict[str, list[dict[str, object]]]:
    """Every derived row without keys and times, as a rebuild must restore it byte for byte."""
    without = {"id", "computed_at", "changed_at"}

    def rows(queryset: object) -> list[dict[str, object]]:
        return [
            {
                k: bytes(v) if isinstance(v, memoryview) else v
                for k, v in row.items()
                if k not in without
            }
            for row in queryset.values()
        ]

    scores = Score.objects.filter(run__collection=collection)
    return {
        "snapshots": rows(Snapshot.objects.filter(collection=collection).order_by("kind")),
        "scores": rows(scores.order_by("run", "query_set", "label_source", "measure", "threshold")),
        "resolutions": rows(Resolution.objects.filter(collection=collection).order_by("pk")),
    }


def observations(collection: Collection, kind: str) -> list[Observation]:
    """The kept history of one kind."""
    return list(
        Observation.objects.filter(collection=collection, kind=kind).order_by("n_judgments")
    )
