"""Resolutions of many pairs at once that no open round wants: all that reconciling would write."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from django.db import connection, transaction
from numpy.typing import NDArray

from annotate.core.labels import resolving
from annotate.core.number_sets import difference
from annotate.models import Policy, Round, Seat
from annotate.services.seating.bulk_seats import lock_pairs
from annotate.services.seating.evidence import PRECEDENCE
from annotate.services.seating.reconciling import reconcile_pairs
from annotate.services.seating.seat_plan import label_policy
from annotate.statements import text_list

Keys = NDArray[np.int64]
# Pairs are left to `plan` where a seat may have to come or go, somebody reported the pair, or a
# lead or a model of annotators decided. Each subquery is run once a pair, by the index of the pair,
# as in bulk_seats.py; for the same reason labels that count are not read through their view here:
# where tables counted as empty, each seat was looked for among all.
_ROUND_KINDS = text_list(Round.FOR_LABELS)
_SETTLED = f"""
    SELECT requested.pair, deciding.collection_id, deciding.policy_id, counting.grades, demand.n
    FROM unnest(%s::bigint[]) AS requested(pair)
    CROSS JOIN LATERAL (
        SELECT array_agg(seat.grade ORDER BY seat.grade)
                   FILTER (WHERE seat.purpose IN {text_list(Seat.FOR_LABELS)}
                           AND seat.state = 'done') AS grades,
               bool_or(seat.purpose = 'label' AND seat.state = 'free'
                       OR seat.purpose = 'adjudication' AND seat.state = 'done') AS is_moving
        FROM (SELECT seat.purpose, seat.state, (
                  SELECT level.grade FROM annotate_judgment judgment JOIN annotate_level level
                  ON level.id = judgment.level_id WHERE judgment.id = seat.judgment_id) AS grade
              FROM annotate_seat seat WHERE seat.pair_id = requested.pair) seat) counting
    CROSS JOIN LATERAL (
        SELECT round.collection_id, round.policy_id
        FROM annotate_roundpair round_pair
        JOIN annotate_round round ON round.id = round_pair.round_id
        WHERE round_pair.pair_id = requested.pair AND round.kind IN {_ROUND_KINDS}
        ORDER BY {PRECEDENCE} LIMIT 1) deciding
    CROSS JOIN LATERAL (
        SELECT max(round_pair.n_wanted) FILTER (WHERE round.kind IN {_ROUND_KINDS}) AS n,
               bool_or(round.state IN {text_list(Round.WANTING)}) AS is_open
        FROM annotate_roundpair round_pair
        JOIN annotate_round round ON round.id = round_pair.round_id
        WHERE round_pair.pair_id = requested.pair) demand
    WHERE counting.grades IS NOT NULL AND NOT counting.is_moving AND NOT demand.is_open
      AND NOT EXISTS (SELECT FROM annotate_pairexclusion excluded
                      WHERE excluded.pair_id = requested.pair OFFSET 0)
      AND (SELECT count(*) FILTER (WHERE report.state = 'open')
           FROM annotate_report report WHERE report.pair_id = requested.pair) = 0
      AND NOT EXISTS (SELECT FROM annotate_resolution resolution
                      WHERE resolution.pair_id = requested.pair
                        AND lower(resolution.status) = 'model' OFFSET 0)
    ORDER BY requested.pair
"""  # noqa: S608 - own words
_RESOLVE = """
    INSERT INTO annotate_resolution AS stored (
        pair_id, collection_id, status, grade, n_labels, is_complete, policy_id)
    SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::text[], %s::smallint[], %s::smallint[],
                         %s::boolean[], %s::bigint[])
    ON CONFLICT (pair_id) DO UPDATE SET
        status = excluded.status, grade = excluded.grade, n_labels = excluded.n_labels,
        is_complete = excluded.is_complete, policy_id = excluded.policy_id
    WHERE (stored.status, stored.grade, stored.n_labels, stored.is_complete, stored.policy_id)
          IS DISTINCT FROM (excluded.status, excluded.grade, excluded.n_labels,
                            excluded.is_complete, excluded.policy_id)
"""


class SettledPair(NamedTuple):
    """A pair that no open round wants labels of, and what decides its grade.

    n_asked : the most labels that any of its rounds wanted
    """

    pair: int
    collection: int
    policy: int
    grades: Sequence[int]
    n_asked: int


@transaction.atomic(savepoint=False)
def resolve_pairs(*, pairs: Keys) -> None:
    """Do as `reconcile_pairs`, faster where no open round wants most pairs; ascending keys."""
    lock_pairs(pairs)
    # After the lock, and in a statement of its own: what somebody committed meanwhile must be seen.
    with connection.cursor() as cursor:
        cursor.execute(_SETTLED, [pairs.tolist()])
        settled_pairs = [SettledPair(*row) for row in cursor.fetchall()]
    _write_resolutions(settled_pairs)
    reconcile_pairs(
        pair_ids=difference(
            pairs, np.array([pair.pair for pair in settled_pairs], dtype=np.int64)
        ).tolist()
    )


def _write_resolutions(settled_pairs: Sequence[SettledPair]) -> None:
    policies = {
        pk: label_policy(policy)
        for pk, policy in Policy.objects.in_bulk({pair.policy for pair in settled_pairs}).items()
    }
    # many pairs share few combinations of grades
    decisions: dict[tuple[int, ...], resolving.Decision | None] = {}
    is_complete: dict[tuple[int, ...], bool] = {}
    rows = []
    for pair in settled_pairs:
        key = (pair.policy, pair.n_asked, *pair.grades)
        if key not in decisions:
            policy = policies[pair.policy]
            decisions[key] = resolving.decide(pair.grades, policy)
            is_complete[key] = resolving.n_needed(
                pair.grades, n_wanted=pair.n_asked, policy=policy
            ) == len(pair.grades)
        if decision := decisions[key]:
            resolution = (
                decision.status,
                decision.grade,
                decision.n_labels,
                is_complete[key],
                pair.policy,
            )
            rows.append((pair.pair, pair.collection, *resolution))
    if rows:
        with connection.cursor() as cursor:
            cursor.execute(_RESOLVE, [list(column) for column in zip(*rows, strict=True)])
