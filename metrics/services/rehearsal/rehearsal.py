"""A rehearsal: a whole campaign by simulated annotators, on the study whose truth is known.

Everything goes through the services that people use: the runs are received and read, a pool is
previewed and opened, batches are claimed, labels stored one by one, numbers refreshed. Then the
scores with people's labels, and those with the reference alone, are held against the scores with
the truth.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple
from uuid import uuid4

import numpy as np

from annotate.core.labels.answers import JudgmentAnswer, Telemetry
from annotate.models import Annotator, Collection, Direction, QuerySet, ReferenceLabel, User
from annotate.services.collection.collections import change_policy
from annotate.services.collection.references import load_reference
from annotate.services.judging.claiming import current_batch, open_hand_outs
from annotate.services.judging.judging import record_judgment
from metrics.core.labels.simulation import SimulatedAnnotator, judging_seconds, label
from metrics.models import Score, Snapshot
from metrics.services.numbers.refresh import refresh
from metrics.services.rehearsal.demo import FOLDER, load_shapes
from pooling.models import Pool, PoolPair, Run
from pooling.services.pools.pools import create_pool, open_pool

MEASURES = ("C@1", "C@10", "AP")
N_ANNOTATORS = 6
# Four labels and a fifth where the middle two differ decide as the median of five would. One label
# a pair would miss a tenth of the positives, and C@1 with them; see demo/README.md for the policies
# compared.
POLICY = {
    "labels_per_pair": 4,
    "ceiling": 5,
    "rule": "median",
    "double_share": 0,
    "batch_candidates": 98,
}


class SystemScores(NamedTuple):
    """One system's means of one measure under the three label sources, in [0, 1]."""

    system: str
    measure: str
    truth: float
    people: float
    reference: float


class Rehearsal(NamedTuple):
    """The results of a rehearsal.

    missed_share : share of the true positives that the pool does not hold, in [0, 1]
    alpha : Krippendorff's alpha of the simulated planned labels; None where it is not defined
    inflation : by system, how much larger C@10 is than with the truth: false positives alone can
        make it so
    seconds : how long the campaign took
    """

    collection: Collection
    scores: list[SystemScores]
    n_pairs: int
    n_judgments: int
    missed_share: float
    alpha: float | None
    inflation: dict[str, float]
    seconds: float

    def order(self, measure: str, source: str) -> list[str]:
        """The systems by one measure under "truth", "people" or "reference", best first."""
        rows = [row for row in self.scores if row.measure == measure]
        return [
            row.system for row in sorted(rows, key=lambda row: (-getattr(row, source), row.system))
        ]


def rehearse(
    *,
    slug: str,
    seed: int,
    quality: SimulatedAnnotator = SimulatedAnnotator(),  # noqa: B008 - immutable
    n_captions: int = 120,
    by: User | None = None,
    report_progress: Callable[[int], None] = lambda n: None,
) -> Rehearsal:
    """Run a campaign in a collection of its own, which stays, so that its pages can be viewed.

    seed : of the captions drawn and of the labels; the same seed gives the same scores
    n_captions : how many captions are pooled, drawn at random; the scores are over these
    report_progress : called with the number of judgments after each batch
    Raises CollectionExists when the slug is taken.
    """
    begun_at = time.monotonic()
    collection = load_shapes(slug=slug, name=f"Rehearsal {seed}", by=by, is_rehearsal=True)
    change_policy(collection=collection, by=by, **POLICY)
    pool = _open_pool(collection, n_captions, seed, by)
    truth = _load_truth(collection, by)
    n_judgments = 0
    for n_judgments in _judge_all(collection, truth, quality, seed):
        report_progress(n_judgments)
    refresh(collection=collection)
    query_set = QuerySet.objects.get(collection=collection, name=f"sample {pool.name}")
    scores = _scores(collection, query_set)
    n_pairs, missed_share = pool.pool_pairs.count(), _missed(collection, pool, query_set)
    snapshot = Snapshot.objects.get(collection=collection, kind="agreement")
    alpha = snapshot.value["planned"][collection.measurement]["value"]
    return Rehearsal(
        collection=collection,
        scores=scores,
        n_pairs=n_pairs,
        n_judgments=n_judgments,
        missed_share=missed_share,
        alpha=None if alpha is None else float(alpha),
        inflation={row.system: row.people - row.truth for row in scores if row.measure == "C@10"},
        seconds=time.monotonic() - begun_at,
    )


