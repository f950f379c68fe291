"""The simple cases of reconciling, many pairs of one round at once.

Most pairs of a large round are named by no other, and nobody has been handed, has judged or
reported them: their plan is known beforehand, and written by a few statements. All others are left
to `reconcile_pairs`. Call these in a transaction; they lock the pairs.
"""

from typing import NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.core.labels import keyed_choices, resolving
from annotate.core.number_sets import difference
from annotate.models import Round, Seat
from annotate.services.seating.seat_plan import label_policy, runs_of_a_query
from annotate.services.storage.bulk_copy import copy_rows
from annotate.services.storage.number_arrays import statement_columns
from annotate.statements import SqlValue

Keys = NDArray[np.int64]

_LOCK = """
    SELECT count(*) FROM (SELECT FROM annotate_pair WHERE id = ANY(%(pairs)s)
                          ORDER BY id FOR NO KEY UPDATE) locked
"""
_SHARED = """
    SELECT requested.pair FROM unnest(%(pairs)s::bigint[]) AS requested(pair)
    WHERE EXISTS (SELECT FROM annotate_roundpair
                  WHERE pair_id = requested.pair AND round_id <> %(round)s OFFSET 0)
    ORDER BY requested.pair
"""
# The keys lead, and each subquery is an aggregate or ends in OFFSET 0, so that it is run once a key
# by the index of the pair, whatever the planner believes. Left to it, where statistics did not know
# the round or took the table for empty, a block read all rows of the round, of all free seats or of
# the whole table, and opening again did not end. A pair that may be a gold does not count as
# untouched: its row is a person's lock, not to be held for long.
_UNTOUCHED = """
    SELECT requested.pair,
           (SELECT pair.query_id FROM annotate_pair pair WHERE pair.id = requested.pair),
           demand.n_wanted, seats.n, seats.n_free, seats.n_spare
    FROM unnest(%(pairs)s::bigint[]) AS requested(pair)
    CROSS JOIN LATERAL (
        SELECT count(*) AS n_rounds,
               max(round_pair.n_wanted)
                   FILTER (WHERE round_pair.round_id = %(round)s
                           AND round_pair.dropped_at IS NULL) AS n_wanted
        FROM annotate_roundpair round_pair WHERE round_pair.pair_id = requested.pair) demand
    CROSS JOIN LATERAL (
        SELECT count(*) AS n,
               count(*) FILTER (WHERE seat.state = 'free' AND seat.round_id = %(round)s) AS n_free,
               count(*) FILTER (WHERE seat.state = 'withdrawn' AND seat.round_id = %(round)s
                                AND seat.purpose = 'label' AND seat.annotator_id IS NULL) AS n_spare
        FROM annotate_seat seat WHERE seat.pair_id = requested.pair) seats
    WHERE demand.n_rounds = 1 AND demand.n_wanted IS NOT NULL
      AND (SELECT count(*) FILTER (WHERE report.state = 'open')
           FROM annotate_report report WHERE report.pair_id = requested.pair) = 0
      AND NOT EXISTS (SELECT FROM annotate_resolution resolution
                      WHERE resolution.pair_id = requested.pair OFFSET 0)
      AND NOT EXISTS (SELECT FROM annotate_gold gold WHERE gold.pair_id = requested.pair OFFSET 0)
    ORDER BY requested.pair
"""
_QUERIES = "SELECT query_id FROM annotate_pair WHERE id = ANY(%(pairs)s) ORDER BY id"
_SEATS_OF = """
    SELECT seat.id FROM unnest(%(pairs)s::bigint[]) AS requested(pair)
    CROSS JOIN LATERAL (
        SELECT seat.id, seat.purpose, seat.state, seat.annotator_id
        FROM annotate_seat seat WHERE seat.pair_id = requested.pair OFFSET 0) seat
    WHERE seat.purpose = 'label'
"""
# lower(): the state is looked at once more, since somebody may have claimed the seat meanwhile, but
# no index of free seats offers itself, whose whole queue would be read once a block.
_BRING_BACK = f"""
    UPDATE annotate_seat SET state = 'free'
    WHERE lower(state) = 'withdrawn'
      AND id = ANY(ARRAY({_SEATS_OF} AND seat.state = 'withdrawn' AND seat.annotator_id IS NULL))
"""  # noqa: S608 - own text
_WITHDRAW = f"""
    UPDATE annotate_seat SET state = 'withdrawn'
    WHERE lower(state) = 'free' AND id = ANY(ARRAY({_SEATS_OF} AND seat.state = 'free'))
"""  # noqa: S608 - own text
# A pair that waits for a label that nobody is asked for any more is disputed.
_DISPUTE = """
    UPDATE annotate_resolution SET status = 'disputed'
    WHERE pair_id = ANY(%(pairs)s) AND status = 'waiting'
"""


class UntouchedPairs(NamedTuple):
    """Pairs that nobody else is at, (N,) each.

    n_seats, n_free, n_spare : their seats in all, free, and withdrawn without an annotator
    """

    pair: Keys
    query: Keys
    n_wanted: Keys
    n_seats: Keys
    n_free: Keys
    n_spare: Keys


