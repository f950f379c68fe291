"""A rehearsal: a whole campaign by simulated annotators, on the study whose truth is known.

Everything goes through the services that people use: the runs are received and read, a pool is
previewed and opened, batches are claimed, labels stored one by one, numbers refreshed. Then the
scores with people's labels, and those with the reference alone, are held against the scores with
the truth.
"""

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from annotate.models import Collection, Direction, QuerySet, ReferenceLabel, User
from annotate.services.collection.collections import change_policy
from annotate.services.judging.judging import record_judgment
from metrics.core.labels.simulation import SimulatedAnnotator
from metrics.models import Score, Snapshot
from metrics.services.numbers.guards import check_guards
from metrics.services.numbers.refresh import refresh
from metrics.services.rehearsal.demo import load_shapes
from metrics.services.rehearsal.people import AnswerDraws, handed_pairs, new_person
from metrics.services.rehearsal.truth import TrueGrades, load_truth
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
    truth = load_truth(collection=collection, by=by)
    n_judgments = 0
    for n_judgments in _judge_all(collection, truth, quality, seed):
        report_progress(n_judgments)
    refresh(collection=collection)
    check_guards(collection=collection)
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


def _judge_all(
    collection: Collection,
    truth: TrueGrades,
    quality: SimulatedAnnotator,
    seed: int,
) -> Iterator[int]:
    """Let the annotators take batches in turn until none gets one; yields the judgments so far."""
    people = [
        new_person(collection=collection, name=f"simulated {number}", quality=quality)
        for number in range(1, N_ANNOTATORS + 1)
    ]
    draws = AnswerDraws(collection=collection, truth=truth, seed=seed)
    n_judgments = 0
    is_anyone_working = True
    while is_anyone_working:
        is_anyone_working = False
        for person in people:
            for hand_out in handed_pairs(person):
                is_anyone_working = True
                answer = draws.answer(hand_out, quality, rng=draws.rng_for(hand_out))
                record_judgment(annotator=person.annotator, token=hand_out.token, answer=answer)
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