def _open_pool(collection: Collection, n_captions: int, seed: int, by: User | None) -> Pool:
    pool = create_pool(
        collection=collection,
        name="rehearsal",
        strategy="depth-k-sample",
        parameters={"depth": 10, "n_sources": n_captions},
        runs=list(
            Run.objects.filter(collection=collection, direction=Direction.FORWARD).order_by("name")
        ),
        seed=seed,
        by=by,
    )
    open_pool(pool=pool, by=by)
    return pool


def _load_truth(collection: Collection, by: User | None) -> dict[tuple[int, int], int]:
    """Store the truth as a reference set, and return its grade of each relevant pair."""
    with open(FOLDER / "truth.qrels", "rb") as stream:
        load_reference(
            collection=collection, stream=stream, file_name="truth.qrels", name="truth", by=by
        )
    labels = ReferenceLabel.objects.filter(
        reference_set__collection=collection, reference_set__name="truth"
    )
    return {
        (query, document): grade
        for query, document, grade in labels.values_list("query", "document", "grade")
    }


def _judge_all(
    collection: Collection,
    truth: dict[tuple[int, int], int],
    quality: SimulatedAnnotator,
    seed: int,
) -> Iterator[int]:
    """Let the annotators take batches in turn until none gets one; yields the judgments so far."""
    annotators = [
        Annotator.objects.create(
            collection=collection,
            origin=Annotator.Origin.SIMULATED,
            pseudonym=f"simulated {number}",
        )
        for number in range(1, N_ANNOTATORS + 1)
    ]
    levels = list(collection.levels.values_list("grade", flat=True))
    n_judgments_of: Counter[str] = Counter()
    n_judgments = 0
    is_anyone_working = True
    while is_anyone_working:
        is_anyone_working = False
        for annotator in annotators:
            if current_batch(annotator=annotator) is None:
                continue
            is_anyone_working = True
            hand_outs = open_hand_outs(annotator=annotator).select_related(
                "seat__pair__query", "seat__pair__document"
            )
            for hand_out in hand_outs:
                pair = hand_out.seat.pair
                pair_key = "/".join(
                    (hand_out.seat.purpose, pair.query.external_id, pair.document.external_id)
                )
                # The draw depends on the pair and on how often it was judged, not on annotators and
                # batches.
                rng = np.random.default_rng([seed, n_judgments_of[pair_key], *map(ord, pair_key)])
                n_judgments_of[pair_key] += 1
                grade = label(
                    truth.get((pair.query_id, pair.document_id), 0),
                    annotator=quality,
                    levels=levels,
                    positive_from=collection.positive_from,
                    rng=rng,
                )
                milliseconds = int(1000 * judging_seconds(quality, rng=rng))
                answer = JudgmentAnswer(uuid4(), grade, telemetry=Telemetry(active_ms=milliseconds))
                record_judgment(annotator=annotator, token=hand_out.token, answer=answer)
                n_judgments += 1
            yield n_judgments


def _scores(collection: Collection, query_set: QuerySet) -> list[SystemScores]:
    def means(label_source: str) -> dict[tuple[str, str], float]:
        rows = Score.objects.filter(
            query_set=query_set, label_source=label_source, measure__in=MEASURES
        )
        return {
            (name, measure): mean
            for name, measure, mean in rows.values_list("run__name", "measure", "mean")
            if mean is not None
        }

    truth, people, reference = means("none:truth"), means("over:original"), means("none:original")
    return [
        SystemScores(
            system,
            measure,
            truth[system, measure],
            people[system, measure],
            reference[system, measure],
        )
        for system, measure in sorted(truth)
    ]


def _missed(collection: Collection, pool: Pool, query_set: QuerySet) -> float:
    """The share of the true positives of the pooled captions that the pool does not hold."""
    positive_labels = ReferenceLabel.objects.filter(
        reference_set__collection=collection,
        reference_set__name="truth",
        grade__gte=collection.positive_from,
        query__in=query_set.members.values("item"),
    )
    pool_pairs = PoolPair.objects.filter(pool=pool).values_list(
        "pair__query_id", "pair__document_id"
    )
    true_positives = set(positive_labels.values_list("query_id", "document_id"))
    return 1 - len(true_positives & set(pool_pairs)) / len(true_positives)
