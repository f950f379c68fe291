"""Small studies with runs in both directions, a reference set and people who judge; for tests of numbers."""

from uuid import uuid4

import numpy as np
from django.utils import timezone

from annotate.models import (
    Annotator,
    Collection,
    HandOut,
    Item,
    Pair,
    QuerySet,
    QuerySetItem,
    ReferenceLabel,
    ReferenceSet,
    Resolution,
    Round,
)
from annotate.services import claiming, judging, seating
from metrics.models import Observation, Score, Snapshot
from pooling.models import Pool, Ranking, Run
from tests import cast


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
    """A collection with a reference set, two forward runs and a reverse one, and an open pool of their top three."""
    policy = {"labels_per_pair": 2, "gold_positives": 0, "gold_negatives": 0, "batch_candidates": 50, **policy}
    made = cast.collection(slug, grades=grades, positive_from=positive_from, **policy)
    queries = cast.items(made, "query", n_queries)
    documents = cast.items(made, "document", n_documents)
    for direction, items in (("forward", queries), ("reverse", documents)):
        everything = QuerySet.objects.create(collection=made, name="all", direction=direction)
        QuerySetItem.objects.bulk_create(QuerySetItem(query_set=everything, item=item) for item in items)
    reference(made, {(query.external_id, documents[i].external_id): grades - 1 for i, query in enumerate(queries)})
    if with_runs:
        for number, name in enumerate(("alpha", "beta")):
            run(made, name, seed=number)
        run(made, "gamma", direction="reverse", seed=2)
    open_pool(made, queries, documents)
    return made


def reference(made: Collection, labels: dict[tuple[str, str], int], name: str = "original") -> ReferenceSet:
    """A reference set from (query id, document id) -> grade; leaves the Change row that loading leaves."""
    ids = {(item.side, item.external_id): item.pk for item in Item.objects.filter(collection=made)}
    stored = ReferenceSet.objects.create(collection=made, name=name)
    ReferenceLabel.objects.bulk_create(
        ReferenceLabel(reference_set=stored, query_id=ids["query", q], document_id=ids["document", d], grade=grade)
        for (q, d), grade in labels.items()
    )
    seating.note_changes(collection_id=made.pk, pair_ids=[None])
    return stored


def run(made: Collection, name: str, *, direction: str = "forward", seed: int = 0, missing: int = 0) -> Run:
    """A ready run that ranks every target at random; `missing` of the sources are left out."""
    rng = np.random.default_rng(seed)
    sides = ("query", "document") if direction == "forward" else ("document", "query")
    sources, targets = (
        list(made.items.filter(side=side).order_by("pk").values_list("pk", flat=True)) for side in sides
    )
    stored = Run.objects.create(
        collection=made,
        name=name,
        direction=direction,
        state="ready",
        file_name=f"{name}.run",
        file=f"runs/{name}.run",
        sha256="0" * 64,
        finished_at=timezone.now(),
    )
    Ranking.objects.bulk_create(
        Ranking(
            run=stored,
            source_id=source,
            targets=rng.permutation(targets).tolist(),
            scores=sorted(rng.random(len(targets)).tolist(), reverse=True),
        )
        for source in sources[missing:]
    )
    return stored


def open_pool(made: Collection, queries: list[Item], documents: list[Item], depth: int = 3) -> Pool:
    """An open pool of the first documents of each query, and of its own one."""
    pairs = Pair.objects.bulk_create(
        Pair(collection=made, query=query, document=documents[(i + step) % len(documents)])
        for i, query in enumerate(queries)
        for step in range(depth)
    )
    round_ = seating.open_round(
        collection=made,
        kind=Round.Kind.POOL,
        name="pool",
        policy=cast.policy(made),
        pair_ids=[pair.pk for pair in pairs],
    )
    return Pool.objects.create(
        collection=made, name="depth 3", strategy="depth", round=round_, state="open", opened_at=timezone.now()
    )


def judge(annotator: Annotator, *, n: int | None = None, seed: int = 0, likes: float = 0.5) -> int:
    """Let somebody judge up to n of what the queue gives; returns how many judgments that were.

    Where a batch holds the whole pool, as by default, which pairs get which grades hangs on the seed alone:
    the order of the batch hangs on the collection's key and on the rows' numbers, which differ in every run.
    """
    rng = np.random.default_rng(seed)
    grades = sorted(annotator.collection.levels.values_list("grade", flat=True))
    claiming.current_batch(annotator=annotator)
    left = claiming.unanswered(annotator=annotator)
    given = sorted(left.select_related("seat__pair__query", "seat__pair__document"), key=_ids)
    given = [given[at] for at in rng.permutation(len(given))[:n]]
    for hand_out in given:
        grade = int(rng.choice(grades[1:])) if rng.random() < likes else grades[0]
        answer = judging.Answer(submission_id=uuid4(), grade=grade, active_ms=int(rng.integers(2000, 9000)))
        judging.record_judgment(annotator=annotator, token=hand_out.token, answer=answer)
    return len(given)


def _ids(hand_out: HandOut) -> tuple[str, str]:
    pair = hand_out.seat.pair
    return pair.query.external_id, pair.document.external_id


def numbers(made: Collection) -> dict[str, list[dict[str, object]]]:
    """Every derived row but for keys and moments: what a rebuild must bring back byte for byte."""
    without = {"id", "computed_at"}

    def rows(queryset: object) -> list[dict[str, object]]:
        return [
            {k: bytes(v) if isinstance(v, memoryview) else v for k, v in row.items() if k not in without}
            for row in queryset.values()
        ]

    scores = Score.objects.filter(run__collection=made)
    return {
        "snapshots": rows(Snapshot.objects.filter(collection=made).order_by("kind")),
        "scores": rows(scores.order_by("run", "query_set", "reference_set", "label_source", "measure", "threshold")),
        "resolutions": rows(Resolution.objects.filter(collection=made).order_by("pk")),
    }


def observations(made: Collection, kind: str) -> list[Observation]:
    """The kept history of one kind."""
    return list(Observation.objects.filter(collection=made, kind=kind).order_by("n_judgments"))
