"""Resolutions of many pairs at once that no open round wants: all that reconciling would write of those."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from django.db import connection, transaction
from numpy.typing import NDArray

from annotate.core import labels
from annotate.models import Policy
from annotate.services.seating.plain import lock_pairs
from annotate.services.seating.plan import label_policy
from annotate.services.seating.reconciling import reconcile_pairs

Keys = NDArray[np.int64]
# Which policy decides is said in plan._wishes: of closed rounds the most demanding, then the newest. Pairs are left to
# `plan` where a seat may have to come or go, somebody reported something, or a lead or a model of annotators decided.
# Each subquery is run once a pair, by the index of the pair, as in plain.py.
_SETTLED = """
    SELECT wanted.pair, deciding.collection_id, deciding.policy_id, said.grades, asked.n
    FROM unnest(%s::bigint[]) AS wanted(pair)
    CROSS JOIN LATERAL (
        SELECT array_agg(seat.grade ORDER BY seat.grade)
                   FILTER (WHERE seat.purpose IN ('label', 'import') AND seat.state = 'done') AS grades,
               bool_or(seat.purpose = 'label' AND seat.state = 'free'
                       OR seat.purpose = 'adjudication' AND seat.state = 'done') AS is_moving
        FROM (SELECT seat.purpose, seat.state, (
                  SELECT level.grade FROM annotate_judgment judgment JOIN annotate_level level
                  ON level.id = judgment.level_id WHERE judgment.id = seat.judgment_id) AS grade
              FROM annotate_seat seat WHERE seat.pair_id = wanted.pair) seat) said
    CROSS JOIN LATERAL (
        SELECT round.collection_id, round.policy_id
        FROM annotate_roundpair wish JOIN annotate_round round ON round.id = wish.round_id
        WHERE wish.pair_id = wanted.pair AND round.kind IN ('pool', 'import')
        ORDER BY CASE WHEN wish.dropped_at IS NULL THEN wish.n_wanted ELSE 0 END DESC, round.id DESC LIMIT 1) deciding
    CROSS JOIN LATERAL (
        SELECT max(wish.n_wanted) FILTER (WHERE round.kind IN ('pool', 'import')) AS n,
               bool_or(round.state IN ('opening', 'open')) AS is_open
        FROM annotate_roundpair wish JOIN annotate_round round ON round.id = wish.round_id
        WHERE wish.pair_id = wanted.pair) asked
    WHERE said.grades IS NOT NULL AND NOT said.is_moving AND NOT asked.is_open
      AND NOT EXISTS (SELECT FROM annotate_pairexclusion excluded WHERE excluded.pair_id = wanted.pair OFFSET 0)
      AND (SELECT count(*) FILTER (WHERE report.state = 'open')
           FROM annotate_report report WHERE report.pair_id = wanted.pair) = 0
      AND NOT EXISTS (SELECT FROM annotate_resolution known
                      WHERE known.pair_id = wanted.pair AND lower(known.status) = 'model' OFFSET 0)
    ORDER BY wanted.pair
"""
_RESOLVE = """
    INSERT INTO annotate_resolution (pair_id, collection_id, status, grade, n_labels, is_complete, policy_id)
    SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::text[], %s::smallint[], %s::smallint[], %s::boolean[],
                         %s::bigint[])
    ON CONFLICT (pair_id) DO UPDATE SET
        status = excluded.status, grade = excluded.grade, n_labels = excluded.n_labels,
        is_complete = excluded.is_complete, policy_id = excluded.policy_id
"""


class Settled(NamedTuple):
    """A pair that nobody wants more labels of, and what decides its grade.

    n_asked : the most labels that any of its rounds wanted
    """

    pair: int
    collection: int
    policy: int
    grades: Sequence[int]
    n_asked: int


@transaction.atomic(savepoint=False)
def resolve_pairs(*, pairs: Keys) -> None:
    """As `reconcile_pairs`, much faster where most of the pairs are wanted by no open round; ascending keys."""
    lock_pairs(pairs)
    # After the lock, and in a statement of its own: what somebody committed meanwhile must be seen.
    with connection.cursor() as cursor:
        cursor.execute(_SETTLED, [pairs.tolist()])
        found = [Settled(*row) for row in cursor.fetchall()]
    _write(found)
    reconcile_pairs(pair_ids=np.setdiff1d(pairs, np.array([each.pair for each in found], dtype=np.int64)).tolist())


def _write(found: Sequence[Settled]) -> None:
    policies = {
        pk: label_policy(policy) for pk, policy in Policy.objects.in_bulk({each.policy for each in found}).items()
    }
    decided: dict[tuple[int, ...], labels.Decision | None] = {}  # few ways to be labelled, many pairs
    is_complete: dict[tuple[int, ...], bool] = {}
    rows = []
    for each in found:
        key = (each.policy, each.n_asked, *each.grades)
        if key not in decided:
            policy = policies[each.policy]
            decided[key] = labels.decide(each.grades, policy)
            is_complete[key] = labels.n_needed(each.grades, n_wanted=each.n_asked, policy=policy) == len(each.grades)
        if said := decided[key]:
            about = (said.status, said.grade, said.n_labels, is_complete[key], each.policy)
            rows.append((each.pair, each.collection, *about))
    if rows:
        with connection.cursor() as cursor:
            cursor.execute(_RESOLVE, [list(column) for column in zip(*rows, strict=True)])
