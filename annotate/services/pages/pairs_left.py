"""The pairs that are left for a person, alike on all pages; no check is told from another pair."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.phrases import counted
from annotate.models import Annotator
from annotate.services.judging.work_availability import ReachablePairs, reachable_pairs
from annotate.statements import prepared_cursor

# Of each annotator's newest batch: its pairs, the candidates among them, and how many of both wait.
# Before the first, a full one of the policy stands for it, lest the number rises with it.
_IN_HAND = """
    SELECT batch.annotator_id, count(*), count(*) FILTER (WHERE seat.purpose = 'label'),
           count(*) FILTER (WHERE waits), count(*) FILTER (WHERE waits AND seat.purpose = 'label')
    FROM unnest(%(annotators)s::bigint[]) AS ann(id)
    CROSS JOIN LATERAL (
        SELECT id, annotator_id FROM annotate_batch
        WHERE annotator_id = ann.id AND NOT EXISTS (
            SELECT FROM annotate_trainingtry try WHERE try.batch_id = annotate_batch.id)
        ORDER BY number DESC LIMIT 1) batch
    JOIN annotate_handout hand_out ON hand_out.batch_id = batch.id
    JOIN annotate_seat seat ON seat.id = hand_out.seat_id
    CROSS JOIN LATERAL (
        SELECT hand_out.answered_at IS NULL AND seat.state = 'held'
               AND seat.annotator_id = batch.annotator_id AS waits) state
    GROUP BY batch.annotator_id
    UNION ALL
    SELECT annotator.id,
           policy.batch_candidates + policy.gold_positives + policy.gold_negatives,
           policy.batch_candidates, 0, 0
    FROM annotate_annotator annotator
    CROSS JOIN LATERAL (
        SELECT * FROM annotate_policy WHERE collection_id = annotator.collection_id
        ORDER BY version DESC LIMIT 1) policy
    WHERE annotator.id = ANY(%(annotators)s)
      AND EXISTS (SELECT FROM annotate_gold gold
                  WHERE gold.collection_id = annotator.collection_id)
      AND NOT EXISTS (
        SELECT FROM annotate_batch batch
        WHERE batch.annotator_id = annotator.id AND NOT EXISTS (
            SELECT FROM annotate_trainingtry try WHERE try.batch_id = batch.id))
"""


class PairsLeft(NamedTuple):
    """The number of pairs that a person holds or that can come to her, checks among them.

    is_estimate : True if checks of coming batches are in it, as many as in her newest one, or
        before that as in one of the policy
    is_least : True if no more were counted and there may be more; then checks are not in it
    """

    n: int
    is_estimate: bool = False
    is_least: bool = False

    @property
    def text(self) -> str:
        """The pairs in words, two digits of an estimate: "7 pairs", "About 120 pairs"."""
        if self.is_least:  # never more than there are
            step = 10 ** max(0, len(str(self.n)) - 2)
            return f"At least {counted(self.n // step * step, 'pair')}"
        if self.is_estimate and self.n:
            return f"About {counted(int(two_digits(self.n)), 'pair')}"
        return counted(self.n, "pair")


class _InHand(NamedTuple):
    """The newest batch of a person: its pairs, and those that wait, with the candidates of both."""

    n: int
    n_candidates: int
    n_waiting: int
    n_waiting_candidates: int


def pairs_left(*, annotators: Sequence[Annotator]) -> dict[int, PairsLeft]:
    """Count the pairs that are left for each annotator; two queries.

    Every answer takes one away, whether to a candidate or to a check.
    """
    if not annotators:
        return {}
    with prepared_cursor() as cursor:
        cursor.execute(_IN_HAND, {"annotators": [annotator.pk for annotator in annotators]})
        in_hand = {key: _InHand(*columns) for key, *columns in cursor.fetchall()}
    return {
        key: _left(pairs, in_hand.get(key, _InHand(0, 0, 0, 0)))
        for key, pairs in reachable_pairs(annotators=annotators).items()
    }


def two_digits(number: float) -> float:
    """Return a positive number, rounded to its first two digits."""
    return round(number, 1 - math.floor(math.log10(number)))


def _left(pairs: ReachablePairs, batch: _InHand) -> PairsLeft:
    if pairs.is_least:
        return PairsLeft(pairs.n, is_least=True)
    n_further = max(0, pairs.n - batch.n_waiting_candidates)
    share = batch.n / batch.n_candidates if batch.n_candidates else 1.0
    n = batch.n_waiting + math.ceil(n_further * share)
    return PairsLeft(n, is_estimate=n_further > 0 and share > 1)