def seat_untouched_pairs(*, round_: Round, pairs: Keys) -> Keys:
    """Give untouched pairs of a round that wants them their free seats; returns the other pairs."""
    lock_pairs(pairs)
    # After the lock, and in a statement of its own: what somebody committed meanwhile must be seen.
    untouched_pairs = _untouched(round_, pairs)
    n_first = _n_first(round_, untouched_pairs.n_wanted)
    is_new = untouched_pairs.n_seats == 0
    is_spare = (untouched_pairs.n_spare == untouched_pairs.n_seats) & (
        untouched_pairs.n_spare == n_first
    )
    is_right = (untouched_pairs.n_free == untouched_pairs.n_seats) & (
        untouched_pairs.n_free == n_first
    )
    _make_seats(
        round_, untouched_pairs.pair[is_new], untouched_pairs.query[is_new], n_first[is_new]
    )
    _execute(_BRING_BACK, pairs=untouched_pairs.pair[is_spare].tolist())
    return difference(pairs, untouched_pairs.pair[is_new | is_spare | is_right])


def seat_created_pairs(*, round_: Round, pairs: Keys, n_wanted: Keys) -> None:
    """Give pairs made by this transaction, which nobody else can be at, seats; ascending keys."""
    (query,) = statement_columns(_QUERIES, 1, {"pairs": pairs.tolist()})
    _make_seats(round_, pairs, query, _n_first(round_, n_wanted))


def seat_pairs_of_new_round(*, round_: Round, pairs: Keys) -> Keys:
    """Do as `seat_untouched_pairs` in a long transaction; lock no pair an annotator may be at."""
    untouched_pairs = _untouched(round_, pairs).pair
    touched_pairs = seat_untouched_pairs(round_=round_, pairs=untouched_pairs)
    return difference(pairs, difference(untouched_pairs, touched_pairs))


def withdraw_unshared_seats(*, round_: Round, pairs: Keys) -> Keys:
    """Withdraw the free seats of pairs that a closing round alone names; return the other pairs."""
    lock_pairs(pairs)
    parameters = {"round": round_.pk, "pairs": pairs.tolist()}
    (shared_pairs,) = statement_columns(_SHARED, 1, parameters)
    own = difference(pairs, shared_pairs).tolist()
    _execute(_WITHDRAW, pairs=own)
    _execute(_DISPUTE, pairs=own)
    return shared_pairs


def lock_pairs(pairs: Keys) -> None:
    """Lock these pairs until the transaction ends, in the order in which all code does."""
    _execute(_LOCK, pairs=pairs.tolist())


def _untouched(round_: Round, pairs: Keys) -> UntouchedPairs:
    parameters = {"round": round_.pk, "pairs": pairs.tolist()}
    return UntouchedPairs(*statement_columns(_UNTOUCHED, 6, parameters))


def _n_first(round_: Round, n_wanted: Keys) -> Keys:
    """Return (N,) seats that pairs get before the first answer, by the labels wanted of each."""
    policy = label_policy(round_.policy)
    distinct_n_wanted, indices = np.unique(n_wanted, return_inverse=True)
    n_seats = [resolving.n_first(n, policy) for n in distinct_n_wanted.tolist()]
    return np.array(n_seats, dtype=np.int64)[indices] if n_seats else n_wanted


def _make_seats(round_: Round, pair: Keys, query: Keys, n_seats: Keys) -> None:
    """Insert the first seats of pairs: as many as are wanted at first, planned doubles last."""
    policy, key, n_runs = (
        round_.policy,
        bytes(round_.collection.key),
        runs_of_a_query(round_.policy),
    )
    if not len(pair):
        return
    n_single = resolving.n_first(policy.labels_per_pair, label_policy(policy))
    pairs = np.repeat(pair, n_seats)
    queries = np.repeat(query, n_seats).tolist()
    numbers = np.arange(len(pairs)) - np.repeat(np.cumsum(n_seats) - n_seats, n_seats) + 1
    rows = zip(pairs.tolist(), queries, numbers.tolist(), strict=True)
    queue_keys = [
        keyed_choices.queue_key(
            key, query=query, pair=pair, number=number, grouped=policy.grouped, n_runs=n_runs
        )
        for pair, query, number in rows
    ]
    copy_rows(
        "annotate_seat",
        {
            "collection_id": str(round_.collection_id),
            "round_id": str(round_.pk),
            "pair_id": pairs,
            "purpose": str(Seat.Purpose.LABEL),
            "number": numbers,
            "why": np.where(
                numbers <= n_single, str(Seat.Why.FIRST), str(Seat.Why.DOUBLE)
            ).tolist(),
            "state": str(Seat.State.FREE),
            "queue_key": np.array(queue_keys, dtype=np.int64),
        },
    )


def _execute(statement: str, **parameters: SqlValue) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
